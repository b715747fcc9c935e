"""Turns of several users of one key, over one file."""

import threading
import time
from pathlib import Path

import pytest

from brainctl.cli.pacing.pacing import Pace
from brainctl.cli.pacing.rate_file import SharedSlots, path_for
from brainctl.cli.pacing.rate_slots import Limit
from brainctl.client.failures import ExchangeError, TurnTooLateError
from tests.cli.shell import eventually

SECRET = "ak_live_x7f4" + "Q" * 28


class Time:
    """A clock that only sleeping moves."""

    def __init__(self) -> None:
        self.now = 1000.0
        self.asleep: list[float] = []

    def clock(self) -> float:
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.asleep.append(seconds)
        self.now += seconds


class House:
    """A file, a clock, and whoever comes to use the key."""

    def __init__(self, folder: Path, limit: Limit) -> None:
        self.path = Path(path_for(str(folder / "pacing"), "https://brain.example", SECRET))
        self.time = Time()
        self.limit = limit
        self.said: list[str] = []

    def user(self) -> Pace:
        slots = SharedSlots(str(self.path), self.time.clock)
        return Pace(slots, self.limit, notify=self.said.append, sleep=self.time.sleep, clock=self.time.clock)


@pytest.fixture
def house(tmp_path: Path) -> House:
    return House(tmp_path, Limit(2, 10.0))


def test_users_of_one_key_share_one_window(house: House) -> None:
    times = []
    for user in [house.user(), house.user()] * 3:
        with user.turn():
            times.append(house.time.now)
    assert times == pytest.approx([1000, 1000, 1010.01, 1010.01, 1020.02, 1020.02])
    assert house.said == ["Waiting 10 s for this key's rate limit."] * 2


def test_who_has_no_time_for_its_turn_leaves_the_place_to_others(house: House) -> None:
    for _ in range(2):
        with house.user().turn(0.0):
            pass
    began = house.time.now
    with pytest.raises(TurnTooLateError), house.user().turn(10.0):
        pytest.fail("its turn was too late")
    assert (house.time.now, house.said) == (began, [])
    with house.user().turn(10.02):
        assert house.time.now == pytest.approx(began + 10.01)


def test_a_refusal_that_comes_while_waiting_may_make_a_turn_too_late(house: House) -> None:
    for _ in range(2):
        with house.user().turn():
            pass
    refused = SharedSlots(str(house.path), house.time.clock)
    sleep = house.time.sleep

    def sleep_and_be_refused(seconds: float) -> None:
        sleep(seconds)
        refused.change(lambda slots, now: slots.hold(now + 30))

    house.time.sleep = sleep_and_be_refused  # type: ignore[method-assign]  # the other user of the key
    waiting = house.user()
    with pytest.raises(TurnTooLateError), waiting.turn(20.0):
        pytest.fail("its turn was too late")
    assert house.time.now == pytest.approx(1010.01)


def test_a_wait_below_a_second_is_not_worth_a_line(tmp_path: Path) -> None:
    house = House(tmp_path, Limit(1, 0.9))
    for _ in range(3):
        with house.user().turn():
            pass
    assert (len(house.time.asleep), house.said) == (2, [])


def test_what_one_is_refused_all_wait_for(house: House) -> None:
    refused, other = house.user(), house.user()
    error = ExchangeError("rate_limited", wait_seconds=30.0, transient=True)
    with pytest.raises(ExchangeError), refused.turn():
        raise error
    with other.turn():
        assert house.time.now == 1030.0
    assert house.said == ["Waiting 30 s for this key's rate limit."]


def test_who_sleeps_already_learns_of_a_refusal_too(house: House) -> None:
    sleeper, other = house.user(), house.user()
    for _ in range(2):
        with other.turn():
            pass
    refusing = iter([30.0])

    def sleep(seconds: float) -> None:
        house.time.sleep(seconds)
        for wait in refusing:
            with pytest.raises(ExchangeError), House.user(house).turn():
                raise ExchangeError("rate_limited", wait_seconds=wait, transient=True)

    house.time.asleep.clear()
    slots = SharedSlots(str(house.path), house.time.clock)
    sleeper = Pace(slots, house.limit, notify=house.said.append, sleep=sleep, clock=house.time.clock)
    with sleeper.turn():
        assert house.time.now >= 1040.0


@pytest.mark.parametrize("failure", [OSError("broken"), ExchangeError("unreachable", transient=True)])
def test_an_exchange_that_fails_otherwise_holds_nobody_back(house: House, failure: Exception) -> None:
    with pytest.raises(type(failure)), house.user().turn():
        raise failure
    with house.user().turn():
        assert house.time.now == 1000.0


