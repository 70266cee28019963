"""User-defined types: limits and sizes, values as numpy arrays, and their JSON."""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import ChainMap
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import FormatError, counted, shorten
from ncz.model.types import (
    Atomic,
    Compound,
    Enumeration,
    Field,
    NcType,
    Opaque,
    UserType,
    Value,
    Vlen,
)
from ncz.record import field, record

if TYPE_CHECKING:
    import numpy as np

    from ncz.model.data import Values


def packed_layout(nc_type: NcType, order: str) -> Any:
    """Return the dtype of elements of fixed size, as `numpy_dtype` takes it.

    `order` is the byte order, "<" or ">". Arrays within compounds are always little-endian.
    """
    match nc_type:
        case Compound(fields=fields):
            return [
                [field.name, packed_layout(field.type, "<"), list(field.shape)]
                if field.shape
                else [field.name, packed_layout(field.type, order)]
                for field in fields
            ]
        case Opaque(size=size):
            return f"V{size}"
        case Enumeration(base=base):
            return packed_layout(base, order)
        case Atomic() if nc_type.size > 1:
            return f"{order}{nc_type.dtype}"
        case Atomic():
            return nc_type.dtype
        case _:
            raise TypeError(f"{nc_type} has no fixed size")


def numpy_dtype(layout: Any) -> np.dtype[Any]:
    """Return the dtype of a layout: a text, or a list of fields with name, layout and shape."""
    import numpy as np

    return np.dtype(_fields(layout)) if isinstance(layout, list) else np.dtype(layout)


def _fields(layout: list[Any]) -> list[tuple[Any, ...]]:
    return [
        (name, _fields(inner) if isinstance(inner, list) else inner, *(tuple(s) for s in shape))
        for name, inner, *shape in layout
    ]


def unpack(elements: Values, nc_type: NcType) -> list[Any]:
    """Return elements of a type, in one dimension, as a list of values."""
    import numpy as np

    match nc_type:
        case Atomic.STRING:
            return [_string(element) for element in elements.tolist()]
        case Atomic.CHAR:
            return list(elements.tobytes().decode("latin-1"))
        case Atomic():
            return list(elements.astype(nc_type.dtype, copy=False).tolist())
        case Enumeration(base=base):
            return unpack(elements, base)
        case Opaque():
            return [bytes(element) for element in elements.tolist()]
        case Vlen(base=base):
            return [
                () if e is None else tuple(unpack(np.asarray(e).reshape(-1), base))
                for e in elements
            ]
        case Compound(fields=fields):
            records = elements.view(_record_dtype(elements.dtype, fields))
            columns = [_column(records[field.name], field) for field in fields]
            return list(zip(*columns, strict=True))


def _record_dtype(dtype: np.dtype[Any], fields: Sequence[Field]) -> np.dtype[Any]:
    """Return the dtype of the records of a compound: h5py takes two numbers for a complex one."""
    import numpy as np

    if dtype.kind != "c":
        return dtype
    part = f"{dtype.byteorder}f{dtype.itemsize // 2}"
    return np.dtype([(field.name, part) for field in fields])


def _column(elements: Values, field: Field) -> list[Any]:
    """Return one field of all records; an array within a record becomes a flat tuple."""
    if not field.shape:
        return unpack(elements, field.type)
    values = unpack(elements.reshape(-1), field.type)
    size = math.prod(field.shape)
    return [tuple(values[i : i + size]) for i in range(0, len(values), size)]


def _string(element: Any) -> str | None:
    if isinstance(element, bytes):
        return element.decode("utf-8", "surrogateescape") or None
    return str(element) if element else None


def unpacked(elements: Values, nc_type: UserType) -> Values:
    """Convert elements of any shape to an array of values, as `ncz.model.data` specifies it."""
    import numpy as np

    values = unpack(elements.reshape(-1), nc_type)
    # Unlike assignment to an array, takes a tuple as one element.
    return np.fromiter(values, "O", len(values)).reshape(elements.shape)


