"""Open the source of a copy: a dataset of any format, or CDL text."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ncz.commands.copy.attributes import without_attributes
from ncz.commands.copy.codec_specs import cloud_codec
from ncz.commands.copy.filters import with_plain_compressors
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.records import with_records_together
from ncz.commands.copy.reshape import reshaped
from ncz.commands.option_error import OptionError
from ncz.commands.references import referable
from ncz.commands.sources import SourceCheck, name_of, open_any
from ncz.errors import NO_PROGRESS, Callbacks, Notify, option
from ncz.formats.kinds import GivenDataset
from ncz.record import replace
from ncz.zmap.location import DEFAULT_INLINE, INLINE, Location

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
) -> Iterator[Dataset]:
    """Open the sources as one dataset, or the part of it that `options.subset` selects.

    `options.reshape` is applied. `check` finds out later whether a source has changed. `callbacks`
    receives each of several sources that was opened, and the bytes of a text that are scanned. An
    object encodes values such as times as they are encoded in `like`.
    """
    with open_sources(options, callbacks, check, like) as datasets:
        dataset = datasets[0]
        if options.joins:
            dataset = _joined_part(datasets, options, callbacks)
        if options.numbers:
            from ncz.commands.number_types.dataset import with_number_types

            name = name_of(options.source)
            with _threads(options) as pool:
                dataset = with_number_types(dataset, options.numbers, name, pool, callbacks)
        reshape = options.reshape
        if options.joins or (target is not None and _becomes_store(dataset, target)):
            dataset = with_records_together(dataset, held=_held(target))
        if target is not None and _becomes_pure(dataset, target):
            reshape = replace(reshape, plain_codec=cloud_codec())
        if target is not None and not reshape.changes_codecs:
            dataset = _for_plain_hdf5(dataset, target, options, callbacks.notify)
        if target is not None and _is_set(target):
            dataset = referable(dataset)  # whose chunks are kept, unless others are asked for
        yield reshaped(dataset, reshape, callbacks.notify)


@contextlib.contextmanager
def open_sources(
    options: CopyOptions,
    callbacks: Callbacks,
    check: SourceCheck | None = None,
    like: Dataset | None = None,
) -> Iterator[list[Dataset]]:
    """Open every source as a dataset of its own; of one that is not joined, the selected part.

    The parameters are those of `open_source`.
    """
    _refuse_idle(options)
    consolidated = False if options.create.consolidated is False else None
    with contextlib.ExitStack() as stack:
        sources = options.sources
        datasets: list[Dataset] = []
        pool = stack.enter_context(_pool(options)) if len(sources) > _MANY else None
        if options.more_sources:
            callbacks.progress.expect(len(sources), "sources")
            each = replace(callbacks, progress=NO_PROGRESS)
        else:
            each = callbacks
        for source in sources:
            is_reopened = pool is not None and bool(datasets) and _is_local_file(source)
            opened = open_any(
                source,
                each,
                consolidated=consolidated,
                subset=None if options.joins else options.subset,
                keep_going=options.keep_going,
                check=None if is_reopened else check,
                like=like,
            )
            if is_reopened and pool is not None and isinstance(source, Location):
                from ncz.formats.reopened import reopened

                dataset = pool.keep(source, opened)
                datasets.append(reopened(dataset, source, pool))
            else:
                datasets.append(stack.enter_context(opened))
            if options.more_sources:
                callbacks.progress.advance(name_of(source), 1, 0)
        yield without_attributes(datasets, options.reshape.drop_attributes)


_MANY = 64
"""Sources that stay open; of more, the local files are opened again when they are read."""


def _is_local_file(source: object) -> bool:
    is_local = isinstance(source, Location) and source.kind not in ("remote", "memory")
    return is_local and isinstance(source, Location) and os.path.isfile(source.path)


@contextlib.contextmanager
def _pool(options: CopyOptions) -> Iterator[OpenDatasets]:
    """Open sources when they are read; few are open at the same time."""
    from ncz.formats.kinds import OpenOptions
    from ncz.formats.open_datasets import OpenDatasets, most_open
    from ncz.formats.opening import open_dataset

    consolidated = False if options.create.consolidated is False else None
    how = OpenOptions(consolidated=consolidated, keep_going=options.keep_going)
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
    if options.append and (options.numbers.pack or options.numbers.types):
        name = "pack" if options.numbers.pack else "types"
        raise OptionError(
            f"{option(name)} has no effect with {option('append')}: values become as in the store"
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
    from ncz.commands.subsets.selection import selected

    parts, rest = selected_parts(datasets, options, callbacks.notify)
    return selected(_join(parts, options, callbacks), rest, callbacks.notify)


def selected_parts(
    datasets: Sequence[Dataset], options: CopyOptions, notify: Notify
) -> tuple[list[Dataset], Selection | None]:
    """Return the part that is selected of each of several datasets that are joined or merged.

    Also return the selection from the joined dataset; None if nothing is selected.
    """
    from ncz.commands.joining.axes import joined_axes
    from ncz.commands.subsets.several import selected_from_each

    assert options.subset is not None
    name = options.concat or options.append or options.new_dimension
    along = joined_axes(datasets, name) if name is not None else frozenset[str]()
    return selected_from_each(datasets, options.subset, along, notify)


def _join(datasets: Sequence[Dataset], options: CopyOptions, callbacks: Callbacks) -> Dataset:
    """Return several datasets as one: joined along a dimension, or merged."""
    from ncz.commands.joining.concatenation import concatenated
    from ncz.commands.joining.merging import merged

    names = [name_of(source) for source in options.sources]
    dimension = options.concat or options.append or options.new_dimension
    with _threads(options) as pool:
        if dimension is None:
            return merged(datasets, names, options.join, pool, callbacks.notify)
        how = options.join
        if options.append is not None and how.repack:  # values are packed once, as in the store
            how = replace(how, unpack=True, repack=None)
        is_new = options.new_dimension is not None
        return concatenated(datasets, names, dimension, how, pool, callbacks, is_new=is_new)


def _threads(options: CopyOptions) -> ThreadPool:
    """Return the threads that read values before the copy is planned."""
    from ncz.parallel.processors import cores
    from ncz.parallel.threads import ThreadPool

    return ThreadPool(options.data_memory // 2, options.threads or cores())


def _held(target: Location | None) -> int | None:
    """Return the most bytes of a chunk that a set at a target holds; None for other targets."""
    if target is None or not _is_set(target):
        return None
    text = target.options.get(INLINE, "")
    return int(text) if text.isascii() and text.isdecimal() else DEFAULT_INLINE


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

    Those of a netCDF file, and those that a text asks for, are kept.
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
