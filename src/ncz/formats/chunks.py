"""Write the values of a variable to a new array: as encoded chunks, or in boxes."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

from ncz.codec.catalogue import codec_of
from ncz.formats.write_plan import ReportSize, ignore_size
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, Values, dtype_of, read_present
from ncz.model.encoded_arrays import (
    ChunkStore,
    EncodedSource,
    EncodedTarget,
    TargetArray,
    ValueStore,
)
from ncz.model.grid import Grid, Index, Shape, whole
from ncz.model.rounding import quantized_source
from ncz.model.sparse_source import SparseSource, sparse
from ncz.model.tree import Variable, mask_of
from ncz.model.types import Atomic
from ncz.record import replace
from ncz.zmap.key import display

_ENCODED_AT_ONCE = 64 << 20
"""Memory limit, in bytes, for chunks that are encoded at the same time."""

_MOST_THREADS = 8
_FLOATING = (Atomic.FLOAT, Atomic.DOUBLE)


def values_to_write(array: TargetArray) -> ChunkSource | None:
    """Return the values of a variable, in chunks like the target's if the source can.

    They are rounded if the variable's storage requires it. None if the variable has no data.
    """
    source = array.variable.data
    return None if source is None else as_written(source, array)


def written_variable(array: TargetArray) -> Variable:
    """Return the variable of an array, whose data are the values that are written."""
    return replace(array.variable, data=values_to_write(array))


def as_written(source: ChunkSource, array: TargetArray) -> ChunkSource:
    """Call `values_to_write` for the variable of an array."""
    if array.encoded_target is not None:
        source = source.rechunk(array.layout.chunks)
    variable = array.variable
    quantize = variable.storage.quantize
    if quantize is not None and variable.type in _FLOATING:
        return quantized_source(source, quantize, mask_of(variable.attributes, variable.type))
    return source


def write_chunks(
    store: ChunkStore,
    source: ChunkSource | None,
    array: EncodedTarget,
    report: ReportSize = ignore_size,
) -> int:
    """Write every chunk that `source` has, and return their number.

    The other chunks stay missing unless `array.fills_missing`, and so do shards that hold only
    the fill value. If there are codecs, threads encode
    chunks while the next ones are read; otherwise one chunk is in memory at a time.

    Parameters
    ----------
    store
        Takes the encoded chunks, in this thread.
    source
        The values; None if all chunks are missing.
    array
        How to encode the chunks, and the value that fills up chunks at the array's edge.
    report
        Called for each chunk that was written.
    """
    from ncz.parallel.processors import cores
    from ncz.parallel.threads import ThreadPool

    layout = array.layout
    grid = layout.grid
    check_chunk_size(array)
    fill, padding = array.fill_element(), padding_of(array)

    def present() -> Iterator[tuple[Index, Values | None]]:
        for index in _in_turn(grid, source):
            values = None if source is None else read_present(source, grid.box(index))
            if values is not None or array.fills_missing:
                yield index, values
            del values  # free it before the next one is read

    def encode_chunk(chunk: tuple[Index, Values | None]) -> tuple[str, bytes | None]:
        index, values = chunk
        elements = fill if values is None else array.to_elements(values)
        key = array.chunk_key(index)
        whole = pad(elements, layout.at(index).chunks, padding)
        return key, array.encode(whole, f"{store.url}: {display(key)}")

    count = 0
    works = bool(layout.chain)
    cost = 3 * layout.chunk_size * max(array.item_size, 1)
    with ThreadPool(_ENCODED_AT_ONCE, min(_MOST_THREADS, cores()) if works else 1) as pool:
        for key, data in pool.each(encode_chunk, present(), cost):
            if data is not None:
                store.put(key, data)
                report(len(data))
                count += 1
            del data  # free it before the next chunk is made
    return count


def _in_turn(grid: Grid, source: ChunkSource | None) -> Iterator[Index]:
    """Yield the indices of a grid, ordered by the chunks of the source that contain their start.

    So a source with longer chunks than the grid has to read or compute each of them once.
    """
    if source is None or source.grid.shape != grid.shape or source.grid.size >= grid.size:
        yield from grid.indices()
        return
    for outer in source.grid.indices():
        part = source.grid.box(outer)
        for index in grid.indices(part):
            start = grid.box(index).start
            if all(a <= b for a, b in zip(part.start, start, strict=True)):
                yield index


def encoded_box(
    source: ChunkSource, array: EncodedTarget, index: Index, where: Callable[[str], str]
) -> bytes | None:
    """Return the values of a chunk's box as stored.

    Parameters
    ----------
    source
        The values of the whole array.
    array, index
        How chunks are encoded, and which of them to make.
    where
        Returns the name of the chunk of a key in messages.

    Returns
    -------
    bytes or None
        None if the source lacks all of the values, or for a shard with only fill values.
    """
    layout = array.layout
    values = read_present(source, layout.grid.box(index))
    if values is None:
        return None
    whole = pad(array.to_elements(values), layout.at(index).chunks, padding_of(array))
    return array.encode(whole, where(array.chunk_key(index)))


def write_boxes(
    store: ValueStore, source: ChunkSource | None, shape: Shape, report: ReportSize = ignore_size
) -> int:
    """Write all values of an array, a chunk of `source` at a time; return the number of chunks.

    Chunks of a store or a file are decoded by threads.

    Parameters
    ----------
    store
        Takes the values, in this thread.
    source
        The values; None if all are fill.
    shape
        The shape of the array, which may be longer than the source's.
    report
        Called for each chunk of the source that was written.
    """
    from ncz.parallel.processors import cores
    from ncz.parallel.threads import ThreadPool

    if source is None:
        store.put_fill(whole(shape))
        return 0
    threads = min(_MOST_THREADS, cores()) if isinstance(source, EncodedSource) else 1
    source = sparse(source)
    grid = source.grid
    if isinstance(source, SparseSource) or grid.shape != shape:
        store.put_fill(whole(shape))

    def read(index: Index) -> tuple[Index, Values | None]:
        return index, source.chunk(index)

    count = 0
    cost = 3 * math.prod(grid.chunks) * (dtype_of(source.type).itemsize or 1)
    with ThreadPool(_ENCODED_AT_ONCE, threads) as pool:
        for index, values in pool.each(read, source.indices_in(whole(grid.shape)), cost):
            box = grid.box(index)
            if values is None:
                store.put_fill(box)
            else:
                store.put_values(box, values)
                report(values.nbytes)
                count += 1
            del values
    return count


def padding_of(array: EncodedTarget) -> Values | None:
    """Return the element that pads the chunks at the edge of an array; see `pad`.

    It is the fill value, or None if a codec stores the elements in a smaller type, which perhaps
    cannot represent the fill value.
    """
    if any(
        codec_of(configuration).narrows(configuration)
        for configuration in (codec.to_json() for codec in array.layout.inner_codecs)
    ):
        return None
    return array.fill_element()


def pad(elements: Values, chunks: tuple[int, ...], padding: Values | None) -> Values:
    """Return the elements of a chunk at the array's edge, padded to the chunk's shape.

    They are padded with `padding`, or with the last elements if that is None. An element of shape
    (), such as a fill value, is repeated.
    """
    if elements.shape == chunks:
        return elements
    if not elements.shape:
        return np.full(chunks, elements, elements.dtype)
    if padding is None:
        width = [(0, n - m) for n, m in zip(chunks, elements.shape, strict=True)]
        return np.pad(elements, width, mode="edge")
    whole = np.full(chunks, padding, elements.dtype)
    whole[tuple(slice(0, n) for n in elements.shape)] = elements
    return whole


def check_chunk_size(array: EncodedTarget) -> None:
    """Raise `CodecError` if the chunks of an array are larger than the codecs can decode."""
    array.layout.check_size(array.item_size, f"/{array.fqn.lstrip('/')}")
