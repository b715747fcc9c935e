"""What a person sees: the answer typed as it comes, and then once, whole, with its sources and what it took."""

import re
import signal
from threading import Event as Flag

import pytest

from tests.asking.saying import (
    DONE,
    QUEUED,
    RUN,
    SOURCE,
    First,
    accepted,
    answer,
    completed,
    created,
    data,
    delta,
    failed,
    says,
    unfinished,
)
from tests.asking.screens import READY, Window
from tests.cli.hosted import Hosting

PATIENCE = 60.0
FOOTER = r"412 tokens in, 57 out · \d+\.\d s"


def words(text: str) -> str:
    """The text without its blanks, which is what a layout may change."""
    return re.sub(r"\s+", "", text)


def without_footer(lines: list[str]) -> list[str]:
    assert re.fullmatch(FOOTER, lines[-1]), lines[-3:]
    return lines[:-2]


def test_the_answer_is_typed_and_then_stands_once_as_markdown(hosting: Hosting) -> None:
    typed, more = Flag(), Flag()
    hosted = hosting(
        says(
            created(),
            delta("Let me look.\n\n"),
            delta("Yes, **within"),
            lambda: typed.wait(PATIENCE),
            delta(" 14 days**."),
            lambda: more.wait(PATIENCE),
            completed("Yes, **within 14 days**.", sources=[SOURCE]),
            DONE,
        )
    )
    with Window(hosted.shell, "ask", "Refunds?") as window:
        window.until_shown(lambda lines: lines[-3:] == ["Let me look.", "", "Yes, **within"])
        typed.set()
        window.until_shown(lambda lines: lines[-1:] == ["Yes, **within 14 days**."])
        more.set()
        assert window.end() == 0
    lines = without_footer(window.lines)
    assert lines[0] == "Yes, within 14 days."
    assert "Let me look" not in window.text
    assert window.text.count("14 days") == 2
    assert lines[2].split() == ["Source", "Kind", "Subject"]
    assert lines[4].split("  ")[0].strip() == SOURCE["fact_text"]
    assert lines[4].split()[-2:] == ["decision", "company"]


def test_no_sources_are_shown_where_none_are_wanted(hosting: Hosting) -> None:
    stream = says(created(), completed("Yes."), DONE)
    with Window(hosting(stream).shell, "ask", "x", "--no-sources") as window:
        assert window.end() == 0
    assert without_footer(window.lines) == ["Yes."]


@pytest.mark.parametrize("columns", [80, 40])
def test_an_answer_longer_than_the_screen_is_whole_in_the_scrollback(hosting: Hosting, columns: int) -> None:
    lines = [f"Line {number} of the answer, which says something." for number in range(300)]
    text = "\n\n".join(lines)
    pieces = [delta(text[start : start + 37]) for start in range(0, len(text), 37)]
    with Window(
        hosting(says(created(), *pieces, completed(text), DONE)).shell, "ask", "x", columns=columns
    ) as window:
        assert window.end() == 0
    shown = "\n".join(without_footer(window.lines))
    assert words(shown) == words(text)
    assert all(len(line) <= columns for line in window.lines)


MIXED = """\
# Refunds <b>for</b> [all]

1. Within *14 days*
2. See [the terms](https://example.org/a-very-long-path/that-does-not-fit/on-a-narrow-screen?at=all)

| Article | Price |
|---|---|
| Hochzeitstortenunterlagenzubehörsortiment | 12 € |
| 結婚式のケーキ | 400 € |

```python
def refund(order):  # a long line of code that goes on over the edge of the screen, and further on
    return order["paid"] - 12
```

> שלום עולם، مرحبا بالعالم

漢字かな交じり文。これは長い文章で、狭い画面では折り返される必要があります。

<script>alert(1)</script> & <!-- a comment -->
"""
KEPT = [
    "Refunds<b>for</b>[all]",
    "Within14days",
    "https://example.org/a-very-long-path/that-does-not-fit/on-a-narrow-screen?at=all",
    "defrefund(order):#alonglineofcodethatgoesonovertheedgeofthescreen,andfurtheron",
    'returnorder["paid"]-12',
    "漢字かな交じり文。これは長い文章で、狭い画面では折り返される必要があります。",
    "<script>alert(1)</script>&<!--acomment-->",
    "400€",
]


@pytest.mark.parametrize("columns", [80, 40])
def test_everything_an_answer_holds_is_laid_out_whole(hosting: Hosting, columns: int) -> None:
    pieces = [delta(piece) for piece in re.findall(r"(?s).{1,9}", MIXED)]
    hosted = hosting(says(created(), *pieces, completed(MIXED), DONE))
    with Window(hosted.shell, "ask", "x", columns=columns) as window:
        assert window.end() == 0
    shown = words(window.text)
    for piece in KEPT:
        assert shown.count(piece) == 1, piece
    # A cell of a table is laid out beside others: what is to be found of it are its letters.
    for letters in ("Hochzeits", "sortiment", "結婚式"):
        assert letters in shown or columns == 40
    assert "שלוםעולם" in shown
    assert "…" not in window.text


