"""Rechunk an array in bounded memory, for any two grids.

See `ncz.transfer.rechunk` for the method. A target chunk is written if the source has at least one
of the chunks that overlap it, and the rest of it holds the fill value. If the plan fills missing
chunks, all are written.
"""

from __future__ import annotations

import contextlib
import math
import os
from collections.abc import Callable, Iterator, Sequence
from typing import IO, TYPE_CHECKING

from ncz.errors import CodecError, OnError, ZmapError, option, raise_error
from ncz.formats.chunks import padded, padding_of
from ncz.model.chunks import Presence
from ncz.model.encoded import ChunkStore
from ncz.model.grid import Box, ChunkGrid, Grid, Index
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.transfer.move import Keep, Moved, Report, Transfer, converted
from ncz.zmap.key import display
from ncz.zmap.settings import temporary_folder

if TYPE_CHECKING:
    from ncz.model.data import Values

# The blocks in which an array is rechunked: arithmetic of two grids and a memory limit.
#
# A block is a box of whole target chunks that fits in memory. The longer it is along the axes on
# which a source chunk is longer than a target chunk, the fewer blocks need that source chunk. If
# source chunks would still be decoded too often, their pieces are written to a spill file in one
# pass over the source, and the blocks are read from it in a second pass (as in an external sort).

MOST_READS = 4
"""Number of times a source chunk may be decoded before a spill file is cheaper."""


@record
class Blocks:
    """Blocks of `shape`, a multiple of the target's chunks, over an array with two grids."""

    source: Grid
    target: Grid
    shape: tuple[int, ...]

    @property
    def grid(self) -> ChunkGrid:
        """The blocks as a grid."""
        return ChunkGrid(self.target.shape, self.shape)

    @property
    def reads(self) -> int:
        """The largest number of blocks that need the same source chunk."""
        most = 1
        for length, chunk, block in zip(
            self.source.shape, self.source.chunks, self.shape, strict=True
        ):
            most *= _most_touched(length, chunk, block)
        return most


def blocks_for(source: Grid, target: Grid, limit: int) -> Blocks:
    """Choose blocks such that source chunks are decoded as seldom as possible.

    Parameters
    ----------
    source, target
        The two grids, of the same shape; that of the target is regular.
    limit
        The most elements of a block; a block has at least one target chunk regardless.

    Returns
    -------
    Blocks
        The blocks.
    """
    shape = list(target.chunks)
    counts = target.counts
    while True:
        best: tuple[float, int, int] | None = None
        for axis, chunk in enumerate(target.chunks):
            longest = counts[axis] * chunk
            # The smallest of: twice the length, a whole source chunk, the whole axis.
            longer = min(2 * shape[axis], _up(source.chunks[axis], chunk), longest)
            if longer <= shape[axis]:
                longer = min(2 * shape[axis], longest)
            if longer <= shape[axis]:
                continue
            if math.prod(shape) // shape[axis] * longer > limit:
                longer = limit // (math.prod(shape) // shape[axis]) // chunk * chunk
                if longer <= shape[axis]:
                    continue
            now = _most_touched(source.shape[axis], source.chunks[axis], shape[axis])
            then = _most_touched(source.shape[axis], source.chunks[axis], longer)
            gain = now / then
            if best is None or gain > best[0]:
                best = (gain, axis, longer)
        if best is None or best[0] <= 1:
            return Blocks(source, target, tuple(shape))
        shape[best[1]] = best[2]


