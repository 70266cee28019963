"""One attribute: a JSON value, and maybe a dtype for it, to a typed list of values and back.

Source: the NCZarr document, "JSON Attribute Convention", and what netcdf-c 4.10.1 does; ncz
differs where the peer loses something (a list takes its widest type and not its first element's,
numbers keep all their bits, text that looks like a number stays text).
"""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Callable

from ncz.errors import Notice, Notify
from ncz.formats.zarr.document.json import Json, Real, decode, print_json
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, Value

DEFAULT_STRING_LENGTH = 128
"""Bytes that netcdf-c gives a string when nobody says how many."""

RESERVED_IN_HDF5 = frozenset(
    {"CLASS", "DIMENSION_LIST", "NAME", "REFERENCE_LIST", "_Netcdf4Coordinates", "_Netcdf4Dimid"}
)
"""Names of the HDF5 dimension scale specification, which netcdf-c hides in every format."""

DIMENSION_NAMES = "_ARRAY_DIMENSIONS"
"""The attribute in which xarray keeps the names of an array's dimensions."""

PROPERTIES = "_NCProperties"
"""The root attribute in which netcdf-c says who wrote the store."""

_NCZARR = re.compile(r"_nczarr_(superblock|group|array|attrs?)", re.IGNORECASE)


def is_annotation(name: str) -> bool:
    """True for names that hold the format's own notes, and are no attributes of the user."""
    return name[:1] == "_" and (name == DIMENSION_NAMES or _NCZARR.fullmatch(name) is not None)


# --- JSON to attribute ---------------------------------------------------------------------------


def read_attribute(
    name: str,
    value: Json,
    dtype: Json = None,
    *,
    variable_type: Atomic | None = None,
    location: str | None = None,
    notify: Notify,
) -> Attribute:
    """The attribute that a member of `.zattrs` stands for.

    `dtype` is its type as NCZarr notes it, if it does; `variable_type` the type of the variable it
    belongs to, which decides that of a ``_FillValue``. A type that does not fit the value is
    reported and the type inferred.
    """
    if dtype is not None:
        typed = _read_typed(value, dtype)
        if typed is not None:
            return Attribute(name=name, type=typed[0], values=typed[1])
        notify(
            Notice(
                "attribute-type-inferred",
                f"attribute {name} cannot be of type {print_json(dtype)}; its type is inferred",
                location,
            )
        )
    elif name == "_FillValue" and variable_type is not None:
        values = _fill_values(value, variable_type)
        if values is not None:
            return Attribute(name=name, type=variable_type, values=values, original=(value,))
        notify(
            Notice(
                "fill-value-type",
                f"_FillValue {print_json(value)} is not of the variable's type"
                f" {variable_type.word}; shown as it is",
                location,
            )
        )
    nc_type, values = infer(value)
    return Attribute(name=name, type=nc_type, values=values, original=(value,))


def infer(value: Json) -> tuple[Atomic, tuple[Value, ...]]:
    """Type and values of an attribute of which nothing is known but its JSON."""
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


def _is_number(value: Json) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _is_exact(number: int | float) -> bool:
    """True if `number` can be a double without a change of value."""
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


_NUMERIC = re.compile(r"[<>|=]?([iuf])([1248])")
_TEXT = re.compile(r"[<>|=]?([SUJO])(\d*)")
_NUMERIC_TYPES = {
    (t.kind, t.size): t for t in Atomic if t.kind in "iuf" and (t.kind, t.size) != ("f", 2)
}


def _read_typed(value: Json, dtype: Json) -> tuple[Atomic, tuple[Value, ...]] | None:
    """Type and values as `dtype` says; None if it cannot be."""
    if not isinstance(dtype, str):
        return None
    if match := _NUMERIC.fullmatch(dtype):
        nc_type = _NUMERIC_TYPES.get((match[1], int(match[2])))
        values = None if nc_type is None else convert(value, nc_type)
        return None if nc_type is None or values is None else (nc_type, values)
    match = _TEXT.fullmatch(dtype)
    if match is None:
        return None
    # S1 is char with a byte order and a string without one, so in netcdf-c as in the document.
    is_char = match[1] == "J" or (match[2] in ("", "0", "1") and dtype != "|S1")
    if isinstance(value, str):
        return (Atomic.CHAR, _text(value)) if is_char else (Atomic.STRING, (value,))
    elements = value if isinstance(value, list) else [value]
    if not is_char and all(element is None or isinstance(element, str) for element in elements):
        return Atomic.STRING, tuple(elements)
    if not is_char and all(_is_number(element) for element in elements):
        return None
    return Atomic.CHAR, _text(print_json(value))


