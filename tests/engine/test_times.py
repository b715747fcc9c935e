import pytest
from hypothesis import given
from hypothesis import strategies as st

from brainctl.contract.errors import BrainError
from brainctl.engine import times


@pytest.mark.parametrize(
    ("milliseconds", "text"),
    [
        (0, "1970-01-01T00:00:00.000Z"),
        (1_784_020_364_318, "2026-07-14T09:12:44.318Z"),
        (1_784_020_364_000, "2026-07-14T09:12:44.000Z"),
        (-1, "1969-12-31T23:59:59.999Z"),
    ],
)
def test_a_time_has_three_decimals_and_a_z(milliseconds: int, text: str) -> None:
    assert times.to_text(milliseconds) == text
    assert times.from_text(text) == milliseconds


@given(st.integers(-30_000_000_000_000, 200_000_000_000_000))
def test_a_time_read_back_is_the_same(milliseconds: int) -> None:
    assert times.from_text(times.to_text(milliseconds)) == milliseconds


@pytest.mark.parametrize(
    "text",
    [
        "",
        "2026-07-14",
        "2026-07-14T09:12:44Z",
        "2026-07-14T09:12:44.318",
        "2026-07-14T09:12:44.318+02:00",
        "2026-13-14T09:12:44.318Z",
        "2026-02-30T09:12:44.318Z",
        " 2026-07-14T09:12:44.318Z",
    ],
)
def test_any_other_writing_is_refused(text: str) -> None:
    with pytest.raises(BrainError) as refused:
        times.from_text(text)
    assert refused.value.code == "validation_error"
