"""Values in answers of DAP2: a DDS, a line ``Data:``, and the values in the form of XDR."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from typing import Any

from ncz.errors import FormatError
from ncz.formats.dap.dds import Declaration, read_dds
from ncz.late import numpy as np
from ncz.model.data import Values

WIRE = {
    "byte": "u1", "int16": ">i4", "uint16": ">u4", "int32": ">i4", "uint32": ">u4",
    "float32": ">f4", "float64": ">f8", "int": ">i4", "uint": ">u4",
}  # fmt: skip
"""The numbers of each type in responses, as dtypes of numpy."""

TEXTS = ("string", "url")

_DATA = re.compile(rb"(?:^|\r?\n)Data:\r?\n")
_ERROR_LATER = re.compile(
    rb'Error\s*\{[^{}]{0,80}code\s*=\s*[^{}]{0,40}message\s*=\s*"([^"]{0,300})'
)

Error = Callable[[str], FormatError]


def values_of(body: bytes, path: tuple[str, ...], error: Error, location: str) -> Values:
    """Return the values of one variable in an answer.

    Parameters
    ----------
    body
        The answer.
    path
        The names of the variable and of the structures that contain it, as the server writes them.
    error
        Makes an error of a message.
    location
        The variable, for messages.

    Returns
    -------
    ndarray
        Numbers in the dtypes of `WIRE`, or an object array of texts.

    Raises
    ------
    FormatError
        If the variable is not in the answer, or the answer ends before its values.
    """
    found = _DATA.search(body)
    if found is None:
        raise error("the server's answer has no data")
    reader = _Reader(body, found.end(), error)
    for declared in read_dds(body[: found.start()], location):
        values = reader.read(declared, ())
        if (declared.written,) == path[:1]:
            chosen = _choose_part(values, path[1:])
            if chosen is not None:
                return chosen
    raise error("the server's answer does not contain the requested variable")


def _choose_part(values: Any, path: tuple[str, ...]) -> Values | None:
    """Return the values of a part, or of the first part of a grid whose maps were left out."""
    for name in path:
        if not isinstance(values, dict):
            break  # the server sends the array of a grid alone
        if name not in values:
            return None
        values = values[name]
    return None if isinstance(values, dict) else values


class _Reader:
    """Decodes the values of declarations one after the other."""

    def __init__(self, data: bytes, at: int, error: Error) -> None:
        self._data = data
        self._at = at
        self._error = error

    def read(self, declared: Declaration, above: tuple[int, ...]) -> Any:
        """Return the values of a base, or of the parts by name. `above` is not used up."""
        shape = tuple(axis.size for axis in declared.axes)
        if declared.kind == "base":
            return self._base(declared, shape)
        if declared.kind == "sequence":
            raise self._error("the server sends a sequence, which ncz cannot read")
        if not shape:
            return {part.written: self.read(part, above) for part in declared.parts}
        return self._structures(declared, shape)

    def _structures(self, declared: Declaration, shape: tuple[int, ...]) -> dict[str, Any]:
        """Return the parts of an array of structures, which are sent one after the other."""
        count = math.prod(shape)
        self._lengths(count, 1)
        each = [{p.written: self.read(p, ()) for p in declared.parts} for _ in range(count)]
        return {
            part.written: _stack([one[part.written] for one in each], shape, np)
            for part in declared.parts
        }

    def _base(self, declared: Declaration, shape: tuple[int, ...]) -> Values:
        if declared.type in TEXTS:
            count = math.prod(shape)
            if declared.axes:
                self._lengths(count, 1)
            values = np.empty(count, object)
            for number in range(count):
                values[number] = self._text()
            return values.reshape(shape)
        dtype = np.dtype(WIRE[declared.type])
        if not declared.axes:
            return self._scalar(dtype)
        count = math.prod(shape)
        self._lengths(count, 2)
        data = self._take(count * dtype.itemsize, padded=True)
        return np.frombuffer(data, dtype, count).reshape(shape)

    def _scalar(self, dtype: Any) -> Values:
        data = self._take(max(4, dtype.itemsize))
        if dtype.itemsize == 1:  # a number of four bytes in XDR; pydap sends the byte first
            data = data[:1] if data[1:] == b"\0\0\0" else data[3:]
        return np.frombuffer(data, dtype, 1).reshape(())

    def _text(self) -> str:
        size = int.from_bytes(self._take(4), "big")
        return self._take(size, padded=True).decode("utf-8", "surrogateescape")

    def _lengths(self, count: int, times: int) -> None:
        """Skip the number of elements, which is sent `times` times."""
        for _ in range(times):
            found = int.from_bytes(self._take(4), "big")
            if found != count:
                raise self._error(f"the server sends {found} values, but {count} were requested")

    def _take(self, count: int, *, padded: bool = False) -> bytes:
        end = self._at + count
        if end > len(self._data):
            error = _ERROR_LATER.search(self._data)
            raise self._error(
                "the server's answer ends before all values"
                + (f": {error[1].decode('utf-8', 'replace')}" if error else "")
            )
        data = self._data[self._at : end]
        self._at = end + (-count % 4 if padded else 0)
        return data


def _stack(parts: list[Any], shape: tuple[int, ...], np: Any) -> Any:
    if parts and isinstance(parts[0], dict):
        return {name: _stack([p[name] for p in parts], shape, np) for name in parts[0]}
    values = np.array(parts, dtype=parts[0].dtype if parts else None)
    return values.reshape((*shape, *(parts[0].shape if parts else ())))
