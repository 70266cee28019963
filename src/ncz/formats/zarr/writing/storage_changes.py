"""Storage properties of the source that a copy to a Zarr store does not preserve."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from ncz.codec.catalogue import is_object_codec
from ncz.errors import list_names
from ncz.formats.write_plan import RequestedChanges, StorageChange
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.plan import DatasetPlan
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.hdf5_filters import from_hdf5, stand_in
from ncz.model.tree import Provenance
from ncz.model.types import Atomic


def changes_of(
    source: Provenance, plan: DatasetPlan, requested: RequestedChanges
) -> Iterator[StorageChange]:
    """Yield the storage properties of the source that the store does not keep."""
    if source.is_netcdf_file:
        yield from _left_out_filters(plan, requested)
    elif source.zarr_format is not None:
        yield from _whole(source, plan)
        yield from _variables(source, plan, requested)


def _whole(source: Provenance, plan: DatasetPlan) -> Iterator[StorageChange]:
    options = plan.options
    if source.zarr_format != options.zarr_format:
        yield StorageChange(f"Zarr V{source.zarr_format} becomes Zarr V{options.zarr_format}", True)
    if bool(source.superblock) == options.pure:
        names = ("NCZarr", "pure Zarr") if options.pure else ("pure Zarr", "NCZarr")
        yield StorageChange(f"{names[0]} becomes {names[1]}", True)
    if source.consolidated != options.consolidated:
        what = "added" if options.consolidated else "left out"
        yield StorageChange(f"consolidated metadata are {what}", True)


Describe = Callable[[ZarrArray, ArrayPlan], "str | None"]
"""A function that describes the change of one variable, or returns None."""


def _variables(
    source: Provenance, plan: DatasetPlan, requested: RequestedChanges
) -> Iterator[StorageChange]:
    """Yield one change for each kind, which names the variables."""
    other_format = source.zarr_format != plan.options.zarr_format
    kinds: tuple[tuple[Describe, bool], ...] = (
        (_data_type, False),
        (_shards, requested.shards),
        (_lengths_of, requested.chunks or requested.shards),
        (_order, False),
        (_other_codecs, requested.codecs),
        (_separator, requested.separator or other_format),
    )
    stored = [(a.source, a) for a in plan.arrays if a.source is not None]
    for describe, is_requested in kinds:
        fqns_by_message: dict[str, list[str]] = {}
        for data, array in stored:
            message = describe(data, array)
            if message is not None:
                fqns_by_message.setdefault(message, []).append(array.fqn)
        yield from _changes(fqns_by_message, is_requested)


def _changes(fqns_by_message: Mapping[str, list[str]], requested: bool) -> Iterator[StorageChange]:
    """Yield a change for each message, which names its variables."""
    for message, fqns in fqns_by_message.items():
        yield StorageChange(f"{message} ({list_names(fqns)})", requested)


def _left_out_filters(plan: DatasetPlan, requested: RequestedChanges) -> Iterator[StorageChange]:
    """Yield one change for each filter of HDF5 that has no codec of Zarr."""
    fqns_by_message: dict[str, list[str]] = {}
    for array in plan.arrays:
        for used in array.variable.storage.hdf5_filters or ():
            if from_hdf5(used, 1) is None:
                codec, result = stand_in(used), "has no Zarr codec and is left out"
                if codec is not None and codec in array.layout.codecs:
                    result = f"is replaced by the codec {codec.id}"
                message = f"HDF5 filter {used.description} {result}"
                fqns_by_message.setdefault(message, []).append(array.fqn)
    yield from _changes(fqns_by_message, requested.codecs)


def _data_type(source: ZarrArray, array: ArrayPlan) -> str | None:
    ours, theirs = source.encoding.dtype, array.encoding.dtype
    if array.encoding.type is source.encoding.type is Atomic.CHAR and theirs == "|u1":
        return None  # uint8 of NCZarr V3, which is read as |S1
    return None if ours == theirs else f"data type {_short(ours)} becomes {_short(theirs)}"


def _short(dtype: object) -> str:
    return dtype if isinstance(dtype, str) else "structure"


def _shards(source: ZarrArray, array: ArrayPlan) -> str | None:
    ours, theirs = source.layout, array.layout
    if ours.shard is None and theirs.shard is None:
        return None
    if theirs.shard is None:
        return "shards become separate chunks"
    if ours.shard is None:
        return f"chunks are stored in shards of {_lengths(theirs.chunks)}"
    if ours.chunks == theirs.chunks:
        return None
    return f"shards of {_lengths(ours.chunks)} become shards of {_lengths(theirs.chunks)}"


def _lengths_of(source: ZarrArray, array: ArrayPlan) -> str | None:
    if source.layout.lengths is None or array.layout.lengths is not None:
        return None
    what = "shards" if array.layout.shard is not None else "chunks"
    return f"chunks of different lengths become {what} of {_lengths(array.layout.chunks)}"


def _lengths(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _order(source: EncodedSource, array: ArrayPlan) -> str | None:
    ours, theirs = source.layout, array.layout
    if ours.shard is not None or theirs.shard is not None or ours.order == theirs.order:
        return None
    if ours.order == in_order(ours.rank, "F"):
        return "axis order F becomes C"
    return "the axis order becomes C"


def _other_codecs(source: EncodedSource, array: ArrayPlan) -> str | None:
    ours, theirs = _codec_names(source.layout), _codec_names(array.layout)
    return None if ours == theirs else f"codecs {ours} become {theirs}"


def _codec_names(layout: ChunkLayout) -> str:
    """Return the names of codecs, without codecs of objects, which follow the data type."""
    codecs = layout.inner_codecs
    return "+".join(str(c.id) for c in codecs if not is_object_codec(c.to_json())) or "none"


def _separator(source: ZarrArray, array: ArrayPlan) -> str | None:
    ours, theirs = source.keys.separator, array.keys.separator
    return None if ours == theirs else f"separator {ours} of chunk keys becomes {theirs}"
