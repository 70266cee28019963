"""append: add a dataset to an existing store along a dimension."""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ncz.commands.changes import alone_here, is_local, open_to_change
from ncz.commands.copy.options import CopyOptions, Summary
from ncz.commands.copy.source import open_source, open_sources, selected_parts
from ncz.commands.edit.command import edit_attribute, editable_root, notes_of
from ncz.commands.edit.draft import Draft, changes_of, resize_dimension
from ncz.commands.edit.request import Edit
from ncz.commands.joining.agreement import Agreement
from ncz.commands.joining.attributes import owned_attributes
from ncz.commands.joining.axes import axes_named, with_linked
from ncz.commands.joining.concatenation import Joining, arranged_dataset, check_values
from ncz.commands.joining.error import JoinError
from ncz.commands.joining.new_dimension import with_dimension
from ncz.commands.joining.ordering import Arrangement, arranged_data, arranged_values
from ncz.commands.options import OptionError
from ncz.commands.sources import name_of, threads_for
from ncz.errors import (
    NO_CALLBACKS,
    SHOW_NAMES,
    Callbacks,
    LossError,
    Notice,
    Notify,
    Progress,
    ignore_notice,
    list_names,
    note_if_interrupted,
    one_line,
    option,
)
from ncz.formats.aggregation.growth import Growth, growth_of
from ncz.formats.aggregation.marks import names_convention
from ncz.formats.aggregation.source import AggregatedSource
from ncz.formats.chunks import check_chunk_size, values_to_write
from ncz.formats.kinds import CreateOptions, OpenOptions, PieceOptions
from ncz.formats.netcdf.names import NEW_SUFFIXES
from ncz.formats.opening import grow_aggregation, open_dataset
from ncz.formats.zarr.array import ZarrArray
from ncz.formats.zarr.array_plan import ArrayPlan
from ncz.formats.zarr.fill_values import is_null_fill, is_same_fill, read_fill
from ncz.formats.zarr.hierarchy import Root
from ncz.formats.zarr.notes import GROUP
from ncz.model.data import ChunkSource
from ncz.model.encoded import EncodedSource
from ncz.model.grid import Box, Index
from ncz.model.tree import (
    Dataset,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_variable,
    parent,
    shape_of,
    variables_by_fqn,
)
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.transfer.compare import differences
from ncz.transfer.compare_values import ValueComparison
from ncz.transfer.difference import difference_error
from ncz.transfer.joined import JoinedChunks, joined_values
from ncz.transfer.move import Moved, Way, move_some, write_some
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.journal import NewObjects
from ncz.zmap.key import ZARR_JSON
from ncz.zmap.local.creation import claim_beside
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap

# Which variables become longer.


