"""Open the source of a copy: a dataset of any format."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING

from ncz.commands.copy.attributes import without_attributes
from ncz.commands.copy.codec_specs import cloud_codec
from ncz.commands.copy.filters import with_plain_compressors
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.records import with_records_together
from ncz.commands.copy.reshape import apply_reshape
from ncz.commands.copy.scan import (
    are_many,
    is_local_file,
    keep_headers,
    keep_parts,
    open_ahead,
    resumed_notice,
    scan_of,
)
from ncz.commands.option_error import OptionError
from ncz.commands.references import inline_of, referable, refuse_copied
from ncz.commands.sources import Source, SourceCheck, name_of, open_any
from ncz.errors import NO_PROGRESS, Callbacks, Notice, Notify, option
from ncz.formats.kinds import GivenDataset, OpenOptions
from ncz.record import replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.formats.open_datasets import OpenDatasets
    from ncz.model.selection import Selection
    from ncz.model.tree import Dataset
    from ncz.parallel.threads import ThreadPool


@contextlib.contextmanager
def open_source(
    options: CopyOptions,
    callbacks: Callbacks,
    target: Location | None = None,
    check: SourceCheck | None = None,
    like: Dataset | None = None,
    *,
    is_worker: bool = False,
) -> Iterator[Dataset]:
    """Open the sources as one dataset, or the part of it that `options.subset` selects.

    `options.reshape` is applied. `check` finds out later whether a source has changed. `callbacks`
    receives each of several sources that was opened, and the bytes of a text that are scanned. An
    object encodes values such as times as `like` does. A worker of a cluster opens
    all sources itself.
    """
    with open_sources(options, callbacks, check, like, is_worker=is_worker) as datasets:
        if target is not None and _is_set(target):
            for each, name in zip(datasets, map(name_of, options.sources), strict=True):
                refuse_copied(each, name)
        dataset = datasets[0]
        if options.joins:
            dataset = _joined_part(datasets, options, callbacks)
        if options.edits:
            from ncz.commands.copy.edits import with_edits

            name = name_of(options.source)
            dataset = with_edits(dataset, options.edits, name, callbacks.notify)
        if options.numbers:
            from ncz.commands.number_types.dataset import with_number_types

            name = name_of(options.source)
            with _threads(options) as pool:
                dataset = with_number_types(dataset, options.numbers, name, pool, callbacks)
        reshape = options.reshape
        if options.joins or (target is not None and _becomes_store(dataset, target)):
            dataset = with_records_together(dataset, held=_inline_limit(target))
        if target is not None and _becomes_pure(dataset, target):
            reshape = replace(reshape, plain_codec=cloud_codec())
        if target is not None and not reshape.changes_codecs:
            dataset = _for_plain_hdf5(dataset, target, options, callbacks.notify)
        if target is not None and _is_set(target):
            dataset = referable(dataset)  # whose chunks are kept, unless others are requested
        yield apply_reshape(dataset, reshape, callbacks.notify)


@contextlib.contextmanager
def open_sources(
    options: CopyOptions,
    callbacks: Callbacks,
    check: SourceCheck | None = None,
    like: Dataset | None = None,
    *,
    is_worker: bool = False,
) -> Iterator[list[Dataset]]:
    """Open every source as a separate dataset; of one that is not joined, the selected part.

    `open_source` describes the parameters.
    """
    _refuse_idle(options)
    how = OpenOptions(
        consolidated=False if options.create.consolidated is False else None,
        keep_going=options.keep_going,
    )
    with contextlib.ExitStack() as stack:
        first, *more = options.sources
        is_many = are_many(options.sources)
        local = [each if is_many and is_local_file(each) else None for each in more]
        files = [each for each in local if each is not None]
        others = [source for source, file in zip(more, local, strict=True) if file is None]
        listening = callbacks
        if more:
            callbacks.progress.expect(len(options.sources), "sources")
            listening = replace(callbacks, progress=NO_PROGRESS)
        kept = stack.enter_context(keep_headers(options, is_worker=is_worker))
        headers = scan_of(options, how, is_worker=is_worker).headers(files, kept)
        opener = partial(_open_one, options, how, check=check, like=like)
        keeping = keep_parts(opener, kept)
        opened = open_ahead(others, keeping, listening, stack, options.threads)
        parsed = _datasets_from_headers(files, headers, how, opener, listening, stack)
        datasets: list[Dataset] = []
        for source, file in zip(options.sources, (None, *local), strict=True):
            if not datasets:
                datasets.append(stack.enter_context(keeping(first, listening)))
            else:
                datasets.append(next(opened if file is None else parsed))
            if more:
                callbacks.progress.advance(name_of(source), 1, 0)
        if kept is not None and kept.count:
            name = name_of(options.target)
            callbacks.notify(resumed_notice(kept, len(options.sources), name))
        yield without_attributes(datasets, options.reshape.drop_attributes)


def _datasets_from_headers(
    files: Sequence[Location],
    headers: Iterator[bytes | None],
    how: OpenOptions,
    opener: Callable[..., contextlib.AbstractContextManager[Dataset]],
    callbacks: Callbacks,
    stack: contextlib.ExitStack,
) -> Iterator[Dataset]:
    """Yield local files that are opened again when they are read, from their headers if known."""
    from ncz.formats.headers import read_header
    from ncz.formats.reopened_arrays import reopened_dataset

    pool = stack.enter_context(_pool(how))
    for file, data in zip(files, headers, strict=True):
        found = None if data is None else read_header(data, pool)
        if found is None:
            dataset = pool.keep(file, opener(file, callbacks, check=None))
            yield reopened_dataset(dataset, file, pool)
            continue
        for notice in found.notices:
            callbacks.notify(notice)
        yield found.dataset


def _open_one(
    options: CopyOptions,
    how: OpenOptions,
    source: Source,
    callbacks: Callbacks,
    *,
    check: SourceCheck | None,
    like: Dataset | None,
) -> contextlib.AbstractContextManager[Dataset]:
    """Open one source, or the part of it that is selected if it is not joined."""
    return open_any(
        source,
        callbacks,
        consolidated=how.consolidated,
        subset=None if options.joins else options.subset,
        keep_going=how.keep_going,
        check=check,
        like=like,
    )


@contextlib.contextmanager
def _pool(how: OpenOptions) -> Iterator[OpenDatasets]:
    """Open sources when they are read; few are open at the same time."""
    from ncz.formats.open_datasets import OpenDatasets, most_open
    from ncz.formats.opening import open_dataset

    pool = OpenDatasets(lambda source: open_dataset(source, how), most_open())
    with contextlib.closing(pool):
        yield pool


def _refuse_idle(options: CopyOptions) -> None:
    """Raise `OptionError` for an option that only matters if datasets follow each other."""
    how = options.join
    is_joined = options.concat or options.append or options.new_dimension
    for name in ("repack", "sort", "overlap"):
        if getattr(how, name) and not is_joined:
            raise OptionError(
                f"{option(name)} needs {option('concat')} or {option('append')}",
                hint=f"use {option('pack', how.repack)}" if name == "repack" else None,
            )
    numbers = options.numbers
    given = {
        "rename": options.edits,
        "pack": numbers.pack,
        "types": numbers.types,
        "missing_value": numbers.masks,
        "quantize": numbers.quantize,
    }
    changed = [name for name, value in given.items() if value]
    if options.append and changed:
        raise OptionError(
            f"{option(changed[0])} has no effect with {option('append')}: values become as in the"
            " store"
        )
    if how.headroom is not None and (how.repack is None or options.append):
        raise OptionError(
            f"{option('headroom')} needs {option('repack')} and {option('concat')}",
            hint="a store keeps its packing" if options.append else None,
        )
    for source in options.sources:
        for name in ("resume", "dask"):
            if isinstance(source, GivenDataset) and getattr(options, name):
                raise OptionError(
                    f"{option(name, True)} needs a path or a URL: another process cannot read"
                    " an object",
                    source.name,
                    f"omit {option(name)}",
                )


def _joined_part(
    datasets: Sequence[Dataset], options: CopyOptions, callbacks: Callbacks
) -> Dataset:
    """Return the part that is selected of several datasets, as one."""
    if options.subset is None:
        return _join(datasets, options, callbacks)
    from ncz.commands.subsets.selection import select_part

    parts, rest = selected_parts(datasets, options, callbacks.notify)
    return select_part(_join(parts, options, callbacks), rest, callbacks.notify)


def selected_parts(
    datasets: Sequence[Dataset], options: CopyOptions, notify: Notify
) -> tuple[list[Dataset], Selection | None]:
    """Return the part that is selected of each of several datasets that are joined or merged.

    Also return the selection from the joined dataset; None if nothing is selected.
    """
    from ncz.commands.joining.axes import joined_axes
    from ncz.commands.subsets.several import select_from_each

    assert options.subset is not None
    name = options.concat or options.append or options.new_dimension
    along = joined_axes(datasets, name) if name is not None else frozenset[str]()
    return select_from_each(datasets, options.subset, along, notify)


def _join(datasets: Sequence[Dataset], options: CopyOptions, callbacks: Callbacks) -> Dataset:
    """Return several datasets as one: joined along a dimension, or merged."""
    from ncz.commands.joining.concatenation import concatenate
    from ncz.commands.joining.members import with_members
    from ncz.commands.joining.merge import merge
    from ncz.commands.joining.new_dimension import is_new_name

    names = [name_of(source) for source in options.sources]
    if options.members:
        name = options.new_dimension or options.concat or ""
        datasets = with_members(datasets, name, options.members)
        options = replace(options, concat=name, new_dimension=None)
    dimension = options.concat or options.append or options.new_dimension
    with _threads(options) as pool:
        if dimension is None:
            return merge(datasets, names, options.join, pool, callbacks.notify)
        how = options.join
        if options.append is not None and how.repack:  # values are packed once, as in the store
            how = replace(how, unpack=True, repack=None)
        is_new = options.new_dimension is not None
        if options.concat is not None and is_new_name(datasets, options.concat):
            is_new = True
            callbacks.notify(
                Notice(
                    "dimension-new",
                    f"the sources are joined along the new dimension {options.concat}",
                )
            )
        return concatenate(datasets, names, dimension, how, pool, callbacks, is_new=is_new)


def _threads(options: CopyOptions) -> ThreadPool:
    """Return the threads that read values before the copy is planned."""
    from ncz.parallel.processors import cores
    from ncz.parallel.threads import ThreadPool

    return ThreadPool(options.data_memory // 2, options.threads or cores())


def _inline_limit(target: Location | None) -> int | None:
    """Return the most bytes of a chunk that a set at a target contains; None for other targets."""
    return None if target is None else inline_of(target)


def _is_set(target: Location) -> bool:
    """Return whether a target refers to the chunks of its sources."""
    from ncz.zmap.opening import is_reference_set

    return is_reference_set(target)


def _becomes_store(dataset: Dataset, target: Location) -> bool:
    """Return whether a netCDF file becomes a Zarr store or a reference set."""
    from ncz.formats.create_options import CreateOptions
    from ncz.formats.opening import target_format

    if not dataset.provenance.is_netcdf_file:
        return False
    return target_format(target, CreateOptions()).is_stored_in_zmap


def _becomes_pure(dataset: Dataset, target: Location) -> bool:
    """Return whether a dataset that is not from a store becomes pure Zarr with its own chunks."""
    from ncz.formats.create_options import CreateOptions
    from ncz.formats.opening import target_format

    if not dataset.provenance.is_file or _is_set(target):
        return False
    is_store = target_format(target, CreateOptions()).is_stored_in_zmap
    return is_store and (target.pure or "nczarr" not in target.modes)


def _for_plain_hdf5(
    dataset: Dataset, target: Location, options: CopyOptions, notify: Notify
) -> Dataset:
    """Return a dataset whose compressors every reader of netCDF-4 has, if it becomes files.

    Chunks of a netCDF file, and chunks that a text requests, are kept.
    """
    from ncz.formats.create_options import CreateOptions
    from ncz.formats.opening import target_format

    provenance = dataset.provenance
    is_text = provenance.is_text and provenance.aggregation is None
    if provenance.is_netcdf_file or is_text:
        return dataset
    how = CreateOptions(kind=options.create.kind, pieces=options.create.pieces)
    if not target_format(target, how).holds_hdf5(target, how):
        return dataset
    return with_plain_compressors(dataset, notify)
