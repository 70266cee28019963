"""The elements and fill values of an array: from the stored dtype to values, and back.

Values are as `ncz.model.data` specifies: native byte order, char as ``S1``, strings as `str` or
None, user-defined types as tuples and bytes.
"""

from __future__ import annotations

import functools
import json
import math
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ncz.errors import FormatError, LossError, counted, shorten
from ncz.formats.zarr.dtypes import Encoding, convert, read_encoding
from ncz.formats.zarr.json import Json, from_base64, show_json
from ncz.formats.zarr.native_times import NOT_A_TIME, NativeTime
from ncz.model.data import Values, fill_array
from ncz.model.json_text import print_json
from ncz.model.types import Atomic, Compound, Enumeration, NcType, Value, Vlen, zero_value
from ncz.record import replace

if TYPE_CHECKING:
    import numpy as np


def disk_dtype(layout: Json) -> np.dtype[Any]:
    """Return the numpy dtype of `Encoding.stored_dtype`.

    Raises `FormatError` if numpy has no such dtype.
    """
    import numpy as np

    from ncz.model.user_types import numpy_dtype

    try:
        dtype = numpy_dtype(layout) if isinstance(layout, list) else np.dtype(layout)
    except (TypeError, ValueError) as error:
        raise FormatError(f"numpy has no dtype {print_json(layout)}") from error
    return np.dtype(f"{layout[0]}i8") if dtype.kind in "mM" else dtype


