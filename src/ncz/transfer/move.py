"""Copy the chunks of one array, doing no more work than needed."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal, Protocol

from ncz.codec.catalogue import is_kind, with_defaults, writing_fault
from ncz.codec.rewrap import can_rewrap, rewrap
from ncz.errors import CodecError, Notice, Notify, OnError, option, raise_error
from ncz.formats.chunks import pad, padding_of
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.model.chunks import ChunkLayout, Shard
from ncz.model.data import Values
from ncz.model.encoded_arrays import (
    ArrayStore,
    ChunkStore,
    EncodedChunks,
    EncodedSource,
    EncodedTarget,
)
from ncz.model.filters import Filter
from ncz.model.grid import Index
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.transfer.small_files import copy_batches
from ncz.zmap import WritableZmap
from ncz.zmap.key import display

Way = Literal["raw", "recode", "rechunk", "write", "none"]
"""The way to copy the data of a variable. Besides the three for encoded chunks, "write"
encodes values that are not stored in chunks, such as CDL text; "none" leaves data out."""


@record
class MoveResult:
    """Number of chunks that were written, and their size in bytes as stored.

    `damage` is the error of a damaged chunk that was copied nevertheless.
    """

    chunks: int = 0
    size: int = 0
    damage: CodecError | None = None


@record(kw_only=True)
class RawOptions:
    """The checks of chunks that are copied raw.

    `decodes` says whether each is decoded, rather than only checked as far as possible without it;
    `keep_going` whether damaged chunks are copied unchanged.
    """

    decodes: bool = False
    keep_going: bool = False
    in_turn: int = 0
    """Files of chunks of fewer bytes are created by one thread: to pass a file to another takes
    longer than to copy it."""


Report = Callable[[MoveResult], None]
"""Called for chunks that were written, in the caller's thread."""


class Keep(Protocol):
    """Keeps a chunk that an earlier run wrote; see `ncz.zmap.WritableZmap.keep`."""

    def __call__(self, key: str, size: int | None = None) -> bool:
        """Return whether the object at a key is kept, so that it is not to be written."""
        ...


@record
class Transfer:
    """A source, the array that it becomes, and the way: "raw", "recode" or "rechunk"."""

    source: EncodedSource
    array: EncodedTarget
    way: Way

    @property
    def keeps_elements(self) -> bool:
        """Whether an element is stored as the same bytes in both."""
        return _same_elements(self.source, self.array)

    def indices(self) -> Iterable[Index]:
        """Return the indices of the chunks of the target, if it has the grid of the source."""
        if self.array.fills_missing:
            return self.array.layout.grid.indices()
        return self.source.present()

    @property
    def is_rewrapped(self) -> bool:
        """Whether recoding changes only the wrapper of a deflate stream, zlib or gzip."""
        ours, theirs = self.source.layout, self.array.layout
        return (
            self.way == "recode"
            and self.keeps_elements
            and ours.shard is None
            and theirs.shard is None
            and ours.order == theirs.order
            and ours.first_codecs == theirs.first_codecs == ()
            and can_rewrap(_json(ours), _json(theirs), self.array.item_size)
        )


def transfer_for(source: EncodedSource, array: EncodedTarget) -> Transfer:
    """Choose the way from the chunks of `source` to chunks of `array`.

    Parameters
    ----------
    source
        The array to copy.
    array
        The plan of its copy, of the same shape.

    Returns
    -------
    Transfer
        The cheapest way that gives the same values.
    """
    ours, theirs = source.layout, array.layout
    if (ours.chunks, ours.lengths) != (theirs.chunks, theirs.lengths):
        return Transfer(source, array, "rechunk")
    size = array.item_size
    is_same = (
        _same_elements(source, array)
        and _plain_shard(ours.shard, size) == _plain_shard(theirs.shard, size)
        and (ours.order == theirs.order or sum(n > 1 for n in ours.chunks) < 2)
        and _same_codecs(ours.first_codecs, theirs.first_codecs, size)
        and _same_codecs(ours.codecs, theirs.codecs, size)
    )
    return Transfer(source, array, "raw" if is_same else "recode")


