"""Convert attributes in JSON, with or without a dtype, to typed lists of values and back.

Source: the NCZarr document, "JSON Attribute Convention", and the behaviour of netcdf-c 4.10.1. ncz
differs where netcdf-c loses information: a list takes its widest type instead of its first
element's, numbers keep all their bits, and text that looks like a number stays text.
"""

from __future__ import annotations

import json
import math
import struct

from ncz.errors import Notice, Notify
from ncz.formats.zarr.documents.document_v2 import DIMENSION_NAMES
from ncz.formats.zarr.json import Json, from_base64
from ncz.formats.zarr.json_numbers import NOT_FINITE, convert
from ncz.model.json_text import Real, print_json
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, Enumeration, NcType, Value, readable_text

RESERVED_IN_HDF5 = frozenset(
    {"CLASS", "DIMENSION_LIST", "NAME", "REFERENCE_LIST", "_Netcdf4Coordinates", "_Netcdf4Dimid"}
)
"""Names reserved by HDF5's dimension scales, which netcdf-c hides in every format."""

_NCZARR = frozenset(
    f"_nczarr_{document}" for document in ("superblock", "group", "array", "attr", "attrs")
)


def is_annotation(name: str) -> bool:
    """Return whether the name belongs to the format's annotations, not to a user's attribute."""
    return name[:1] == "_" and (name == DIMENSION_NAMES or name.lower() in _NCZARR)


def read_attribute(
    name: str,
    value: Json,
    dtype: Json = None,
    *,
    variable_type: Atomic | None = None,
    location: str | None = None,
    notify: Notify,
) -> Attribute:
    """Return the attribute that a JSON member describes.

    A type that does not fit the value is reported, and the type is inferred.

    Parameters
    ----------
    name, value
        The member.
    dtype
        The type of the attribute as NCZarr notes it; None if it is not noted.
    variable_type
        The type of the variable, which determines the type of its ``_FillValue``.
    location
        Where the attribute is, for messages.
    notify
        Receives notices.
    """
    if dtype is not None:
        typed = _read_typed(value, dtype)
        if typed is not None:
            is_text = typed[0] is Atomic.CHAR and isinstance(value, str)
            original = (value,) if is_text else None
            return Attribute(name=name, type=typed[0], values=typed[1], original=original)
        text = f"attribute {name} cannot be of type {print_json(dtype)}; its type is inferred"
        notify(Notice("attribute-type-inferred", text, location))
    elif name == "_FillValue" and variable_type is not None:
        values = _fill_values(value, variable_type)
        if values is not None:
            return Attribute(name=name, type=variable_type, values=values, original=(value,))
        printed, word = print_json(value), variable_type.word
        text = f"_FillValue {printed} is not a value of the variable's type {word}"
        notify(Notice("fill-value-type", f"{text}; it is shown unchanged", location))
    nc_type, values = infer(value)
    return Attribute(name=name, type=nc_type, values=values, original=(value,))


def infer(value: Json) -> tuple[Atomic, tuple[Value, ...]]:
    """Return the type and the values of an attribute whose type is not noted.

    Objects, and lists of values that are not alike, are shown as their text.
    """
    if isinstance(value, str):
        return Atomic.CHAR, _text(value)
    elements = value if isinstance(value, list) else [value]
    if not elements:
        return Atomic.CHAR, ()
    kinds = set(map(type, elements))
    if kinds == {bool}:
        return Atomic.UBYTE, tuple(map(int, elements))
    if kinds == {str}:
        return Atomic.STRING, tuple(elements)
    if kinds == {int}:
        least, most = min(elements), max(elements)
        for nc_type in (Atomic.INT, Atomic.UINT, Atomic.INT64, Atomic.UINT64):
            low, high = nc_type.limits
            if low <= least and most <= high:
                return nc_type, tuple(elements)
    elif kinds <= _NUMBERS and all(map(_is_exact, elements)):
        return Atomic.DOUBLE, tuple(map(float, elements))
    return Atomic.CHAR, _text(print_json(value))


_NUMBERS = {int, float, Real}


