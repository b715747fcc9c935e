import random
from collections.abc import Callable

import pytest

from brainctl.cli.pacing.rate_slots import Limit, Slots, limit_of
from brainctl.contract.errors import BrainError

LIMIT = Limit(3, 10.0)


def test_no_window_of_the_brains_holds_more_than_the_limit() -> None:
    chance = random.Random(7)
    limit = Limit(12, 6.0)
    slots, now = Slots(), 100.0
    counted: list[float] = []
    waiting: list[tuple[int, float]] = []
    for _ in range(400):
        waiting.append(slots.reserve(limit, now))
        if len(waiting) < chance.randrange(1, 20):
            now += chance.random() * 0.1
            continue
        for ticket, reserved in waiting:
            due = reserved
            while due > now:
                now, due = due, slots.due(ticket, limit)
            took = chance.random() * 0.5
            # The brain counts a request anywhere between its leaving and its answer.
            counted.append(now + took * chance.random())
            now += took
            slots.answered(ticket, now)
        waiting.clear()
    assert len(counted) > 350
    assert all(later - earlier > 6.0 for earlier, later in zip(counted, counted[12:], strict=False))


def test_what_fits_leaves_at_once_and_the_rest_in_the_order_it_came() -> None:
    slots = Slots()
    dues = [slots.reserve(LIMIT, 100.0 + place)[1] for place in range(8)]
    assert dues[:3] == [100.0, 101.0, 102.0]
    assert dues == sorted(dues)
    assert dues[3:] == pytest.approx([110.01, 111.01, 112.01, 120.02, 121.02])


def test_a_request_that_took_long_keeps_the_ones_after_it_waiting() -> None:
    slots = Slots()
    first, _ = slots.reserve(LIMIT, 100.0)
    for _ in range(2):
        slots.reserve(LIMIT, 100.0)
    ticket, due = slots.reserve(LIMIT, 100.0)
    assert due == pytest.approx(110.01)
    slots.answered(first, 104.0)
    assert slots.due(ticket, LIMIT) == due  # two others left in time
    for other in (1, 2):
        slots.answered(other, 105.0)
    assert slots.due(ticket, LIMIT) == pytest.approx(114.01)


def test_a_refusal_holds_back_all_that_wait() -> None:
    slots = Slots()
    tickets = [slots.reserve(LIMIT, 100.0)[0] for _ in range(6)]
    slots.hold(150.0)
    assert [slots.due(ticket, LIMIT) for ticket in tickets[3:]] == [150.0] * 3
    assert slots.reserve(LIMIT, 101.0)[1] > 150.0


def test_a_place_that_is_given_back_is_free_for_another() -> None:
    slots = Slots()
    tickets = [slots.reserve(LIMIT, 100.0)[0] for _ in range(60)]
    assert slots.reserve(LIMIT, 100.0)[1] > 290
    slots.give_back(60)
    for ticket in tickets[3:]:
        slots.give_back(ticket)
    assert slots.reserve(LIMIT, 100.0)[1] == pytest.approx(110.01)


def test_what_is_past_is_forgotten() -> None:
    slots = Slots()
    for place in range(1000):
        slots.reserve(LIMIT, 100.0 + 5 * place)
    assert len(slots.document(0)["slots"]) <= 4


def test_what_was_written_is_read_again() -> None:
    slots = Slots()
    for _ in range(5):
        slots.reserve(LIMIT, 100.0)
    slots.hold(130.0)
    again = Slots.read(slots.document(100.0), 101.0)
    assert again.document(100.0) == slots.document(100.0)


def restarted(document: dict[str, object]) -> None:
    document["written"] = 5_000.0


def endless_hold(document: dict[str, object]) -> None:
    document["not_before"] = float("inf")


def far_slot(document: dict[str, object]) -> None:
    document["slots"] = [[1, 1e12]]


def no_number(document: dict[str, object]) -> None:
    document["slots"] = [[1, float("nan")]]


@pytest.mark.parametrize("spoil", [restarted, endless_hold, far_slot, no_number])
def test_times_that_cannot_be_are_refused(spoil: Callable[[dict[str, object]], None]) -> None:
    document = Slots().document(100.0)
    spoil(document)
    with pytest.raises(ValueError, match=r"^$"):
        Slots.read(document, 101.0)


@pytest.mark.parametrize(
    ("variable", "limit"),
    [(None, Limit(120, 60)), ("", Limit(120, 60)), ("off", None), ("10/0.5", Limit(10, 0.5))],
)
def test_a_variable_says_what_to_keep_below(variable: str | None, limit: Limit | None) -> None:
    assert limit_of(variable) == limit


@pytest.mark.parametrize(
    "variable",
    ["on", "1_0/60", "10/6_0", "10", "0/1", "-1/2", "1/0", "1/-1", "1/nan", "1/inf", "1.5/2", "1/2/3", "/"],
)
def test_a_variable_that_says_neither_is_a_usage_error(variable: str) -> None:
    with pytest.raises(BrainError, match="BRAINCTL_PACING is off, or a number of requests"):
        limit_of(variable)