@pytest.mark.parametrize("reflows", [True, False])
@pytest.mark.parametrize("sizes", [[(40, 24)], [(120, 30)], [(50, 24), (110, 20)]])
def test_a_window_that_changes_its_size_shows_it_once(
    hosting: Hosting, sizes: list[tuple[int, int]], *, reflows: bool
) -> None:
    text = " ".join(f"word{number}" for number in range(150))
    half, end = text[:600], text[600:]
    flags = [Flag() for _ in sizes]
    between: list[bytes | object] = []
    for flag in flags:
        between += [flag.wait, delta(" and")]
    hosted = hosting(
        says(created(), delta(half), *between, delta(end), completed(text), DONE)  # type: ignore[arg-type]  # waits
    )
    with Window(hosted.shell, "ask", "x", reflows=reflows) as window:
        window.until("word81")
        for (columns, rows), flag in zip(sizes, flags, strict=True):
            window.resize(columns, rows)
            flag.set()
            window.until(" and")
        assert window.end() == 0
    assert words("\n".join(without_footer(window.lines))) == words(text)


def test_control_sequences_cut_in_two_do_not_pass(hosting: Hosting) -> None:
    pieces = [
        "safe\x1b",
        "[2J\x1b]0;tit",
        "le\x07 and\x9b",
        "31m so",
        "und\x1b]8;;http://evil\x1b",
        "\\x\x00\r\x08",
    ]
    text = "".join(pieces)
    hosted = hosting(says(created(), *map(delta, pieces), completed(text), DONE))
    with Window(hosted.shell, "ask", "x", "--color", "never") as window:
        assert window.end() == 0
    assert b"[2J" not in window.raw
    assert b"title" not in window.raw
    assert b"evil" not in window.raw
    assert b"\x9b" not in window.raw
    assert window.lines[0].startswith("safe and soundx")
    assert set(re.findall(rb"\x1b\[[0-9;?]*[A-Za-z]", window.raw)) <= {b"\x1b[2K", b"\x1b[1A"}


