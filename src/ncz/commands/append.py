"""append: add a dataset to an existing store along a dimension."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.commands.changes import alone_here, open_to_change
from ncz.commands.copy.options import CopyOptions, Summary
from ncz.commands.copy.source import open_source
from ncz.commands.edit.command import editable_root
from ncz.commands.edit.draft import Draft, changes_of, resize_dimension
from ncz.commands.fields import JoinOptions
from ncz.commands.joining import Agreement, check_values, numbers_of
from ncz.commands.options import OptionError
from ncz.commands.ordering import Arrangement, AxisPart, JoinError, arranged, axis_part
from ncz.commands.sources import name_of
from ncz.errors import (
    SHOW_NAMES,
    LossError,
    Notice,
    Notify,
    ignore_notice,
    note_if_interrupted,
    one_line,
    option,
)
from ncz.formats.aggregation.marks import names_convention
from ncz.formats.aggregation.source import AggregatedSource
from ncz.formats.aggregation.target import Growth, growth_of
from ncz.formats.chunks import check_chunk_size, values_to_write
from ncz.formats.kinds import CreateOptions, OpenOptions, PieceOptions
from ncz.formats.netcdf.names import NEW_SUFFIXES
from ncz.formats.opening import grow_aggregation, open_dataset
from ncz.formats.zarr.array import ZarrArray
from ncz.formats.zarr.elements import is_null_fill, is_same_fill, read_fill
from ncz.formats.zarr.hierarchy import Root
from ncz.formats.zarr.notes import GROUP
from ncz.formats.zarr.plan import ArrayPlan
from ncz.model.data import ChunkSource
from ncz.model.encoded import EncodedSource
from ncz.model.grid import Box, Index
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.sources import subset
from ncz.model.tree import (
    Dataset,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    parent,
    shape_of,
    variables_by_fqn,
)
from ncz.parallel.threads import ThreadPool, cores
from ncz.record import record, replace
from ncz.transfer.compare import differences
from ncz.transfer.compare_values import ValueComparison
from ncz.transfer.difference import difference_error
from ncz.transfer.joined import joined_chunks, joined_values
from ncz.transfer.move import Moved, Way, move_some, write_some
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.journal import NewObjects
from ncz.zmap.key import ZARR_JSON
from ncz.zmap.local.creation import claim_beside
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap

if TYPE_CHECKING:
    from ncz.model.chunks import ChunkLayout

# Which variables become longer.


def axes_along(dataset: Dataset, dimension: str) -> dict[str, int]:
    """Return the axis of a dimension in every variable that has it, by FQN.

    A name without a slash means the dimensions of that name in all groups.

    Raises
    ------
    JoinError
        If no variable has the dimension, or one has it twice.
    """
    axes = {}
    for fqn, variable in variables_by_fqn(dataset.root):
        found = [
            axis
            for axis, name in enumerate(variable.dimensions)
            if dimension in (name, base_name(name))
        ]
        if len(found) > 1:
            raise JoinError(f"{fqn} has the dimension {dimension} twice", option("append"))
        if found:
            axes[fqn] = found[0]
    if not axes:
        raise JoinError(
            f"no variable has the dimension {dimension}", option("append"), f"see {SHOW_NAMES}"
        )
    return axes


# What an append writes: for each variable the chunks that are new, or get new values.


@record(kw_only=True)
class Addition:
    """How one variable becomes longer.

    Attributes
    ----------
    array
        The array with its new shape.
    axis
        The axis along which it grows.
    start
        The length that it has in the store.
    source
        The old and the new values as one array; None if chunks are copied.
    chunks
        The old and the new chunks as one array, if they are copied without decoding.
    """

    array: ArrayPlan
    axis: int
    start: int
    source: ChunkSource | None = None
    chunks: EncodedSource | None = None

    @property
    def fqn(self) -> str:
        """The variable."""
        return self.array.fqn

    @property
    def shape(self) -> tuple[int, ...]:
        """The new shape."""
        return self.array.layout.shape

    @property
    def stop(self) -> int:
        """The new length."""
        return self.shape[self.axis]

    @property
    def row(self) -> Mapping[str, Any]:
        """The plan for people and scripts."""
        way = "recode" if self.chunks is None else "raw"
        limits = {"from": self.start, "to": self.stop}
        return {"variable": self.fqn, "way": way, **limits, "chunks": self.count}

    def indices(self) -> Iterator[Index]:
        """Yield the indices of the chunks to write."""
        layout = self.array.layout
        if self.start < self.stop:
            start = tuple(self.start if i == self.axis else 0 for i in range(layout.rank))
            yield from layout.grid.indices(Box(start, layout.shape))

    @property
    def count(self) -> int:
        """The number of chunks to write, if none is missing."""
        grid = self.array.layout.grid
        per_step = grid.size // max(1, grid.counts[self.axis])
        return per_step * (
            grid.counts[self.axis] - self.start // self.array.layout.chunks[self.axis]
        )


def plan_additions(old: Dataset, new: Dataset, axes: dict[str, int]) -> list[Addition]:
    """Plan how the variables of `old` become longer by those of `new`.

    Raises
    ------
    JoinError
        If a variable cannot grow.
    """
    ours, theirs = dict(variables_by_fqn(old.root)), dict(variables_by_fqn(new.root))
    return [_plan(fqn, ours[fqn], theirs[fqn], axis) for fqn, axis in axes.items()]


def _plan(fqn: str, old: Variable, new: Variable, axis: int) -> Addition:
    stored = old.data
    if not isinstance(stored, ZarrArray) or new.data is None:
        raise JoinError("the variable has no data", fqn)
    if stored.layout.lengths is not None:
        raise JoinError(
            "chunks of different lengths cannot grow",
            fqn,
            f"join the datasets with {option('concat')}",
        )
    start = stored.layout.shape[axis]
    layout = _longer(stored.layout, axis, new.data.grid.shape[axis])
    array = ArrayPlan(
        fqn=fqn,
        variable=old,
        layout=layout,
        encoding=stored.encoding,
        fill=stored.fill,
        keys=stored.keys,
        source=stored,
    )
    check_chunk_size(array)
    whole = joined_chunks((stored, new.data), axis)
    if whole is not None and old.storage.quantize == new.storage.quantize:
        return Addition(array=array, axis=axis, start=start, chunks=whole)
    values = joined_values((stored, new.data), axis, layout.chunks)
    written = replace(array, variable=replace(old, data=values), source=None)
    return Addition(array=array, axis=axis, start=start, source=values_to_write(written))


def _longer(layout: ChunkLayout, axis: int, count: int) -> ChunkLayout:
    shape = layout.shape
    return replace(layout, shape=(*shape[:axis], shape[axis] + count, *shape[axis + 1 :]))


_REMOTE_THREADS = 16

OnPlan = Callable[[Sequence[Addition | Growth]], bool]


def append(
    options: CopyOptions,
    notify: Notify = ignore_notice,
    progress: Progress = NO_PROGRESS,
    on_plan: OnPlan = lambda _: True,
) -> Summary:
    """Append a dataset to the store `options.target` along the dimension `options.append`.

    An aggregation gets new pieces, and then a new master in one step. Of another store, chunks are
    written first: readers ignore those beyond the shape of an array, and values of a partial chunk
    beyond it. All documents are written afterwards, behind a journal.

    Parameters
    ----------
    options
        What to append to what.
    notify
        Called with a notice of everything that the user should know.
    progress
        Receives every chunk that is written.
    on_plan
        Called with the plan; nothing is written if it returns False.

    Raises
    ------
    JoinError
        If the datasets do not agree.
    NczError
        If one of the datasets cannot be read, or the store cannot be changed.
    """
    location = options.target
    assert isinstance(location, Location)
    with note_if_interrupted(f"{location.display} has its old length; append again"):
        return _append(options, location, notify, progress, on_plan)


def _append(
    options: CopyOptions,
    location: Location,
    notify: Notify,
    progress: Progress,
    on_plan: OnPlan,
) -> Summary:
    assert options.append is not None
    _refuse_changes(options.join)
    threads = options.threads or (_REMOTE_THREADS if location.kind == "remote" else cores())
    if _may_be_master(location):
        summary = _append_pieces(options, location, threads, notify, progress, on_plan)
        if summary is not None:
            return summary
    if options.pieces != PieceOptions():
        raise OptionError("only an aggregation has pieces", location.display)
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(open_to_change(location, dry_run=options.dry_run))
        zmap = store.zmap
        root = editable_root(zmap, location)
        unread: list[Notice] = []
        new = stack.enter_context(open_source(options, unread.append, location, progress=progress))
        readers = stack.enter_context(contextlib.ExitStack())
        opened = readers.enter_context(
            open_dataset(location, OpenOptions(consolidated=False), notify=unread.append)
        )
        old = opened.dataset
        _refuse_losses(unread, options, notify)
        axes = axes_along(old, options.append)
        names = (zmap.url, name_of(options.source))
        pool = stack.enter_context(ThreadPool(options.data_memory // 2, threads))
        new = _fitting(old, new, axes, names, options.join, pool, notify)
        additions = plan_additions(old, new, axes)
        summary = Summary(variables=len(additions))
        if not on_plan(additions):
            return summary
        progress.expect(sum(addition.count for addition in additions))
        draft = _lengthened(zmap, root, additions, old)
        additions = [_filled(addition, draft, root) for addition in additions]
        plan = changes_of(zmap, draft, root, is_structural=False)
        is_rewritten = store.target is None

        def write(target: WritableZmap) -> None:
            opened.check_unchanged()
            memory, count = options.data_memory // 2, 1 if is_rewritten else threads
            with ThreadPool(memory, count) as writers:
                for addition in additions:
                    _write(addition, target, writers, summary, progress)
            if is_rewritten:
                readers.close()  # Windows does not replace an open file

        new_objects = NewObjects(keys=_keys(additions), write=write)
        store.apply(replace(plan, new=new_objects), pure=not root.superblock, progress=progress)
        if options.verify:
            with note_if_interrupted("the values were appended, but not verified"):
                summary.compared = verify(new, location, additions, pool, progress)
        return summary


def _may_be_master(location: Location) -> bool:
    """Return whether a location may be that of an aggregation, by its name or its root document."""
    if location.path.lower().endswith(NEW_SUFFIXES):
        return True
    with contextlib.closing(open_zmap(location)) as zmap:
        return names_convention(zmap)


def _append_pieces(
    options: CopyOptions,
    location: Location,
    threads: int,
    notify: Notify,
    progress: Progress,
    on_plan: Callable[[Sequence[Addition | Growth]], bool],
) -> Summary | None:
    """Append to an aggregation; return None if the dataset is none."""
    assert options.append is not None
    with contextlib.ExitStack() as stack:
        if not options.dry_run:
            # HDF5 locks the files that it reads, so that a file is claimed and not locked.
            is_file = os.path.isfile(location.path)
            path = os.path.abspath(location.path)
            alone = claim_beside(path, location.display) if is_file else alone_here(location)
            stack.enter_context(alone)
        unread: list[Notice] = []
        opened = stack.enter_context(open_dataset(location, notify=unread.append))
        old = opened.dataset
        if old.provenance.aggregation is None:
            return None
        new = stack.enter_context(open_source(options, unread.append, location, progress=progress))
        _refuse_losses(unread, options, notify)
        axes = axes_along(old, options.append)
        others = [n for n, _ in options.pieces.lengths if n != base_name(options.append)]
        if others or options.pieces.largest is not None:
            along = f"along {others[0]}" if others else "along other dimensions"
            raise OptionError(f"new pieces are as long {along} as the old ones", location.display)
        names = (location.display, name_of(options.source))
        pool = stack.enter_context(ThreadPool(options.data_memory // 2, threads))
        new = _fitting(old, new, axes, names, options.join, pool, notify)
        ours, theirs = dict(variables_by_fqn(old.root)), dict(variables_by_fqn(new.root))
        sources = {f: v.data for f, v in ours.items() if isinstance(v.data, AggregatedSource)}
        lengths = dimensions_by_fqn(new.root)
        counts = {f: shape_of(theirs[f], lengths)[axis] for f, axis in axes.items()}
        grown = growth_of(location, sources, axes, counts, options.pieces)
        longer = [each for each in grown if each.fqn in axes]
        summary = Summary(variables=len(axes))
        if not on_plan(longer):
            return summary
        progress.expect(sum(math.prod(each.shape) for each in longer), "values")
        joined = _joined(old, theirs, axes, counts)
        create = CreateOptions(kind=old.provenance.kind_of_file)
        summary.chunks = grow_aggregation(
            joined, location, grown, create, check=opened.check_unchanged, progress=progress
        )
        if options.verify:
            with note_if_interrupted("the values were appended, but not verified"):
                summary.compared = verify(new, location, longer, pool, progress)
        return summary


def _joined(
    old: Dataset, new: Mapping[str, Variable], axes: Mapping[str, int], counts: Mapping[str, int]
) -> Dataset:
    """Return a dataset with more values along an axis of some variables."""
    longer = {
        variable.dimensions[axes[fqn]]: counts[fqn]
        for fqn, variable in variables_by_fqn(old.root)
        if fqn in axes
    }

    def joined(group: Group, path: str) -> Group:
        variables = []
        for variable in group.variables:
            fqn = join(path, variable.name)
            if fqn in axes:
                ours, theirs = variable.data, new[fqn].data
                if ours is None or theirs is None:
                    raise JoinError("the variable has no data", fqn)
                chunks = tuple(max(1, length) for length in ours.grid.chunks)
                data = joined_values((ours, theirs), axes[fqn], chunks)
                variable = replace(variable, data=data)
            variables.append(variable)
        return replace(
            group,
            dimensions=tuple(
                replace(d, size=d.size + longer.get(join(path, d.name), 0))
                for d in group.dimensions
            ),
            variables=tuple(variables),
            groups=tuple(joined(inner, join(path, inner.name)) for inner in group.groups),
        )

    return replace(old, root=joined(old.root, ""))


def _refuse_changes(how: JoinOptions) -> None:
    """Raise `OptionError` for what would change the attributes or the values of the store."""
    if how.attributes in ("agreeing", "none"):
        raise OptionError(
            f"{option('attributes', how.attributes)} would change attributes of the store, which"
            f" {option('append')} leaves as they are",
            hint=f"use {option('attributes', 'first')}",
        )
    if how.overlap == "last":
        raise OptionError(
            f"{option('overlap', 'last')} would replace values of the store, which"
            f" {option('append')} leaves as they are",
            hint=f"use {option('overlap', 'first')}, or join with {option('concat')}",
        )


def _fitting(
    old: Dataset,
    new: Dataset,
    axes: dict[str, int],
    names: tuple[str, str],
    how: JoinOptions,
    pool: ThreadPool,
    notify: Notify,
) -> Dataset:
    """Return a dataset in the form of the store, and the part of it that follows the store.

    Raises `JoinError` if something differs that cannot be joined.
    """
    variables = dict(variables_by_fqn(old.root))
    along = sorted({variables[fqn].dimensions[axis] for fqn, axis in axes.items()})
    agreement = Agreement(old, names[0], along, how, pool, is_fixed=True)
    agreement.add(new, names[1])
    agreement.report(notify)
    new = agreement.conform(new, names[1])
    check_values(new, axes)
    numbers = numbers_of(old.root)
    chosen = {}
    for axis in along:
        parts = [axis_part(d, axis, name, how) for d, name in zip((old, new), names, strict=True)]
        times = numbers[axis].times if axis in numbers else None
        hint = f"use {option('overlap', 'first')} to append what follows the store"
        found = arranged(parts, axis, how, notify, times=times, keeps_first=True, hint=hint)
        kept = _after_first(found, parts, names)
        if kept != range(parts[1].length):
            chosen[axis] = kept
    return subset(new, chosen) if chosen else new


def _after_first(found: Arrangement, parts: Sequence[AxisPart], names: tuple[str, str]) -> range:
    """Return the indices of the second source that follow the first."""
    spans = found.spans
    if spans is None or len(spans) > 2:
        raise JoinError(
            "its values are not in the order of the dimension",
            names[1],
            f"join them with {option('concat')}",
        )
    for span in spans:
        if span.source == 1:
            return range(span.start, span.stop)
    return range(parts[1].length, parts[1].length)


def _refuse_losses(unread: list[Notice], options: CopyOptions, notify: Notify) -> None:
    for notice in unread:
        if notice.lost and not options.allow_loss:
            raise LossError(
                one_line(notice.message, notice.location, notice.hint),
                hint=f"use {option('allow_loss', True)} (nothing was written)",
            )
        notify(notice)


def _keys(additions: list[Addition]) -> frozenset[str]:
    """Return the keys of the chunks to write, also of those that will be missing."""
    return frozenset(a.array.chunk_key(index) for a in additions for index in a.indices())


def _write(
    addition: Addition,
    target: WritableZmap,
    pool: ThreadPool,
    summary: Summary,
    progress: Progress,
) -> None:
    def report(moved: Moved) -> None:
        summary.chunks += moved.chunks
        summary.size += moved.size
        progress.advance(addition.array.fqn, moved.chunks, moved.size)

    way: Way = "raw" if addition.chunks is not None else "recode"
    summary.ways[way] = summary.ways.get(way, 0) + 1
    array, indices = addition.array, addition.indices()
    if addition.chunks is not None:
        move_some(addition.chunks, array, indices, target, pool, report)
    elif addition.source is not None:
        write_some(addition.source, array, indices, target, pool, report)


def _lengthened(zmap: Zmap, root: Root, additions: list[Addition], old: Dataset) -> Draft:
    """Return the documents of the store with the new lengths."""
    version = root.metadata.zarr_format
    draft = Draft(zmap, root.metadata.load("", root.superblock, ignore_notice), root, {})
    variables = dict(variables_by_fqn(old.root))
    for addition in additions:
        array = addition.array
        document = draft.nodes[array.key].documents[".zarray" if version == 2 else ZARR_JSON]
        document["shape"] = [
            addition.stop if axis == addition.axis else length
            for axis, length in enumerate(document["shape"])
        ]
        fqn = variables[array.fqn].dimensions[addition.axis]
        group = draft.nodes.get(parent(fqn)[1:])
        if group is not None:
            resize_dimension(group.note(GROUP), base_name(fqn), addition.stop)
    return draft


def _filled(addition: Addition, draft: Draft, root: Root) -> Addition:
    """Return an addition that writes missing chunks if only a note says what they hold.

    Other readers take ``fill_value`` of Zarr V2 for their values, and null for zeros.
    """
    array = addition.array
    if root.metadata.zarr_format != 2 or array.fill is None:
        return addition
    said = read_fill(draft.nodes[array.key].documents[".zarray"].get("fill_value"), array.encoding)
    is_said = is_null_fill(array.fill, array.encoding)
    if said is not None:
        is_said = is_same_fill(said, array.fill)
    return replace(addition, array=replace(array, fills_missing=not is_said))


# Compare what was appended with its source.


def verify(
    new: Dataset,
    location: Location,
    additions: Sequence[Addition | Growth],
    pool: ThreadPool,
    progress: Progress,
) -> int:
    """Read what was appended to the store at `location`, and compare it with `new`.

    Returns
    -------
    int
        The number of values that were compared.

    Raises
    ------
    DifferenceError
        At the first difference.
    """
    with open_dataset(location, OpenOptions(consolidated=None)) as opened:
        variables = dict(variables_by_fqn(opened.dataset.root))
        ranges = {variables[a.fqn].dimensions[a.axis]: range(a.start, a.stop) for a in additions}
        found = subset(opened.dataset, ranges)
        fqns = frozenset(addition.fqn for addition in additions)
        for difference in differences(
            new,
            found,
            pool,
            only=fqns,
            typed=False,
            how=ValueComparison(raw=True),
            progress=progress,
        ):
            raise difference_error(difference, location.display)
    return sum(math.prod(a.shape) // max(1, a.stop) * (a.stop - a.start) for a in additions)
