"""`ask -i`: one conversation at a terminal, each answer typed as it comes."""

import signal
from collections.abc import Callable
from threading import Event as Flag

import pytest

from tests.asking.saying import DONE, RUN, SOURCE, body, completed, created, delta, says
from tests.asking.screens import Window
from tests.cli.hosted import Hosted, Hosting, refused
from tests.doors.faults import Fault

PATIENCE = 60.0
END = "\x04"


def replies(*texts: str) -> list[Fault]:
    return [says(created(), delta(text), completed(text, sources=[SOURCE]), DONE) for text in texts]


def talk(hosted: Hosted, *arguments: str, rows: int = 40) -> Window:
    return Window(hosted.shell, "ask", "-i", *arguments, columns=100, rows=rows)


def asked(hosted: Hosted) -> list[dict[str, object]]:
    return [body(request) for request in hosted.road.requests]


def until_heard(window: Window, number: signal.Signals, heard: Callable[[], bool]) -> None:
    """Send a signal to a prompt, which may miss it in the very moment in which it begins to listen.

    Sent once more too early, it would come upon whatever the first one has begun.
    """
    for _ in range(6):
        window.until_asleep()
        window.send(number)
        if heard():
            return
    pytest.fail("the prompt heard nothing")


def test_two_questions_are_one_conversation(hosting: Hosting) -> None:
    hosted = hosting(*replies("First.", "Second."))
    with talk(hosted, "--end-user", "cust_419", "--agent", "concierge") as window:
        window.until("> ")
        window.type("One?\n")
        window.until("First.")
        window.until("> ")
        window.type("Two?\n")
        window.until("Second.")
        window.until("> ")
        window.type(END)
        assert window.end() == 0
    first, second = asked(hosted)
    assert (first["input"], second["input"]) == ("One?", "Two?")
    assert first["conversation_id"] == second["conversation_id"]
    assert first["end_user"] == second["end_user"] == {"id": "cust_419"}
    assert second["agent_slug"] == "concierge"
    assert [line for line in window.lines if line in {"> One?", "First.", "> Two?", "Second."}] == [
        "> One?",
        "First.",
        "> Two?",
        "Second.",
    ]
    assert "Source" not in window.text


def test_a_dash_is_what_is_typed_and_no_question(hosting: Hosting) -> None:
    hosted = hosting(*replies("First."))
    with talk(hosted, "-") as window:
        window.until("> ")
        window.type("One?\n")
        window.until("First.")
        window.until("> ")
        window.type(END)
        assert window.end() == 0
    assert [each["input"] for each in asked(hosted)] == ["One?"]


def test_a_conversation_of_ones_own_is_gone_on_with(hosting: Hosting) -> None:
    hosted = hosting(*replies("First.", "Second."))
    with talk(hosted, "-c", "ticket-9", "One?") as window:
        window.until("First.")
        window.until("> ")
        window.type("Two?\n")
        window.until("Second.")
        window.until("> ")
        window.type(END)
        assert window.end() == 0
    assert [each["conversation_id"] for each in asked(hosted)] == ["ticket-9", "ticket-9"]


def test_new_begins_another_conversation(hosting: Hosting) -> None:
    hosted = hosting(*replies("First.", "Second."))
    with talk(hosted, "One?") as window:
        window.until("First.")
        window.until("> ")
        window.type("/new\n")
        window.until("new conversation")
        window.until("> ")
        window.type("/sources\n")
        window.until("no sources")
        window.until("> ")
        window.type("Two?\n")
        window.until("Second.")
        window.until("> ")
        window.type(END)
        assert window.end() == 0
    first, second = asked(hosted)
    assert first["conversation_id"] != second["conversation_id"]


def test_sources_are_shown_when_they_are_asked_for(hosting: Hosting) -> None:
    hosted = hosting(*replies("First."))
    with talk(hosted, "One?") as window:
        window.until("First.")
        window.until("> ")
        window.type("/sources\n")
        window.until(str(SOURCE["fact_text"]))
        window.until("> ")
        window.type("/nonsense\n")
        window.until("no /nonsense")
        window.until("> ")
        window.type("/help\n")
        window.until("Ctrl-D")
        window.until("> ")
        window.type("   \n")
        window.until("> ")
        window.type(END)
        assert window.end() == 0
    assert len(hosted.road.requests) == 1


