"""The plan of a copy: for each variable, whether its chunks are copied raw, recoded or rechunked.

Everything that would stop the copy, and everything that the target cannot represent, is found here,
before anything is written.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from ncz.codec.catalogue import codec_of, is_kind
from ncz.commands.copy.options import PROGRAM_MEMORY, CopyOptions
from ncz.commands.copy.reshape import with_data
from ncz.commands.option_error import OptionError
from ncz.commands.shards import check_shards
from ncz.errors import CodecError, NczError, Notice, Notify, ignore_notice, option
from ncz.late import numpy as np
from ncz.model.encoded_arrays import EncodedSource, EncodedTarget, TargetArray
from ncz.model.netcdf_kinds import is_hdf5
from ncz.record import record

if TYPE_CHECKING:
    from ncz.formats.write_plan import StorageChange, WritePlan
    from ncz.model.chunks import ChunkLayout
    from ncz.model.data import ChunkSource
    from ncz.model.grid import Index
    from ncz.model.tree import Dataset
    from ncz.transfer.move import Transfer, Way
    from ncz.transfer.rechunk import Rechunk
    from ncz.zmap.location import Location


@record(kw_only=True)
class VariablePlan:
    """The plan of one variable. `transfer` is None if there are no encoded chunks to copy."""

    array: TargetArray
    way: Way
    transfer: Transfer | None = None
    rechunk: Rechunk | None = None

    @property
    def chunks(self) -> int:
        """Number of chunks of the target, if none is missing."""
        return self.array.layout.grid.size

    @property
    def size(self) -> int:
        """Bytes of the values, before any codec."""
        return math.prod(self.array.layout.shape) * self.array.item_size

    @property
    def encoded_size(self) -> int:
        """Bytes of the values that are encoded again, before any codec; others stay as stored."""
        if self.way == "none":
            return 0
        if self.way != "raw" or self.transfer is None:
            return self.size
        return round(self.size * (1 - self.transfer.source.kept_share))


@record(kw_only=True)
class CopyPlan:
    """The plan of a copy."""

    target: WritePlan
    """The plan of the target."""
    variables: tuple[VariablePlan, ...]
    memory: int
    """Memory limit for data, in bytes."""
    changes: tuple[StorageChange, ...] = ()
    """Storage properties of the source that the target does not preserve."""
    place: str = ""
    """The path or the URL of the target."""
    unread: tuple[Notice, ...] = ()
    """Parts of the source that could not be read, and so are not copied."""
    check_source: Callable[[], None] = lambda: None
    """Raises `ZmapError` if the source has changed since the plan."""

    threads: int = 1
    """The number of threads that copy."""
    inline: int | None = None
    """Most bytes of a chunk that the target contains rather than refers to; None for no limit."""
    is_set: bool = False
    """Whether the target is a reference set."""
    is_uploaded: bool = False
    """Whether the target is on a server."""

    @property
    def losses(self) -> tuple[Notice, ...]:
        """Parts that the target will not have."""
        return (*self.unread, *self.target.losses)


def plan_copy(
    dataset: Dataset, location: Location, options: CopyOptions, notify: Notify = ignore_notice
) -> CopyPlan:
    """Plan the copy of `dataset` to `location`; nothing is written.

    Parameters
    ----------
    dataset
        The source, already reshaped.
    location
        The target.
    options
        How to copy.
    notify
        Called with a notice of everything that the user should know.

    Returns
    -------
    CopyPlan
        The plan.

    Raises
    ------
    LossError
        If the target cannot represent something at all, or chunks cannot be encoded as planned.
    CodecError
        If one chunk needs more memory than the options allow.
    """
    from ncz.formats.opening import plan_dataset
    from ncz.formats.write_plan import RequestedChanges
    from ncz.zmap.opening import is_reference_set

    memory = options.data_memory
    _refuse_codecs(options)
    planned = plan_dataset(dataset, location, options.create, notify=notify)
    check_shards(options.reshape.shards, planned.details.get("zarr_format"))
    wanted = with_data(dataset.root, options.reshape)
    refers = is_reference_set(location)
    variables = [_plan_variable(a, a.fqn in wanted, memory, refers=refers) for a in planned.arrays]
    largest = max((_need(v, memory) for v in variables), default=0)
    if largest > memory:
        if options.memory is not None:
            for variable in variables:
                _refuse_large(variable, memory)
        usual, memory = memory + PROGRAM_MEMORY, largest
        variables = [
            _plan_variable(a, a.fqn in wanted, memory, refers=refers) for a in planned.arrays
        ]
        notify(
            Notice(
                "large-chunk",
                f"copying one chunk needs {largest >> 20} MiB of memory; the default limit is"
                f" {usual >> 20} MiB",
                hint=f"choose smaller shards with {option('shards')}"
                if options.reshape.shards
                else f"choose smaller chunks with {option('chunk_size')}",
            )
        )
    planned.check_codecs({v.array.fqn for v in variables if v.way not in ("none", "raw")})
    requested = RequestedChanges(
        chunks=bool(options.reshape.chunkspecs or options.reshape.chunk_size),
        codecs=options.reshape.changes_codecs,
        shards=bool(options.reshape.shards),
        separator=options.create.separator is not None,
    )
    return CopyPlan(
        target=planned,
        variables=tuple(variables),
        memory=memory,
        changes=tuple(planned.changes(dataset.provenance, requested)),
    )


def _refuse_codecs(options: CopyOptions) -> None:
    """Raise `OptionError` if codecs are requested for a kind of file without codecs."""
    kind = options.create.kind
    if kind is None or is_hdf5(kind) or not options.reshape.changes_codecs:
        return
    names = ("deflate", "filters", "codecs")
    asked = [option(name) for name in names if getattr(options.reshape, name)]
    if not asked:  # no compression is requested
        return
    raise OptionError(
        f"{asked[0]} cannot be used for a file of the kind {kind!r}, which has no codecs",
        hint=f"omit it, or use {option('kind', 'nc7')}",
    )


def _plan_variable(
    array: TargetArray, has_data: bool, memory: int, *, refers: bool
) -> VariablePlan:
    """Return the plan of a variable. A target that `refers` contains few of its chunks."""
    source, target = array.variable.data, array.encoded_target
    fills_missing = target is not None and target.fills_missing
    if not has_data or (source is None and not fills_missing):
        return VariablePlan(array=array, way="none")
    if target is None or source is None:
        return VariablePlan(array=array, way="write")
    transfer = _transfer(source.unshard(), array, target) if refers else None
    if transfer is None or transfer.way != "raw":  # chunks within shards have no form there
        transfer = _transfer(source, array, target)
    if transfer is None:
        return VariablePlan(array=array, way="write")
    if transfer.way != "rechunk":
        return VariablePlan(array=array, way=transfer.way, transfer=transfer)
    from ncz.transfer.rechunk import plan_rechunk

    rechunk = plan_rechunk(transfer, memory)
    return VariablePlan(array=array, way="rechunk", transfer=transfer, rechunk=rechunk)


def _transfer(source: ChunkSource, array: TargetArray, target: EncodedTarget) -> Transfer | None:
    """Return the way from chunks of a source to chunks of an array; None if values are written."""
    from ncz.formats.chunks import as_written
    from ncz.transfer.made_chunks import in_chunks
    from ncz.transfer.move import transfer_for

    stored = source if isinstance(source, EncodedSource) and source.kept_share else None
    chunks = stored or in_chunks(as_written(source, array), array.fqn)
    if chunks is None or chunks.layout.shape != array.layout.shape:
        return None
    if chunks.layout.lengths is not None and target.layout.lengths is None:
        equal = chunks.rechunk(target.layout.chunks)
        chunks = equal if isinstance(equal, EncodedSource) else chunks
    if chunks.is_divisible:
        divided = chunks.rechunk(target.layout.chunks)
        chunks = divided if isinstance(divided, EncodedSource) else chunks
    return transfer_for(chunks, target)


_MOST_SAMPLED = 1000
"""Number of chunks whose sizes may be requested, to estimate the memory for one."""

_SAMPLED, _SAMPLE = 16, 64 << 10
"""Number of samples of values that are not compressed, and bytes of each."""

_REUSED = 32 << 20
"""Bytes of the largest part of memory that the C library does not give back to the system."""


def _need(variable: VariablePlan, memory: int) -> int:
    """Return the least memory, in bytes, that copying the variable's chunks needs.

    How well chunks are compressed is only looked at if it matters, because they would otherwise
    need more than `memory`.
    """
    transfer = variable.transfer
    if transfer is None or transfer.way == "raw":
        return 0
    need = _copying_memory(transfer, 1, 1)
    return need if need <= memory else _copying_memory(transfer, *_compression(transfer))


def _copying_memory(transfer: Transfer, most: float, usual: float) -> int:
    """Return the memory to decode a chunk of the source, and to encode one of the target.

    Compressors leave the share `most` of the largest chunk, and `usual` of several.
    """
    from ncz.model.linear_blocks import LARGEST_BLOCK

    source, target = transfer.source.layout, transfer.array.layout
    size = max(1, transfer.array.item_size)
    ours, theirs = source.chunk_size * size, target.chunk_size * size
    encoded = int(most * ours) if source.inner_codecs else min(ours, LARGEST_BLOCK)  # to pad it
    decoding = ours * _passes(source) + encoded + int(_inner_size(source, size) * (1 + most))
    if not transfer.keeps_elements:
        decoding += ours
    is_deflated = any(codec_of(c.to_json()).deflate_window is not None for c in target.codecs)
    written = int(_inner_size(target, size) * most)  # to the shard
    if transfer.way == "recode":
        encoded = int(theirs * (most if _is_compressed(target) else 1))
        encoding = theirs * _passes(target) + encoded * (2 if is_deflated else 1) + written
        return max(decoding, encoding)
    # A target chunk is in memory while source chunks are decoded, and while it is encoded.
    encoded = int(theirs * (usual if _is_compressed(target) else 1))
    encoding = theirs * (_passes(target) - 1) + encoded * (2 if is_deflated else 1) + written
    return theirs + max(decoding, encoding + min(decoding, _REUSED))


def _passes(layout: ChunkLayout) -> int:
    """Return the number of decoded copies of a chunk: one more between a filter and a compressor.

    The chunks within a shard are decoded one by one.
    """
    return 1 if layout.shard is not None else min(2, max(1, len(layout.codecs)))


def _inner_size(layout: ChunkLayout, item_size: int) -> int:
    """Return the bytes of a chunk within a shard; 0 if there are no shards."""
    return 0 if layout.shard is None else math.prod(layout.shard.chunks) * item_size


def _is_compressed(layout: ChunkLayout) -> bool:
    chain = layout.codecs or layout.inner_codecs
    return any(is_kind(codec.to_json(), "compressor") for codec in chain)


def _compression(transfer: Transfer) -> tuple[float, float]:
    """Return the share that compressors leave of the largest of some chunks, and of all of them.

    If the source is not compressed, samples are encoded as the target's chunks will be.
    """
    source, layout = transfer.source, transfer.source.layout
    indices = [*islice(source.present(), _MOST_SAMPLED)]
    whole = layout.chunk_size * source.item_size
    if not whole or not indices:
        return 1, 1
    if _is_compressed(layout):
        sizes = [size for index in indices if (size := source.stored_size(index)) is not None]
        shares = [min(1, size / whole) for size in sizes]
    elif layout.codecs or layout.shard is not None or not _is_compressed(transfer.array.layout):
        shares = []
    else:
        shares = []
        with contextlib.suppress(NczError):  # the copy reports parts that cannot be read
            shares += _sample_shares(transfer, indices)
    return (max(shares), sum(shares) / len(shares)) if shares else (1, 1)


def _sample_shares(transfer: Transfer, indices: Sequence[Index]) -> Iterator[float]:
    """Yield the share that the target's codecs leave of samples from chunks without codecs."""
    from ncz.codec import chain

    source, size = transfer.source, transfer.source.item_size
    inner = transfer.array.layout.inner_codecs
    codecs = [c.to_json() for c in inner if not codec_of(c.to_json()).takes_arrays]
    count = source.layout.chunk_size
    chosen = indices[:: -(-len(indices) // _SAMPLED)]
    pieces = _SAMPLED // len(chosen)
    length = min(count, _SAMPLE // size or 1)
    for index in chosen:
        parts = []
        for number in range(pieces):
            start = (count - length) * number // max(1, pieces - 1)
            part = source.encoded_part(index, start * size, length * size) or b""
            parts.append(part[: len(part) // size * size])
        sample = np.frombuffer(b"".join(parts), f"V{size}")
        if len(sample):
            encoded = chain.encode(codecs, sample, item_size=size, location=source.locate(index))
            yield min(1, len(encoded) / sample.nbytes)


def _refuse_large(variable: VariablePlan, memory: int) -> None:
    need = _need(variable, memory)
    if need > memory:
        raise CodecError(
            f"copying one chunk needs {need >> 20} MiB of memory, and {option('memory')} leaves"
            f" {memory >> 20} MiB",
            variable.array.fqn,
            f"use {option('memory', need + PROGRAM_MEMORY)}, or omit it",
        )


def change_notice(changes: Iterable[StorageChange]) -> Notice | None:
    """Return one notice of all changes that were not requested; None if none exist."""
    messages = [change.message for change in changes if not change.requested]
    if not messages:
        return None
    return Notice(
        "form-changed", f"the copy also changes how data are stored: {'; '.join(messages)}"
    )