def from_disk(
    data: bytes | memoryview | Values,
    shape: tuple[int, ...],
    encoding: Encoding,
    order: tuple[int, ...],
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
    if encoding.time is not None:
        return encoding.time.numbers(stored)
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        return stored.astype(nc_type.dtype, copy=False)
    if not isinstance(nc_type, Atomic) and not encoding.is_json:
        from ncz.model.user_types import unpacked

        return unpacked(stored, nc_type)
    convert: Callable[[Any], Value] = functools.partial(_from_json, nc_type)
    if isinstance(nc_type, Atomic):
        convert = _text if encoding.keeps_empty else _string
    listed = list(map(convert, stored.reshape(-1).tolist()))
    return np.fromiter(listed, "O", len(listed)).reshape(stored.shape)


def _from_json(nc_type: NcType, text: Any) -> Value:
    """Return the value of a JSON text; that of zero bytes for no text. Raises `FormatError`."""
    from ncz.model.user_types import decode_value, describe_type

    text = _string(text)
    if text is None:
        return zero_value(nc_type)
    try:
        return decode_value(json.loads(text), nc_type)
    except (ValueError, RecursionError) as error:
        name = describe_type(nc_type)
        raise FormatError(f"{shorten(text)!r} is not a value of {name}") from error


def _to_json(value: Value, nc_type: NcType) -> str:
    from ncz.model.user_types import encode_value, to_json

    value = zero_value(nc_type) if value is None else value
    return to_json(encode_value(value, nc_type))


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
    if encoding.time is not None:
        values = encoding.time.elements(values, name)
    if encoding.type is not Atomic.STRING:
        return values.astype(dtype, copy=False)
    if dtype.kind == "O":
        objects = [_object(s or "", encoding) for s in values.reshape(-1).tolist()]
        return np.fromiter(objects, "O", len(objects)).reshape(values.shape)
    encoded = [(s or "").encode("utf-8", "surrogateescape") for s in values.reshape(-1).tolist()]
    longest = max(map(len, encoded), default=0)
    if longest > encoding.item_size:
        raise LossError(
            f"{name} has a string of {counted(longest, 'byte')}, but elements of"
            f" {encoding.item_size}",
            hint=f"set _nczarr_maxstrlen = {longest} on it",
        )
    return np.array(encoded, dtype).reshape(values.shape)


def _elements(values: list[Value], encoding: Encoding) -> Values:
    """Return values of a user-defined type as elements of the stored dtype, in one dimension."""
    import numpy as np

    from ncz.model.user_types import pack

    nc_type, dtype = encoding.type, disk_dtype(encoding.stored_dtype)
    if encoding.is_json:
        return np.fromiter((_to_json(v, nc_type) for v in values), "O", len(values))
    if isinstance(nc_type, Vlen):
        from ncz.formats.zarr.user_types import item_dtype

        item = disk_dtype(item_dtype(nc_type))
        return np.fromiter((pack(v, nc_type.base, item) for v in values), "O", len(values))
    return pack(values, nc_type, dtype)


# Fill values: the `fill_value` of a Zarr V2 array to a value and back.


def read_fill(value: Json, encoding: Encoding, *, is_literal: bool = False) -> Value:
    """Return the value of `fill_value` in a `.zarray`, for null None, or NaT of times.

    If `is_literal` is true, text that is base64 of bytes that are not UTF-8 can be the text itself,
    as netcdf-c writes it. Raises `FormatError`.
    """
    if value is None:
        return NOT_A_TIME if is_time(encoding) else None
    nc_type = encoding.type
    if isinstance(nc_type, Enumeration):
        nc_type = nc_type.base
    if nc_type is Atomic.CHAR:
        # zarr-python and netcdf-c both write the NUL as ""; some write the number 0.
        text = "" if value == 0 and not isinstance(value, str) else value
        if isinstance(text, str) and len(text.encode("utf-8", "surrogateescape")) <= 1:
            return text.encode("utf-8", "surrogateescape").decode("latin-1") or "\0"
        data = _from_base64(text, 1)
        if data is not None:
            return data.decode("latin-1") or "\0"
        raise _bad_fill(value, "char")
    if nc_type is Atomic.STRING:
        return _read_string_fill(value, encoding, is_literal)
    if isinstance(nc_type, Atomic):
        if value == "NaT" and encoding.hints:
            return NOT_A_TIME
        number = _number_of(value) if isinstance(value, str) else value
        values = convert(number, nc_type) if not isinstance(number, list) else None
        if values is None:
            raise _bad_fill(value, nc_type.word)
        return values[0] if encoding.time is None else _number_of_time(values[0], encoding.time)
    return _read_user_fill(value, encoding)


def _number_of_time(element: int, time: NativeTime) -> int:
    if time.is_plain:
        return element
    import numpy as np

    return int(time.numbers(np.array(element)))


def _read_string_fill(value: Json, encoding: Encoding, is_literal: bool) -> Value:
    if value == 0 and not isinstance(value, str):
        return ""  # zarr-python's default, whatever the dtype
    if not isinstance(value, str):
        raise _bad_fill(value, "string")
    if encoding.base64_fill and not encoding.string_length:
        data = _from_base64(value, len(value))
        return value if data is None else data.decode("utf-8", "surrogateescape")
    if encoding.base64_fill and encoding.string_length:
        data = _from_base64(value, encoding.string_length)
        if data is not None:
            data = data.rstrip(b"\0")
            try:
                return data.decode("utf-8")
            except UnicodeDecodeError:
                # Text has no padding of base64, and fits.
                is_base64 = value.endswith("=") or len(value) > encoding.string_length
                if is_base64 or not is_literal:
                    return data.decode("utf-8", "surrogateescape")
    if kind_of(encoding) == "U" and 4 * len(value) > encoding.item_size:
        raise _bad_fill(value, f"text of {encoding.item_size // 4} characters")
    return value


def _read_user_fill(value: Json, encoding: Encoding) -> Value:
    """Return the fill value of a user-defined type: zero, a list, or bytes in base64."""
    if not encoding.item_size:
        return _read_object_fill(value, encoding)
    if value == 0 and not isinstance(value, str):
        return _zero(encoding)
    if isinstance(encoding.type, Compound) and isinstance(value, list):
        plain = read_encoding(encoding.dtype, nczarr=False, type_name=encoding.type.name)
        if isinstance(plain.type, Compound) and plain.type != encoding.type:  # a noted type
            element = fill_element(_read_fields(value, plain, plain.type), plain)
            return to_values(from_disk(element.tobytes(), (), encoding, ()), encoding)[()]
        return _read_fields(value, encoding, encoding.type)
    data = _from_base64(value, encoding.item_size) if isinstance(value, str) else None
    if data is None or len(data) != encoding.item_size:
        raise _bad_fill(value, "value of the variable's type")
    return to_values(from_disk(data, (), encoding, ()), encoding)[()]


def _read_object_fill(value: Json, encoding: Encoding) -> Value:
    """Return the fill value of objects: a value as JSON, or the text of this JSON."""
    if value == 0 or value == "":
        return None
    from ncz.model.user_types import decode_value

    try:
        document = json.loads(value) if isinstance(value, str) and encoding.is_json else value
        return decode_value(document, encoding.type)
    except (ValueError, RecursionError) as error:
        raise _bad_fill(value, "value of the variable's type") from error


def _read_fields(value: list[Json], encoding: Encoding, compound: Compound) -> Value:
    """Return the fill value of a structure from those of its fields; a field without one is 0."""
    if len(value) != len(compound.fields):
        raise _bad_fill(value, "value of the variable's type")
    if is_complex(encoding):
        parts = [convert(_number_of(part), f.type) for part, f in zip(value, compound.fields,
                 strict=True) if isinstance(f.type, Atomic)]  # fmt: skip
        numbers = [part[0] for part in parts if part is not None and len(part) == 1]
        if len(numbers) < len(parts):
            raise _bad_fill(value, "complex number")
        return tuple(numbers)
    values = []
    for part, (name, dtype, *shape) in zip(value, encoding.dtype, strict=True):
        field = replace(read_encoding(dtype, nczarr=False, type_name=name), time=None)
        if part is None:
            values.append(NOT_A_TIME if is_time(field) else _zero(field))
        elif shape:
            raise _bad_fill(value, "value of the variable's type")
        else:
            values.append(read_fill(part, field))
    return tuple(values)


def _zero(encoding: Encoding) -> Value:
    """Return the value of zero bytes."""
    if encoding.type is Atomic.STRING:
        return ""
    elements = from_disk(bytes(encoding.item_size), (), encoding, ())
    return to_values(elements, encoding).tolist()


_TEXT_NUMBER = r"(?ia)[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|inf(?:inity)?|nan)"


def _number_of(value: Json) -> Json:
    """Return the number that a text spells, as zarr-python reads it; other values as they are."""
    if not isinstance(value, str) or not re.fullmatch(_TEXT_NUMBER, value):
        return value
    return int(value) if re.fullmatch(r"[+-]?\d+", value) else float(value)


def _from_base64(text: Json, longest: int) -> bytes | None:
    """Return the bytes of a canonical base64 text, at most `longest`; None if it is not one."""
    import base64

    data = from_base64(text)
    if data is None or base64.b64encode(data).decode() != text or len(data) > longest:
        return None
    return data


def _bad_fill(value: Json, what: str) -> FormatError:
    return FormatError(f"fill_value {show_json(value)} is not a valid {what}")


def is_null_fill(fill: Value, encoding: Encoding) -> bool:
    """Return whether readers take missing chunks for `fill` if ``fill_value`` is null.

    They take zero bytes, and for datetime64 and timedelta64 NaT.
    """
    if fill is None:
        return True
    if is_time(encoding):
        return bool(fill == NOT_A_TIME)
    return _is_zero(fill)


def _is_zero(value: Value) -> bool:
    if isinstance(value, bytes):
        return not any(value)
    if isinstance(value, str):
        return not value.strip("\0")
    if isinstance(value, tuple):
        return all(map(_is_zero, value))
    if value is None:  # NIL
        return True
    return value == 0 and math.copysign(1, value) > 0


def is_same_fill(one: Value, other: Value) -> bool:
    """Return whether two values are the same; NaN is the same as NaN."""
    if isinstance(one, tuple) and isinstance(other, tuple) and len(one) == len(other):
        return all(map(is_same_fill, one, other))
    return bool(one == other) or (one != one and other != other)


def is_time(encoding: Encoding) -> bool:
    """Return whether elements are stored as datetime64 or timedelta64."""
    return kind_of(encoding) in ("m", "M")


def is_complex(encoding: Encoding) -> bool:
    """Return whether elements are complex numbers."""
    return kind_of(encoding) == "c"


def is_maskable(encoding: Encoding) -> bool:
    """Return whether xarray masks a value of the type; numbers of an enum are annotated."""
    return isinstance(encoding.type, Atomic | Enumeration) or is_complex(encoding)


def has_void_elements(encoding: Encoding) -> bool:
    """Return whether elements are structures, raw bytes or arrays, of a user-defined type."""
    is_user_type = not isinstance(encoding.type, Atomic | Enumeration)
    return is_user_type and not encoding.is_json and not is_complex(encoding)


def kind_of(encoding: Encoding) -> str:
    """Return numpy's letter for the kind of the stored dtype; "" for a structure."""
    return encoding.dtype.lstrip("<>|=")[:1] if isinstance(encoding.dtype, str) else ""


_LONGEST_PADDED = 1 << 16
"""Bytes of an element up to which text is padded: a document may declare any length."""


def write_fill(fill: Value, encoding: Encoding, *, padded: bool = True) -> Json:
    """Return the `fill_value` of a `.zarray`, which reads back as the same value; null for None.

    Text in base64 is padded to the length of an element unless `padded` is false.
    """
    if fill is None:
        return None
    if encoding.type is Atomic.CHAR:
        data = b"" if fill == "\0" else fill.encode("latin-1")
        return _write_text_fill(data, encoding, padded)
    if encoding.type is Atomic.STRING:
        return _write_text_fill(fill.encode("utf-8", "surrogateescape"), encoding, padded)
    if not isinstance(encoding.type, Atomic):
        return _write_user_fill(fill, encoding)
    if is_time(encoding):
        return "NaT" if fill == NOT_A_TIME else _write_time(fill, encoding)
    if kind_of(encoding) == "b":
        return bool(fill)
    return _write_number(fill)


def _write_time(fill: int, encoding: Encoding) -> Json:
    if encoding.time is None or encoding.time.is_plain:
        return fill
    return int(fill_element(fill, encoding))


def _write_number(value: Value) -> Json:
    return print_json(value) if isinstance(value, float) and not math.isfinite(value) else value


def _write_user_fill(fill: Value, encoding: Encoding) -> Json:
    if isinstance(encoding.type, Enumeration):
        return _write_number(fill)
    if not encoding.item_size:
        from ncz.model.user_types import encode_value, to_json

        document = encode_value(fill, encoding.type)
        return to_json(document) if encoding.is_json else document
    if is_complex(encoding):
        return [_write_number(part) for part in fill]
    import base64

    return base64.b64encode(fill_element(fill, encoding).tobytes()).decode()


def _write_text_fill(data: bytes, encoding: Encoding, padded: bool) -> Json:
    if encoding.base64_fill:
        import base64

        # tensorstore reads only a fill value of the whole length.
        padded = padded and encoding.item_size <= _LONGEST_PADDED
        whole = data.ljust(encoding.item_size, b"\0") if padded else data
        return base64.b64encode(whole).decode()
    return data.decode("utf-8", "surrogateescape")