def _json(layout: ChunkLayout) -> list[dict[str, Any]]:
    return [codec.to_json() for codec in layout.codecs]


def _same_elements(source: EncodedSource, array: EncodedTarget) -> bool:
    return bool(source.stored_dtype == array.stored_dtype)


def _same_codecs(ours: tuple[Filter, ...], theirs: tuple[Filter, ...], item_size: int) -> bool:
    if ours == theirs:
        return True
    return [_plain(f, item_size) for f in ours] == [_plain(f, item_size) for f in theirs]


def _plain_shard(shard: Shard | None, item_size: int) -> object:
    """Return the properties that two shards must have in common to be copied raw."""
    if shard is None:
        return None
    return (
        shard.chunks,
        shard.order,
        [_plain(f, item_size) for f in shard.codecs],
        _plain_shard(shard.shard, item_size),
        [_plain(f, 8) for f in shard.index_codecs],
        shard.index_order,
        shard.at_end,
        [_plain(f, item_size) for f in shard.first_codecs],
    )


def _plain(codec: Filter, item_size: int) -> dict[str, object]:
    """Return the configuration in a form that is equal for all its spellings."""
    return with_defaults(codec.to_json(), item_size)


def report_unknown_codecs(transfer: Transfer, notify: Notify) -> None:
    """Report codecs of a raw copy that neither ncz nor numcodecs knows.

    Nothing is known about whether the target's readers know them, or the chunks are valid.
    """
    if transfer.way != "raw":
        return
    layout = transfer.source.layout
    codecs = [*layout.codecs, *layout.inner_codecs]
    faults = [writing_fault(c.to_json()) for c in codecs if is_kind(c.to_json(), "unknown")]
    unknown = next(filter(None, faults), None)
    if unknown is not None:
        notify(
            Notice(
                "codec-unknown",
                f"{unknown}; its chunks can only be copied unseen",
                transfer.array.fqn,
                lost=True,
            )
        )


_Work = tuple[Index, bytes | MoveResult | None, CodecError | None]
"""A chunk that was written, or is about to be; and its error if it is damaged."""


def move_chunks(
    transfer: Transfer,
    zmap: ChunkStore,
    pool: ThreadPool,
    report: Report,
    done: Keep | None,
    only: Sequence[Index] | None = None,
    raw: RawOptions = RawOptions(),  # noqa: B008 (a frozen record)
    on_error: OnError = raise_error,
) -> None:
    """Copy chunks raw, or recode them; the grids of source and target are the same.

    Parameters
    ----------
    transfer
        What to copy, with the way "raw" or "recode".
    zmap
        The store for the chunks.
    pool
        The threads that read, decode and encode.
    report
        Called for every chunk that is written.
    done
        Keeps the chunks that were already written; None if none exist.
    only
        The indices of the chunks to copy; by default `Transfer.indices`.
    raw
        How chunks are checked that are copied raw.
    on_error
        Called with a `CodecError` for every chunk that cannot be decoded, or is damaged and would
        be copied raw without `raw.keep_going`, in any thread. If it returns, the chunk is left out.

    Raises
    ------
    CodecError
        If `on_error` raises it.
    """
    moving = _Mover(transfer, zmap, report, raw, on_error)
    indices = transfer.indices() if only is None else only
    if only is None:
        _announce(transfer, moving.chunk_size)
    moving.move(moving.unwritten_indices(indices, done), pool)


