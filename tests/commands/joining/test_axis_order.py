"""The order of datasets along a dimension."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ncz.commands.joining.axis_order import Arrangement, AxisPart, arrange
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.options import JoinOptions
from ncz.errors import ignore_notice
from ncz.record import replace

AXIS = st.lists(st.integers(0, 12), max_size=5, unique=True).map(sorted)


SOURCES = st.lists(AXIS, min_size=1, max_size=5)


def parts_of(sources: list[list[int]], sign: int) -> list[AxisPart]:
    return [
        AxisPart(
            name=str(i), length=len(axis), coordinates=np.array(axis[::sign], "i8") * sign * sign
        )
        for i, axis in enumerate(sources)
    ]


def taken(found: Arrangement, parts: list[AxisPart]) -> list[tuple[int, int]]:
    """Return the coordinate and the source of each joined value."""
    pairs: list[tuple[int, int]] = []
    if found.spans is None:
        assert found.sources is not None
        assert found.indices is not None
        pairs = list(zip(found.sources.tolist(), found.indices.tolist(), strict=True))
    else:
        pairs = [(s.source, i) for s in found.spans for i in range(s.start, s.stop)]
    assert len(pairs) == found.length
    return [(int(parts[s].coordinates[i]), s) for s, i in pairs]  # type: ignore[index]


@given(SOURCES, st.sampled_from([1, -1]), st.sampled_from([None, "first", "last"]))
def test_sorted_values(sources, sign, overlap):
    parts = parts_of(sources, sign)
    is_down = sign < 0 and any(len(axis) > 1 for axis in sources)
    pairs = [(value, i) for i, axis in enumerate(sources) for value in axis]
    options = JoinOptions(sort=True, overlap=overlap)
    coordinates = [value for value, _ in pairs]
    if len(set(coordinates)) < len(coordinates) and overlap is None:
        with pytest.raises(JoinError, match=r"along /t"):
            arrange(parts, "/t", options, ignore_notice)
        return
    chosen: dict[int, int] = {}
    for value, i in pairs:
        if overlap != "first" or value not in chosen:
            chosen[value] = i
    found = taken(arrange(parts, "/t", options, ignore_notice), parts)
    singles = all(len(axis) < 2 for axis in sources)
    wanted = sorted(chosen.items(), reverse=is_down)
    assert found in ([wanted, wanted[::-1]] if singles else [wanted])


@given(SOURCES, st.sampled_from(["first", "last"]))
def test_values_outside_the_range_of_others(sources, overlap):
    parts = parts_of(sources, 1)
    assume(any(len(axis) > 1 for axis in sources))  # which requires ascending values
    begins = [axis[0] for axis in sources if axis]
    options = JoinOptions(overlap=overlap)
    if begins != sorted(begins):
        with pytest.raises(JoinError):
            arrange(parts, "/t", options, ignore_notice)
        return
    wanted = []
    for i, axis in enumerate(sources):
        others = sources[:i] if overlap == "first" else sources[i + 1 :]
        ranges = [(other[0], other[-1]) for other in others if other]
        wanted += [(v, i) for v in axis if not any(low <= v <= high for low, high in ranges)]
    found = taken(arrange(parts, "/t", options, ignore_notice), parts)
    assert found == sorted(wanted)


@given(
    st.lists(AXIS.filter(bool), min_size=2, max_size=5),
    st.sampled_from([1, -1]),
    st.sampled_from([None, "first", "last"]),
    st.integers(1, 5),
)
def test_coordinates_before_all_others_may_be_left_out(sources, sign, overlap, left):
    before = [-n for n in range(1, left + 2)] if sign > 0 else [*range(20, 21 + left)]
    whole = parts_of([sorted([*before, *sources[0]]), *sources[1:]], sign)
    first, *others = whole
    assert first.coordinates is not None
    parts = [replace(first, coordinates=first.coordinates[left:]), *others]
    assert parts[0].skipped_count == left
    options = JoinOptions(overlap=overlap)

    def result(given: list[AxisPart]) -> list[tuple[int, int]] | str:
        try:
            return taken(arrange(given, "/t", options, ignore_notice), whole)
        except JoinError as error:
            return error.message

    assert result(parts) == result(whole)