def from_elements(elements: Values, nc_type: NcType) -> Values:
    """Convert packed elements of any type but string to values in native byte order."""
    if isinstance(nc_type, Atomic):
        return elements.astype(nc_type.dtype, copy=False)
    return unpacked(elements, nc_type)


def pack(values: Sequence[Value], nc_type: NcType, dtype: np.dtype[Any]) -> Values:
    """Return values as an array of one dimension.

    Objects of `dtype` are texts in UTF-8 or, if its metadata name the dtype "vlen" of their
    elements as h5py's do, arrays.
    """
    import numpy as np

    match nc_type:
        case Compound(fields=fields):
            records = np.zeros(len(values), _record_dtype(dtype, fields))
            for number, field in enumerate(fields):
                column = [value[number] for value in values]
                part = records.dtype[field.name]
                inner, shape = part.subdtype or (part, ())
                flat = itertools.chain.from_iterable(column) if field.shape else column
                packed = pack(list(flat), field.type, inner)
                records[field.name] = packed.reshape((len(values), *shape))
            return records.view(dtype)
        case Vlen(base=base):
            metadata: Mapping[str, Any] = dtype.metadata or {}
            item = metadata["vlen"]
            return np.fromiter((pack(v, base, item) for v in values), dtype, len(values))
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


# Encode single values as JSON, exactly and on every machine alike. Source: docs/reference/json.md,
# "Values".
#
# Numbers have the fewest digits that identify them within their type. JSON has neither NaN nor
# infinities, so they are text, as in Zarr's metadata. Text is UTF-8; a byte that is not valid UTF-8
# becomes a lone surrogate, U+DC80 to U+DCFF, which is written as an escape.

NONFINITE = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}
"""The numbers that JSON does not have, by their text."""

_SURROGATE = re.compile("[\ud800-\udfff]")


def to_json(document: Any) -> str:
    """Write a document on one line. It may contain any text, but no NaN."""
    text = json.dumps(document, ensure_ascii=False, allow_nan=False)
    if text.isascii():
        return text
    return _SURROGATE.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


def encode_float(value: float, nc_type: Atomic) -> float | str:
    """Convert a float or double for `to_json`."""
    if not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    return _shortest_single(value) if nc_type is Atomic.FLOAT else float(value)


def encode_value(value: Value, nc_type: NcType) -> Any:
    """Convert one value of any type for `to_json`."""
    match nc_type:
        case Atomic.CHAR:
            return value.encode("latin-1").decode("utf-8", "surrogateescape")
        case Atomic():
            return encode_float(value, nc_type) if nc_type.is_floating else value
        case Opaque():
            return value.hex()
        case Enumeration():
            return value
        case Vlen(base=Atomic.CHAR):
            return "".join(value).encode("latin-1").decode("utf-8", "surrogateescape")
        case Vlen(base=base):
            return [encode_value(v, base) for v in value]
        case Compound(fields=fields):
            pairs = zip(fields, value, strict=True)
            return [_encode_field(v, field) for field, v in pairs]


def _encode_field(value: Value, field: Field) -> Any:
    if not field.shape:
        return encode_value(value, field.type)
    if field.type is Atomic.CHAR:
        return chars_to_text("".join(value).encode("latin-1"))
    return [encode_value(v, field.type) for v in value]


def chars_to_text(chars: bytes) -> str:
    """Convert chars to text, without trailing NULs, which a reader adds again by the length."""
    return chars.rstrip(b"\0").decode("utf-8", "surrogateescape")


def _shortest_single(value: float) -> float:
    """Return the double with the fewest digits that identify a finite single-precision number."""
    import numpy as np

    single = np.float32(value)
    shortest = float(str(single))
    # A text is parsed as a double first, which may be the midpoint of two floats.
    return shortest if np.float32(shortest) == single else float(f"{value:.9g}")


# Decode single JSON values to values of a netCDF type. Source: docs/reference/json.md, "Values".

_HEX = re.compile(r"(?:[0-9a-fA-F]{2})*")


