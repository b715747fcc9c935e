"""Text typed at a terminal is taken away whole, whatever it holds, however it was cut, and whatever became of the width."""

import io

import pyte
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from brainctl.cli.asking.live import LiveText
from brainctl.cli.environment import Environment
from brainctl.cli.output import Output
from tests.asking.screens import ReflowingScreen
from tests.cli.shell import _everything

BEFORE = ["$ first line", "$ second line"]


class TerminalStream(io.BytesIO):
    def isatty(self) -> bool:
        return True


class KeepingScreen(ReflowingScreen):
    """A screen that keeps what is cleared from its first place on, as a person who clears it may want it back."""

    def erase_in_display(self, how: int = 0, *args: object, **kwargs: object) -> None:
        if how == 0 and (self.cursor.y, self.cursor.x) == (0, 0):
            self.history.top.extend(self.buffer[number] for number in range(self.lines))
            self.buffer.clear()
        super().erase_in_display(how, *args, **kwargs)


class Stage:
    """A live text on a screen in memory, below some lines that are not its own."""

    def __init__(
        self, columns: int, rows: int, before: list[str], kind: type[pyte.HistoryScreen] = ReflowingScreen
    ) -> None:
        self.sizes = {"COLUMNS": str(columns), "LINES": str(rows)}
        self.screen = kind(columns, rows, history=10_000)
        self._stream = pyte.ByteStream(self.screen)
        self._out = TerminalStream()
        self.output = Output(Environment(self.sizes, None, self._out, self._out))
        self.live = LiveText(self.output)
        self._stream.feed("".join(f"{line}\r\n" for line in before).encode())

    def show(self) -> None:
        written = self._out.getvalue()
        self._out.seek(0)
        self._out.truncate()
        # What a terminal driver does to line ends.
        self._stream.feed(written.replace(b"\n", b"\r\n"))

    def add(self, piece: str) -> None:
        self.live.add(piece)
        self.show()

    @property
    def written(self) -> int:
        return len(self._out.getvalue())

    def resize(self, columns: int, rows: int) -> None:
        self.sizes.update(COLUMNS=str(columns), LINES=str(rows))
        self.screen.resize(rows, columns)

    @property
    def lines(self) -> list[str]:
        lines = _everything(self.screen)
        while lines and not lines[-1]:
            lines.pop()
        return lines


PIECES = st.lists(
    st.text(
        st.one_of(
            st.sampled_from("ab \n\t\r"),
            st.sampled_from("漢字가あ👍👨‍👩‍👧\ufe0f⚠é\u0301\u05e9\u05dc\u0645\u0631🇪🇸"),
            st.characters(codec="utf-8"),
        ),
        max_size=120,
    ),
    max_size=12,
)


@given(PIECES, st.integers(8, 60), st.integers(4, 24), st.booleans())
@example(["\x1b[", "2J", "\x1b]0;title", "\x07x"], 20, 5, True)
@example(["👨‍👩‍👧" * 30], 40, 10, False)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_what_was_there_before_is_all_that_is_left(
    pieces: list[str], columns: int, rows: int, full: bool
) -> None:
    before = BEFORE * rows if full else BEFORE
    stage = Stage(columns, rows, before)
    for piece in pieces:
        stage.add(piece)
    stage.live.clear()
    stage.show()
    wrapped = [
        line[start : start + columns].rstrip() for line in before for start in range(0, len(line), columns)
    ]
    assert [line for line in stage.lines if line] == [line for line in wrapped if line]


def plain(piece: str) -> str:
    """The piece without what terminals lay out anew in different ways: wide characters, and blanks at a line's end."""
    return "".join(filter(str.isascii, piece)).replace(" ", "_").replace("\t", "_")


@given(PIECES, PIECES, st.integers(20, 100), st.integers(8, 24), st.floats(0.5, 2.5), st.booleans())
@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_a_width_that_changes_leaves_nothing_behind(
    first: list[str], then: list[str], columns: int, rows: int, factor: float, full: bool
) -> None:
    before = [line[:10] for line in (BEFORE * rows if full else BEFORE)]
    stage = Stage(columns, rows, before)
    for piece in first:
        stage.add(plain(piece))
    stage.resize(max(int(columns * factor), 10), rows)
    for piece in then:
        stage.add(plain(piece))
    stage.live.clear()
    stage.show()
    assert [line for line in stage.lines if line] == before


def test_a_window_made_smaller_is_not_asked_to_keep_each_drawing() -> None:
    stage = Stage(80, 24, [], KeepingScreen)
    for number in range(12):
        stage.add(f"line {number} {'x' * 65}\n")
    stage.resize(38, 24)
    for number in range(12, 60):
        stage.add(f"line {number}\n")
    stage.live.clear()
    stage.show()
    assert stage.lines == []


def test_the_end_of_the_text_is_what_is_seen() -> None:
    stage = Stage(20, 10, BEFORE)
    for number in range(100):
        stage.add(f"line {number}\n")
    stage.add("the last")
    assert stage.lines == [*BEFORE, "line 96", "line 97", "line 98", "line 99", "the last"]


def test_a_note_stands_above_the_text_that_goes_on() -> None:
    stage = Stage(40, 10, BEFORE)
    stage.add("one\ntwo")
    stage.output.note("Something happened.")
    stage.add(" three")
    assert stage.lines == [*BEFORE, "Something happened.", "one", "two three"]
    stage.live.clear()
    stage.show()
    assert stage.lines == [*BEFORE, "Something happened."]


def test_text_that_is_left_stays_and_what_follows_is_below() -> None:
    stage = Stage(40, 10, BEFORE)
    stage.add("half an ans")
    stage.live.leave()
    stage.output.note("Interrupted.")
    stage.show()
    assert stage.lines == [*BEFORE, "half an ans", "Interrupted."]


def test_a_growing_text_is_not_drawn_anew() -> None:
    stage = Stage(80, 24, [])
    for _ in range(90):
        stage.live.add("0123456789")
    assert stage.written == 900 + 900 // 79


def test_of_a_long_text_no_more_is_drawn_than_is_seen() -> None:
    stage = Stage(80, 24, [])
    for _ in range(300):
        stage.live.add("x" * 1000)
    assert stage.written < 300 * 12 * 90
