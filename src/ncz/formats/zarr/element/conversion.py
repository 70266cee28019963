"""The elements of a chunk: from the stored dtype to values of the model, and back.

Values are as `ncz.model.data` specifies: native byte order, char as ``S1``, strings as `str` or
None, user-defined types as tuples and bytes.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ncz.errors import FormatError, LossError
from ncz.formats.zarr.element.encoding import Encoding
from ncz.formats.zarr.json import Json, print_json
from ncz.model.data import fill_array
from ncz.model.types import Atomic, Compound, Field, NcType, Opaque, Value, Vlen

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


def to_values(stored: Values, nc_type: NcType) -> Values:
    """Convert stored elements, of any shape, to values of `nc_type`."""
    import numpy as np

    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        return stored.astype(nc_type.dtype, copy=False)
    flat = stored.reshape(-1)
    listed: list[Any]
    if nc_type is Atomic.STRING:
        listed = [_string(element) for element in flat.tolist()]
    elif isinstance(nc_type, Opaque):
        listed = [bytes(element) for element in flat.tolist()]
    elif isinstance(nc_type, Vlen):
        base = nc_type.base
        listed = [tuple(to_values(np.asarray(e), base).tolist()) for e in flat]
    elif isinstance(nc_type, Compound):
        columns = [_column(flat[field.name], field) for field in nc_type.fields]
        listed = list(zip(*columns, strict=True))
    else:
        raise TypeError(f"no stored form of {nc_type}")
    # Unlike assignment to an array, takes a tuple as one element.
    return np.fromiter(listed, "O", len(listed)).reshape(stored.shape)


def _column(stored: Values, field: Field) -> list[Any]:
    """Return one field of all records; an array within a record becomes a flat tuple."""
    values = to_values(stored, field.type)
    if not field.shape:
        return [_text(value) for value in values.tolist()]
    rows = values.reshape(len(values), math.prod(field.shape))
    return [tuple(map(_text, row)) for row in rows.tolist()]


def _text(value: Any) -> Any:
    return value.decode("latin-1") if isinstance(value, bytes) and len(value) <= 1 else value


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
    if fill is None:
        return np.zeros((), dtype) if dtype.kind != "O" else np.array(_object("", encoding), dtype)
    if isinstance(encoding.type, Atomic):
        if dtype.kind == "O":
            return np.array(_object(fill, encoding), dtype)
        if dtype.kind == "U":
            return np.array(fill, dtype)
        return to_disk(fill_array((), encoding.type, fill), encoding, "the fill value")
    element = np.zeros((), dtype)
    element[()] = _for_numpy(fill, dtype)
    return element


def _object(text: str, encoding: Encoding) -> str | bytes:
    """Return text as the object that the array's codec encodes."""
    return text.encode("utf-8", "surrogateescape") if encoding.base64_fill else text


def _for_numpy(value: Any, dtype: np.dtype[Any]) -> Any:
    """Return a value of a user-defined type in the form that numpy accepts for `dtype`."""
    if dtype.names is not None:
        return tuple(_for_numpy(v, dtype[n]) for v, n in zip(value, dtype.names, strict=True))
    if dtype.subdtype is not None:
        element, shape = dtype.subdtype
        values = [_for_numpy(v, element) for v in value]
        for length in reversed(shape[1:]):  # the values of the model are a flat tuple
            values = [values[i : i + length] for i in range(0, len(values), length)]
        return values
    if isinstance(value, str) and dtype.kind == "S":
        return value.encode("utf-8", "surrogateescape")
    return "" if value is None else value


def to_disk(values: Values, encoding: Encoding, name: str) -> Values:
    """Convert values to elements of the stored dtype, in the same shape.

    `name` is the FQN of the variable, for messages. Raises `LossError` for a string that is longer
    than an element.
    """
    import numpy as np

    dtype = disk_dtype(encoding.stored_dtype)
    if isinstance(encoding.type, Compound):
        records = [_for_numpy(value, dtype) for value in values.reshape(-1).tolist()]
        return np.array(records, dtype).reshape(values.shape)
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