def convert(value: Json, nc_type: Atomic) -> tuple[Value, ...] | None:
    """The numbers of `value` as a numeric `nc_type`; None if one of them is not of that type."""
    elements = value if isinstance(value, list) else [value]
    number = _floating(nc_type) if nc_type.is_floating else _integer(nc_type)
    try:
        return tuple(number(element) for element in elements)
    except (TypeError, ValueError, OverflowError):
        return None


def _integer(nc_type: Atomic) -> Callable[[Json], int]:
    low, high = nc_type.limits

    def number(element: Json) -> int:
        if isinstance(element, str) or int(element) != element:
            raise ValueError
        if not low <= element <= high:
            raise OverflowError
        return int(element)

    return number


NOT_FINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""How texts spell the floats for which JSON has no number."""


def _floating(nc_type: Atomic) -> Callable[[Json], float]:
    def number(element: Json) -> float:
        real = NOT_FINITE[element] if element in NOT_FINITE else float(_not_text(element))
        return real if nc_type is Atomic.DOUBLE else to_single(real)

    return number


def _not_text(element: Json) -> int | float:
    if not isinstance(element, int | float):
        raise TypeError
    if isinstance(element, Real) and element.is_too_large:
        raise OverflowError
    return element


def to_single(number: float) -> float:
    """`number` rounded to single precision. Raises OverflowError if it is too large for that."""
    rounded: float = struct.unpack("<f", struct.pack("<f", number))[0]
    return rounded


def _fill_values(value: Json, nc_type: Atomic) -> tuple[Value, ...] | None:
    """The values of a ``_FillValue`` without a type of its own, on a variable of `nc_type`."""
    if nc_type is Atomic.CHAR:
        return _text(value) if isinstance(value, str) else None
    if nc_type is Atomic.STRING:
        elements = value if isinstance(value, list) else [value]
        return tuple(elements) if all(isinstance(e, str | None) for e in elements) else None
    if nc_type.is_floating and isinstance(value, str) and value not in NOT_FINITE:
        # xarray writes the bytes of a floating fill value, little-endian, in base64.
        import base64

        try:
            data = base64.b64decode(value, validate=True)
        except ValueError:  # binascii.Error is one
            return None
        if len(data) != nc_type.size:
            return None
        return struct.unpack("<f" if nc_type is Atomic.FLOAT else "<d", data)
    return convert(value, nc_type)


# --- attribute to JSON ---------------------------------------------------------------------------


def write_attribute(attribute: Attribute, *, typed: bool) -> Json:
    """The JSON of an attribute of an atomic type.

    With `typed` the type is noted beside it, and JSON is kept strict: floats that are not finite
    are texts, as netcdf-c writes them. Without it, they are bare as zarr-python writes them, so
    that they are read back as numbers; and a lone string is not a list, as other readers expect. An
    attribute that was read without a type is then written as it was.
    """
    if attribute.original is not None and not typed:
        return attribute.original[0]
    if attribute.type is Atomic.CHAR:
        return _write_text("".join(attribute.values))
    values = [_write_value(value, typed=typed) for value in attribute.values]
    if not values and not typed:
        return ""  # netcdf-c refuses a whole pure store that has an empty list
    return values[0] if len(values) == 1 else values


def dtype_of_attribute(attribute: Attribute, string_length: int = DEFAULT_STRING_LENGTH) -> str:
    """The dtype by which NCZarr notes the type of an attribute of an atomic type."""
    nc_type = attribute.type
    assert isinstance(nc_type, Atomic)
    if nc_type is Atomic.CHAR:
        return ">S1"
    if nc_type is Atomic.STRING:
        return f"|S{max(string_length, 1)}"
    return f"<{nc_type.kind}{nc_type.size}"


def _write_value(value: Value, *, typed: bool) -> Json:
    # A float is written with the digits of a double: most readers take it for one, and 0.1 as a
    # double is not 0.1 as a float.
    if typed and isinstance(value, float) and not math.isfinite(value):
        return print_json(value)
    return value


def _write_text(text: str) -> Json:
    """Text as a JSON string, or as the JSON that it is if that reads back to the same text."""
    if text[:1] in ("{", "[") and text[-1:] in ("}", "]"):
        try:
            value = decode(text)
        except (ValueError, RecursionError):
            return text
        if print_json(value) == text and infer(value) == (Atomic.CHAR, (text,)):
            return value if _is_strict(value) else text
    return text


def _is_strict(value: Json) -> bool:
    """True if no number of `value` is one that JSON cannot say."""
    if isinstance(value, list | dict):
        return all(_is_strict(v) for v in (value.values() if isinstance(value, dict) else value))
    return not isinstance(value, float) or math.isfinite(value)
