"""Attributes of CDL: which type one without a type word has, and its values.

ncgen's rules, where they lose nothing; what it would wrap or cut is an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.cdl.parse.constants import Constant, Kind, text_of
from ncz.cdl.parse.items import Item
from ncz.cdl.parse.values import char_bytes, to_value
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, NcType, Value
from ncz.text.source import Source


def make_attribute(
    source: Source, name: str, at: int, nc_type: NcType | None, items: Sequence[Item]
) -> Attribute:
    """The attribute of that name with the values `items`; its type is inferred if None.

    `at` is where the name stands. Raises CdlError.
    """
    for item in items:
        if isinstance(item, Constant) and item.kind is Kind.FILL:
            raise source.error(item.at, f"attribute {name} cannot hold `_`", "write the value")
    nc_type = nc_type or _inferred(source, items)
    if nc_type is Atomic.CHAR:
        text = text_of(char_bytes(source, items, b"\0"))
        return Attribute(name=name, type=nc_type, values=(text,) if text else ())
    if not items:
        word = nc_type.word if isinstance(nc_type, Atomic) else nc_type.name
        raise source.error(at, f"attribute {name} of type {word} has no value", "give it one")
    values = tuple(to_value(source, item, nc_type, None) for item in items)
    return Attribute(name=name, type=nc_type, values=values)


def make_fill_value(
    source: Source, at: int, nc_type: NcType, items: Sequence[Item]
) -> tuple[Attribute, Value]:
    """The ``_FillValue`` of a variable of `nc_type`, and the fill as an element of its data."""
    name = "_FillValue"
    if nc_type is Atomic.CHAR:
        byte = char_bytes(source, items, b"\0")
        if len(byte) == 1:
            attribute = Attribute(name=name, type=nc_type, values=(text_of(byte),))
            return attribute, byte.decode("latin-1")
    elif len(items) == 1:
        attribute = make_attribute(source, name, at, nc_type, items)
        return attribute, attribute.values[0]
    location = items[0].at if items else at
    kind = "char" if nc_type is Atomic.CHAR else "value"
    raise source.error(location, f"_FillValue is one {kind}, no more and no less")


def _inferred(source: Source, items: Sequence[Item]) -> Atomic:
    kinds = set()
    for item in items:
        if not isinstance(item, Constant):
            raise source.error(
                item.at, "braces need a type", "write the type before the attribute: TYPE v:name"
            )
        if item.kind in (Kind.HEX, Kind.LABEL, Kind.NIL):
            shown = f"`{item.value}`" if item.kind is Kind.LABEL else item.kind.value
            raise source.error(
                item.at,
                f"{shown} has no type by itself",
                "write the type before the attribute, or text in quotes",
            )
        kinds.add(item.kind)
    if kinds <= {Kind.STRING}:
        return Atomic.CHAR
    if Kind.STRING in kinds:
        raise source.error(
            items[0].at,
            "text and numbers stand side by side",
            "write `string` or `char` before the attribute, or part it in two",
        )
    numbers = [item for item in items if isinstance(item, Constant)]
    types = [number.type for number in numbers]
    for atomic in (Atomic.DOUBLE, Atomic.FLOAT):
        if atomic in types:
            return atomic
    widest = Atomic.BYTE
    for number in numbers:
        if number.type is None:
            raise source.error(number.at, f"{str(number.value)[:40]} is more than 64 bits hold")
        if number.value > Atomic.INT64.limits[1]:
            return Atomic.UINT64
        if number.type.size >= widest.size:  # of two that are as wide, the last
            widest = number.type
    return widest