class _Mover:
    """The copy of the chunks of one array; see `move_chunks`."""

    def __init__(
        self,
        transfer: Transfer,
        zmap: ChunkStore,
        report: Report,
        raw: RawOptions,
        on_error: OnError,
    ) -> None:
        array, is_raw = transfer.array, transfer.way == "raw"
        self.chunk_size = array.layout.chunk_size * max(array.item_size, 1)
        self._transfer, self._array, self._source = transfer, array, transfer.source
        self._zmap, self._report, self._on_error = zmap, report, on_error
        self._is_raw, self._raw = is_raw, raw
        self._folder = zmap if isinstance(zmap, WritableZmap) and zmap.holds_files else None
        self._files = None if self._folder is None else _copied_files(transfer)
        self._sized = None if self._folder is None else _sized_source(transfer)
        decodes = raw.decodes or not (is_raw and self._source.stores_all)
        self._cost = 4 * self.chunk_size if decodes else self.chunk_size
        self._is_small = is_raw and self._cost < raw.in_turn
        self._puts_in_threads = self._folder is not None and not (
            self._is_small and self._files is None
        )
        self._checked = self._source.with_checks(decodes=raw.decodes) if is_raw else self._source
        self._filling: bytes | None = None

    def unwritten_indices(self, indices: Iterable[Index], done: Keep | None) -> Iterable[Index]:
        """Return the indices of the chunks that were not already written."""
        if done is None:
            return indices
        sizes = self._files or self._sized
        size_of = _any if sizes is None else sizes.stored_size
        return (i for i in indices if not done(self._array.chunk_key(i), size_of(i)))

    def move(self, indices: Iterable[Index], pool: ThreadPool) -> None:
        """Copy chunks."""
        if self._folder is None or self._files is None or not self._is_small:
            for done_work in pool.batches(self._work_together, indices, self._cost):
                self._finish_together(done_work)
            return
        copy_batches(
            self._checked, indices, self._folder, self._array,
            lambda index: self._finish(*self._work(index)),
            lambda index: self._finish(index, None, None),
            lambda count, size: self._report(MoveResult(count, size)),
        )  # fmt: skip

    def _work(self, index: Index) -> _Work:
        if not (self._is_raw and self._source.is_stored(index)):
            data = recode_chunk(self._transfer, index, self._zmap, self._on_error)
            return index, self._put(index, data) if self._puts_in_threads else data, None
        try:
            return index, self._copy_chunk(self._checked, index), None
        except CodecError as error:
            if self._raw.keep_going:
                return index, self._copy_chunk(self._source, index), error
            error.hint = (
                f"restore it from a copy, or copy it unchanged with {option('keep_going', True)}"
            )
            self._on_error(error)
            return index, None, None

    def _work_together(self, indices: list[Index]) -> list[_Work]:
        is_raw = self._is_raw and all(map(self._source.is_stored, indices))
        if len(indices) > 1 and is_raw and (self._folder is None or self._files is None):
            with contextlib.suppress(CodecError):  # decode one by one to find the damaged chunk
                chunks = zip(indices, self._checked.encoded_chunks(indices), strict=True)
                return [
                    (index, self._put(index, data) if self._puts_in_threads else data, None)
                    for index, data in chunks
                ]
        return [self._work(index) for index in indices]

    def _copy_chunk(self, chunks: EncodedChunks, index: Index) -> bytes | MoveResult | None:
        """Copy a chunk raw, or return it to be put by the thread that may put it."""
        if self._folder is None or self._files is None:
            data = chunks.encoded_chunk(index)
            return self._put(index, data) if self._puts_in_threads else data
        key = self._array.chunk_key(index)
        count = next(chunks.copy((index,), self._folder, (key,)))
        return self._put(index, None) if count is None else MoveResult(1, count)

    def _put(self, index: Index, data: bytes | None) -> MoveResult:
        if data is None:
            if not self._array.fills_missing:
                return MoveResult()
            # Not before a chunk is missing: not every codec of a raw copy can encode.
            self._filling = self._filling or encoded_fill(self._array)
            data = self._filling
        key = self._array.chunk_key(index)
        if self._folder and self._sized and self._sized.stored_size(index) == len(data):
            self._folder.put_sized(key, data)
        else:
            self._zmap.put(key, data)
        return MoveResult(1, len(data))

    def _finish(
        self, index: Index, result: bytes | MoveResult | None, damage: CodecError | None
    ) -> None:
        step = result if isinstance(result, MoveResult) else self._put(index, result)
        self._report(step if damage is None else replace(step, damage=damage))

    def _finish_together(self, done_work: list[_Work]) -> None:
        count = size = 0
        try:
            for index, result, damage in done_work:
                if damage is not None:
                    self._finish(index, result, damage)
                    continue
                step = result if isinstance(result, MoveResult) else self._put(index, result)
                count += step.chunks
                size += step.size
        finally:  # an interrupted copy also reports the number of chunks
            self._report(MoveResult(count, size))


