"""Attributes of CDL: their values, and the type of an attribute without a type keyword.

The rules are ncgen's, except that a value that ncgen would wrap or truncate is an error.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.cdl.constants import Constant, Kind, decode_text
from ncz.cdl.item_values import convert_item, join_chars
from ncz.cdl.items import Item
from ncz.errors import shorten
from ncz.model.tree import Attribute
from ncz.model.types import Atomic, NcType, Value
from ncz.text.source import SourceText


def make_attribute(
    source: SourceText, name: str, at: int, nc_type: NcType | None, items: Sequence[Item]
) -> Attribute:
    """Make an attribute from the items of its data list.

    Parameters
    ----------
    at
        Byte offset of the name, for error messages.
    nc_type
        The declared type; None to infer it from the items.

    Raises
    ------
    CdlError
        An item is not a value of the type, or the type cannot be inferred.
    """
    for item in items:
        if isinstance(item, Constant) and item.kind is Kind.FILL:
            raise source.error(item.at, f"attribute {name} cannot contain `_`", "write the value")
    nc_type = nc_type or _infer_type(source, items)
    if nc_type is Atomic.CHAR:
        text = decode_text(join_chars(source, items, b"\0"))
        return Attribute(name=name, type=nc_type, values=(text,) if text else ())
    if not items:
        word = nc_type.word if isinstance(nc_type, Atomic) else nc_type.name
        raise source.error(at, f"attribute {name} of type {word} has no value", "write a value")
    values = tuple(convert_item(source, item, nc_type, None) for item in items)
    return Attribute(name=name, type=nc_type, values=values)


def make_fill_value(
    source: SourceText, at: int, nc_type: NcType, items: Sequence[Item]
) -> tuple[Attribute, Value]:
    """Make the ``_FillValue`` of a variable.

    Returns
    -------
    attribute : Attribute
        The attribute, of type `nc_type`.
    fill : Value
        Its value as an element of the data.

    Raises
    ------
    CdlError
        The data list is not exactly one value of the type.
    """
    name = "_FillValue"
    if nc_type is Atomic.CHAR:
        byte = join_chars(source, items, b"\0")
        if not byte and len(items) == 1:
            byte = b"\0"  # ncdump prints a NUL as an empty text
        if len(byte) == 1:
            attribute = Attribute(name=name, type=nc_type, values=(decode_text(byte),))
            return attribute, byte.decode("latin-1")
    elif len(items) == 1:
        attribute = make_attribute(source, name, at, nc_type, items)
        return attribute, attribute.values[0]
    at = items[0].at if items else at
    kind = "char" if nc_type is Atomic.CHAR else "value"
    raise source.error(at, f"_FillValue needs exactly one {kind}")


def _infer_type(source: SourceText, items: Sequence[Item]) -> Atomic:
    kinds = set()
    for item in items:
        if not isinstance(item, Constant):
            raise source.error(
                item.at,
                "values in braces need a type",
                "write the type before the attribute: TYPE v:name",
            )
        if item.kind in (Kind.HEX, Kind.LABEL, Kind.NIL):
            printed = f"`{item.value}`" if item.kind is Kind.LABEL else item.kind.value
            raise source.error(
                item.at,
                f"cannot infer a type from {printed}",
                "write the type before the attribute, or put text in quotes",
            )
        kinds.add(item.kind)
    if kinds <= {Kind.STRING}:
        return Atomic.CHAR
    if Kind.STRING in kinds:
        raise source.error(
            items[0].at,
            "an attribute cannot mix text and numbers",
            "write `string` or `char` before the attribute, or make two attributes",
        )
    numbers = [item for item in items if isinstance(item, Constant)]
    types = [number.type for number in numbers]
    for atomic in (Atomic.DOUBLE, Atomic.FLOAT):
        if atomic in types:
            return atomic
    widest = Atomic.BYTE
    for number in numbers:
        if number.type is None:
            raise source.error(number.at, f"{shorten(number.value)} does not fit 64 bits")
        if number.value > Atomic.INT64.limits[1]:
            return Atomic.UINT64
        if number.type.size >= widest.size:  # of two types of the same width, the last
            widest = number.type
    return widest
