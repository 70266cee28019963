"""The data types of Zarr V3 to the dtypes of Zarr V2, and back.

`ncz.formats.zarr.types.dtypes` has the only mapping of dtypes to netCDF types; V3 has other names
for the same dtypes, and keeps the byte order in a codec. Source: the Zarr core specification
version 3, "Data types"; the data types of zarr-extensions; stores of zarr-python 3.1.
"""

from __future__ import annotations

import re

from ncz.codec.element_types import is_narrow, narrow_part, number_type
from ncz.errors import FormatError
from ncz.formats.zarr.json import Json, show_json
from ncz.formats.zarr.types.dtypes import V2_DTYPE

_PLAIN = {
    "bool": "b1",
    "int8": "i1",
    "uint8": "u1",
    "int16": "i2",
    "uint16": "u2",
    "int32": "i4",
    "uint32": "u4",
    "int64": "i8",
    "uint64": "u8",
    "float16": "f2",
    "float32": "f4",
    "float64": "f8",
    "complex64": "c8",
    "complex128": "c16",
}
_ALIASES = {"complex_float32": "complex64", "complex_float64": "complex128"}
_NAMES = {dtype: name for name, dtype in _PLAIN.items()}
_OBJECTS = ("string", "bytes", "variable_length_bytes", "variable_length_utf8")
_RAW = re.compile(r"r([1-9]\d{0,9})")
_TIMES = {"numpy.datetime64": "M8", "numpy.timedelta64": "m8"}
_MICROSECOND = "\u03bcs"
"""Another spelling of the unit "us", with the letter mu."""


def dtype_of(data_type: Json, order: str) -> Json:
    """The V2 dtype of a V3 data type whose elements have byte order `order` ("<" or ">").

    Raises `FormatError` for a data type that is not known.
    """
    name, configuration = _parts(data_type)
    name = _ALIASES.get(name, name)
    if (name in _PLAIN or is_narrow(name)) and configuration:
        raise _unknown(data_type)
    if is_narrow(name):
        return name
    if name in _PLAIN:
        plain = _PLAIN[name]
        return f"|{plain}" if plain.endswith("1") and len(plain) == 2 else f"{order}{plain}"
    if name in _OBJECTS:
        return "|O"
    raw = _RAW.fullmatch(name)
    if raw and int(raw[1]) % 8 == 0:
        return f"|V{int(raw[1]) // 8}"
    size = configuration.get("length_bytes")
    if isinstance(size, int) and size > 0:
        if name == "fixed_length_utf32" and size % 4 == 0:
            return f"{order}U{size // 4}"
        if name == "null_terminated_bytes":
            return f"|S{size}"
        if name == "raw_bytes":
            return f"|V{size}"
    unit, factor = configuration.get("unit"), configuration.get("scale_factor", 1)
    if name in _TIMES and isinstance(unit, str) and type(factor) is int and factor > 0:
        if unit == "generic":
            return f"{order}{_TIMES[name]}"
        unit = "us" if unit == _MICROSECOND else unit
        return f"{order}{_TIMES[name]}[{'' if factor == 1 else factor}{unit}]"
    fields = configuration.get("fields")
    if name in ("structured", "struct") and isinstance(fields, list):
        return [_field(field, order, data_type) for field in fields]
    raise _unknown(data_type)


def _field(field: Json, order: str, data_type: Json) -> list[Json]:
    if isinstance(field, dict):
        field = [field.get("name"), field.get("data_type")]
    if not isinstance(field, list) or len(field) != 2 or not isinstance(field[0], str):
        raise _unknown(data_type)
    return [field[0], dtype_of(field[1], order)]


def _parts(data_type: Json) -> tuple[str, dict[str, Json]]:
    if isinstance(data_type, str):
        return data_type, {}
    if isinstance(data_type, dict) and isinstance(data_type.get("name"), str):
        configuration = data_type.get("configuration", {})
        return data_type["name"], configuration if isinstance(configuration, dict) else {}
    raise _unknown(data_type)


def _unknown(data_type: Json) -> FormatError:
    return FormatError(f"data_type {show_json(data_type)} is not known")


def is_struct(data_type: Json) -> bool:
    """Return whether a data type is the extension ``struct``, whose fields are objects."""
    return isinstance(data_type, dict) and data_type.get("name") == "struct"


def data_type_of(dtype: Json, *, is_bytes: bool = False, is_struct: bool = False) -> Json:
    """The V3 data type of a V2 dtype.

    `is_bytes` is true if "|O" contains bytes rather than text, `is_struct` if a structure becomes a
    ``struct``, which zarr-python reads since 3.4, and not ``structured``, which all versions read.
    """
    if isinstance(dtype, list):
        fields: list[Json] = []
        for name, inner, *shape in dtype:
            if shape:
                raise FormatError(f"the field {name} is an array, which Zarr V3 has no type for")
            field = data_type_of(inner, is_struct=is_struct)
            fields.append({"name": name, "data_type": field} if is_struct else [name, field])
        name = "struct" if is_struct else "structured"
        return {"name": name, "configuration": {"fields": fields}}
    if is_narrow(dtype):
        return dtype
    match = V2_DTYPE.fullmatch(str(dtype))
    assert match is not None, dtype  # it was read, or made, as a V2 dtype
    _, kind, digits, count, unit = match.groups()
    plain = f"{kind}{digits}"
    if plain in _NAMES:
        return _NAMES[plain]
    match kind:
        case "O":
            return "variable_length_bytes" if is_bytes else "string"
        case "U":
            size = 4 * int(digits)
            return {"name": "fixed_length_utf32", "configuration": {"length_bytes": size}}
        case "S":
            return {"name": "null_terminated_bytes", "configuration": {"length_bytes": int(digits)}}
        case "V":
            return {"name": "raw_bytes", "configuration": {"length_bytes": int(digits)}}
        case "M" | "m":
            name = "numpy.datetime64" if kind == "M" else "numpy.timedelta64"
            configuration = {"unit": unit or "generic", "scale_factor": int(count or 1)}
            return {"name": name, "configuration": configuration}
        case _:
            raise FormatError(f"Zarr V3 has no data type for the dtype {dtype}")


def order_of(dtype: Json) -> str | None:
    """The byte order of a V2 dtype, "<" or ">", or None without a byte order."""
    if isinstance(dtype, list):
        return next((o for _, inner, *_ in dtype if (o := order_of(inner))), None)
    text = str(dtype)
    if is_narrow(text):
        known = number_type(narrow_part(text) or text)
        return None if known is None or known.item_size == 1 else "<"
    return text[0] if text[:1] in ("<", ">") else None
