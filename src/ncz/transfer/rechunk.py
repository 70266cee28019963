"""Rechunk an array in bounded memory, for any two grids.

See `ncz.transfer.blocks` for the method. A target chunk is written if the source has at least one
of the chunks that overlap it, and the rest of it contains the fill value. If the plan fills missing
chunks, all are written.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ncz.errors import CodecError, OnError, ZmapError, raise_error
from ncz.formats.chunks import pad, padding_of
from ncz.late import numpy as np
from ncz.model.encoded_arrays import ChunkStore
from ncz.model.grid import Box, Index
from ncz.model.presence import Presence
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.transfer.blocks import MOST_READS, WIDE, Pieces, blocks_for, widen
from ncz.transfer.move import Keep, MoveResult, Report, Transfer, convert_chunk, converted_many
from ncz.transfer.spill import Spill, spill_file
from ncz.zmap.key import display

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.transfer.blocks import Blocks


_OBJECT_SIZE = 128
"""Assumed size, in bytes, of an element without a fixed size."""


@record
class Rechunk:
    """The plan that rechunks an array: the blocks, and whether there is a spill file."""

    blocks: Blocks
    item_size: int
    spills: bool

    @property
    def spill_size(self) -> int:
        """Bytes that are written to the spill file; 0 without one."""
        return self.blocks.spilled_count * self.item_size if self.spills else 0

    @property
    def reads(self) -> int:
        """The largest number of times that a source chunk is decoded."""
        return 1 if self.spills else self.blocks.reads


def plan_rechunk(transfer: Transfer, memory: int) -> Rechunk:
    """Plan the blocks for rechunking within a memory limit.

    Parameters
    ----------
    transfer
        What to rechunk.
    memory
        The limit in bytes.

    Returns
    -------
    Rechunk
        The blocks, and whether a spill file is needed.
    """
    size = transfer.array.item_size
    chunk = transfer.source.layout.chunk_size * (size or _OBJECT_SIZE)
    # A large source chunk is in memory twice while it is decoded, in addition to a block.
    limit = max(min(memory // 2, memory - 2 * chunk), memory // 16) // (size or _OBJECT_SIZE)
    blocks = blocks_for(transfer.source.layout.grid, transfer.array.layout.grid, limit)
    blocks = widen(blocks, min(limit, WIDE // (size or _OBJECT_SIZE)))
    # Objects have no fixed size, and so no offset in a spill file.
    return Rechunk(blocks, size or _OBJECT_SIZE, size > 0 and blocks.reads > 1)


def rechunk_chunks(
    transfer: Transfer,
    zmap: ChunkStore,
    pool: ThreadPool,
    report: Report,
    done: Keep | None,
    spill_folder: str | None = None,
    only: Sequence[Index] | None = None,
    on_error: OnError = raise_error,
) -> None:
    """Rechunk an array, and write the chunks.

    Parameters
    ----------
    transfer
        What to rechunk.
    zmap
        The store for the chunks.
    pool
        The threads that read, decode and encode; its memory is the limit.
    report
        Called for every chunk that is written.
    done
        Keeps the chunks that were already written; None if none exist.
    spill_folder
        Folder of the spill file; by default the folder in S3netCDF4's configuration file, or else
        the system's folder for temporary files.
    only
        The indices of the blocks to write, without a spill file; by default all.
    on_error
        Called with a `CodecError` for every chunk that cannot be decoded, in any thread. If it
        returns, the chunk counts as missing.

    Raises
    ------
    ZmapError
        If a spill file is needed and the folder does not have enough space.
    """
    rechunking = Rechunker(transfer, pool, spill_folder, only, on_error)
    array, target = transfer.array, transfer.array.layout.grid
    wanted: list[Index] = []

    def is_wanted(box: Box) -> bool:
        wanted[:] = (
            chunk
            for chunk in target.indices(box)
            if rechunking.has(target.box(chunk))
            and not (done is not None and done(array.chunk_key(chunk)))
        )
        return bool(wanted)

    size = array.layout.chunk_size * rechunking.rechunk.item_size
    for box, block in rechunking.blocks(is_wanted):

        def encode(chunk: Index, box: Box = box, block: Values = block) -> tuple[str, bytes | None]:
            key = array.chunk_key(chunk)
            values = block[target.box(chunk).relative_to(box.start).slices]
            return key, rechunking.encode(values, f"{zmap.url}: {display(key)}")

        # A store that cannot list its keys may turn out not to have some chunks.
        here = [chunk for chunk in wanted if rechunking.has(target.box(chunk))]
        for key, data in pool.each(encode, here, 3 * size, rechunking.memory_beside(box), size):
            if data is not None:
                zmap.put(key, data)
                report(MoveResult(1, len(data)))
        del block, encode  # free the block before the next one is made


class Rechunker:
    """The blocks of one array, read from a source with another grid."""

    def __init__(
        self,
        transfer: Transfer,
        pool: ThreadPool,
        spill_folder: str | None = None,
        only: Sequence[Index] | None = None,
        on_error: OnError = raise_error,
    ) -> None:
        self.on_error = on_error
        self.transfer = transfer
        self.array = transfer.array
        self.pool = pool
        self.spill_folder = spill_folder
        self.rechunk = plan_rechunk(transfer, pool.memory)
        if only is not None:  # a few blocks are not worth a spill file
            self.rechunk = replace(self.rechunk, spills=False)
        self.only = only
        self.source = transfer.source.layout.grid
        self.decoding_cost = 3 * math.prod(self.source.chunks) * self.rechunk.item_size
        self.present = Presence(self.source, transfer.source.present())
        self.pieces = Pieces(self.rechunk.blocks)
        self.spill: Spill | None = None
        self.read: set[Index] = set()
        self.fill = self.array.fill_element()
        self.padding = padding_of(self.array)
        self.dtype = self.fill.dtype

    def has(self, box: Box) -> bool:
        """Return whether a target chunk is written."""
        return self.array.fills_missing or self.present.any(box)

    def blocks(self, is_wanted: Callable[[Box], bool]) -> Iterator[tuple[Box, Values]]:
        """Yield each wanted block, as elements in the dtype that the target stores.

        Elements of missing chunks are the fill value. The caller must release a block before it
        requests the next, or memory is not bounded.
        """
        with contextlib.ExitStack() as stack:
            if self.rechunk.spills:
                self.spill = self.open_spill(stack)
            for index in self.rechunk.blocks.grid.indices() if self.only is None else self.only:
                box = self.rechunk.blocks.grid.box(index)
                if is_wanted(box):
                    yield box, self.block(index)
                    self.read.add(index)

    def open_spill(self, stack: contextlib.ExitStack) -> Spill | None:
        """Return a new spill file; None if the disk is too full and chunks may be decoded again."""
        try:
            file = spill_file(self.rechunk.spill_size, self.spill_folder, self.array.fqn)
        except ZmapError:
            if self.rechunk.blocks.reads > MOST_READS:
                raise
            return None
        return Spill(stack.enter_context(file), self.dtype, self.array.fqn)

    def memory_beside(self, box: Box) -> int:
        """Return the memory that remains for chunks while the block of `box` is in memory."""
        return max(1, self.pool.memory - box.size * self.rechunk.item_size)

    def block(self, index: Index) -> Values:
        """Return one block; each thread copies values that it decoded, or read from the file."""
        box = self.rechunk.blocks.grid.box(index)
        if self.present.all(box):
            block = np.empty(box.shape, self.dtype)
        else:
            block = np.full(box.shape, self.fill, self.dtype)

        def place(chunk: Index) -> bool:
            covered = self.source.box(chunk)
            common = covered.intersect(box) or box
            values = self.piece(index, chunk, covered, common)
            block[common.relative_to(box.start).slices] = self.fill if values is None else values
            return values is not None

        def place_together(chunks: list[Index]) -> list[Index]:
            """Copy chunks to the block, and return the missing ones."""
            if self.spill is None and len(chunks) > 1:
                with contextlib.suppress(CodecError):  # decode one by one to find the damaged chunk
                    missing = []
                    decoded = converted_many(self.transfer, chunks)
                    for chunk, values in zip(chunks, decoded, strict=True):
                        here, there = self.source.box(chunk).common(box)
                        block[there] = self.fill if values is None else values[here]
                        if values is None:
                            missing.append(chunk)
                    return missing
            return [chunk for chunk in chunks if not place(chunk)]

        chunks = self.present.within(box)
        memory = self.memory_beside(box)
        for missing in self.pool.batches(
            place_together, chunks, self.decoding_cost, memory, result_cost=0
        ):
            for chunk in missing:
                self.present.remove(chunk)
        return block

    def piece(self, index: Index, chunk: Index, covered: Box, common: Box) -> Values | None:
        """Return the elements that source chunk `chunk` and block `index` have in common.

        They are decoded for the first block that needs them, and parts of later blocks are spilled.
        """
        if self.spill is not None and self.is_spilled(index, chunk):
            return self.spill.read(self.pieces.offset(index, chunk), common.shape)
        values = self.elements(chunk)
        if values is None:
            return None
        if self.spill is not None and covered != common:
            for other, box in self.pieces.of_chunk(chunk):
                if other > index:
                    piece = values[box.relative_to(covered.start).slices]
                    self.spill.write(self.pieces.offset(other, chunk), piece)
        return values[common.relative_to(covered.start).slices]

    def is_spilled(self, index: Index, chunk: Index) -> bool:
        """Return whether a block before `index`, which needed the same chunk, was read."""
        before = itertools.takewhile(
            lambda other: other < index, self.rechunk.blocks.grid.indices(self.source.box(chunk))
        )
        return any(other in self.read for other in before)

    def encode(self, values: Values, location: str) -> bytes | None:
        """Encode a target chunk from its elements within the array."""
        whole = pad(values, self.array.layout.chunks, self.padding)
        return self.array.encode(whole, location)

    def elements(self, chunk: Index) -> Values | None:
        """Return the decoded elements of a source chunk; None if it is missing or damaged."""
        try:
            return convert_chunk(self.transfer, chunk)
        except CodecError as error:
            self.on_error(error)
            return None
