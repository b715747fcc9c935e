import re

from brainctl.engine.ids import new_id


def test_an_id_is_its_word_and_a_lower_case_crockford_ulid() -> None:
    assert re.fullmatch(r"fact_[0-7][0-9a-hjkmnp-tv-z]{25}", new_id("fact", 1_790_000_000_000))


def test_the_time_stands_in_front_and_the_random_bits_behind_it() -> None:
    assert new_id("run", 0, lambda count: b"\x00" * count) == "run_" + "0" * 26
    assert new_id("run", 31, lambda count: b"\xff" * count) == "run_" + "0" * 9 + "z" * 17
    assert new_id("run", (1 << 48) - 1, lambda count: b"\x00" * count) == "run_7" + "z" * 9 + "0" * 16


def test_later_ids_sort_behind_earlier_ones() -> None:
    ids = [new_id("fact", moment) for moment in (1_000, 2_000, 1_700_000_000_000, 1_800_000_000_000)]
    assert ids == sorted(ids)


def test_every_id_of_one_moment_has_eighty_random_bits_of_its_own() -> None:
    asked: list[int] = []

    def entropy(count: int) -> bytes:
        asked.append(count)
        return bytes([len(asked)]) * count

    first, second = new_id("fact", 5, entropy), new_id("fact", 5, entropy)
    assert asked == [10, 10]
    assert first[:15] == second[:15]
    assert first[15:] != second[15:]