class WrongValueError(ValueError):
    """A JSON value does not have the type; the message becomes that of a CdlError."""


def decode_value(value: Any, nc_type: NcType) -> Value:
    """Decode one value of type `nc_type`. Raise WrongValueError if it does not fit."""
    match nc_type:
        case Atomic.CHAR:
            chars = decode_chars(value)
            if len(chars) > 1:
                raise WrongValueError(f"{show(value)} is more than one char")
            return (chars or b"\0").decode("latin-1")
        case Atomic.STRING:
            if value is None or isinstance(value, str):
                return value
            raise WrongValueError(f"{show(value)} is not text, and the type is string")
        case Atomic() if nc_type.is_floating:
            return _decode_float(value, nc_type)
        case Atomic():
            return _decode_integer(value, nc_type)
        case Enumeration(base=base):
            return _decode_integer(value, base)
        case Opaque(size=size):
            if isinstance(value, str) and _HEX.fullmatch(value) and len(value) == 2 * size:
                return bytes.fromhex(value)
            wanted = counted(size, "byte")
            raise WrongValueError(f"{show(value)} is not {wanted} in hexadecimal digits")
        case Vlen(base=Atomic.CHAR):
            return tuple(decode_chars(value).decode("latin-1"))
        case Vlen(base=base):
            return tuple(decode_value(v, base) for v in _check_list(value, None, nc_type.name))
        case Compound(fields=fields):
            values = _check_list(value, len(fields), nc_type.name)
            return tuple(_decode_field(v, f) for v, f in zip(values, fields, strict=True))


def decode_chars(value: Any) -> bytes:
    """Encode a text to chars. Raise WrongValueError if it is not text."""
    if not isinstance(value, str):
        raise WrongValueError(f"{show(value)} is not text, and the type is char")
    try:
        return value.encode("utf-8", "surrogateescape")
    except UnicodeEncodeError:
        return value.encode("utf-8", "surrogatepass")


def _decode_field(value: Any, part: Field) -> Value:
    if not part.shape:
        return decode_value(value, part.type)
    size = math.prod(part.shape)
    if part.type is Atomic.CHAR:
        chars = decode_chars(value)
        if len(chars) > size:
            raise WrongValueError(f"{show(value)} is longer than {counted(size, 'byte')}")
        return tuple(chars.ljust(size, b"\0").decode("latin-1"))
    return tuple(decode_value(v, part.type) for v in _check_list(value, size, part.name))


def _check_list(value: Any, size: int | None, what: str) -> list[Any]:
    if not isinstance(value, list):
        raise WrongValueError(f"{show(value)} is not a list of the values of {what}")
    if size is not None and len(value) != size:
        raise WrongValueError(f"{what} has {counted(size, 'value')}, not {len(value)}")
    return value


def _decode_integer(value: Any, atomic: Atomic) -> int:
    if type(value) is not int:
        raise WrongValueError(f"{show(value)} is not a whole number, and the type is {atomic.word}")
    low, high = atomic.limits
    if not low <= value <= high:
        raise WrongValueError(f"{show(value)} does not fit {atomic.word} ({low} to {high})")
    return value


def _decode_float(element: Any, atomic: Atomic) -> float:
    import numpy as np

    if isinstance(element, str) and element in NONFINITE:
        return NONFINITE[element]
    if isinstance(element, bool) or not isinstance(element, int | float):
        raise WrongValueError(f"{show(element)} is not a number, and the type is {atomic.word}")
    try:
        with np.errstate(over="ignore"):
            value = float(np.float32(element)) if atomic is Atomic.FLOAT else float(element)
    except OverflowError:
        value = math.inf
    if math.isinf(value):
        raise WrongValueError(f"{show(element)} is too large for {atomic.word}")
    return value


def show(value: Any) -> str:
    """Return a short form of a value for messages."""
    return shorten(repr(value))


# Types that are too large: a mistake, or made to exhaust the memory or the stack of a reader.

