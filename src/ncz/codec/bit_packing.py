"""The codec packbits of Zarr V3: numbers of a few bits, one after the other.

The codec of the same name in numcodecs has another order of bits, and packs booleans only.

Source: zarr-extensions, "packbits".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.codec import (
    ArraySpec,
    Bytes,
    Codec,
    Configuration,
    Parameter,
    Stage,
    V3Parameter,
    V3Spelling,
    choice,
    view,
)
from ncz.codec.element_types import complex_part, number_type, numpy_type
from ncz.errors import CodecError
from ncz.late import numpy as np

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_BLOCK = 1 << 16
"""Elements whose bits are expanded to bytes in one step; a multiple of eight."""


class BitPacking(Codec):
    """The codec packbits, which makes bytes of an array."""

    id = "zarr.packbits"
    kind = "serializer"
    parameters = (
        choice("padding_encoding", "none", "none", "first_byte", "last_byte"),
        Parameter("first_bit", "integer", None, 0, 63),
        Parameter("last_bit", "integer", None, 0, 63),
    )
    v3 = V3Spelling(
        "packbits",
        (
            V3Parameter("padding_encoding", "none"),
            V3Parameter("first_bit"),
            V3Parameter("last_bit"),
        ),
    )
    takes_arrays = True
    is_v2 = False
    is_extension = True

    def narrows(self, configuration: Configuration) -> bool:
        """Return whether some bits of numbers are left out."""
        return any(configuration.get(name) is not None for name in ("first_bit", "last_bit"))

    def max_encoded_size(
        self, size: int, array: ArraySpec, configuration: Configuration, most: int
    ) -> int:
        """Return the bytes of the packed numbers."""
        return size + 2

    def encode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Pack numbers. Raises `CodecError` if a bit that is left out matters."""
        array: Any = value
        width, first, last = _bits(stage.array, stage.configuration)
        codes = _codes(np.ascontiguousarray(array).reshape(-1), stage.array)
        packed = b"".join(
            np.packbits(_bits_of(codes[at : at + _BLOCK], width)[:, first : last + 1],
                        bitorder="little").tobytes()
            for at in range(0, len(codes), _BLOCK)
        )  # fmt: skip
        if last - first + 1 < width:
            again = self._numbers(packed, stage.array, (width, first, last))
            if again.tobytes() != np.ascontiguousarray(array).tobytes():
                raise CodecError(
                    "packbits cannot store all bits of the numbers", hint="keep more bits"
                )
        padding = bytes([8 * len(packed) - (last - first + 1) * len(codes)])
        match stage.configuration.get("padding_encoding", "none"):
            case "first_byte":
                return padding + packed
            case "last_byte":
                return packed + padding
        return packed

    def check(self, data: Bytes, stage: Stage) -> None:
        """Compare the number of bytes, and the padding that they declare."""
        _, first, last = _bits(stage.array, stage.configuration)
        count = stage.array.count * _parts(stage.array)
        bits = (last - first + 1) * count
        size = -(-bits // 8)
        where = stage.configuration.get("padding_encoding", "none")
        if len(data) != size + (where != "none"):
            raise ValueError(f"it has {len(data)} bytes, and {size} hold the numbers")
        if where != "none":
            padding = data[0] if where == "first_byte" else data[-1]
            if padding != 8 * size - bits:
                raise ValueError(f"it declares {padding} bits of padding")

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Unpack the numbers of an array."""
        data = view(value)
        match stage.configuration.get("padding_encoding", "none"):
            case "first_byte":
                data = data[1:]
            case "last_byte":
                data = data[:-1]
        bits = _bits(stage.array, stage.configuration)
        numbers: Elements = self._numbers(data, stage.array, bits)
        return numbers.reshape(stage.array.shape)

    def _numbers(self, data: Bytes, array: ArraySpec, bits: tuple[int, int, int]) -> Any:
        _, first, last = bits
        kept = last - first + 1
        dtype, part = numpy_type(array.dtype), _part(array)
        size = part.itemsize
        count = array.count * _parts(array)
        known = number_type(part)
        is_signed = known is not None and known.kind == "i"
        codes = np.empty((count, size), "u1")
        packed = np.frombuffer(data, "u1")
        for at in range(0, count, _BLOCK):
            number = min(_BLOCK, count - at)
            start = at * kept // 8
            unpacked = np.unpackbits(
                packed[start : start + -(-number * kept // 8)],
                count=number * kept, bitorder="little",
            ).reshape(number, kept)  # fmt: skip
            whole = np.zeros((number, 8 * size), "u1")
            whole[:, first : last + 1] = unpacked
            if is_signed:
                whole[:, last + 1 :] = unpacked[:, -1:]
            codes[at : at + number] = np.packbits(whole, axis=1, bitorder="little")
        if part.isbuiltin == 2:
            return codes.reshape(-1).view(dtype)
        ordered: Any = codes.reshape(-1).view(dtype.newbyteorder("<"))
        return ordered.astype(dtype, copy=False)


def _part(array: ArraySpec) -> Any:
    """Return the dtype of the numbers that are packed: of both parts of a complex number."""
    dtype = numpy_type(array.dtype)
    part = complex_part(dtype)
    return dtype if part is None else part


def _parts(array: ArraySpec) -> int:
    """Return the number of packed numbers for each element."""
    return 1 if complex_part(numpy_type(array.dtype)) is None else 2


def _bits(array: ArraySpec, configuration: Configuration) -> tuple[int, int, int]:
    """Return the bits of a number, and the first and the last that are stored."""
    name = str(array.dtype).lstrip("<>|=")
    known = number_type(_part(array))
    if array.is_boolean or name in ("b1", "bool"):
        width = 1
    elif known is not None:
        width = known.bits
    else:
        raise CodecError(f"packbits encodes numbers and booleans, not elements of {array.dtype}")
    first, last = configuration.get("first_bit"), configuration.get("last_bit")
    first = 0 if first is None else first
    last = width - 1 if last is None else last
    if not 0 <= first <= last < width:
        raise CodecError(f"packbits: the bits {first} to {last} are not in numbers of {width}")
    return width, first, last


def _codes(elements: Any, array: ArraySpec) -> Any:
    """Return the bytes of each number, the least significant one first."""
    if _part(array).isbuiltin != 2:
        elements = elements.astype(elements.dtype.newbyteorder("<"), copy=False)
    return elements.view("u1").reshape(elements.size * _parts(array), -1)


def _bits_of(codes: Any, width: int) -> Any:
    """Return the bits of numbers, a row for each, the least significant one first."""
    return np.unpackbits(codes, axis=1, bitorder="little")[:, :width]


CODECS = (BitPacking(),)