def axes_along(dataset: Dataset, dimension: str, name: str) -> dict[str, int]:
    """Return the axis of a dimension, or of one linked to it, in every variable that has it.

    A name without a slash means the dimensions of that name in all groups. `name` is the path or
    URL of the dataset, for messages.

    Raises
    ------
    JoinError
        If no variable has the dimension, or one has it twice.
    """
    axes = {}
    along = with_linked(dataset, axes_named(dataset, dimension), name)
    for fqn, variable in variables_by_fqn(dataset.root):
        found = [axis for axis, each in enumerate(variable.dimensions) if each in along]
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
        The first index along the axis whose values change. It is the length in the store, unless
        values are replaced.
    old
        The shape in the store.
    source
        The old and the new values as one array; None if chunks are copied.
    chunks
        The old and the new chunks as one array, if they are copied without decoding.
    """

    array: ArrayPlan
    axis: int
    start: int
    old: tuple[int, ...]
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
    def replaces(self) -> bool:
        """Whether values change that the store has."""
        return self.start < self.old[self.axis]

    @property
    def row(self) -> Mapping[str, Any]:
        """The plan for people and scripts."""
        way = "recode" if self.chunks is None else "raw"
        limits = {"from": self.start, "to": self.stop}
        return {"variable": self.fqn, "way": way, **limits, "chunks": self.count}

    def indices(self) -> Iterator[Index]:
        """Yield the indices of the chunks to write."""
        return self._changed(self.shape)

    def changed_keys(self) -> Iterator[str]:
        """Yield the keys of the chunks that are written or removed."""
        for shape in (self.shape, self.old):
            yield from map(self.array.chunk_key, self._changed(shape))

    def _changed(self, shape: tuple[int, ...]) -> Iterator[Index]:
        layout = replace(self.array.layout, shape=shape)
        if self.start < shape[self.axis]:
            start = tuple(self.start if i == self.axis else 0 for i in range(layout.rank))
            yield from layout.grid.indices(Box(start, shape))

    @property
    def count(self) -> int:
        """The number of chunks to write, if none is missing."""
        grid = self.array.layout.grid
        per_step = grid.size // max(1, grid.counts[self.axis])
        return per_step * (
            grid.counts[self.axis] - self.start // self.array.layout.chunks[self.axis]
        )


def plan_additions(joining: Joining, axes: Mapping[str, int]) -> list[Addition]:
    """Plan how the variables of a store, which is the first dataset, become longer.

    Raises
    ------
    JoinError
        If a variable cannot grow.
    """
    known = [dict(variables_by_fqn(dataset.root)) for dataset in joining.datasets]
    return [
        _plan(fqn, [variables[fqn] for variables in known], axis, joining.arrangements)
        for fqn, axis in axes.items()
    ]


def _plan(
    fqn: str, variables: Sequence[Variable], axis: int, arrangements: Mapping[str, Arrangement]
) -> Addition:
    old = variables[0]
    stored = old.data
    parts = [variable.data for variable in variables if variable.data is not None]
    if not isinstance(stored, ZarrArray) or len(parts) < len(variables):
        raise JoinError("the variable has no data", fqn)
    if stored.layout.lengths is not None:
        raise JoinError(
            "chunks of different lengths cannot grow",
            fqn,
            f"join the datasets with {option('concat')}",
        )
    found, shape = arrangements[old.dimensions[axis]], stored.layout.shape
    layout = replace(stored.layout, shape=(*shape[:axis], found.length, *shape[axis + 1 :]))
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
    addition = Addition(array=array, axis=axis, start=found.kept, old=shape)
    whole = arranged_data(parts, axis, found)
    is_raw = (
        isinstance(whole, JoinedChunks)
        and replace(whole.layout, shape=()) == replace(stored.layout, shape=())
        and all(v.storage.quantize == old.storage.quantize for v in variables)
    )
    if is_raw and isinstance(whole, JoinedChunks):
        return replace(addition, chunks=whole)
    values = arranged_values(parts, axis, found, layout.chunks)
    converted = replace(array, variable=replace(old, data=values), source=None)
    return replace(addition, source=values_to_write(converted))


OnPlan = Callable[[Sequence[Addition | Growth]], bool]


def append(
    options: CopyOptions,
    callbacks: Callbacks = NO_CALLBACKS,
    on_plan: OnPlan = lambda _: True,
) -> Summary:
    """Append a dataset to the store `options.target` along the dimension `options.append`.

    An aggregation gets new pieces, and then a new master in one step. Of another store, chunks are
    written first: readers ignore those beyond the shape of an array, and values of a partial chunk
    beyond it. All documents are written afterwards, behind a journal. If values of the store are to
    be replaced, it is built again beside the old one, with links to what stays.

    Parameters
    ----------
    options
        What to append to what.
    callbacks
        Receives a notice of everything that the user should know, and every chunk that is written.
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
        return _append(options, location, callbacks, on_plan)