_MAX_DEPTH = 50
"""Levels of types within types."""
_MAX_SIZE = 1 << 24
"""Bytes of an opaque value, and elements of a compound, of all its array fields."""
_MAX_FIELDS = 1 << 14
"""Fields of a compound, with those of the compounds in it."""


@record
class _Measure:
    """How large a type is. A vlen is one element, because its values can be empty."""

    depth: int = 0
    elements: int = 1
    fields: int = 1


@record
class TypeLimits:
    """Checks the types of one dataset, each after the types that it consists of.

    What is known of a type is kept by its FQN. Without this, the time would grow exponentially with
    the depth of types.
    """

    _measures: dict[str, _Measure] = field(default_factory=dict)

    def fault(self, user_type: UserType) -> str | None:
        """Return why a type cannot be used, in a few words; None if it can."""
        measure = self._measure(user_type)
        self._measures[user_type.name] = measure
        if measure.depth > _MAX_DEPTH:
            return "types are nested too deeply"
        if measure.elements > _MAX_SIZE:
            kind = "opaque" if isinstance(user_type, Opaque) else "compound"
            return f"this {kind} type is too large"
        if measure.fields > _MAX_FIELDS:
            return f"this compound type has more than {_MAX_FIELDS} fields"
        return None

    def _measure(self, user_type: UserType) -> _Measure:
        match user_type:
            case Opaque(size=size):
                return _Measure(elements=size)
            case Vlen(base=base):
                return _Measure(depth=1 + self._measure_of(base).depth)
            case Compound(fields=fields):
                parts = [(self._measure_of(part.type), math.prod(part.shape)) for part in fields]
                return _Measure(
                    depth=1 + max(measure.depth for measure, _ in parts),
                    elements=sum(count * measure.elements for measure, count in parts),
                    fields=sum(measure.fields for measure, _ in parts),
                )
            case _:
                return _Measure()

    def _measure_of(self, nc_type: NcType) -> _Measure:
        return self._measures.get(getattr(nc_type, "name", ""), _Measure())


# Declarations of user-defined types as JSON objects. Source: docs/reference/json.md, "Types".

_ATOMIC: dict[str, NcType] = {atomic.word: atomic for atomic in Atomic}


def describe_type(nc_type: NcType) -> str:
    """Return the name of a type: its CDL keyword, or its FQN."""
    return nc_type.word if isinstance(nc_type, Atomic) else nc_type.name


def describe_user_type(user_type: UserType) -> dict[str, Any]:
    """Return the declaration of a type as a JSON object."""
    match user_type:
        case Opaque(size=size):
            return {"kind": "opaque", "size": size}
        case Vlen(base=base):
            return {"kind": "vlen", "base": describe_type(base)}
        case Enumeration(base=base, members=members):
            return {"kind": "enum", "base": base.word, "members": dict(members)}
        case Compound(fields=fields):
            parts = [
                {"name": f.name, "type": describe_type(f.type), "shape": list(f.shape)}
                for f in fields
            ]
            return {"kind": "compound", "fields": parts}


def read_declarations(
    declared: Mapping[str, Any], on_error: Callable[[str, FormatError], None]
) -> dict[str, UserType]:
    """Return the types that are declared.

    Parameters
    ----------
    declared
        The JSON object of each type, by the FQN of the type.
    on_error
        Called with the FQN of a type whose declaration is wrong, and with the error. The type is
        left out, and so is each type that consists of it.

    Returns
    -------
    dict
        The types by FQN, each after the types that it consists of.
    """
    types: dict[str, UserType] = {}
    types_by_name: ChainMap[str, NcType] = ChainMap({}, _ATOMIC)
    limits = TypeLimits()
    visited: set[str] = set()
    for fqn in declared:
        for name in _in_order(fqn, declared, visited):
            try:
                user_type = _read(name, declared[name], types_by_name)
                if fault := limits.fault(user_type):
                    raise FormatError(fault)
                types[name] = types_by_name[name] = user_type
            except FormatError as error:
                on_error(name, error)
            except WrongValueError as error:
                on_error(name, FormatError(str(error)))
    return types


