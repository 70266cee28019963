"""The attribute ``C_format`` of a variable, which is a printf format for its data."""

from __future__ import annotations

import re

from ncz.errors import Notice, Notify, shorten
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.text.format_values import NumberFormat, Precision, default_format

_C_FORMAT = re.compile(
    r"(?P<before> *)%(?P<flags>[-+ #0]*)(?P<width>\d{0,2})(?P<precision>(?:\.\d{0,2})?)"
    r"(?:hh|h|ll|l|L|q|j|z|t)?(?P<letter>[diouxXeEfFgG])(?P<after> *)"
)


def choose_format(
    variable: Variable, nc_type: Atomic, precision: Precision, notify: Notify
) -> NumberFormat:
    """Return the format of a variable's numbers: its valid ``C_format``, or the default."""
    attribute = variable.attribute("C_format")
    if (
        attribute is not None
        and attribute.type is Atomic.CHAR
        and attribute.values
        and not precision.prevails(nc_type)
    ):
        style = parse_c_format(attribute.text, nc_type)
        if style is not None:
            return style
        notify(
            Notice(
                "c-format-ignored",
                f"C_format is ignored: {shorten(repr(attribute.text))} is not a format of"
                f" {nc_type.word}",
                location=variable.name,
                hint="delete or correct the attribute",
            )
        )
    return default_format(nc_type, precision)


def parse_c_format(text: str, nc_type: Atomic) -> NumberFormat | None:
    """Parse a ``C_format``; return None if it is not safe.

    A safe format is exactly one conversion that fits the type, and blanks around it: the attribute
    comes from untrusted files, and ncdump passes it to printf unchecked.
    """
    match = _C_FORMAT.fullmatch(text)
    if match is None or (match["letter"] in "diouxX") == nc_type.is_floating:
        return None
    unsigned = match["letter"] in "ouxX" and nc_type.kind == "i"
    # C prints a zero without 0x, and Python's # differs for o, too
    if "#" in match["flags"] and not nc_type.is_floating:
        return None
    letter = "d" if match["letter"] == "u" else match["letter"]
    percent = f"%{match['flags']}{match['width']}{match['precision']}{letter}"
    # C promotes integers narrower than int to int.
    bits = max(32, 8 * nc_type.size) if unsigned else None
    return NumberFormat(f"{match['before']}{percent}{match['after']}", bits)
