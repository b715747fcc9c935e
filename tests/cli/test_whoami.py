import json

from tests.cli.hosted import PREFIX, SECRET, WHOAMI, Hosting, identity, inside, refused
from tests.cli.shell import Shell
from tests.doors.faults import Reply


def test_json_is_what_the_brain_says(hosting: Hosting) -> None:
    hosted = hosting(identity(more={"a": 1}))
    found = inside(hosted.shell, "whoami", "--json")
    assert (found.code, json.loads(found.out), found.err) == (0, {**WHOAMI, "more": {"a": 1}}, "")
    assert hosted.lines == ["POST /v1/mcp HTTP/1.1"]


def test_a_person_is_also_told_where_the_key_came_from(hosting: Hosting) -> None:
    hosted = hosting(identity())
    found = inside(hosted.shell, "whoami")
    assert dict(line.split("\t") for line in found.out.splitlines()) == {
        "name": "support-bot",
        "key": f"{PREFIX}…",
        "audience": "external",
        "scopes": "memory.read, answers.write",
        "rate limit": "120 requests per 60 s",
        "from": "the variable ALFERA_API_KEY",
        "brain": hosted.road.base_url,
    }


def test_a_brain_on_this_machine_names_its_profile_and_file(company: Shell) -> None:
    found = inside(company, "whoami")
    assert "from\tthe profile owner of the environment local\n" in found.out
    assert f"brain\t{company.home}" in found.out


def test_a_reply_of_other_types_is_still_shown(hosting: Hosting) -> None:
    odd = hosting(identity(scopes=None, rate_limit="much", key_name=["a"], key_prefix=None))
    found = inside(odd.shell, "whoami")
    assert found.code in {0, 11}
    assert "failed unexpectedly" not in found.err


def test_a_bad_key_exits_3_and_is_not_shown(hosting: Hosting) -> None:
    hosted = hosting(refused("api_key_invalid", 401, f"The key {SECRET} is not valid"))
    failed = inside(hosted.shell, "whoami")
    assert failed.code == 3
    assert failed.err.startswith(f"error: The key {PREFIX}… is not valid.\n")
    assert SECRET not in failed.out + failed.err


def test_a_page_is_not_the_brain_api(hosting: Hosting) -> None:
    page = Reply(200, b"<html><title>Welcome to [red]nginx\x1b[2J</title></html>", "text/html")
    failed = inside(hosting(page).shell, "whoami")
    assert failed.code == 11
    assert "[red]nginx" in failed.err
    assert "\x1b" not in failed.err