def _append(
    options: CopyOptions,
    location: Location,
    callbacks: Callbacks,
    on_plan: OnPlan,
) -> Summary:
    assert options.append is not None
    threads = options.threads or threads_for(location)
    if _may_be_master(location):
        summary = _append_pieces(options, location, threads, callbacks, on_plan)
        if summary is not None:
            return summary
    if options.pieces != PieceOptions():
        raise OptionError("only an aggregation has pieces", location.display)
    with contextlib.ExitStack() as stack:
        store = stack.enter_context(open_to_change(location, dry_run=options.dry_run))
        zmap = store.zmap
        root = editable_root(zmap, location)
        unread: list[Notice] = []
        readers = stack.enter_context(contextlib.ExitStack())
        opened = readers.enter_context(
            open_dataset(location, OpenOptions(consolidated=False), notify=unread.append)
        )
        old = opened.dataset
        news = stack.enter_context(
            _opened(options, location, replace(callbacks, notify=unread.append), old)
        )
        _refuse_losses(unread, options, callbacks.notify)
        axes = axes_along(old, options.append, location.display)
        pool = stack.enter_context(ThreadPool(options.data_memory // 2, threads))
        joining = _joining(old, zmap.url, news, axes, options, pool, callbacks.notify)
        additions = plan_additions(joining, axes)
        replaces = any(addition.replaces for addition in additions)
        if replaces and not is_local(location):
            raise JoinError(
                "values of a store that is not on the local disk cannot be replaced in one step",
                zmap.url,
                f"use {option('overlap', 'first')}, or join with {option('concat')} to a new store",
            )
        summary = Summary(variables=len(additions))
        if not on_plan(additions):
            return summary
        callbacks.progress.expect(sum(addition.count for addition in additions))
        draft = _lengthened(zmap, root, additions, old)
        _set_attributes(draft, root, old, joining.agreement)
        additions = [_filled(addition, draft, root) for addition in additions]
        plan = changes_of(zmap, draft, root, is_structural=replaces)
        is_rewritten = store.target is None or replaces

        def write(target: WritableZmap) -> None:
            opened.check_unchanged()
            memory, count = options.data_memory // 2, 1 if store.target is None else threads
            with ThreadPool(memory, count) as writers:
                for addition in additions:
                    _write(addition, target, writers, summary, callbacks.progress)
            if is_rewritten:
                readers.close()  # Windows does not replace an open file

        keys = frozenset(key for addition in additions for key in addition.changed_keys())
        new_objects = NewObjects(keys=keys, write=write)
        store.apply(
            replace(plan, new=new_objects), pure=not root.superblock, progress=callbacks.progress
        )
        if options.verify:
            with note_if_interrupted("the values were appended, but not verified"):
                summary.compared = verify(joining, location, axes, pool, callbacks)
        return summary


@contextlib.contextmanager
def _opened(
    options: CopyOptions, location: Location, callbacks: Callbacks, old: Dataset
) -> Iterator[list[tuple[str, Dataset]]]:
    """Open the sources; several are joined first if a part along the dimension is selected."""
    names = [*map(name_of, options.sources)]
    with open_sources(options, callbacks, location, like=old) as datasets:
        if options.subset is None or not options.more_sources:
            yield [*zip(names, datasets, strict=True)]
            return
        parts, rest = selected_parts(datasets, options, callbacks.notify)
        if rest is None:
            yield [*zip(names, parts, strict=True)]
            return
    with open_source(options, callbacks, location, like=old) as new:
        yield [(names[0], new)]


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
    callbacks: Callbacks,
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
        news = stack.enter_context(
            _opened(options, location, replace(callbacks, notify=unread.append), old)
        )
        _refuse_losses(unread, options, callbacks.notify)
        axes = axes_along(old, options.append, location.display)
        others = [n for n, _ in options.pieces.lengths if n != base_name(options.append)]
        if others or options.pieces.largest is not None:
            along = f"along {others[0]}" if others else "along other dimensions"
            raise OptionError(f"new pieces are as long {along} as the old ones", location.display)
        pool = stack.enter_context(ThreadPool(options.data_memory // 2, threads))
        joining = _joining(old, location.display, news, axes, options, pool, callbacks.notify)
        ours, lengths = dict(variables_by_fqn(old.root)), dimensions_by_fqn(old.root)
        sources = {f: v.data for f, v in ours.items() if isinstance(v.data, AggregatedSource)}
        counts = {}
        for fqn, axis in axes.items():
            along = ours[fqn].dimensions[axis]
            found = joining.arrangements[along]
            if found.kept < lengths[along].size:
                raise JoinError(
                    f"values along {along} do not all follow those of {location.display}, whose"
                    " pieces stay as they are",
                    list_names(joining.names[1:]),
                    f"use {option('overlap', 'first')}, or join with {option('concat')}",
                )
            counts[fqn] = found.length - found.kept
        growths = growth_of(location, sources, axes, counts, options.pieces)
        longer = [each for each in growths if each.fqn in axes]
        summary = Summary(variables=len(axes))
        if not on_plan(longer):
            return summary
        callbacks.progress.expect(sum(math.prod(each.shape) for each in longer), "values")
        joined = _in_chunks(joining, axes)
        create = CreateOptions(kind=old.provenance.kind_of_file)
        summary.chunks = grow_aggregation(
            joined,
            location,
            growths,
            create,
            check=opened.check_unchanged,
            progress=callbacks.progress,
        )
        if options.verify:
            with note_if_interrupted("the values were appended, but not verified"):
                summary.compared = verify(joining, location, axes, pool, callbacks)
        return summary


def _in_chunks(joining: Joining, axes: Mapping[str, int]) -> Dataset:
    """Return the joined dataset, whose longer variables are read in the chunks of the old ones."""
    old = dict(variables_by_fqn(joining.datasets[0].root))

    def in_chunks(fqn: str, variable: Variable) -> Variable:
        data = old[fqn].data
        if fqn not in axes or data is None or variable.data is None:
            return variable
        chunks = tuple(max(1, length) for length in data.grid.chunks)
        values = joined_values([variable.data], axes[fqn], chunks)
        return replace(variable, data=values)

    return each_variable(joining.dataset, in_chunks)


def _joining(
    old: Dataset,
    name: str,
    news: Sequence[tuple[str, Dataset]],
    axes: Mapping[str, int],
    options: CopyOptions,
    pool: ThreadPool,
    notify: Notify,
) -> Joining:
    """Return how a store and what is appended to it join, in the form of the store.

    Raises `JoinError` if something differs that cannot be joined.
    """
    assert options.append is not None
    names, given = zip((name, old), *news, strict=True)
    datasets = with_dimension(given, names, options.append, options.join, pool)
    along = axes_named(old, options.append)
    found = Joining.of(datasets, names, along, options.join, pool, notify, is_fixed=True)
    mine, stored = (dict(variables_by_fqn(d.root)) for d in (found.datasets[0], old))
    for fqn in axes:
        if mine[fqn].data is not stored[fqn].data:
            raise JoinError(
                f"the positions in {fqn} would change, and values of the store stay as they are",
                name,
                f"join with {option('concat')} to a new store",
            )
    for new in found.datasets[1:]:
        check_values(new, axes)
    return found


def _set_attributes(draft: Draft, root: Root, old: Dataset, agreement: Agreement) -> None:
    """Change the attributes of a store to those that the datasets have in common."""
    notes = notes_of(draft, root)
    for fqn, before in owned_attributes(old.root):
        node, after = fqn.removeprefix("/"), agreement.attributes(fqn)
        names = {a.name for a in after}
        edits = [
            Edit(action="delete", node=node, name=a.name) for a in before if a.name not in names
        ]
        edits += [
            Edit(action="set", node=node, name=a.name, attribute=a)
            for a in after
            if a not in before
        ]
        for edit in edits:
            edit_attribute(draft.nodes[node], edit, notes)


def _refuse_losses(unread: list[Notice], options: CopyOptions, notify: Notify) -> None:
    for notice in unread:
        if notice.lost and not options.allow_loss:
            raise LossError(
                one_line(notice.message, notice.location, notice.hint),
                hint=f"use {option('allow_loss', True)} (nothing was written)",
            )
        notify(notice)


def _write(
    addition: Addition,
    target: WritableZmap,
    pool: ThreadPool,
    summary: Summary,
    progress: Progress,
) -> None:
    def report(step: Moved) -> None:
        summary.chunks += step.chunks
        summary.size += step.size
        progress.advance(addition.array.fqn, step.chunks, step.size)

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
    fill = read_fill(draft.nodes[array.key].documents[".zarray"].get("fill_value"), array.encoding)
    is_noted = is_null_fill(array.fill, array.encoding)
    if fill is not None:
        is_noted = is_same_fill(fill, array.fill)
    return replace(addition, array=replace(array, fills_missing=not is_noted))


# Compare what was appended with its source.


def verify(
    joining: Joining,
    location: Location,
    axes: Mapping[str, int],
    pool: ThreadPool,
    callbacks: Callbacks,
) -> int:
    """Read what was appended to the store at `location`, and compare it with the sources.

    Returns
    -------
    int
        The number of values that were compared.

    Raises
    ------
    DifferenceError
        At the first difference.
    """
    others = {axis: found.others() for axis, found in joining.arrangements.items()}
    added = {axis: own for axis, (_, own) in others.items()}
    wanted = joining.agreement.with_attributes(
        arranged_dataset(joining.datasets, joining.names, added)
    )
    with open_dataset(location, OpenOptions(consolidated=None)) as opened:
        placed = {axis: joined for axis, (joined, _) in others.items()}
        found = arranged_dataset([opened.dataset], [location.display], placed)
        for difference in differences(
            wanted,
            found,
            pool,
            only=frozenset(axes),
            typed=False,
            how=ValueComparison(raw=True),
            callbacks=callbacks,
        ):
            raise difference_error(difference, location.display)
    lengths = dimensions_by_fqn(wanted.root)
    variables = dict(variables_by_fqn(wanted.root))
    return sum(math.prod(shape_of(variables[fqn], lengths)) for fqn in axes)
