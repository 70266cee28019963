"""Convert the elements of an array from the stored dtype to values, and back."""

from __future__ import annotations

import functools
import json
from typing import Any

from ncz.errors import CodecMissing, FormatError, LossError, quantity, shorten
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.types.dtypes import Encoding
from ncz.late import numpy as np
from ncz.model.data import Values, fill_array
from ncz.model.json_text import print_json
from ncz.model.types import Atomic, NcType, Value, Vlen, zero_value


def disk_dtype(layout: Json) -> np.dtype[Any]:
    """Return the numpy dtype of `Encoding.stored_dtype`.

    Raises `FormatError` if numpy has no such dtype.
    """
    return _dtype_of_text(layout) if isinstance(layout, str) else _dtype(layout)


def _dtype(layout: Json) -> np.dtype[Any]:
    from ncz.codec.element_types import numpy_type
    from ncz.model.user_types import numpy_dtype

    try:
        dtype = numpy_dtype(layout) if isinstance(layout, list) else numpy_type(layout)
    except CodecMissing:
        raise
    except (TypeError, ValueError) as error:
        raise FormatError(f"numpy has no dtype {print_json(layout)}") from error
    return np.dtype(f"{layout[0]}i8") if dtype.kind in "mM" else dtype


_dtype_of_text = functools.lru_cache(256)(_dtype)
"""The same, for layouts that are text; a store has few different ones."""


def from_bytes(data: bytes, encoding: Encoding) -> Values:
    """Return the element whose bytes are given, as an array of shape ().

    Raises `ValueError` for another number of bytes.
    """
    return np.frombuffer(data, disk_dtype(encoding.stored_dtype)).reshape(())


def to_values(stored: Values, encoding: Encoding) -> Values:
    """Convert stored elements, of any shape, to values of the encoding's type."""
    nc_type = encoding.type
    if encoding.time is not None:
        return encoding.time.numbers(stored)
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        return stored.astype(nc_type.dtype, copy=False)
    if not isinstance(nc_type, Atomic) and not encoding.is_json:
        from ncz.model.user_types import unpack_values

        return unpack_values(stored, nc_type)
    listed: list[Value] = stored.reshape(-1).tolist()
    if isinstance(nc_type, Atomic):
        listed = _strings(listed, keeps_empty=encoding.keeps_empty)
    else:
        listed = [_from_json(nc_type, text) for text in listed]
    return np.fromiter(listed, "O", len(listed)).reshape(stored.shape)


def _from_json(nc_type: NcType, text: Any) -> Value:
    """Return the value of a JSON text; without a text, of zero bytes. Raises `FormatError`."""
    from ncz.model.json_decoding import decode_value
    from ncz.model.type_declarations import describe_type

    text = _string(text)
    if text is None:
        return zero_value(nc_type)
    try:
        return decode_value(json.loads(text), nc_type)
    except (ValueError, RecursionError) as error:
        name = describe_type(nc_type)
        raise FormatError(f"{shorten(text)!r} is not a value of {name}") from error


def _to_json(value: Value, nc_type: NcType) -> str:
    from ncz.model.json_encoding import encode_value, to_json

    value = zero_value(nc_type) if value is None else value
    return to_json(encode_value(value, nc_type))


def _strings(elements: list[Any], *, keeps_empty: bool) -> list[str | None]:
    """Return stored strings; most often all are bytes, or texts without surrogates."""
    texts = _decode_together(elements)
    if texts is None:
        texts = list(map(_text, elements))
    if keeps_empty or "" not in texts:
        return list(texts)
    return [text or None for text in texts]


def _decode_together(elements: list[Any]) -> list[str] | None:
    """Decode all elements together; None if they must be looked at one by one."""
    types = set(map(type, elements))
    if types == {bytes}:
        texts = b"\0".join(elements).decode("utf-8", "surrogateescape").split("\0")
        return texts if len(texts) == len(elements) else None
    if types != {str}:
        return None
    try:
        "".join(elements).encode()
    except UnicodeEncodeError:
        return None
    return elements


def _string(element: Any) -> str | None:
    """Return a stored string; None (NIL) for an empty one, as netcdf-c reads it."""
    return _text(element) or None


def _text(element: Any) -> str:
    """Return a stored string."""
    if isinstance(element, bytes | bytearray):
        return element.decode("utf-8", "surrogateescape")
    if isinstance(element, str):
        return element.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape")
    if element is None:
        return ""
    try:
        return print_json(element)
    except TypeError:
        return str(element)


