"""The plan of a copy: for each variable, whether its chunks are copied raw, recoded or rechunked.

Everything that would stop the copy, and everything that the target cannot hold, is found here,
before anything is written.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING

from ncz.codec.catalogue import codec_of, is_kind
from ncz.commands.copy.options import PROGRAM_MEMORY, CopyOptions
from ncz.commands.copy.reshape import with_data
from ncz.commands.options import check_shards
from ncz.errors import CodecError, Notice, Notify, ignore_notice, option
from ncz.model.encoded import EncodedSource, TargetArray
from ncz.record import record

if TYPE_CHECKING:
    from ncz.formats.kinds import Change, WritePlan
    from ncz.model.tree import Dataset
    from ncz.transfer.move import Transfer, Way
    from ncz.transfer.rechunk import Rechunk
    from ncz.zmap.location import Location


@record(kw_only=True)
class VariablePlan:
    """How one variable is copied. `transfer` is None if there are no encoded chunks to copy."""

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


@record(kw_only=True)
class CopyPlan:
    """What a copy will do."""

    target: WritePlan
    """How the target will be stored."""
    variables: tuple[VariablePlan, ...]
    memory: int
    """Memory limit for data, in bytes."""
    changes: tuple[Change, ...] = ()
    """What the target does not keep of how the source is stored."""
    unread: tuple[Notice, ...] = ()
    """What could not be read from the source, and so is not copied."""
    check_source: Callable[[], None] = lambda: None
    """Raises `ZmapError` if the source is no longer what was planned."""

    @property
    def losses(self) -> tuple[Notice, ...]:
        """What the target will not have."""
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
        If the target cannot hold something at all, or chunks cannot be encoded as planned.
    CodecError
        If one chunk needs more memory than the options allow.
    """
    from ncz.formats.kinds import CreateOptions, Requested
    from ncz.formats.opening import plan_dataset

    memory = options.data_memory
    create_options = CreateOptions(
        kind=options.kind,
        consolidated=options.consolidated,
        annotations=options.annotations,
        separator=options.separator,
        char=options.char,
        truncate_strings=options.truncate_strings,
        allow_loss=options.allow_loss,
        audience=options.audience,
        pieces=options.pieces,
    )
    planned = plan_dataset(dataset, location, create_options, notify=notify)
    check_shards(options.reshape.shards, planned.details.get("zarr_format"))
    wanted = with_data(dataset.root, options.reshape)
    variables = [_plan_variable(a, a.fqn in wanted, memory) for a in planned.arrays]
    largest = max((_need(v, memory) for v in variables), default=0)
    if largest > memory:
        if options.memory is not None:
            for variable in variables:
                _refuse_large(variable, memory)
        usual, memory = memory + PROGRAM_MEMORY, largest
        variables = [_plan_variable(a, a.fqn in wanted, memory) for a in planned.arrays]
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
    planned.check_codecs([v.array.fqn for v in variables if v.way not in ("none", "raw")])
    requested = Requested(
        chunks=bool(options.reshape.chunkspecs or options.reshape.chunk_size),
        codecs=options.reshape.changes_codecs,
        shards=bool(options.reshape.shards),
        separator=options.separator is not None,
    )
    return CopyPlan(
        target=planned,
        variables=tuple(variables),
        memory=memory,
        changes=tuple(planned.changes(dataset.provenance, requested)),
    )


def _plan_variable(array: TargetArray, has_data: bool, memory: int) -> VariablePlan:
    from ncz.transfer.move import transfer_for
    from ncz.transfer.rechunk import plan_rechunk

    source, target = array.variable.data, array.encoded
    fills_missing = target is not None and target.fills_missing
    if not has_data or (source is None and not fills_missing):
        return VariablePlan(array=array, way="none")
    if target is None or not isinstance(source, EncodedSource):
        return VariablePlan(array=array, way="write")
    if source.layout.shape != array.layout.shape:
        return VariablePlan(array=array, way="write")
    transfer = transfer_for(source, target)
    rechunk = plan_rechunk(transfer, memory) if transfer.way == "rechunk" else None
    return VariablePlan(array=array, way=transfer.way, transfer=transfer, rechunk=rechunk)


_FEW = 1000
"""Number of chunks whose sizes may be asked for, to know what one of them needs."""


def _need(variable: VariablePlan, memory: int) -> int:
    """Return the least memory, in bytes, in which the variable's chunks can be copied.

    How well chunks are compressed is only looked at if it matters, because they would otherwise
    need more than `memory`.
    """
    transfer = variable.transfer
    if transfer is None or transfer.way == "raw":
        return 0
    source, target = transfer.source.layout, variable.array.layout
    size = max(1, variable.array.item_size)
    if transfer.way == "recode":
        need = _recoding(transfer, target.chunk_size * size)
        return need if need <= memory else _recoding(transfer, _largest(transfer) or need)
    # A source chunk is held encoded and decoded, a target chunk as a block and encoded.
    ours, theirs = 2 * source.chunk_size, target.chunk_size
    return max(ours, 2 * theirs + min(ours, theirs // 2)) * size


def _recoding(transfer: Transfer, encoded: int) -> int:
    """Return the memory to decode and encode a chunk of so many `encoded` bytes.

    A chunk is held decoded, and once more between a filter and a compressor; a shard also in the
    parts of which it is made. Encoded bytes of deflate are copied at the end.
    """
    layouts = transfer.source.layout, transfer.array.layout
    whole = transfer.array.layout.chunk_size * max(1, transfer.array.item_size)
    if any(layout.shard is not None for layout in layouts):
        return 3 * whole
    source, target = (layout.codecs for layout in layouts)
    encoded = min(encoded, whole)
    converted = 0 if transfer.keeps_elements else whole
    is_deflated = bool(target) and codec_of(target[-1].to_json()).deflate_window is not None
    decoding = encoded + whole * min(2, max(1, len(source)))
    encoding = whole * min(2, max(1, len(target))) + encoded * (2 if is_deflated else 1)
    return converted + max(decoding, encoding)


def _largest(transfer: Transfer) -> int | None:
    """Return the bytes of the largest compressed chunk of the source; None if that is not known."""
    source = transfer.source
    chain = source.layout.codecs
    if not chain or not is_kind(chain[-1].to_json(), "compressor"):
        return None  # what a compressor will make of it is not known
    if source.layout.shard is not None or source.layout.grid.size > _FEW:
        return None
    sizes = [source.stored_size(index) for index in transfer.indices()]
    return max((size for size in sizes if size is not None), default=None)


def _refuse_large(variable: VariablePlan, memory: int) -> None:
    need = _need(variable, memory)
    if need > memory:
        raise CodecError(
            f"copying one chunk needs {need >> 20} MiB of memory, and {option('memory')} leaves"
            f" {memory >> 20} MiB",
            variable.array.fqn,
            f"use {option('memory', need + PROGRAM_MEMORY + (1 << 20))}, or omit it",
        )


def change_notice(changes: Iterable[Change]) -> Notice | None:
    """Return one notice of all changes that were not requested; None if there are none."""
    messages = [change.message for change in changes if not change.requested]
    if not messages:
        return None
    return Notice(
        "form-changed", f"the copy also changes how data are stored: {'; '.join(messages)}"
    )