def test_ctrl_c_leaves_an_answer_and_not_the_conversation(hosting: Hosting) -> None:
    hosted = hosting(says(created(), delta("Half"), ending="stall"), *replies("Second."))
    with talk(hosted, "One?") as window:
        window.until("Half")
        window.send(signal.SIGINT)
        window.until(f"brainctl wait {RUN}")
        window.until("> ")
        until_heard(window, signal.SIGINT, lambda: window.comes("> ", 10))
        window.type("Two?\n")
        window.until("Second.")
        window.until("> ")
        window.type(END)
        assert window.end() == 0
    assert "Half" in window.lines


def test_an_error_is_told_and_the_conversation_goes_on(hosting: Hosting) -> None:
    hosted = hosting(refused("conversation_busy", 409, "Still answering"), *replies("Second."))
    with talk(hosted, "One?") as window:
        window.until("Still answering")
        window.until("> ")
        window.type("Two?\n")
        window.until("Second.")
        window.until("> ")
        window.type(END)
        assert window.end() == 0


def test_sigterm_ends_it(hosting: Hosting) -> None:
    with talk(hosting()) as window:
        window.until("> ")
        until_heard(window, signal.SIGTERM, lambda: window.closes(10))
        assert window.end() == 143


def test_what_is_no_text_is_not_sent(hosting: Hosting) -> None:
    hosted = hosting()
    hosted.shell.environ.update(LC_ALL="C.UTF-8")
    with talk(hosted) as window:
        window.until("> ")
        window.type("a\udcff\n")
        window.until("valid Unicode")
        window.until("> ")
        window.type(END)
        assert window.end() == 0
    assert hosted.road.requests == []


def test_what_was_typed_is_remembered_for_this_user_alone(hosting: Hosting) -> None:
    hosted = hosting(*replies("First.", "Again."))
    for expected in ("First.", "Again."):
        with talk(hosted) as window:
            window.until("> ")
            # The second time it is fetched with the arrow up.
            window.type("One?\n" if expected == "First." else "\x1b[A\n")
            window.until(expected)
            window.until("> ")
            window.type(END)
            assert window.end() == 0
    assert [each["input"] for each in asked(hosted)] == ["One?", "One?"]
    history = hosted.shell.home / ".local/state/brainctl/questions"
    assert history.stat().st_mode & 0o777 == 0o600


def test_lines_that_were_pasted_are_one_question_also_when_it_is_fetched_back(hosting: Hosting) -> None:
    hosted = hosting(*replies("First.", "Again."))
    for typed, expected in (("\x1b[200~One?\nTwo?\n\x1b[201~\r", "First."), ("\x1b[A\r", "Again.")):
        with talk(hosted) as window:
            window.until("> ")
            window.type(typed)
            window.until(expected)
            window.until("> ")
            window.type(END)
            assert window.end() == 0
    assert [each["input"] for each in asked(hosted)] == ["One?\nTwo?", "One? Two?"]


def test_a_terminal_that_knows_no_pasting_is_not_asked_for_it(hosting: Hosting) -> None:
    hosted = hosting(*replies("First."), TERM="dumb")
    with talk(hosted, "One?") as window:
        window.until("> ")
        window.type(END)
        assert window.end() == 0
    assert b"\x1b" not in window.raw


def test_typing_ahead_waits_for_the_answer(hosting: Hosting) -> None:
    on = Flag()
    hosted = hosting(
        says(created(), delta("Fi"), lambda: on.wait(PATIENCE), completed("First."), DONE),
        *replies("Second."),
    )
    with talk(hosted, "One?") as window:
        window.until("Fi")
        window.type("Two?\n")
        on.set()
        window.until("Second.")
        window.until("> ")
        window.type(END)
        assert window.end() == 0
    assert [each["input"] for each in asked(hosted)] == ["One?", "Two?"]


@pytest.mark.parametrize(
    "option", [("--no-wait",), ("-w", "5"), ("--idempotency-key", "k"), ("--no-stream",)]
)
def test_what_makes_no_sense_in_a_conversation_is_refused(hosting: Hosting, option: tuple[str, ...]) -> None:
    with talk(hosting(), *option) as window:
        assert window.end() == 2
    assert option[0] in window.text or "--wait" in window.text
