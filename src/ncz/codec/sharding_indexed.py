"""The codec sharding_indexed: an object with a grid of chunks and an index of their places.

The index has an offset and a length for each chunk, as unsigned 64-bit numbers in row-major order;
all bits are set for a missing chunk. Source: the Zarr specification of the codec sharding_indexed.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.codec import (
    ArraySpec,
    Bytes,
    Codec,
    Configuration,
    EncodedBytes,
    Parameter,
    Stage,
    choice,
    to_bytes,
)
from ncz.codec.bounds import encoded_size
from ncz.codec.catalogue import codec_of
from ncz.codec.chain import decode, decode_array, encode, encode_array
from ncz.codec.element_types import numpy_type
from ncz.codec.probe import Probe, probe_for
from ncz.errors import CodecError
from ncz.late import numpy as np
from ncz.record import record, replace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.codec import Elements

    Places = NDArray[np.uint64]

ABSENT = 2**64 - 1
"""The offset and the length of a chunk that is missing in a shard."""

_RESTORE = "restore it from a copy"


@record
class Sharding:
    """The layout of a shard.

    Attributes
    ----------
    chunks
        The shape of a chunk, which divides the shape of the shard.
    codecs
        The codecs of a chunk.
    index_codecs
        The codecs of the index.
    index_order
        The byte order of the index.
    at_end
        Whether the index is at the end of the shard, and not at its start.
    """

    chunks: tuple[int, ...]
    codecs: Sequence[Configuration] = ()
    index_codecs: Sequence[Configuration] = ()
    index_order: str = "<"
    at_end: bool = True

    def counts(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """Return the number of chunks in a shard along each axis."""
        return tuple(n // m for n, m in zip(shape, self.chunks, strict=True))

    def index_size(self, shape: tuple[int, ...]) -> int:
        """Return the bytes of the encoded index of a shard of a shape."""
        return 16 * math.prod(self.counts(shape)) + sum(map(_added_bytes, self.index_codecs))

    def part(self, array: ArraySpec) -> ArraySpec:
        """Return the specification of a chunk of a shard."""
        return replace(array, shape=self.chunks)

    def read_index(self, data: Bytes, shape: tuple[int, ...], location: str) -> Places:
        """Decode an index: the offset and the length of each chunk.

        The array has shape (chunks along each axis..., 2).
        """
        counts = self.counts(shape)
        try:
            decoded = decode(
                self.index_codecs,
                to_bytes(data),
                count=2 * math.prod(counts),
                item_size=8,
                location=location,
            )
        except CodecError as error:
            reason = error.message.removeprefix("the chunk cannot be ")
            text = f"the index of the shard cannot be {reason}"
            raise CodecError(text, location, error.hint) from error
        index = np.frombuffer(decoded, f"{self.index_order}u8").reshape(*counts, 2)
        _refuse_overlap(index, location)
        return index

    def decode(self, data: bytes, array: ArraySpec, location: str) -> Elements:
        """Decode all elements of a shard; missing chunks have the value ``array.fill``."""
        size = self.index_size(array.shape)
        if len(data) < size:
            raise CodecError("the shard is shorter than its index", location, _RESTORE)
        head = data[-size:] if self.at_end else data[:size]
        index = self.read_index(head, array.shape, location)
        if array.fill is None:
            elements = np.zeros(array.shape, numpy_type(array.dtype))
        else:
            elements = np.full(array.shape, array.fill, numpy_type(array.dtype))
        part = self.part(array)
        for place, box in self._boxes(array.shape):
            chunk = chunk_bytes(index[place], lambda at, count: data[at : at + count], location)
            if chunk is not None:
                elements[box] = decode_array(self.codecs, chunk, part, location=location)
        return elements

    def encode(self, elements: Elements, array: ArraySpec) -> bytes | None:
        """Encode a shard, without chunks that contain only ``array.fill``; None if all do."""
        index = np.full((*self.counts(array.shape), 2), ABSENT, f"{self.index_order}u8")
        start = 0 if self.at_end else self.index_size(array.shape)
        part = self.part(array)
        data = io.BytesIO()  # which grows in place, and is not copied when it is returned
        data.seek(start)
        for place, box in self._boxes(array.shape):
            chunk = elements[box]
            if array.fill is not None and _is_only(chunk, array.fill):
                continue
            encoded = encode_array(self.codecs, chunk, part, location="")
            if encoded is None:
                continue
            index[place] = data.tell(), len(encoded)
            data.write(encoded)
        if data.tell() == start and array.fill is not None:
            return None
        encoded_index = encode(self.index_codecs, index.reshape(-1), item_size=8, location="")
        if not self.at_end:
            data.seek(0)
        data.write(encoded_index)
        return data.getvalue()

    def _boxes(self, shape: tuple[int, ...]) -> Iterator[tuple[tuple[int, ...], tuple[slice, ...]]]:
        """Yield the place of each chunk in the index, and its elements in the shard."""
        for place in itertools.product(*map(range, self.counts(shape))):
            yield (
                place,
                tuple(slice(i * n, (i + 1) * n) for i, n in zip(place, self.chunks, strict=True)),
            )


def _added_bytes(codec: Configuration) -> int:
    """Return the bytes that a codec adds to the index, whose length must be known to read it."""
    added = codec_of(codec).added_bytes
    if added is None:
        raise CodecError(
            f"the index of a shard uses {codec_of(codec).id}, whose encoded size is not known"
        )
    return added


def _refuse_overlap(index: Places, location: str) -> None:
    """Raise `CodecError` if two chunks share bytes, which may multiply the decoded size."""
    entries = index.reshape(-1, 2)
    present = entries[(entries != ABSENT).any(axis=1)]
    starts, counts = present[present[:, 0].argsort(kind="stable")].T
    # The entries have 64 bits without a sign, so an end could exceed them; a gap cannot.
    if (starts[1:] - starts[:-1] < counts[:-1]).any():
        raise CodecError("two chunks of the shard share bytes", location, _RESTORE)


def chunk_bytes(
    entry: Places, read: Callable[[int, int], bytes | None], location: str
) -> bytes | None:
    """Read a chunk by its entry in the index; return None if it is missing."""
    start, count = (int(n) for n in entry)
    if start == count == ABSENT:
        return None
    chunk = read(start, count) if max(start, count) < 2**62 else None
    if chunk is None or len(chunk) != count:
        raise CodecError("the shard is shorter than its index says", location, _RESTORE)
    return chunk


def _is_only(elements: Elements, fill: Elements) -> bool:
    """Return whether all elements equal `fill`, bit for bit."""
    if elements.dtype.kind == "O":
        return bool((elements == fill).all())
    first = elements[(slice(0, 1),) * elements.ndim].tobytes()  # decides most cases, without a copy
    return first == fill.tobytes() and elements.tobytes() == first * elements.size


def sharding_of(configuration: Configuration) -> Sharding:
    """Return the layout of a shard from its configuration."""
    return Sharding(
        tuple(configuration["chunk_shape"]),
        configuration.get("codecs", ()),
        configuration.get("index_codecs", ()),
        configuration.get("index_order", "<"),
        configuration.get("index_location", "end") == "end",
    )


class ShardingIndexed(Codec):
    """The codec sharding_indexed."""

    id = "sharding_indexed"
    kind = "serializer"
    parameters = (
        Parameter("chunk_shape", required=True),
        Parameter("codecs", default=()),
        Parameter("index_codecs", default=()),
        choice("index_order", "<", "<", ">"),
        choice("index_location", "end", "end", "start"),
    )
    takes_arrays = True
    holds_chunks = True
    is_v2 = False

    def max_encoded_size(
        self, size: int, array: ArraySpec, configuration: Configuration, most: int
    ) -> int:
        """Return the most bytes of a shard, whose chunks have separate headers."""
        sharding = sharding_of(configuration)
        index = sharding.index_size(array.shape)
        if not array.item_size:
            return size + index
        part = sharding.part(array)
        inner = part.size
        for each in sharding.codecs:
            codec = codec_of(each)
            inner = max(inner, codec.result(part, each).size)
            if codec.holds_chunks:
                inner = codec.max_encoded_size(inner, part, each, most)
            part = codec.result(part, each)
        return math.prod(sharding.counts(array.shape)) * (inner + inner // 16 + 4096) + index

    def encode(self, value: Bytes | Elements, stage: Stage) -> Any:
        """Encode a shard; None if none of its chunks need be stored."""
        elements: Any = value
        return sharding_of(stage.configuration).encode(elements, stage.array)

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Decode all chunks of a shard."""
        return sharding_of(stage.configuration).decode(to_bytes(value), stage.array, "")

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Check the index, the places of the chunks, and their checksums.

        Chunks without checksums are not read, because a shard may contain thousands of small
        chunks.
        """
        sharding = sharding_of(configuration)
        index_size = sharding.index_size(array.shape)
        if len(data) < index_size:
            return False
        head = data[-index_size:] if sharding.at_end else data[:index_size]
        try:
            index = sharding.read_index(head, array.shape, "")
        except CodecError:
            return False
        entries = index.reshape(-1, 2)
        entries = entries[(entries != ABSENT).any(axis=1)]
        starts, counts = entries.T
        part = sharding.part(array)
        fixed = encoded_size(sharding.codecs, part)
        is_within = (counts <= len(data)) & (starts <= len(data) - counts)
        if not is_within.all() or not (fixed is None or (counts == fixed).all()):
            return False
        probe = _chunk_probe(sharding, part)
        if probe is None:
            return True
        whole = data[:]
        return all(probe(whole[start : start + count]) for start, count in entries.tolist())


def _chunk_probe(sharding: Sharding, part: ArraySpec) -> Probe | None:
    """Return the check of the chunks in a shard; None if they have no checksums."""
    codecs = [codec_of(each) for each in sharding.codecs]
    is_checked = any(codec.kind == "checksum" or codec.holds_chunks for codec in codecs)
    return probe_for(sharding.codecs, part) if is_checked else None


CODECS = (ShardingIndexed(),)