def _is_exact(number: int | float) -> bool:
    """Return whether a double can represent the number exactly."""
    if isinstance(number, Real):
        return not number.is_too_large
    if isinstance(number, float):
        return True
    try:
        return int(float(number)) == number
    except OverflowError:
        return False


def _text(text: str) -> tuple[Value, ...]:
    return (text,) if text else ()


_NUMERIC_TYPES = {
    f"{t.kind}{t.size}": t for t in Atomic if t.kind in "iuf" and (t.kind, t.size) != ("f", 2)
}
_NUMERIC = frozenset(kind + size for kind in "iuf" for size in "1248")


def _read_typed(value: Json, dtype: Json) -> tuple[Atomic, tuple[Value, ...]] | None:
    """Return the type that `dtype` names and the values; None if they do not fit."""
    if not isinstance(dtype, str):
        return None
    code = dtype[1:] if dtype.startswith(("<", ">", "|", "=")) else dtype
    if code in _NUMERIC:
        nc_type = _NUMERIC_TYPES.get(code)
        listed = [] if value == "" else value  # as pure Zarr stores an attribute without values
        values = None if nc_type is None else convert(listed, nc_type)
        return None if nc_type is None or values is None else (nc_type, values)
    kind, size = code[:1], code[1:]
    if kind not in ("S", "U", "J", "O") or not (size == "" or size.isdecimal()):
        return None
    # As in netcdf-c and in the NCZarr document, ">S1" is char and "|S1" is a string.
    is_char = kind == "J" or (size in ("", "0", "1") and dtype != "|S1")
    if isinstance(value, str):
        return (Atomic.CHAR, _text(value)) if is_char else (Atomic.STRING, (value,))
    elements = value if isinstance(value, list) else [value]
    if not is_char and all(element is None or isinstance(element, str) for element in elements):
        return Atomic.STRING, tuple(elements)
    if not is_char and {type(element) for element in elements} <= _NUMBERS:
        return None
    return Atomic.CHAR, _text(print_json(value))


def typed_values(value: Json, dtype: Json) -> tuple[Value, ...] | None:
    """Return the values of a noted type that a JSON member represents exactly, or None."""
    typed = _read_typed(value, dtype)
    if typed is None or typed[0] in (Atomic.CHAR, Atomic.STRING):
        return None if typed is None else typed[1]
    listed = value if isinstance(value, list) else [] if value == "" else [value]
    numbers = [NOT_FINITE[n] if isinstance(n, str) else n for n in listed]
    same = all(
        read == number or (math.isnan(read) and math.isnan(number))
        for read, number in zip(typed[1], numbers, strict=True)
    )
    return typed[1] if same else None


def read_user_attribute(name: str, value: Json, nc_type: NcType) -> Attribute | None:
    """Return the attribute of a user-defined type that a JSON member is; None if it is not one."""
    from ncz.model.json_decoding import decode_value

    try:
        listed = json.loads(value or "[]") if isinstance(value, str) else value
        if not isinstance(listed, list):
            listed = [listed]
        values = tuple(decode_value(element, nc_type) for element in listed)
    except (ValueError, RecursionError):
        return None
    return Attribute(name=name, type=nc_type, values=values)


def _fill_values(value: Json, nc_type: Atomic) -> tuple[Value, ...] | None:
    """Return the values of a ``_FillValue`` that has no noted type; None if they do not fit."""
    if nc_type is Atomic.CHAR:
        return _text(value) if isinstance(value, str) else None
    if nc_type is Atomic.STRING:
        elements = value if isinstance(value, list) else [value]
        return tuple(elements) if all(isinstance(e, str | None) for e in elements) else None
    if nc_type.is_floating and isinstance(value, str) and value not in NOT_FINITE:
        # xarray writes the bytes of a floating fill value, little-endian, in base64.
        data = from_base64(value)
        if data is None or len(data) != nc_type.size:
            return None
        return struct.unpack("<f" if nc_type is Atomic.FLOAT else "<d", data)
    return convert(value, nc_type)


