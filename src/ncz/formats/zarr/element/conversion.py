"""The elements of a chunk: from the stored dtype to values of the model, and back.

Values are as `ncz.model.data` specifies: native byte order, char as ``S1``, strings as `str` or
None, user-defined types as tuples and bytes.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import FormatError, LossError, shorten
from ncz.formats.zarr.element.encoding import Encoding
from ncz.formats.zarr.json import Json, print_json
from ncz.model.data import fill_array
from ncz.model.types import (
    Atomic,
    Compound,
    Enumeration,
    Field,
    NcType,
    Opaque,
    Value,
    Vlen,
    zero_value,
)

if TYPE_CHECKING:
    import numpy as np

    from ncz.model.data import Values


def disk_dtype(layout: Json) -> np.dtype[Any]:
    """Return the numpy dtype of `Encoding.stored_dtype`.

    Raises `FormatError` if numpy has no such dtype.
    """
    import numpy as np

    try:
        return np.dtype(_fields(layout)) if isinstance(layout, list) else np.dtype(layout)
    except (TypeError, ValueError) as error:
        raise FormatError(f"numpy has no dtype {print_json(layout)}") from error


def _fields(layout: list[Json]) -> list[tuple[Any, ...]]:
    return [
        (name, _fields(inner) if isinstance(inner, list) else inner, *(tuple(s) for s in shape))
        for name, inner, *shape in layout
    ]


def from_disk(
    data: bytes | Values, shape: tuple[int, ...], encoding: Encoding, order: tuple[int, ...]
) -> Values:
    """Return the elements of a decoded chunk.

    Parameters
    ----------
    data
        The bytes of the chunk, or an array of its objects.
    shape
        Shape of the chunk.
    encoding
        How elements are stored.
    order
        The axes from the slowest to the fastest varying.

    Returns
    -------
    ndarray
        An array of `shape` in the stored dtype.

    Raises
    ------
    FormatError
        If the number of objects does not fit the shape.
    """
    import numpy as np

    if isinstance(data, np.ndarray) and encoding.item_size == 0:
        stored = data.reshape(-1)
        if stored.size != int(np.prod(shape, dtype=np.int64)):
            raise FormatError(f"{stored.size} objects in the chunk do not fit shape {shape}")
    else:
        stored = np.frombuffer(data, disk_dtype(encoding.stored_dtype))
    laid = stored.reshape(tuple(shape[axis] for axis in order))
    return laid.transpose(sorted(range(len(order)), key=order.__getitem__))


def to_values(stored: Values, encoding: Encoding) -> Values:
    """Convert stored elements, of any shape, to values of the encoding's type."""
    import numpy as np

    nc_type = encoding.type
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        return stored.astype(nc_type.dtype, copy=False)
    flat = stored.reshape(-1)
    listed = [_from_json(e, nc_type) for e in flat] if encoding.is_json else _listed(flat, nc_type)
    # Unlike assignment to an array, takes a tuple as one element.
    return np.fromiter(listed, "O", len(listed)).reshape(stored.shape)


def _listed(stored: Values, nc_type: NcType) -> list[Any]:
    """Return stored elements, of one dimension, as a list of values."""
    import numpy as np

    match nc_type:
        case Atomic.STRING:
            return [_string(element) for element in stored.tolist()]
        case Atomic.CHAR:
            return list(stored.tobytes().decode("latin-1"))
        case Atomic():
            return list(stored.astype(nc_type.dtype, copy=False).tolist())
        case Enumeration(base=base):
            return _listed(stored, base)
        case Opaque():
            return [bytes(element) for element in stored.tolist()]
        case Vlen(base=base):
            return [tuple(_listed(np.asarray(e).reshape(-1), base)) for e in stored]
        case Compound(fields=fields):
            columns = [_column(stored[field.name], field) for field in fields]
            return list(zip(*columns, strict=True))


def _column(stored: Values, field: Field) -> list[Any]:
    """Return one field of all records; an array within a record becomes a flat tuple."""
    if not field.shape:
        return _listed(stored, field.type)
    values = _listed(stored.reshape(-1), field.type)
    size = math.prod(field.shape)
    return [tuple(values[i : i + size]) for i in range(0, len(values), size)]