def _up(length: int, step: int) -> int:
    return -(-length // step) * step


def _most_touched(length: int, chunk: int, block: int) -> int:
    """Return the largest number of blocks that one chunk touches along an axis."""
    chunk = min(chunk, max(length, 1))
    if block % chunk == 0:
        return 1
    ends = range(0, length, chunk) if length // chunk < 1000 else range(0, 1000 * chunk, chunk)
    return max(
        (-(-min(start + chunk, length) // block) - start // block for start in ends), default=1
    )


@record
class Pieces:
    """The offset of each piece (the part of a source chunk in a block) in a spill file.

    Offsets are in elements. Blocks follow each other in row-major order, and so do the pieces
    within a block, by their source chunks. Every piece is contiguous.
    """

    blocks: Blocks

    def of_chunk(self, chunk: Index) -> Iterator[tuple[Index, Box]]:
        """Yield the blocks that source chunk `chunk` touches, each with the box in common."""
        grid = self.blocks.grid
        box = self.blocks.source.box(chunk)
        for index in grid.indices(box):
            common = grid.box(index).intersect(box)
            if common is not None:
                yield index, common

    def offset(self, index: Index, chunk: Index) -> int:
        """Return the offset of the piece of source chunk `chunk` in block `index`."""
        grid, source = self.blocks.grid, self.blocks.source
        box = grid.box(index)
        piece = source.box(chunk).intersect(box)
        assert piece is not None
        return _rank(grid.shape, box) + _rank(box.shape, piece.relative_to(box.start))


def _rank(shape: tuple[int, ...], box: Box) -> int:
    """Count the elements in boxes of a grid that precede `box` in row-major order.

    For each axis, the preceding boxes that have the same index as `box` on all earlier axes and a
    lower index on this one cover: the extent of `box` on the earlier axes, everything before its
    start on this axis, and the whole array on the later axes.
    """
    before = 0
    for axis in range(len(shape)):
        before += math.prod(box.shape[:axis]) * box.start[axis] * math.prod(shape[axis + 1 :])
    return before


_OBJECT_SIZE = 128
"""Assumed size, in bytes, of an element without a fixed size."""


@record
class Rechunk:
    """How an array is rechunked: in which blocks, and whether through a spill file."""

    blocks: Blocks
    item_size: int
    spills: bool

    @property
    def spill_size(self) -> int:
        """Size of the spill file in bytes; 0 without one."""
        return math.prod(self.blocks.target.shape) * self.item_size if self.spills else 0

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
    blocks = blocks_for(
        transfer.source.layout.grid,
        transfer.array.layout.grid,
        memory // 2 // (size or _OBJECT_SIZE),
    )
    # Objects have no fixed size, and so no offset in a spill file.
    return Rechunk(blocks, size or _OBJECT_SIZE, size > 0 and blocks.reads > MOST_READS)


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
        What takes the chunks.
    pool
        The threads that read, decode and encode; its memory is the limit.
    report
        Called for every chunk that is written.
    done
        Keeps the chunks that were already written; None if there are none.
    spill_folder
        Folder of the spill file; by default that of S3netCDF4's configuration file, or else the
        system's folder for temporary files.
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
    rechunking = Rechunking(transfer, pool, spill_folder, only, on_error)
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
                report(Moved(1, len(data)))
        del block, encode  # free the block before the next one is made


class Rechunking:
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
        self.fill = self.array.fill_element()
        self.padding = padding_of(self.array)
        self.dtype = self.fill.dtype

    def has(self, box: Box) -> bool:
        """Return whether a target chunk is written."""
        return self.array.fills_missing or self.present.any(box)

    def blocks(self, is_wanted: Callable[[Box], bool]) -> Iterator[tuple[Box, Values]]:
        """Yield each wanted block, as elements in the dtype that the target stores.

        Elements of missing chunks are the fill value. The caller must release a block before it
        asks for the next, or memory is not bounded.
        """
        with contextlib.ExitStack() as stack:
            file: IO[bytes] | None = None
            if self.rechunk.spills:
                file = stack.enter_context(
                    _spill_file(self.rechunk.spill_size, self.spill_folder, self.array.fqn)
                )
                self.spill(file)
            for index in self.rechunk.blocks.grid.indices() if self.only is None else self.only:
                box = self.rechunk.blocks.grid.box(index)
                if is_wanted(box):
                    yield box, self.block(index, file)

    def memory_beside(self, box: Box) -> int:
        """Return the memory that remains for chunks while the block of `box` is held."""
        return max(1, self.pool.memory - box.size * self.rechunk.item_size)

    def block(self, index: Index, file: IO[bytes] | None) -> Values:
        """Return one block, from the spill file if there is one."""
        import numpy as np

        box = self.rechunk.blocks.grid.box(index)
        if self.present.all(box):
            block = np.empty(box.shape, self.dtype)
        else:
            block = np.full(box.shape, self.fill, self.dtype)
        if file is None:
            self.decode_into(block, box)
        else:
            for place, values in self.spilled(index, file):
                block[place.relative_to(box.start).slices] = values
        return block

    def decode_into(self, block: Values, box: Box) -> None:
        """Decode the source chunks that touch a block; each thread copies what it decoded."""

        def decode(chunk: Index) -> tuple[Index, bool]:
            values = self.elements(chunk)
            covered = self.source.box(chunk)
            place = covered.intersect(box) or box
            within = place.relative_to(box.start).slices
            if values is None:
                block[within] = self.fill
            else:
                block[within] = values[place.relative_to(covered.start).slices]
            return chunk, values is not None

        chunks = self.present.within(box)
        memory = self.memory_beside(box)
        for chunk, exists in self.pool.each(decode, chunks, self.decoding_cost, memory, kept=0):
            if not exists:
                self.present.remove(chunk)

    def encode(self, values: Values, location: str) -> bytes | None:
        """Encode a target chunk from its elements within the array."""
        whole = padded(values, self.array.layout.chunks, self.padding)
        return self.array.encode(whole, location)

    def elements(self, chunk: Index) -> Values | None:
        """Return the decoded elements of a source chunk; None if it is missing or damaged."""
        try:
            return converted(self.transfer, chunk)
        except CodecError as error:
            self.on_error(error)
            return None

    def decode_each(self) -> Iterator[tuple[Index, Values]]:
        """Yield the decoded elements of each chunk that exists in the source."""

        def decode(chunk: Index) -> tuple[Index, Values | None]:
            return chunk, self.elements(chunk)

        for chunk, values in self.pool.each(decode, self.present.indices(), self.decoding_cost):
            if values is None:
                self.present.remove(chunk)
            else:
                yield chunk, values

    def spill(self, file: IO[bytes]) -> None:
        """Write the pieces of all source chunks to the spill file."""
        for chunk, values in self.decode_each():
            start = self.source.box(chunk).start
            for block, place in self.pieces.of_chunk(chunk):
                piece = values[place.relative_to(start).slices]
                try:
                    file.seek(self.pieces.offset(block, chunk) * self.dtype.itemsize)
                    file.write(piece.tobytes())
                except OSError as error:
                    raise _no_spill(error, self.array.fqn) from error

    def spilled(self, index: Index, file: IO[bytes]) -> Iterator[tuple[Box, Values]]:
        """Yield the pieces of a block, from the spill file."""
        import numpy as np

        box = self.rechunk.blocks.grid.box(index)
        for chunk in self.present.within(box):
            place = self.source.box(chunk).intersect(box) or box
            file.seek(self.pieces.offset(index, chunk) * self.dtype.itemsize)
            data = file.read(place.size * self.dtype.itemsize)
            yield place, np.frombuffer(data, self.dtype).reshape(place.shape)


_SPILL_HINT = f"set TMPDIR to a folder with more space, or increase {option('memory')}"


def _spill_file(size: int, folder: str | None, fqn: str) -> IO[bytes]:
    import shutil
    import tempfile

    folder = folder or temporary_folder(os.environ) or tempfile.gettempdir()
    try:
        room = shutil.disk_usage(folder).free
        if room >= size:
            return tempfile.TemporaryFile(prefix="ncz-copy-", dir=folder)
    except OSError as error:
        raise _no_spill(error, folder) from error
    raise ZmapError(
        f"rechunking {fqn} needs a temporary file of {size >> 20} MiB, but only {room >> 20} MiB"
        " are free",
        folder,
        _SPILL_HINT,
    )


def _no_spill(error: OSError, location: str) -> ZmapError:
    return ZmapError(
        f"cannot write a temporary file: {error.strerror or error}",
        location,
        _SPILL_HINT,
    )
