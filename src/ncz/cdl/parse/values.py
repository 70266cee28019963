"""Items of a data list -> values of any type, user-defined ones too.

Braces are needed around each vlen and compound value, and around an array field of a compound; an
array field's values are a flat tuple in row-major order.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from ncz.cdl.parse.constants import Constant, Kind, convert, hex_bytes
from ncz.cdl.parse.items import Braces, Item
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType, Opaque, Value, Vlen
from ncz.text.names import unescape_name
from ncz.text.source import Source


def default_fill(nc_type: NcType) -> Value:
    """What an element holds that was never written, when there is no ``_FillValue``."""
    match nc_type:
        case Atomic():
            return nc_type.default_fill
        case Opaque(size=size):
            return bytes(size)
        case Enumeration(members=members):
            return members[0][1]
        case Vlen():
            return ()
        case Compound(fields=fields):
            return tuple(_field_fill(field) for field in fields)


def to_value(source: Source, item: Item, nc_type: NcType, fill: Value) -> Value:
    """`item` as one value of `nc_type`; ``_`` is `fill`. Raises CdlError where it cannot be."""
    if isinstance(item, Constant) and item.kind is Kind.FILL:
        return fill
    match nc_type:
        case Vlen(base=base):
            inside = _inside(source, item, f"a value of vlen type {nc_type.name}")
            if base is Atomic.CHAR:
                return tuple(char_text(source, inside, "\0"))
            return tuple(to_value(source, i, base, default_fill(base)) for i in inside)
        case Compound():
            return _to_record(source, item, nc_type)
    if isinstance(item, Braces):
        raise source.error(
            item.at,
            "braces are not needed here",
            "they enclose values of vlen and compound types, and unlimited dimensions after "
            "the first",
        )
    match nc_type:
        case Opaque(size=size):
            return _to_opaque(source, item, size)
        case Enumeration():
            return _to_member(source, item, nc_type)
        case Atomic.CHAR:
            text = char_text(source, [item], "\0")
            if len(text) != 1:
                raise source.error(item.at, f"one char is needed here, and these are {len(text)}")
            return text
        case _:
            return convert(source, item, nc_type)


def char_text(source: Source, items: Sequence[Item], fill: str) -> str:
    """The text of strings and char constants side by side, one character for each byte."""
    return char_bytes(source, items, fill.encode("latin-1")).decode("latin-1")


def char_bytes(source: Source, items: Sequence[Item], fill: bytes) -> bytes:
    """The bytes of strings and char constants side by side; ``_`` is one fill character."""
    parts = []
    for item in items:
        if isinstance(item, Constant) and item.kind is Kind.STRING:
            parts.append(item.value)
        elif isinstance(item, Constant) and item.kind is Kind.CHAR:
            parts.append(bytes([item.value]))
        elif isinstance(item, Constant) and item.kind is Kind.FILL:
            parts.append(fill)
        elif isinstance(item, Constant):
            raise source.error(
                item.at, f"{item.kind.value} is not text, and this is char", "write it in quotes"
            )
        else:
            raise source.error(item.at, "text is needed here, not braces")
    return b"".join(parts)


def _field_fill(field: Field) -> Value:
    one = default_fill(field.type)
    return (one,) * math.prod(field.shape) if field.shape else one


def _inside(source: Source, item: Item, what: str) -> tuple[Item, ...]:
    if not isinstance(item, Braces):
        raise source.error(item.at, f"{what} stands in braces", "write { ... }")
    return item.items


def _to_record(source: Source, item: Item, compound: Compound) -> Value:
    inside = _inside(source, item, f"a value of compound type {compound.name}")
    if len(inside) > len(compound.fields):
        raise source.error(
            inside[len(compound.fields)].at,
            f"too many values: {compound.name} has {len(compound.fields)} fields",
        )
    given = [
        _to_field(source, part, field) for part, field in zip(inside, compound.fields, strict=False)
    ]
    return (*given, *(_field_fill(field) for field in compound.fields[len(given) :]))


def _to_field(source: Source, item: Item, field: Field) -> Value:
    one = default_fill(field.type)
    if not field.shape:
        return to_value(source, item, field.type, one)
    size = math.prod(field.shape)
    inside = _inside(source, item, f"the array {field.name}")
    if field.type is Atomic.CHAR:
        values: tuple[Value, ...] = tuple(char_text(source, inside, "\0"))
    else:
        values = tuple(to_value(source, part, field.type, one) for part in inside)
    if len(values) > size:
        raise source.error(item.at, f"too many values: {field.name} holds {size}")
    return values + (one,) * (size - len(values))


def _to_opaque(source: Source, constant: Constant, size: int) -> bytes:
    if constant.kind is not Kind.HEX:
        raise source.error(
            constant.at, f"{constant.kind.value} is not opaque", "write the bytes as 0x..."
        )
    value = hex_bytes(constant)
    if len(value) > size:
        raise source.error(
            constant.at, f"too long: the opaque type has {size} bytes, and these are {len(value)}"
        )
    return value.ljust(size, b"\0")


def _to_member(source: Source, constant: Constant, enumeration: Enumeration) -> int:
    if constant.kind is not Kind.LABEL:
        value = convert(source, constant, enumeration.base)
        assert isinstance(value, int)
        return value
    members = dict(enumeration.members)
    label = unescape_name(constant.value)
    if label not in members:  # the enum itself may be named: TYPE.label
        label = unescape_name(constant.value.rpartition(".")[2])
    if label not in members:
        raise source.error(
            constant.at,
            f"`{constant.value[:60]}` is no member of enum {enumeration.name}",
            "its members are " + ", ".join(list(members)[:12]),
        )
    return members[label]