def _from_json(text: Any, nc_type: NcType) -> Value:
    """Return the value of a JSON text; that of zero bytes for no text. Raises `FormatError`."""
    from ncz.model.user_types.declarations import describe_type
    from ncz.model.user_types.decode import decode_value

    text = _string(text)
    if text is None:
        return zero_value(nc_type)
    try:
        return decode_value(json.loads(text), nc_type)
    except (ValueError, RecursionError) as error:
        name = describe_type(nc_type)
        raise FormatError(f"{shorten(text)!r} is not a value of {name}") from error


def _to_json(value: Value, nc_type: NcType) -> str:
    from ncz.model.user_types.encode import encode_value, to_json

    value = zero_value(nc_type) if value is None else value
    return to_json(encode_value(value, nc_type))


def _string(element: Any) -> str | None:
    """Return a stored string; None (NIL) for an empty one, as netcdf-c reads it."""
    if isinstance(element, bytes | bytearray):
        return element.decode("utf-8", "surrogateescape") or None
    if isinstance(element, str):
        return element.encode("utf-8", "surrogatepass").decode("utf-8", "surrogateescape") or None
    if element is None:
        return None
    try:
        return print_json(element)
    except TypeError:
        return str(element)


def fill_element(fill: Value, encoding: Encoding) -> Values:
    """Return the fill value as one stored element, of shape (); zero bytes for None."""
    import numpy as np

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
    import numpy as np

    dtype = disk_dtype(encoding.stored_dtype)
    if not isinstance(encoding.type, Atomic):
        return _elements(values.reshape(-1).tolist(), encoding).reshape(values.shape)
    if encoding.type is not Atomic.STRING:
        return values.astype(dtype, copy=False)
    if dtype.kind == "O":
        objects = [_object(s or "", encoding) for s in values.reshape(-1).tolist()]
        return np.fromiter(objects, "O", len(objects)).reshape(values.shape)
    encoded = [(s or "").encode("utf-8", "surrogateescape") for s in values.reshape(-1).tolist()]
    longest = max(map(len, encoded), default=0)
    if longest > encoding.item_size:
        raise LossError(
            f"{name} has a string of {longest} bytes, but elements of {encoding.item_size}",
            hint=f"set _nczarr_maxstrlen = {longest} on it",
        )
    return np.array(encoded, dtype).reshape(values.shape)


def _elements(values: list[Value], encoding: Encoding) -> Values:
    """Return values of a user-defined type as elements of the stored dtype, in one dimension."""
    import numpy as np

    nc_type, dtype = encoding.type, disk_dtype(encoding.stored_dtype)
    if encoding.is_json:
        return np.fromiter((_to_json(v, nc_type) for v in values), "O", len(values))
    if isinstance(nc_type, Vlen):
        from ncz.formats.zarr.element.user_types import item_dtype

        item = disk_dtype(item_dtype(nc_type))
        return np.fromiter((_packed(v, nc_type.base, item) for v in values), "O", len(values))
    return _packed(values, nc_type, dtype)


def _packed(values: Sequence[Value], nc_type: NcType, dtype: np.dtype[Any]) -> Values:
    """Return values of a type of fixed size as an array of one dimension."""
    import numpy as np

    match nc_type:
        case Compound(fields=fields):
            records = np.zeros(len(values), dtype)
            for number, field in enumerate(fields):
                column = [value[number] for value in values]
                inner, shape = dtype[field.name].subdtype or (dtype[field.name], ())
                flat = itertools.chain.from_iterable(column) if field.shape else column
                packed = _packed(list(flat), field.type, inner)
                records[field.name] = packed.reshape((len(values), *shape))
            return records
        case Atomic.CHAR:
            return np.array(list("".join(values).encode("latin-1")), "u1").view("S1")
        case Atomic.STRING if dtype.kind == "U":
            return np.array([value or "" for value in values], dtype)
        case Atomic.STRING:
            texts = [(value or "").encode("utf-8", "surrogateescape") for value in values]
            return np.array(texts, dtype)
        case Opaque():
            return np.array(list(b"".join(values)), "u1").view(dtype)
        case _:
            return np.array(values, dtype)
