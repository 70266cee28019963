"""Values that a reference set contains."""

from __future__ import annotations

from ncz.zmap.reference.held_values import LARGEST_HELD, MOST_HELD, HeldValues


def test_short_chunks_are_not_counted():
    held = HeldValues(500)
    assert all(held.admits(f"v/{n}", 500) for n in range(LARGEST_HELD // 500 + 2))


def test_an_array_has_a_limit_and_a_chunk_is_counted_once():
    held = HeldValues(0)
    assert held.admits("g/v/0.0", LARGEST_HELD)
    assert held.admits("g/v/0.0", LARGEST_HELD)
    assert not held.admits("g/v/0.1", 1)
    assert held.admits("g/w/c/0/1", 1)
    assert held.exclude("g/v/0.1") == ["g/v/0.0"]
    assert not held.admits("g/v/0.0", 1)


def test_all_arrays_have_a_limit():
    held = HeldValues(0)
    count = MOST_HELD // LARGEST_HELD
    found = [held.admits(f"v{n}/0", LARGEST_HELD) for n in range(count + 1)]
    assert found == [True] * count + [False]


def test_names_that_end_in_digits_are_separate_arrays():
    held = HeldValues(0)
    assert all(held.admits(f"{name}/0.0", LARGEST_HELD) for name in ("u", "u10", "u100", "g/u1"))
    assert held.exclude("u10/0.1") == ["u10/0.0"]
