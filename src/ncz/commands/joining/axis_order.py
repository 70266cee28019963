"""The order of datasets along a dimension, from the values of its coordinate."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from ncz.commands.joining.axis_coordinate import AxisCoordinate, too_long
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.options import JoinOptions, OverlapRule
from ncz.errors import Notice, Notify, list_names, option
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, Values
from ncz.model.grid import ChunkGrid
from ncz.model.tree import Dataset, dimensions_by_fqn
from ncz.record import record, replace
from ncz.transfer.joined_chunks import Part, join_parts
from ncz.transfer.joined_values import GatheredValues, JoinedValues, joined_values

if TYPE_CHECKING:
    from ncz.text.times import Times

_LONGEST_COORDINATES = 1 << 25
"""Values of the coordinates of all sources together."""


@record(kw_only=True)
class AxisPart:
    """The part of an axis that one dataset has; `coordinates` is None if no variable has them.

    The first coordinates are left out if they are before the coordinates of all other parts.
    """

    name: str
    length: int
    coordinates: Values | None

    @property
    def skipped_count(self) -> int:
        """The number of coordinates that are left out."""
        return 0 if self.coordinates is None else self.length - self.coordinates.size


def axis_part(
    dataset: Dataset, axis: str, name: str, options: JoinOptions, coordinate: AxisCoordinate | None
) -> AxisPart:
    """Return the part of an axis that a dataset has, with its coordinates if they are needed.

    `coordinate` is the variable that has them. Raises `JoinError` if they cannot be read.
    """
    length = dimensions_by_fqn(dataset.root)[axis].size
    is_read = coordinate is not None and _is_needed(options)
    coordinates = coordinate.values(dataset, name) if coordinate is not None and is_read else None
    return AxisPart(name=name, length=length, coordinates=coordinates)


def _is_needed(options: JoinOptions) -> bool:
    """Return whether coordinates are needed to join datasets."""
    return options.sort or options.overlap != "keep"


def axis_parts(
    datasets: Sequence[Dataset],
    axis: str,
    names: Sequence[str],
    options: JoinOptions,
    coordinate: AxisCoordinate | None,
    *,
    is_appended: bool,
) -> list[AxisPart]:
    """Return the parts of an axis that datasets have; see `axis_part`.

    If the others are appended to the first, its coordinates that are before theirs are left out,
    unless values are sorted.
    """
    if not is_appended or coordinate is None or options.sort or not _is_needed(options):
        pairs = zip(datasets, names, strict=True)
        return [axis_part(each, axis, name, options, coordinate) for each, name in pairs]
    first, *others = datasets
    rest = axis_parts(others, axis, names[1:], options, coordinate, is_appended=False)
    known = [part.coordinates for part in rest if part.coordinates is not None]
    length = dimensions_by_fqn(first.root)[axis].size
    last = coordinate.last_values(first, names[0], known)
    return [AxisPart(name=names[0], length=length, coordinates=last), *rest]


@record
class Span:
    """Indices of one source that follow each other."""

    source: int
    start: int
    stop: int


@record(kw_only=True)
class Arrangement:
    """The indices of the sources that make the joined axis, in order.

    `spans` has the ranges, each of another source; None if some sources alternate, and then
    `sources` and `indices` have the source and its index of each value.
    """

    length: int
    spans: tuple[Span, ...] | None
    sources: Values | None = None
    indices: Values | None = None

    def is_whole(self, parts: Sequence[AxisPart]) -> bool:
        """Return whether no source is cut."""
        return self.spans is not None and all(
            (span.start, span.stop) == (0, parts[span.source].length) for span in self.spans
        )

    def is_given_order(self, lengths: Sequence[int]) -> bool:
        """Return whether all sources follow each other as given, and none is cut."""
        wanted = [Span(i, 0, n) for i, n in enumerate(lengths) if n]
        return self.spans is not None and [s for s in self.spans if s.start < s.stop] == wanted

    def after(self, count: int) -> Arrangement:
        """Return the arrangement without a number of first indices of its first source."""
        if not count:
            return self
        length = self.length + count
        if self.spans is not None:
            first, *others = self.spans
            return Arrangement(length=length, spans=(replace(first, start=0), *others))
        assert self.sources is not None
        assert self.indices is not None
        sources = np.concatenate([np.full(count, self.sources[0]), self.sources])
        indices = np.concatenate([np.arange(count), self.indices])
        return Arrangement(length=length, spans=None, sources=sources, indices=indices)

    @property
    def kept_count(self) -> int:
        """The number of indices of the first source that stay in place, at the beginning."""
        if self.spans is not None:
            first = next((span for span in self.spans if span.start < span.stop), None)
            return first.stop if first is not None and (first.source, first.start) == (0, 0) else 0
        assert self.sources is not None
        is_moved = (self.sources != 0) | (self.indices != np.arange(self.length))
        return int(np.argmax(is_moved)) if is_moved.any() else self.length

    def others(self) -> tuple[Arrangement, Arrangement]:
        """Return the parts of the joined axis and the sources that are not of the first source."""
        if self.spans is not None:
            stops = [*itertools.accumulate(span.stop - span.start for span in self.spans)]
            placed = [
                (Span(0, stop - span.stop + span.start, stop), span)
                for span, stop in zip(self.spans, stops, strict=True)
                if span.source
            ]
            length = sum(span.stop - span.start for _, span in placed)
            joined, own = (tuple(pair[i] for pair in placed) for i in (0, 1))
            return Arrangement(length=length, spans=joined), Arrangement(length=length, spans=own)
        assert self.sources is not None
        assert self.indices is not None
        at = np.flatnonzero(self.sources)
        return (
            _of_indices(np.zeros(at.size, int), at),
            _of_indices(self.sources[at], self.indices[at]),
        )


def arrange(
    parts: Sequence[AxisPart],
    axis: str,
    options: JoinOptions,
    notify: Notify,
    *,
    times: Times | None = None,
    sorts_sources: bool = False,
    hint: str | None = None,
) -> Arrangement:
    """Return the order of the values along an axis.

    A notice names the gaps, which are steps longer than those within the sources.

    Parameters
    ----------
    parts
        The sources in the given order.
    axis
        The FQN of the axis, or of the variable that has its coordinates.
    options
        What to do about coordinates that overlap or run backwards.
    notify
        Receives a notice of gaps.
    times
        The units of the coordinates, so that messages give dates.
    sorts_sources
        Whether the sources are sorted by their first coordinate.
    hint
        What to do about an overlap, instead of an option.

    Raises
    ------
    JoinError
        If coordinates repeat, overlap or run backwards, and no option resolves it.
    """
    order = [i for i, part in enumerate(parts) if part.length]
    read = (part.coordinates.size for part in parts if part.coordinates is not None)
    if sum(read) > _LONGEST_COORDINATES:
        raise too_long(axis)
    if any(parts[i].coordinates is None for i in order):
        if options.sort or options.overlap in ("first", "last"):
            asked = option("sort") if options.sort else option("overlap")
            raise JoinError(f"{axis} has no coordinate of numbers or dates to sort by", asked)
        return _whole(parts, range(len(parts)))
    axis_of = _Axis(parts, axis, times, hint)
    if sorts_sources or options.sort:
        order.sort(key=lambda i: axis_of.sign * float(axis_of.values[i][0]))
    problem = axis_of.problem(order)
    if problem is None:
        axis_of.report_gaps(order, notify)
        return _whole(parts, order)
    if not options.sort and options.overlap is None:
        raise problem
    return axis_of.merge(order, options, problem)


def _whole(parts: Sequence[AxisPart], order: Iterable[int]) -> Arrangement:
    spans = tuple(Span(i, 0, parts[i].length) for i in order)
    return Arrangement(length=sum(part.length for part in parts), spans=spans)


class _Axis:
    """The coordinates of all sources, which ascend if `sign` is 1 and descend if it is -1."""

    def __init__(
        self, parts: Sequence[AxisPart], axis: str, times: Times | None, hint: str | None
    ) -> None:
        self.parts = parts
        self.axis = axis
        self.times = times
        self.hint = hint
        self.values = {i: p.coordinates for i, p in enumerate(parts) if p.coordinates is not None}
        ends = [v for v in self.values.values() if v.size > 1 and v[0] != v[-1]]
        first = [v[0] for v in self.values.values() if v.size]
        is_down = ends[0][0] > ends[0][-1] if ends else len(first) > 1 and first[0] > first[-1]
        self.sign = -1 if is_down else 1

    def _date(self, value: Any) -> str | None:
        return None if self.times is None else self.times.format(float(value))

    def _format(self, value: Any) -> str:
        date = self._date(value)
        return f"{value:.15g}" if date is None else f"{value:.15g} ({date})"

    def _ways(self, *, sort: bool) -> str:
        sorting = f"{option('sort', True)} or " if sort else ""
        return self.hint or f"use {sorting}{option('overlap', 'first')} or last"

    def problem(self, order: Sequence[int]) -> JoinError | None:
        """Return the fault in the order of the sources; None if none exists."""
        for i in order:
            values, name = self.values[i], self.parts[i].name
            if values.dtype.kind == "f" and np.isnan(values).any():
                return JoinError(f"the coordinate {self.axis} has missing values", name)
            wrong = ~(values[1:] > values[:-1]) if self.sign > 0 else ~(values[1:] < values[:-1])
            if wrong.any():
                at = int(np.argmax(wrong))
                one, other = values[at], values[at + 1]
                how = "repeats" if one == other else "is neither ascending nor descending"
                return JoinError(
                    f"the coordinate {self.axis} {how}: {self._format(other)} follows"
                    f" {self._format(one)}",
                    name,
                    f"use {option('sort', True)}, or {option('overlap', 'keep')}"
                    if self.hint is None
                    else None,
                )
        for one, other in itertools.pairwise(order):
            ours, theirs = self.values[one], self.values[other]
            if not self._is_after(theirs[0], ours[-1]):
                return self._overlap(one, other)
        return None

    def _is_after(self, value: Any, other: Any) -> bool:
        return bool(value > other if self.sign > 0 else value < other)

    def _overlap(self, one: int, other: int) -> JoinError:
        ours, theirs = self.values[one], self.values[other]
        name = self.parts[one].name
        begins = f"it begins at {self._format(theirs[0])}, and the other ends at"
        if self._is_after(ours[0], theirs[-1]):
            return JoinError(
                f"it is before {name} along {self.axis}: it ends at {self._format(theirs[-1])},"
                f" and the other begins at {self._format(ours[0])}",
                self.parts[other].name,
                f"use {option('sort', True)}, or name it first",
            )
        if set(theirs.tolist()) <= set(ours.tolist()):
            return JoinError(
                f"all its values of {self.axis} are in {name}: {self._format(theirs[0])} to"
                f" {self._format(theirs[-1])}",
                self.parts[other].name,
                self._ways(sort=False),
            )
        return JoinError(
            f"it overlaps {name} along {self.axis}: {begins} {self._format(ours[-1])}",
            self.parts[other].name,
            self._ways(sort=True),
        )

    def report_gaps(self, order: Sequence[int], notify: Notify) -> None:
        """Report steps between sources that are longer than those within them."""
        within = [np.max(np.abs(np.diff(v))) for v in self.values.values() if v.size > 1]
        steps = [
            (abs(float(self.values[b][0]) - float(self.values[a][-1])), a, b)
            for a, b in itertools.pairwise(order)
        ]
        if not steps:
            return
        usual = float(max(within)) if within else float(np.median([step for step, *_ in steps]))
        gaps = []
        for step, a, b in steps:
            if step > 1.5 * usual:
                ends = self.values[a][-1], self.values[b][0]
                dates = [self._date(end) for end in ends]
                more = f" ({' to '.join(map(str, dates))})" if None not in dates else ""
                gaps.append(f"{ends[0]:g} to {ends[1]:g}{more}")
        if gaps:
            listed = list_names(gaps, 20)
            notify(Notice("aggregation-gap", f"files are missing along {self.axis}: from {listed}"))

    def merge(self, order: Sequence[int], options: JoinOptions, problem: JoinError) -> Arrangement:
        """Return the values that stay, in the order of their coordinates."""
        if options.sort:
            given = sorted(order)
            masks = {i: np.ones(self.values[i].size, bool) for i in given}
        else:
            if any(self.problem([i]) is not None for i in order):
                raise problem
            if any(self._is_after(self.values[a][0], self.values[b][0])
                   for a, b in itertools.pairwise(order)):  # fmt: skip
                raise problem
            given = [*order]
            masks = self._outside_others(given, options.overlap)
        values = np.concatenate([self.values[i][masks[i]] for i in given])
        sources = np.concatenate([np.full(int(masks[i].sum()), i) for i in given])
        indices = np.concatenate([np.flatnonzero(masks[i]) for i in given])
        if values.dtype.kind == "f" and np.isnan(values).any():
            raise problem
        ranks = np.argsort(values, kind="stable")
        values, sources, indices = values[ranks], sources[ranks], indices[ranks]
        if options.sort and options.overlap != "keep":
            again = values[1:] == values[:-1]
            if again.any() and options.overlap is None:
                at = int(np.argmax(again))
                raise JoinError(
                    f"it has {self._format(values[at])} along {self.axis}, as"
                    f" {self.parts[sources[at]].name} has",
                    self.parts[sources[at + 1]].name,
                    f"use {option('overlap', 'first')} or last too",
                )
            stays = np.ones(values.size, bool)
            stays[1:] &= ~again | (options.overlap == "last")
            stays[:-1] &= ~again | (options.overlap == "first")
            sources, indices = sources[stays], indices[stays]
        if self.sign < 0:
            sources, indices = sources[::-1], indices[::-1]
        first = self.parts[given[0]].skipped_count
        return _of_indices(sources, indices + np.where(sources == given[0], first, 0)).after(first)

    def _outside_others(self, order: Sequence[int], rule: OverlapRule | None) -> dict[int, Values]:
        """Return which values of each source stay: those outside the range of others.

        With "first", these are the sources before it, and with "last" those after it.
        """
        masks = {}
        if rule == "first":
            end = None
            for i in order:
                values = self.values[i] * self.sign if self.sign < 0 else self.values[i]
                masks[i] = np.ones(values.size, bool) if end is None else values > end
                end = values[-1] if end is None else max(end, values[-1])
            return masks
        covered: list[tuple[Any, Any]] = []  # ranges of later sources, the first one last
        for i in reversed(order):
            values = self.values[i] * self.sign if self.sign < 0 else self.values[i]
            stays = np.ones(values.size, bool)
            low, high = values[0], values[-1]
            while covered and covered[-1][0] <= high:
                begin, end = covered.pop()
                stays &= (values < begin) | (values > end)
                high = max(high, end)
            covered.append((low, high))
            masks[i] = stays
        return masks


def _of_indices(sources: Values, indices: Values) -> Arrangement:
    """Return the arrangement of these indices, as spans if no source has several."""
    starts = np.flatnonzero(
        np.concatenate(
            [
                [True] if sources.size else [],
                (sources[1:] != sources[:-1]) | (indices[1:] != indices[:-1] + 1),
            ]
        )
    )
    stops = [*starts[1:], sources.size]
    if starts.size and np.unique(sources[starts]).size == starts.size:
        spans = tuple(
            Span(int(sources[a]), int(indices[a]), int(indices[b - 1]) + 1)
            for a, b in zip(starts, stops, strict=True)
        )
        return Arrangement(length=sources.size, spans=spans)
    return Arrangement(
        length=sources.size, spans=None, sources=sources, indices=indices
    ) if sources.size else Arrangement(length=0, spans=())  # fmt: skip


Arrange = Callable[[Sequence[ChunkSource], int, Arrangement], ChunkSource]
"""A function that returns the data of several sources as one, along an axis."""


def arranged_data(parts: Sequence[ChunkSource], axis: int, arrangement: Arrangement) -> ChunkSource:
    """Return the data of several sources as one, in the order of an arrangement.

    Chunks stay unchanged where that is possible.
    """
    if arrangement.spans is None:
        return _gather(parts, axis, arrangement)
    return join_parts(_ordered_parts(parts, arrangement), axis)


def arranged_values(
    parts: Sequence[ChunkSource], axis: int, arrangement: Arrangement, chunks: tuple[int, ...]
) -> ChunkSource:
    """Return the data of several sources as one, which is read in chunks of that shape."""
    if arrangement.spans is None:
        gathered = _gather(parts, axis, arrangement)
        return replace(gathered, grid=ChunkGrid(gathered.grid.shape, chunks))
    ordered = _ordered_parts(parts, arrangement)
    return joined_values([part.values(axis) for part in ordered], axis, chunks)


def arrange_apart(parts: Sequence[ChunkSource], axis: int, arrangement: Arrangement) -> ChunkSource:
    """Return the first source, which stays whole, and the values of the others behind it.

    No chunk has values of both, and stored chunks are not looked for: an aggregation would open all
    its pieces to know them.
    """
    _, own = arrangement.others()
    return JoinedValues.of((parts[0], arrange_by_value(parts, axis, own)), axis)


def arrange_by_value(
    parts: Sequence[ChunkSource], axis: int, arrangement: Arrangement
) -> ChunkSource:
    """Return the data of several sources as one, without looking for their stored chunks."""
    if arrangement.spans is None:
        return _gather(parts, axis, arrangement)
    ordered = _ordered_parts(parts, arrangement)
    return JoinedValues.of(tuple(part.values(axis) for part in ordered), axis)


def _gather(parts: Sequence[ChunkSource], axis: int, arrangement: Arrangement) -> GatheredValues:
    assert arrangement.sources is not None
    assert arrangement.indices is not None
    return GatheredValues.of(tuple(parts), axis, arrangement.sources, arrangement.indices)


def _ordered_parts(parts: Sequence[ChunkSource], arrangement: Arrangement) -> list[Part]:
    ordered = [Part(parts[span.source], span.start, span.stop) for span in arrangement.spans or ()]
    return ordered or [Part(parts[0], 0, 0)]