def test_who_is_interrupted_while_waiting_gives_the_place_back(house: House) -> None:
    def interrupted(seconds: float) -> None:
        raise KeyboardInterrupt

    for _ in range(2):
        with house.user().turn():
            pass
    slots = SharedSlots(str(house.path), house.time.clock)
    impatient = Pace(slots, house.limit, notify=house.said.append, sleep=interrupted, clock=house.time.clock)
    for _ in range(20):
        with pytest.raises(KeyboardInterrupt), impatient.turn():
            pass
    with house.user().turn():
        assert house.time.now == pytest.approx(1010.01)


class SharedTime:
    """A clock for threads that sleep at once: it goes on to the first that wakes, when it is told that all sleep."""

    def __init__(self) -> None:
        self._now = 1000.0
        self._wakings: list[float] = []
        self._changed = threading.Condition()

    def clock(self) -> float:
        return self._now

    def sleep(self, seconds: float) -> None:
        with self._changed:
            waking = self._now + seconds
            self._wakings.append(waking)
            self._changed.notify_all()
            assert self._changed.wait_for(lambda: self._now >= waking, 60)
            self._wakings.remove(waking)

    def until_asleep(self, sleepers: int) -> None:
        with self._changed:
            assert self._changed.wait_for(lambda: len(self._wakings) == sleepers, 60)

    def wake_one(self) -> None:
        with self._changed:
            self._now = min(self._wakings)
            self._changed.notify_all()


def test_real_users_go_in_the_order_they_came(tmp_path: Path) -> None:
    path, shared = str(tmp_path / "window.json"), SharedTime()
    left: list[int] = []

    def use(number: int) -> None:
        slots = SharedSlots(path, shared.clock)
        pace = Pace(slots, Limit(1, 10.0), notify=print, sleep=shared.sleep, clock=shared.clock)
        with pace.turn():
            left.append(number)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(8)]
    for number, thread in enumerate(threads):
        thread.start()
        shared.until_asleep(number)
        eventually(lambda: left == [0])
    for number in range(1, 8):
        shared.wake_one()
        eventually(lambda: len(left) > number)  # noqa: B023 - called before the next one
        shared.until_asleep(7 - number)
    for thread in threads:
        thread.join()
    assert left == list(range(8))


# The file


def test_the_file_and_its_name_tell_nothing_of_the_key(house: House) -> None:
    with house.user().turn():
        pass
    assert [each.name for each in house.path.parent.iterdir() if SECRET[8:12] in each.name] == []
    assert "ak_live" not in house.path.read_text()
    assert house.path.stat().st_mode & 0o777 == 0o600


def test_another_key_and_another_address_have_windows_of_their_own() -> None:
    ways = [("https://a", "k1"), ("https://a", "k2"), ("https://b", "k1")]
    assert len({path_for("folder", *way) for way in ways}) == 3


@pytest.mark.parametrize(
    "content",
    [b"", b"\xff\xfe", b"[]", b"null", b'{"written": 1', b'{"written":"x"}', b"[" * 100_000, b"{}\n" * 50],
)
def test_a_damaged_file_is_begun_anew(house: House, content: bytes) -> None:
    house.path.parent.mkdir()
    house.path.write_bytes(content)
    for _ in range(2):
        with house.user().turn():
            assert house.time.now == 1000.0
    with house.user().turn():
        assert house.time.now == pytest.approx(1010.01)


def test_what_a_dying_process_left_behind_the_first_line_does_not_count(house: House) -> None:
    for _ in range(2):
        with house.user().turn():
            pass
    house.path.write_bytes(house.path.read_bytes() + b'"not_before":1}\n')
    with house.user().turn():
        assert house.time.now == pytest.approx(1010.01)


def test_a_restart_of_the_machine_begins_anew(house: House) -> None:
    for _ in range(2):
        with house.user().turn():
            pass
    house.time.now = 12.0
    with house.user().turn():
        assert house.time.now == 12.0


def test_where_no_file_can_be_each_process_paces_itself(house: House) -> None:
    house.path = Path("/dev/null/nowhere/window.json")
    user = house.user()
    for _ in range(3):
        with user.turn():
            pass
    assert house.time.now == pytest.approx(1010.01)


def test_a_turn_that_need_not_wait_does_not(tmp_path: Path) -> None:
    def never(what: object) -> None:
        raise AssertionError(what)

    pace = Pace(SharedSlots(str(tmp_path / "w.json"), time.monotonic), Limit(), notify=never, sleep=never)
    for _ in range(120):
        with pace.turn():
            pass