def fill_element(fill: Value, encoding: Encoding) -> Values:
    """Return the fill value as one stored element, of shape (); zero bytes for None."""
    dtype = disk_dtype(encoding.stored_dtype)
    nc_type = encoding.type
    if not isinstance(nc_type, Atomic):
        value = zero_value(nc_type) if fill is None else fill
        return _elements([value], encoding).reshape(())
    if fill is None:
        return np.zeros((), dtype) if dtype.kind != "O" else np.array(_object("", encoding), dtype)
    if dtype.kind == "O":
        return np.array(_object(fill, encoding), dtype)
    if dtype.kind == "U":
        return np.array(fill, dtype)
    return to_disk(fill_array((), nc_type, fill), encoding, "the fill value")


def _object(text: str, encoding: Encoding) -> str | bytes:
    """Return text as the object that the array's codec encodes."""
    return text.encode("utf-8", "surrogateescape") if encoding.base64_fill else text


def to_disk(values: Values, encoding: Encoding, name: str) -> Values:
    """Convert values to elements of the stored dtype, in the same shape.

    `name` is the FQN of the variable, for messages. Raises `LossError` for a string that is longer
    than an element.
    """
    dtype = disk_dtype(encoding.stored_dtype)
    if not isinstance(encoding.type, Atomic):
        listed = values.reshape(-1).tolist()
        elements = _elements(listed, encoding).reshape(values.shape)
        if encoding.is_narrow:
            _check_parts(elements, listed, encoding.stored_dtype, name)
        return elements
    if encoding.time is not None:
        values = encoding.time.elements(values, name)
    if encoding.type is not Atomic.STRING:
        elements = values.astype(dtype, copy=False)
        if encoding.is_narrow:
            _check_fits(elements, values, dtype.name, name)
        return elements
    if dtype.kind == "O":
        objects = [_object(s or "", encoding) for s in values.reshape(-1).tolist()]
        return np.fromiter(objects, "O", len(objects)).reshape(values.shape)
    if dtype.kind == "U":
        return _unicode_elements(values, dtype, name)
    encoded = [(s or "").encode("utf-8", "surrogateescape") for s in values.reshape(-1).tolist()]
    longest = max(map(len, encoded), default=0)
    if longest > encoding.item_size:
        raise LossError(
            f"{name} has a string of {quantity(longest, 'byte')}, but elements of"
            f" {encoding.item_size}",
            hint=f"set _nczarr_maxstrlen = {longest} on it",
        )
    return np.array(encoded, dtype).reshape(values.shape)


def _unicode_elements(values: Values, dtype: np.dtype[Any], name: str) -> Values:
    """Return strings as elements of UTF-32."""
    texts = [s or "" for s in values.reshape(-1).tolist()]
    longest, length = max(map(len, texts), default=0), dtype.itemsize // 4
    if longest > length:
        raise LossError(
            f"{name} has a string of {quantity(longest, 'character')}, but elements of {length}",
            hint="copy the variable to a new store",
        )
    return np.array(texts, dtype).reshape(values.shape)


def _check_parts(elements: Values, listed: list[Value], data_type: str, name: str) -> None:
    """Raise `LossError` for a complex number that changes if its parts have few bits."""
    for number, part in enumerate(elements.dtype.names or ()):
        stored = elements[part].reshape(-1)
        _check_fits(stored, np.array([pair[number] for pair in listed], "f8"), data_type, name)


def _check_fits(elements: Values, values: Values, data_type: str, name: str) -> None:
    """Raise `LossError` for a number that is another one in a type of few bits."""
    changed = (elements.astype(values.dtype) != values) & (values == values)
    if changed.any():
        raise LossError(
            f"{name} has the number {values[changed].ravel()[0]}, which its data type {data_type}"
            " cannot represent",
            hint="copy the variable to a new store in Zarr V2, which stores ordinary numbers",
        )


def _elements(values: list[Value], encoding: Encoding) -> Values:
    """Return values of a user-defined type as elements of the stored dtype, in one dimension."""
    from ncz.model.user_types import pack

    nc_type, dtype = encoding.type, disk_dtype(encoding.stored_dtype)
    if encoding.is_json:
        return np.fromiter((_to_json(v, nc_type) for v in values), "O", len(values))
    if isinstance(nc_type, Vlen):
        from ncz.formats.zarr.types.user_types import item_dtype

        item = disk_dtype(item_dtype(nc_type))
        return np.fromiter((pack(v, nc_type.base, item) for v in values), "O", len(values))
    return pack(values, nc_type, dtype)