@pytest.mark.parametrize("environ", [{"NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_without_colours_there_are_none(hosting: Hosting, environ: dict[str, str]) -> None:
    text = "# Head\n\n**bold** `code`\n"
    hosted = hosting(says(created(), delta(text), completed(text, sources=[SOURCE]), DONE), **environ)
    with Window(hosted.shell, "ask", "x") as window:
        assert window.end() == 0
    assert b"m" not in {sequence[-1:] for sequence in re.findall(rb"\x1b\[[0-9;?]*[A-Za-z]", window.raw)}
    assert "bold code" in window.text


def test_a_terminal_that_cannot_move_its_cursor_is_not_asked_to(hosting: Hosting) -> None:
    hosted = hosting(says(created(), delta("Ye"), delta("s."), completed("Yes."), DONE), TERM="dumb")
    with Window(hosted.shell, "ask", "x", "--no-sources") as window:
        assert window.end() == 0
    assert b"\x1b" not in window.raw
    assert without_footer(window.lines) == ["Yes."]


def test_a_lost_connection_is_told_above_and_the_answer_stands_once(hosting: Hosting) -> None:
    hosted = hosting(
        says(created(), delta("First line\nsecond"), ending="reset"), data(answer("First line\n\nsecond"))
    )
    with Window(hosted.shell, "ask", "x", columns=100) as window:
        assert window.end() == 0
    lines = without_footer(window.lines)
    assert lines[0].startswith("The connection was lost")
    assert lines[1:] == ["First line", "", "second"]


def test_a_failed_run_takes_its_half_away_and_says_why(hosting: Hosting) -> None:
    hosted = hosting(says(created(), delta("Half"), failed("It broke."), DONE))
    with Window(hosted.shell, "ask", "x") as window:
        assert window.end() == 9
    assert window.lines == ["error: It broke.", f"answer_id: {RUN}"]


def test_a_queued_answer_is_waited_for_with_the_time_and_nothing_of_it_stays(hosting: Hosting) -> None:
    shown = Flag()
    finished = First(lambda _: shown.wait(PATIENCE), data(answer("Yes.", QUEUED)))
    hosted = hosting(accepted(), data(unfinished(status="queued")), finished)
    with Window(hosted.shell, "ask", "x", "--no-stream") as window:
        window.until_shown(lambda lines: re.fullmatch(r". Queued, \d+ s", "".join(lines[-1:])) is not None)
        shown.set()
        assert window.end() == 0
    assert without_footer(window.lines) == ["Yes."]


def test_a_note_while_waiting_stands_on_a_line_of_its_own(hosting: Hosting) -> None:
    shown = Flag()

    class Late:
        def meet(self, request: bytes, road: object) -> None:
            shown.wait(PATIENCE)
            data({}, 503).meet(request, road)  # type: ignore[arg-type]  # the road it is given

    hosted = hosting(accepted(), Late(), data(answer("Yes.", QUEUED)))
    with Window(hosted.shell, "ask", "x", "--no-stream", columns=120) as window:
        window.until("Queued, ")
        shown.set()
        assert window.end() == 0
    lines = without_footer(window.lines)
    assert len(lines) == 2
    assert lines[0].startswith(QUEUED)
    assert lines[1] == "Yes."


def test_a_log_of_standard_error_holds_no_escapes(hosting: Hosting) -> None:
    hosted = hosting(says(created(), delta("Y"), ending="reset"), data(answer("Yes.")))
    done = hosted.shell.sh("brainctl ask x --stream 2>log; cat log >&2", cwd=hosted.shell.home)
    assert done.out == "Yes.\n"
    assert "lost" in done.err
    assert "\x1b" not in done.err
    assert "Thinking" not in done.err


def test_quiet_shows_no_wait(hosting: Hosting) -> None:
    hosted = hosting(accepted(), data(unfinished()), data(answer("Yes.", QUEUED)))
    with Window(hosted.shell, "-q", "ask", "x", "--no-stream", "--no-sources") as window:
        assert window.end() == 0
    # Between its two looks at the answer there is time enough for a line that would say what it waits for.
    assert b"Queued" not in window.raw
    assert b"Being answered" not in window.raw


def test_the_window_of_a_person_waits_to_the_end_and_can_be_told_not_to(hosting: Hosting) -> None:
    hosted = hosting(says(created(), delta("Half"), ending="stall"), data(unfinished("run_1")))
    with Window(hosted.shell, "ask", "x", "-w", "0.2", columns=120) as window:
        assert window.end() == 10
    assert '"wait_timed_out": true' in window.text
    assert "brainctl wait run_" in window.lines[-1]


def test_no_line_of_an_answer_is_filled_up_with_blanks(hosting: Hosting) -> None:
    hosted = hosting(says(created(), completed("One.\n\n- two\n"), DONE))
    with Window(hosted.shell, "ask", "x", "--color", "never") as window:
        assert window.end() == 0
    assert b" \r\n" not in window.raw


def test_what_is_typed_meanwhile_leaves_no_half_of_the_answer_behind(hosting: Hosting) -> None:
    typed = Flag()
    hosted = hosting(
        says(
            created(),
            delta("Half"),
            lambda: typed.wait(PATIENCE),
            delta(" an answer"),
            completed("Yes."),
            DONE,
        )
    )
    with Window(hosted.shell, "ask", "x", "--no-sources") as window:
        window.until("Half")
        window.type("\n\nnext\n")
        typed.set()
        assert window.end() == 0
    assert without_footer(window.lines) == ["Yes."]


def test_what_is_typed_while_an_answer_is_queued_leaves_no_line_behind(hosting: Hosting) -> None:
    typed = Flag()
    finished = First(lambda _: typed.wait(PATIENCE), data(answer("Yes.", QUEUED)))
    hosted = hosting(accepted(), data(unfinished()), finished)
    with Window(hosted.shell, "ask", "x", "--no-stream", "--no-sources") as window:
        window.until("Being answered, 1")
        window.type("\n")
        typed.set()
        assert window.end() == 0
    assert without_footer(window.lines) == ["Yes."]


@pytest.mark.parametrize("ending", ["whole", "failed", signal.SIGINT, signal.SIGTERM])
def test_the_terminal_shows_again_what_is_typed(hosting: Hosting, ending: str | signal.Signals) -> None:
    looked = Flag()
    last = failed() if ending == "failed" else completed("Yes.")
    hosted = hosting(says(created(), delta("Half"), lambda: looked.wait(PATIENCE), last, DONE))
    with Window(hosted.shell, "ask", "x") as window:
        window.until("Half")
        assert not window.echoes
        if isinstance(ending, signal.Signals):
            window.send(ending)
        else:
            looked.set()
        window.end()
        looked.set()
        assert window.echoes


def test_what_a_shell_wrote_while_the_answer_was_stopped_stays(hosting: Hosting) -> None:
    back = Flag()
    hosted = hosting(
        says(
            created(),
            delta("One\ntwo\nhalf"),
            lambda: back.wait(PATIENCE),
            delta(" answer"),
            completed("Yes."),
            DONE,
        )
    )
    with Window.of_bash(hosted.shell) as window:
        window.type("brainctl ask x --no-sources\n")
        window.until("half")
        window.type("\x1a")
        window.until(READY)
        window.type("echo in between\n")
        window.until(READY)
        window.type("fg\n")
        window.until("brainctl ask x")
        back.set()
        window.until("Yes.")
        window.until(READY)
        lines = window.lines
    shown = [line for line in lines if line]
    assert shown[1:3] == ["One", "two"]
    assert shown[5:10] == [
        f"{READY}echo in between",
        "in between",
        f"{READY}fg",
        "brainctl ask x --no-sources",
        "Yes.",
    ]
