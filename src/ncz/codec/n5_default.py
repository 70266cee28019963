"""The codec n5_default of Zarr V3: a block of N5, with a header that has its shape.

A block at the end of an array may be shorter than a chunk, or as long.

Source: zarr-extensions, "n5_default"; the specification of N5 4.0.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Any

from ncz.codec import (
    ArraySpec,
    Codec,
    Configuration,
    Json,
    Parameter,
    Stage,
    V3Spelling,
    to_bytes,
    view,
)
from ncz.codec.bounds import max_stored_size
from ncz.codec.chain import decode_array, encode_array
from ncz.codec.element_types import number_type, numpy_type
from ncz.errors import CodecError
from ncz.late import numpy as np
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_LARGEST_BLOCK = 64 << 20
"""The largest size in bytes of a block that is longer than its chunk; the chunk's part is read."""

_TYPES = frozenset(
    {
        *("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64"),
        *("float32", "float64"),
    }
)
_LONGEST = 2**32 - 1


class N5Default(Codec):
    """The codec n5_default. `codecs` are those after the order of axes and the byte order."""

    id = "n5_default"
    kind = "serializer"
    parameters = (Parameter("codecs", required=True),)
    holds_codecs = True
    v3 = V3Spelling("n5_default")
    takes_arrays = True
    is_v2 = False
    is_extension = True

    def first_within(self, rank: int) -> list[tuple[str, dict[str, Json]]]:
        """Return the reversed order of axes, and the byte order of N5."""
        order = list(reversed(range(rank)))
        return [("transpose", {"order": order}), ("bytes", {"endian": "big"})]

    def result(self, array: ArraySpec, configuration: Configuration) -> ArraySpec:
        """Return the array. Raises `CodecError` for one that N5 cannot represent."""
        if len(configuration["codecs"]) > 1:
            raise CodecError("n5_default has at most one codec of bytes")
        if array.dtype is not None and not _is_of_n5(array):
            raise CodecError(f"n5_default encodes numbers of N5, not elements of {array.dtype}")
        return array

    def max_encoded_size(
        self, size: int, array: ArraySpec, configuration: Configuration, most: int
    ) -> int:
        """Return the most bytes of a block."""
        codecs = configuration["codecs"]
        return 4 + 4 * len(array.shape) + (max_stored_size(codecs, array) if codecs else size)

    def _chain(self, stage: Stage) -> list[Configuration]:
        """Return the codecs of a block after its header."""
        firsts = self.first_within(len(stage.array.shape))
        return [
            *({"id": name, **values} for name, values in firsts),
            *stage.configuration["codecs"],
        ]

    def encode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Encode a block of the shape of the chunk."""
        elements: Any = value
        shape = elements.shape
        if any(length > _LONGEST for length in shape):
            raise CodecError(f"n5_default: an axis has more than {_LONGEST} elements")
        header = struct.pack(f">HH{len(shape)}I", 0, len(shape), *shape)
        body = encode_array(self._chain(stage), elements, stage.array, location="")
        assert body is not None  # it has no shards
        return header + body

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Decode a block, and give it the shape of the chunk."""
        data = view(value)
        shape = _shape(data, len(stage.array.shape))
        block = replace(stage.array, shape=shape, fill=None)
        if block.size > max(stage.array.size, _LARGEST_BLOCK):
            raise CodecError(f"the block of N5 declares {block.size} bytes")
        body = to_bytes(data[4 + 4 * len(shape) :])
        elements = decode_array(self._chain(stage), body, block, location="")
        if shape == stage.array.shape:
            return elements
        common = tuple(slice(min(pair)) for pair in zip(shape, stage.array.shape, strict=True))
        fill = 0 if stage.array.fill is None else stage.array.fill
        chunk: Elements = np.full(stage.array.shape, fill, numpy_type(stage.array.dtype))
        chunk[common] = elements[common]
        return chunk


def _is_of_n5(array: ArraySpec) -> bool:
    if array.is_boolean or number_type(array.dtype) is None:
        return False
    return numpy_type(array.dtype).name in _TYPES


def _shape(data: memoryview, rank: int) -> tuple[int, ...]:
    """Return the shape that a block has by its header. Raises `CodecError`."""
    if len(data) < 4 + 4 * rank:
        raise CodecError("the block of N5 is shorter than its header")
    mode, count = struct.unpack(">HH", data[:4])
    if mode:
        raise CodecError(f"the block of N5 has the mode {mode}, which n5_default does not have")
    if count != rank:
        raise CodecError(f"the block of N5 has {count} axes, and its array {rank}")
    return struct.unpack(f">{rank}I", data[4 : 4 + 4 * rank])


CODECS = (N5Default(),)
