"""Convert the `fill_value` of a Zarr V2 array to a value, and back."""

from __future__ import annotations

import json
import math
import re
import struct
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ncz.errors import FormatError
from ncz.formats.zarr.json import Json, from_base64, show_json
from ncz.formats.zarr.json_numbers import convert
from ncz.formats.zarr.types.dtypes import Encoding, is_complex, is_time, kind_of, read_encoding
from ncz.late import numpy as np
from ncz.model.json_text import print_json
from ncz.model.types import NOT_A_TIME, Atomic, Compound, Enumeration, Value
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.formats.zarr.types.native_times import NativeTime


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
        if kind_of(encoding) == "f":
            number = _stored_float(number, encoding.item_size)
        values = convert(number, nc_type) if not isinstance(number, list) else None
        if values is None:
            raise _bad_fill(value, nc_type.word)
        return values[0] if encoding.time is None else _number_of_time(values[0], encoding.time)
    return _read_user_fill(value, encoding)


def _stored_float(number: Json, size: int) -> Json:
    """Return the number that elements of a size represent; infinity for one that is too large."""
    if isinstance(number, bool) or not isinstance(number, int | float) or size not in _FLOATS:
        return number
    try:
        (stored,) = struct.unpack(_FLOATS[size], struct.pack(_FLOATS[size], number))
    except (OverflowError, struct.error):  # the second for an integer
        return -math.inf if number < 0 else math.inf
    return stored if size == 2 else number  # the digits of a float identify it


_FLOATS: Mapping[int, str] = {2: "<e", 4: "<f"}


def _number_of_time(element: int, time: NativeTime) -> int:
    if time.is_plain:
        return element

    return int(time.numbers(np.array(element)))


def _read_string_fill(value: Json, encoding: Encoding, is_literal: bool) -> Value:
    if value == 0 and not isinstance(value, str):
        return ""  # zarr-python's default for any dtype
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
    from ncz.formats.zarr.types.elements import fill_element, from_bytes, to_values

    if not encoding.item_size:
        return _read_object_fill(value, encoding)
    if value == 0 and not isinstance(value, str):
        return _zero(encoding)
    if isinstance(encoding.type, Compound) and isinstance(value, list):
        plain = read_encoding(encoding.dtype, nczarr=False, type_name=encoding.type.name)
        if isinstance(plain.type, Compound) and plain.type != encoding.type:  # a noted type
            element = fill_element(_read_fields(value, plain, plain.type), plain)
            return to_values(from_bytes(element.tobytes(), encoding), encoding)[()]
        return _read_fields(value, encoding, encoding.type)
    data = _from_base64(value, encoding.item_size) if isinstance(value, str) else None
    if data is None or len(data) != encoding.item_size:
        raise _bad_fill(value, "value of the variable's type")
    return to_values(from_bytes(data, encoding), encoding)[()]


def _read_object_fill(value: Json, encoding: Encoding) -> Value:
    """Return the fill value of objects: a value as JSON, or the text of this JSON."""
    if value == 0 or value == "":
        return None
    from ncz.model.json_decoding import decode_value

    try:
        document = json.loads(value) if isinstance(value, str) and encoding.is_json else value
        return decode_value(document, encoding.type)
    except (ValueError, RecursionError) as error:
        raise _bad_fill(value, "value of the variable's type") from error


def _read_fields(value: list[Json], encoding: Encoding, compound: Compound) -> Value:
    """Return the fill value of a structure from its fields' values; a field without one is 0."""
    if len(value) != len(compound.fields):
        raise _bad_fill(value, "value of the variable's type")
    if is_complex(encoding):
        size = encoding.item_size // 2
        given = [_stored_float(_number_of(part), size) for part in value]
        parts = [convert(part, f.type) for part, f in zip(given, compound.fields,
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
    from ncz.formats.zarr.types.elements import from_bytes, to_values

    if encoding.type is Atomic.STRING:
        return ""
    elements = from_bytes(bytes(encoding.item_size), encoding)
    return to_values(elements, encoding).tolist()


_TEXT_NUMBER = r"(?ia)[+-]?(?:\d+(?:\.\d*)?(?:e[+-]?\d+)?|inf(?:inity)?|nan)"


def _number_of(value: Json) -> Json:
    """Return the number in a string, as zarr-python reads it; other values unchanged."""
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


_LONGEST_PADDED = 1 << 16
"""Bytes of the longest element that text is padded to: a document may declare any length."""


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
    from ncz.formats.zarr.types.elements import fill_element

    if encoding.time is None or encoding.time.is_plain:
        return fill
    return int(fill_element(fill, encoding))


def _write_number(value: Value) -> Json:
    return print_json(value) if isinstance(value, float) and not math.isfinite(value) else value


def _write_user_fill(fill: Value, encoding: Encoding) -> Json:
    from ncz.formats.zarr.types.elements import fill_element

    if isinstance(encoding.type, Enumeration):
        return _write_number(fill)
    if not encoding.item_size:
        from ncz.model.json_encoding import encode_value, to_json

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