def _in_order(fqn: str, declared: Mapping[str, Any], visited: set[str]) -> Iterator[str]:
    """Yield the declared types that a type consists of, then itself, without those in `visited`.

    Types that are yielded are added to `visited`. Cycles are cut.
    """
    if fqn in visited:
        return
    visited.add(fqn)
    stack = [(fqn, _references(declared[fqn]))]
    while stack:
        name, rest = stack[-1]
        inner = next((r for r in rest if r in declared and r not in visited), None)
        if inner is None:
            stack.pop()
            yield name
        else:
            visited.add(inner)
            stack.append((inner, _references(declared[inner])))


def _references(declaration: Any) -> Iterator[str]:
    """Yield the names of types in a declaration, which need not be valid."""
    if not isinstance(declaration, dict):
        return
    fields = declaration.get("fields")
    parts = [part.get("type") for part in _list(fields) if isinstance(part, dict)]
    yield from (name for name in (declaration.get("base"), *parts) if isinstance(name, str))


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _read(fqn: str, declaration: Any, types: Mapping[str, NcType]) -> UserType:
    """Return one type; raise `FormatError` if its declaration is wrong."""
    kind = declaration.get("kind") if isinstance(declaration, dict) else None
    match kind:
        case "opaque":
            size = declaration.get("size")
            if not _is_count(size):
                raise FormatError(f"{_show(size)} is not a size")
            return Opaque(name=fqn, size=size)
        case "vlen":
            return Vlen(name=fqn, base=_find_type(declaration.get("base"), types))
        case "enum":
            return _read_enumeration(fqn, declaration, types)
        case "compound":
            fields = [_read_field(part, types) for part in _list(declaration.get("fields"))]
            if not fields:
                raise FormatError("a compound needs fields")
            if len({part.name for part in fields}) != len(fields):
                raise FormatError("two fields have the same name")
            return Compound(name=fqn, fields=tuple(fields))
        case _:
            raise FormatError(f"{_show(kind)} is not a kind of type")


def _read_enumeration(fqn: str, declaration: Any, types: Mapping[str, NcType]) -> Enumeration:
    base, members = _find_type(declaration.get("base"), types), declaration.get("members")
    if not isinstance(base, Atomic) or not base.is_integer:
        raise FormatError("the base of an enum must be an integer type")
    if not isinstance(members, dict) or not members:
        raise FormatError("an enum needs members")
    values = tuple((str(label), decode_value(number, base)) for label, number in members.items())
    return Enumeration(name=fqn, base=base, members=values)


def _read_field(part: Any, types: Mapping[str, NcType]) -> Field:
    name = part.get("name") if isinstance(part, dict) else None
    if not isinstance(name, str) or not name:
        raise FormatError(f"{_show(part)} is not a field")
    shape = part.get("shape", [])
    if not isinstance(shape, list) or not all(map(_is_count, shape)):
        raise FormatError(f"{_show(shape)} is not a shape")
    return Field(name=name, type=_find_type(part.get("type"), types), shape=tuple(shape))


def _find_type(name: Any, types: Mapping[str, NcType]) -> NcType:
    if not isinstance(name, str) or name not in types:
        raise FormatError(f"the type {_show(name)} is not known here")
    return types[name]


def _is_count(value: Any) -> bool:
    return type(value) is int and 0 < value < 2**31


def _show(value: Any) -> str:
    return shorten(repr(value))


# The bytes of a value of any type.


def fixed_size(nc_type: NcType) -> int:
    """Return the bytes of one value, packed; 0 if values differ in size or have references."""
    match nc_type:
        case Atomic():
            return nc_type.size
        case Opaque(size=size):
            return size
        case Enumeration(base=base):
            return base.size
        case Vlen():
            return 0
        case Compound(fields=fields):
            sizes = [math.prod(field.shape) * fixed_size(field.type) for field in fields]
            return sum(sizes) if all(sizes) else 0
