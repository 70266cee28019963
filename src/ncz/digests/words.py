"""The bits of values: elements of a fixed size. Equal values have equal bytes.

Numbers and characters are themselves. An element of any other type is the first 64 bits of a hash
of its bytes.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable
from hashlib import blake2b
from itertools import chain
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Value, Vlen

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.model.data import Values

    Words = NDArray[np.uint64]
    Encode = Callable[[Value], bytes]
else:
    Words = Any

WORD = 8
"""Bytes of a word."""

_NAN = {4: bytes.fromhex("0000c07f"), 8: bytes.fromhex("000000000000f87f")}

_BITS = {size: (int.from_bytes(nan, "little"), -(1 << 8 * size - 1)) for size, nan in _NAN.items()}
"""The bits of NaN and of -0 as integers, by the size of a number."""


def elements_of(values: Values, nc_type: NcType) -> Values:
    """Return values as elements of a fixed size of 1, 2, 4 or 8 bytes, which are never objects."""
    if isinstance(nc_type, Enumeration):
        base = np.dtype(nc_type.base.dtype)
        return np.array(values.reshape(-1).tolist(), base).reshape(values.shape)
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        return values.astype(nc_type.dtype, copy=False)
    encode = encoder_of(nc_type)
    hashes = b"".join(hash_of(encode(value)) for value in values.reshape(-1).tolist())
    return np.frombuffer(hashes, "<u8").reshape(values.shape)


def plain_floats(numbers: Values, buffer: Values) -> Values:
    """Return floating-point numbers with one pattern of bits for NaN, and one for zero.

    They are `numbers` themselves if these have no other NaN and no -0, and otherwise in `buffer`.
    The caller lets numpy ignore invalid numbers, as some of the bits of NaN are signals.
    """
    if not numbers.size:
        return numbers
    lowest = np.minimum.reduce(numbers, axis=None)
    if lowest > 0:  # most often; this takes one pass over the numbers
        return numbers
    pattern, least = _BITS[numbers.itemsize]
    whole = numbers.view(f"<i{numbers.itemsize}")
    has_nan = lowest != lowest  # NaN is the least of all
    has_other_nan = has_nan and (
        np.count_nonzero(numbers != numbers) != np.count_nonzero(whole == pattern)
    )
    # -0 has the bits of the least integer.
    if not has_other_nan and np.minimum.reduce(whole, axis=None) != least:
        return numbers
    np.add(numbers, numbers.dtype.type(0), out=buffer)  # -0 becomes 0
    if has_nan:
        kept = np.frombuffer(_NAN[buffer.itemsize], f"<f{buffer.itemsize}")
        np.copyto(buffer, kept[0], where=np.isnan(buffer))
    return buffer


def hash_of(data: bytes) -> bytes:
    """Return the hash of the bytes of an element."""
    return blake2b(data, digest_size=8).digest()


def words_of(elements: Values, start: int) -> tuple[Words, int]:
    """Return elements as words along their last axis.

    Parameters
    ----------
    elements
        An array with one or more axes; see `elements_of`.
    start
        The index of the first element along the last axis of the whole array.

    Returns
    -------
    words : ndarray
        The words, zero where the array has no bytes.
    first : int
        The index of the first word.
    """
    size = elements.itemsize
    per_word = WORD // size
    before = start % per_word
    length = elements.shape[-1]
    after = -(before + length) % per_word
    stored = np.dtype(
        f"S{size}" if elements.dtype.kind == "S" else elements.dtype.newbyteorder("<")
    )
    if before or after:
        padded = np.zeros((*elements.shape[:-1], before + length + after), stored)
        padded[..., before : before + length] = elements
        elements = padded
    plain = np.ascontiguousarray(elements, stored)
    return plain.view("<u8"), (start - before) * size // WORD


def bytes_of_text(text: str) -> bytes:
    """Return the bytes of a text in UTF-8, also of one that is not valid."""
    try:
        return text.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return text.encode("utf-8", "surrogatepass")


def encoder_of(nc_type: NcType) -> Encode:
    """Return the function that returns the bytes of a value of a type."""
    match nc_type:
        case Atomic.STRING:
            return _string
        case Atomic.CHAR:
            return _char
        case Atomic():
            return _number(nc_type)
        case Enumeration(base=base):
            return _number(base)
        case Opaque():
            return bytes
        case Vlen(base=base):
            return _list_of(encoder_of(base))
        case Compound(fields=fields):
            return _record_of([_field(field) for field in fields])


def _with_count(count: int, data: bytes) -> bytes:
    return count.to_bytes(8, "little") + data


def _string(value: str | None) -> bytes:
    data = bytes_of_text(value or "")
    return _with_count(len(data), data)


def _char(value: str) -> bytes:
    data = bytes_of_text(value)
    return data if len(data) == 1 else value.encode("latin-1", "replace")


def _number(nc_type: Atomic) -> Encode:
    size = nc_type.size
    if not nc_type.is_floating:
        mask = (1 << 8 * size) - 1
        return lambda value: (int(value) & mask).to_bytes(size, "little")
    pack = struct.Struct("<f" if size == 4 else "<d").pack

    def encode(value: float) -> bytes:
        try:
            return _NAN[size] if value != value else pack(value + 0.0)
        except OverflowError:  # a float that single precision cannot represent
            return pack(math.copysign(math.inf, value))

    return encode


def _list_of(encode: Encode) -> Encode:
    return lambda value: _with_count(len(value or ()), b"".join(map(encode, value or ())))


def _field(field: Field) -> Encode:
    encode = encoder_of(field.type)
    if not field.shape:
        return encode
    return lambda value: b"".join(map(encode, _flat(value)))


def _flat(value: Value) -> Iterable[Value]:
    return value if isinstance(value, tuple | str) else (value,)


def _record_of(encoders: list[Encode]) -> Encode:
    def encode(value: Value) -> bytes:
        pairs = zip(encoders, value, strict=True)
        return b"".join(chain.from_iterable((one(part),) for one, part in pairs))

    return encode
