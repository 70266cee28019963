"""Answers of DAP4 with values: the first chunk has a DMR, the others have the values."""

from __future__ import annotations

import math
import zlib
from collections.abc import Callable
from typing import Any, Literal

from ncz.errors import FormatError
from ncz.formats.dap.server import message_of_xml
from ncz.late import numpy as np
from ncz.model.data import Values
from ncz.model.types import Atomic, NcType
from ncz.model.user_types import from_elements, numpy_dtype, packed_layout

_LAST, _ERROR, _LITTLE = 1, 2, 4
_TOO_SHORT = "the server's answer ends before all values"

Order = Literal["little", "big"]
Error = Callable[[str], FormatError]


def values_of(
    body: bytes, nc_type: NcType, shape: tuple[int, ...], error: Error, *, checks: bool
) -> Values:
    """Return the values in an answer that has one variable.

    Parameters
    ----------
    body
        The answer.
    nc_type
        The type of the values.
    shape
        The shape of the requested values.
    error
        Makes an error of a message.
    checks
        Whether to compare the bytes with their checksum, if the server sends one.

    Raises
    ------
    FormatError
        If the answer has other values, or ends before the last of them.
    """
    data, order = _join_chunks(body, error)
    count = math.prod(shape)
    if nc_type is Atomic.STRING:
        values, end = _texts(data, count, order, error)
    else:
        dtype = numpy_dtype(packed_layout(nc_type, "<")).newbyteorder(order)
        end = count * dtype.itemsize
        if len(data) < end:
            raise error(_TOO_SHORT)
        values = from_elements(_numbers(data, dtype, count), nc_type)
    _check_end(data, end, order, error, checks=checks)
    return values.reshape(shape)


def _numbers(data: bytes, dtype: Any, count: int) -> Values:
    return np.frombuffer(data, dtype, count)


def _join_chunks(body: bytes, error: Error) -> tuple[bytes, Order]:
    """Return the bytes of the chunks after the DMR, and the byte order of numbers in them."""
    parts = []
    at, flags = 0, 0
    order: Order = "little"
    while not flags & _LAST:
        if at + 4 > len(body):
            raise error(_TOO_SHORT)
        flags = body[at]
        size = int.from_bytes(body[at + 1 : at + 4], "big")
        part = body[at + 4 : at + 4 + size]
        if flags & _ERROR:
            raise error(f"the server answers with an error: {message_of_xml(part)}")
        if len(part) < size:
            raise error(_TOO_SHORT)
        if at == 0:
            order = "little" if flags & _LITTLE else "big"
        else:
            parts.append(part)
        at += 4 + size
    return b"".join(parts), order


def _texts(data: bytes, count: int, order: Order, error: Error) -> tuple[Values, int]:
    """Return strings, each preceded by the number of its bytes, and the offset of their end."""
    values = np.empty(count, object)
    at = 0
    for number in range(count):
        size = int.from_bytes(data[at : at + 8], order)
        at += 8
        if at + size > len(data):
            raise error(_TOO_SHORT)
        values[number] = data[at : at + size].decode("utf-8", "surrogateescape")
        at += size
    return values, at


def _check_end(data: bytes, end: int, order: Order, error: Error, *, checks: bool) -> None:
    """Raise an error for bytes after the values that are not their checksum."""
    rest = data[end:]
    if len(rest) not in (0, 4):
        raise error(f"the server sends {len(data)} bytes, where {end} and a checksum are expected")
    stated = int.from_bytes(rest, order)
    if checks and stated and stated != zlib.crc32(data[:end]):
        raise error("the values do not match the checksum that the server states")