def write_attribute(
    attribute: Attribute, *, typed: bool, strict: bool = False, is_mask: bool = True
) -> Json:
    """Return the JSON of an attribute.

    Floats that are not finite are written as bare words, which most readers take for numbers. With
    `strict` they are written as text, which is valid JSON; the type must then be noted.
    ``_FillValue`` is written as text even if it `is_mask`, because xarray takes the mask of V2 from
    `fill_value`. With another type than the variable's, it is not a mask. Text that is not UTF-8 is
    written as if it were Latin-1, and NIL as empty text; both are noted. A single string is not a
    list, as other readers expect; and an attribute that was read without a type is written
    unchanged. With `typed`, the type is noted next to the attribute, so that only text, null,
    objects and mixed lists need to be unchanged. Values of a user-defined type are the text of
    their JSON, except for numbers of an enum.
    """
    value = _json_of(attribute, typed=typed, strict=strict, is_mask=is_mask)
    return value if isinstance(value, int | float) else _readable(value)


def becomes_latin_1(attribute: Attribute, *, noted: bool) -> bool:
    """Return whether text that is not UTF-8 is written as Latin-1, and its bytes are not noted.

    `noted` is true of stores with notes. They have the texts of an attribute, but not the texts in
    an object or list of JSON.
    """
    if attribute.kept_original is None and attribute.type in _TYPES_OF_NUMBERS:
        return False
    values, kept = list(attribute.values), list(attribute.kept_original or ())
    if [*map(_readable, values)] != values:
        return not noted
    return [*map(_readable, kept)] != kept


_TYPES_OF_NUMBERS = frozenset(Atomic) - {Atomic.CHAR, Atomic.STRING}


def _readable(value: Json) -> Json:
    """Return a value with all text in UTF-8; the bytes are noted next to the attribute."""
    if isinstance(value, str):
        return readable_text(value)
    if isinstance(value, list):
        return [_readable(element) for element in value]
    if isinstance(value, dict):
        return {readable_text(name): _readable(element) for name, element in value.items()}
    return value


def _json_of(attribute: Attribute, *, typed: bool, strict: bool, is_mask: bool) -> Json:
    values, nc_type = attribute.values, attribute.type
    is_fill = attribute.name == "_FillValue" and len(values) == 1
    if is_fill and is_mask and _is_not_finite(values[0]):
        return print_json(float(values[0]))
    original = attribute.kept_original
    if original is not None and (not typed or _is_kept_beside_type(attribute, original[0])):
        return _strict(original[0]) if strict else original[0]
    if not isinstance(nc_type, Atomic | Enumeration):
        from ncz.model.json_encoding import encode_value, to_json

        return to_json([encode_value(value, nc_type) for value in values])
    if nc_type is Atomic.CHAR:
        return attribute.text  # netcdf-c reads a NUL as "u0000", and xarray as part of the text
    if nc_type is Atomic.STRING:  # null is a text to who infers the type
        values = tuple("" if value is None else value for value in values)
    listed = [_write_value(value, strict=strict) for value in values]
    if not listed and not typed:
        return ""  # netcdf-c does not open a pure store with an attribute that is an empty list
    return listed[0] if len(listed) == 1 else listed


def _write_value(value: Value, *, strict: bool) -> Json:
    # A float is written with the digits of a double, because most readers take it for a double, and
    # the double 0.1 is not the float 0.1.
    return print_json(value) if strict and _is_not_finite(value) else value


def _strict(value: Json) -> Json:
    """Return a value whose numbers that are not finite are text."""
    if isinstance(value, list):
        return [_strict(element) for element in value]
    if isinstance(value, dict):
        return {name: _strict(element) for name, element in value.items()}
    return _write_value(value, strict=True)


def _is_kept_beside_type(attribute: Attribute, original: Json) -> bool:
    """Return whether a value is read unchanged if its type is noted."""
    return attribute.holds_json or original is None or isinstance(original, str)


def _is_not_finite(value: Value) -> bool:
    return isinstance(value, float) and not math.isfinite(value)


def without_nan(value: Json) -> Json:
    """Return the JSON of masks without NaN, which xarray drops from a list."""
    return [v for v in value if v == v] if isinstance(value, list) else value
