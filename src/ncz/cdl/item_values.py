"""Items of a data list converted to values of any type, user-defined types included.

Each vlen value, compound value and array field of a compound needs braces. The values of an array
field are a flat tuple in row-major order.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING

from ncz.cdl.constants import Constant, Kind, decode_hex
from ncz.cdl.conversion import convert_constant
from ncz.cdl.items import Braces
from ncz.errors import quantity, shorten
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
from ncz.text.names import unescape_name
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from ncz.cdl.items import Item


def default_fill(nc_type: NcType) -> Value:
    """Return the fill value of a type for variables without ``_FillValue``.

    Files of netCDF-4 contain zero bytes for opaque, vlen and compound values that are not written.
    """
    match nc_type:
        case Atomic():
            return nc_type.default_fill
        case Enumeration(members=members):
            return members[0][1]
        case _:
            return zero_value(nc_type)


def convert_item(source: SourceText, item: Item, nc_type: NcType, fill: Value) -> Value:
    """Convert `item` to one value of `nc_type`; ``_`` becomes `fill`. Raise CdlError if invalid."""
    if isinstance(item, Constant) and item.kind is Kind.FILL:
        return fill
    match nc_type:
        case Vlen(base=base):
            inside = _items_in_braces(source, item, f"a value of vlen type {nc_type.name}")
            if base is Atomic.CHAR:
                return tuple(_decode_chars(source, inside))
            return tuple(convert_item(source, i, base, default_fill(base)) for i in inside)
        case Compound():
            return _convert_compound(source, item, nc_type)
    if isinstance(item, Braces):
        raise source.error(
            item.at,
            "braces are not needed here",
            "braces enclose values of vlen and compound types, and the values along each unlimited"
            " dimension after the first",
        )
    match nc_type:
        case Opaque(size=size):
            return _convert_opaque(source, item, size)
        case Enumeration():
            return _convert_member(source, item, nc_type)
        case Atomic.CHAR:
            text = _decode_chars(source, [item])
            if len(text) != 1:
                raise source.error(item.at, f"expected one char, not {len(text)}")
            return text
        case _:
            return convert_constant(source, item, nc_type)


def join_chars(source: SourceText, items: Sequence[Item], fill: bytes) -> bytes:
    """Concatenate strings and char constants; ``_`` is one `fill` character."""
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
                item.at,
                f"{item.kind.value} is not text, and the type is char",
                "write the value in quotes",
            )
        else:
            raise source.error(item.at, "expected text, not braces")
    return b"".join(parts)


def _decode_chars(source: SourceText, items: Sequence[Item]) -> str:
    """Concatenate strings and char constants to text with one character per byte."""
    return join_chars(source, items, b"\0").decode("latin-1")


def _char_rows(source: SourceText, items: Sequence[Item], width: int) -> Iterator[str]:
    """Yield texts that fill rows of `width` each, as ncgen does: an empty one takes a row.

    Neighbouring char constants are one text.
    """
    for is_text, run in groupby(items, lambda item: getattr(item, "kind", None) is Kind.STRING):
        for part in [[item] for item in run] if is_text else [list(run)]:
            text = _decode_chars(source, part)
            yield text.ljust(padded_length(len(text), width), "\0")


def padded_length(length: int, width: int) -> int:
    """Return the chars that a string of `length` takes in rows of `width`: at least one row."""
    return max(1, -(-length // width)) * width if width else length


def _field_fill(field: Field) -> Value:
    one = default_fill(field.type)
    return (one,) * math.prod(field.shape) if field.shape else one


def _items_in_braces(source: SourceText, item: Item, what: str) -> tuple[Item, ...]:
    if not isinstance(item, Braces):
        raise source.error(item.at, f"{what} must be in braces", "write { ... }")
    return item.items


def _convert_compound(source: SourceText, item: Item, compound: Compound) -> Value:
    inside = _items_in_braces(source, item, f"a value of compound type {compound.name}")
    if len(inside) > len(compound.fields):
        raise source.error(
            inside[len(compound.fields)].at,
            f"too many values: {compound.name} has {quantity(len(compound.fields), 'field')}",
        )
    values = [
        _convert_field(source, part, field)
        for part, field in zip(inside, compound.fields, strict=False)
    ]
    return (*values, *(_field_fill(field) for field in compound.fields[len(values) :]))


def _convert_field(source: SourceText, item: Item, field: Field) -> Value:
    one = default_fill(field.type)
    if not field.shape:
        return convert_item(source, item, field.type, one)
    size = math.prod(field.shape)
    inside = _items_in_braces(source, item, f"the array {field.name}")
    if field.type is Atomic.CHAR:
        width = field.shape[-1] if len(field.shape) > 1 else 1
        values: tuple[Value, ...] = tuple("".join(_char_rows(source, inside, width)))
    else:
        values = tuple(convert_item(source, part, field.type, one) for part in inside)
    if len(values) > size:
        raise source.error(item.at, f"too many values: {field.name} holds {size}")
    return values + (one,) * (size - len(values))


def _convert_opaque(source: SourceText, constant: Constant, size: int) -> bytes:
    if constant.kind is not Kind.HEX:
        raise source.error(
            constant.at,
            f"{constant.kind.value} is not an opaque value",
            "write the bytes in hexadecimal: 0x...",
        )
    value = decode_hex(constant)
    if len(value) > size:
        raise source.error(
            constant.at,
            f"too long: the opaque type has {quantity(size, 'byte')}, and this value"
            f" has {len(value)}",
        )
    return value.ljust(size, b"\0")


def _convert_member(source: SourceText, constant: Constant, enumeration: Enumeration) -> int:
    if constant.kind is not Kind.LABEL:
        value = convert_constant(source, constant, enumeration.base)
        assert isinstance(value, int)
        return value
    members = dict(enumeration.members)
    label = unescape_name(constant.value)
    if label not in members:  # the label may be qualified: TYPE.label
        label = unescape_name(constant.value.rpartition(".")[2])
    if label not in members:
        raise source.error(
            constant.at,
            f"`{shorten(constant.value)}` is not a member of enum {enumeration.name}",
            "the members are " + shorten(", ".join(members), 200),
        )
    return members[label]