def _copied_files(transfer: Transfer) -> EncodedSource | None:
    """Return the source if the operating system can copy every chunk to another file."""
    source = transfer.source
    if transfer.way != "raw" or not isinstance(source, ZarrArray):
        return None
    return source if source.zmap.holds_files else None


def _sized_source(transfer: Transfer) -> EncodedSource | None:
    """Return the source if it knows the sizes of files, which reveal truncated ones."""
    source = transfer.source
    # Other stores than reference sets get a request for every size.
    is_quick = not isinstance(source, ZarrArray) or source.zmap.refers
    return source if transfer.way == "raw" and is_quick else None


def _any(index: Index) -> int | None:
    """Return None: an object of any size is complete, because it was renamed when it was."""
    return None


def _announce(transfer: Transfer, size: int) -> None:
    """Announce the next chunks to a store that can read neighbouring chunks together."""
    source = transfer.source
    if not isinstance(source, ZarrArray) or source.is_sharded:
        return
    if source.zmap.joins_neighbours:
        source.zmap.expect((source.key_of(index), size) for index in transfer.indices())


def encoded_fill(array: EncodedTarget) -> bytes:
    """Return the stored form of a chunk with only fill values."""
    fill = array.fill_element()
    data = array.encode(pad(fill, array.layout.chunks, fill), array.fqn)
    assert data is not None  # missing chunks are filled in Zarr V2 only, which has no shards
    return data


def recode_chunk(
    transfer: Transfer, index: Index, zmap: ArrayStore, on_error: OnError = raise_error
) -> bytes | None:
    """Return chunk `index` encoded for the target, or None if it is not to be written.

    It is missing in the source then, or a shard that contains only the fill value. `on_error` is
    called if it cannot be decoded; if that returns, the chunk counts as missing.
    """
    array = transfer.array
    try:
        is_rewrapped = transfer.is_rewrapped and transfer.source.is_stored(index)
        data = _rewrap_chunk(transfer, index) if is_rewrapped else None
        elements = convert_chunk(transfer, index) if data is None else None
    except CodecError as error:
        on_error(error)
        return None
    if elements is None:
        return data
    return array.encode(elements, f"{zmap.url}: {display(array.chunk_key(index))}")


def _rewrap_chunk(transfer: Transfer, index: Index) -> bytes | None:
    """Return chunk `index` with another wrapper; None if it is missing, or must be decoded."""
    data = transfer.source.encoded_chunk(index)
    if data is None:
        return None
    chain, count = _json(transfer.source.layout), transfer.array.layout.at(index).chunk_size
    return rewrap(chain, data, count=count, item_size=transfer.array.item_size)


def convert_chunk(transfer: Transfer, index: Index) -> Values | None:
    """Return all elements of the source's chunk `index` in the dtype that the target stores."""
    source, array = transfer.source, transfer.array
    if transfer.keeps_elements and source.is_stored(index):
        return source.chunk_elements(index)
    values = source.stored_values(index)
    if values is None:
        return None
    stored = array.to_elements(values)
    chunks = source.layout.at(index).chunks
    if stored.shape == chunks:  # all chunks except at the edge
        return stored
    return pad(stored, chunks, padding_of(array))


def converted_many(transfer: Transfer, indices: Sequence[Index]) -> list[Values | None]:
    """Return all elements of small chunks of the source; see `convert_chunk`."""
    if transfer.keeps_elements and all(map(transfer.source.is_stored, indices)):
        return transfer.source.elements(indices)
    return [convert_chunk(transfer, index) for index in indices]
