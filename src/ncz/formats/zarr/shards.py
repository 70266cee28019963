"""Shards: stored objects that hold a grid of chunks; and checks of raw chunks.

The index has an offset and a length for each inner chunk, as unsigned 64-bit numbers in row-major
order; all bits are set for a missing chunk. Source: the Zarr specification of the codec
sharding_indexed.
"""

from __future__ import annotations

import io
import math
from collections.abc import Callable
from typing import TYPE_CHECKING

from ncz.codec import chain, object_budget
from ncz.codec.catalogue import codec_of
from ncz.errors import CodecError
from ncz.formats.zarr.dtypes import Encoding
from ncz.formats.zarr.elements import disk_dtype, from_disk
from ncz.model.chunks import Shard
from ncz.model.filters import Filter
from ncz.model.grid import ChunkGrid

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ncz.model.data import Values

    Places = NDArray[np.uint64]

ABSENT = 2**64 - 1
"""The offset and the length of a chunk that is missing in a shard."""


def index_size(shard: Shard, chunks: tuple[int, ...]) -> int:
    """Return the bytes of the encoded index of an object of shape `chunks`."""
    size = 16 * math.prod(n // m for n, m in zip(chunks, shard.chunks, strict=True))
    for codec in shard.index_codecs:
        size += _added(codec)
    return size


def _added(codec: Filter) -> int:
    """Return the bytes that a codec adds to the index, whose length must be known to read it."""
    added = codec_of(codec.to_json()).added_bytes
    if added is None:
        raise CodecError(f"the index of a shard uses {codec.id}, whose encoded size is not known")
    return added


def read_index(data: bytes, shard: Shard, chunks: tuple[int, ...], location: str) -> Places:
    """Decode an index: the offset and length of each inner chunk.

    The array has shape (inner chunks along each axis..., 2).
    """
    import numpy as np

    counts = tuple(n // m for n, m in zip(chunks, shard.chunks, strict=True))
    decoded = chain.decode(
        [codec.to_json() for codec in shard.index_codecs],
        data,
        count=2 * math.prod(counts),
        item_size=8,
        location=location,
    )
    index = np.frombuffer(decoded, f"{shard.index_order}u8").reshape(*counts, 2)
    _refuse_overlap(index, location)
    return index


def _refuse_overlap(index: Places, location: str) -> None:
    """Raise `CodecError` if two inner chunks share bytes, which may multiply what is decoded."""
    entries = index.reshape(-1, 2)
    present = entries[(entries != ABSENT).any(axis=1)]
    starts, counts = present[present[:, 0].argsort(kind="stable")].T
    # The entries have 64 bits without a sign, so an end could exceed them; a gap cannot.
    if (starts[1:] - starts[:-1] < counts[:-1]).any():
        raise CodecError("two chunks of the shard share bytes", location, "restore it from a copy")


def decode_shard(
    data: bytes,
    shard: Shard,
    chunks: tuple[int, ...],
    encoding: Encoding,
    fill: Values,
    location: str,
) -> Values:
    """Decode all elements of an object of shape `chunks`.

    `fill`, of shape (), is the element of missing inner chunks.
    """
    import numpy as np

    size = index_size(shard, chunks)
    if len(data) < size:
        raise CodecError("the shard is shorter than its index", location, "restore it from a copy")
    index = read_index(data[-size:] if shard.at_end else data[:size], shard, chunks, location)
    elements = np.full(chunks, fill, disk_dtype(encoding.stored_dtype))
    grid = ChunkGrid(chunks, shard.chunks)
    for place in grid.indices():
        part = inner_bytes(index[place], lambda start, count: data[start : start + count], location)
        if part is not None:
            elements[grid.box(place).slices] = decode_inner(part, shard, encoding, fill, location)
    return elements


def without_codecs(
    data: bytes,
    codecs: tuple[Filter, ...],
    shard: Shard,
    chunks: tuple[int, ...],
    item_size: int,
    location: str,
) -> bytes:
    """Undo the codecs that were applied to a whole shard of shape `chunks`."""
    if not codecs:
        return data
    limit = most_stored(shard, chunks, item_size, len(data))
    configurations = [codec.to_json() for codec in codecs]
    return chain.decode_bytes(configurations, data, limit=limit, location=location)


def most_stored(
    shard: Shard, chunks: tuple[int, ...], item_size: int, encoded: int = 256 << 20
) -> int:
    """Return the most bytes that a shard of shape `chunks` may have.

    `encoded` is its size after further codecs; it counts for objects, which have no size.
    """
    if not item_size:
        return object_budget(encoded, math.prod(chunks)) + index_size(shard, chunks)
    if shard.shard is not None:
        inner = most_stored(shard.shard, shard.chunks, item_size, encoded)
    else:
        inner = math.prod(shard.chunks) * item_size
    parts = math.prod(n // m for n, m in zip(chunks, shard.chunks, strict=True))
    return parts * (inner + inner // 16 + 4096) + index_size(shard, chunks)


def inner_bytes(
    entry: Places, read: Callable[[int, int], bytes | None], location: str
) -> bytes | None:
    """Read an inner chunk by its entry in the index; return None if it is missing."""
    start, count = (int(n) for n in entry)
    if start == count == ABSENT:
        return None
    part = read(start, count) if max(start, count) < 2**62 else None
    if part is None or len(part) != count:
        raise CodecError(
            "the shard is shorter than its index says", location, "restore it from a copy"
        )
    return part


def decode_inner(
    data: bytes, shard: Shard, encoding: Encoding, fill: Values, location: str
) -> Values:
    """Decode the elements of one inner chunk."""
    if shard.shard is not None:
        data = without_codecs(
            data, shard.codecs, shard.shard, shard.chunks, encoding.item_size, location
        )
        return decode_shard(data, shard.shard, shard.chunks, encoding, fill, location)
    decoded = chain.decode(
        [codec.to_json() for codec in shard.codecs],
        data,
        count=math.prod(shard.chunks),
        item_size=encoding.item_size,
        location=location,
    )
    return from_disk(decoded, shard.chunks, encoding, shard.order)


def encode_shard(
    elements: Values, shard: Shard, encoding: Encoding, fill: Values, location: str
) -> bytes | None:
    """Encode an object from all its elements, without inner chunks that hold only `fill`.

    Returns None if all of them do: such an object is not written.
    """
    import numpy as np

    chunks = elements.shape
    grid = ChunkGrid(chunks, shard.chunks)
    index = np.full((*grid.counts, 2), ABSENT, f"{shard.index_order}u8")
    start = 0 if shard.at_end else index_size(shard, chunks)
    data = io.BytesIO()  # which grows in place, and is not copied when it is returned
    data.seek(start)
    for place in grid.indices():
        inner = elements[grid.box(place).slices]
        if _is_only(inner, fill):
            continue
        part = encode_inner(inner, shard, encoding, fill, location)
        index[place] = data.tell(), len(part)
        data.write(part)
    if data.tell() == start:
        return None
    encoded_index = chain.encode(
        [codec.to_json() for codec in shard.index_codecs],
        index.reshape(-1),
        item_size=8,
        location=location,
    )
    if not shard.at_end:
        data.seek(0)
    data.write(encoded_index)
    return data.getvalue()


def encode_inner(
    elements: Values, shard: Shard, encoding: Encoding, fill: Values, location: str
) -> bytes:
    """Encode one inner chunk."""
    configurations = [codec.to_json() for codec in shard.codecs]
    if shard.shard is not None:
        import numpy as np

        data = encode_shard(elements, shard.shard, encoding, fill, location)
        assert data is not None  # a chunk that holds only `fill` is not encoded
        if not configurations:
            return data
        return chain.encode(
            configurations, np.frombuffer(data, "u1"), item_size=1, location=location
        )
    return chain.encode(
        configurations,
        elements.transpose(shard.order).reshape(-1),
        item_size=encoding.item_size,
        location=location,
    )


def _is_only(elements: Values, fill: Values) -> bool:
    """Return whether all elements equal `fill`, bit for bit."""
    if elements.dtype.kind == "O":
        return bool((elements == fill).all())
    first = elements[(slice(0, 1),) * elements.ndim].tobytes()  # tells mostly, without a copy
    return first == fill.tobytes() and elements.tobytes() == first * elements.size
