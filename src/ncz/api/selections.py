"""Selections and chunks in Python's words as the text of options."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ncz.api.arguments import Words, words
from ncz.commands.subsets.selection import Subset


def subset_of(
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    *,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
) -> Subset | None:
    """Return the subset that mappings from dimensions to indices and to values select.

    Returns
    -------
    Subset or None
        None if nothing is selected.

    Raises
    ------
    TypeError
        If an index is neither an integer nor a slice.
    """
    if not (isel or sel or vars or exclude):
        return None
    return Subset(
        isel=tuple(f"{name}={_index(value)}" for name, value in (isel or {}).items()),
        sel=tuple(f"{name}={_value(value)}" for name, value in (sel or {}).items()),
        nearest=nearest,
        vars=words(vars),
        exclude=words(exclude),
    )


def _index(value: Any) -> str:
    if isinstance(value, slice):
        parts = (value.start, value.stop, value.step)
        return ":".join("" if part is None else str(_integer(part)) for part in parts)
    return str(_integer(value))


def _integer(value: Any) -> int:
    from operator import index

    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{value!r} is neither an integer nor a slice") from None


def _value(value: Any) -> str:
    if not isinstance(value, slice):
        return _text(value)
    if value.step is not None:
        raise TypeError("a slice of values cannot have a step")
    # Times have colons.
    return "/".join("" if end is None else _text(end) for end in (value.start, value.stop))


def _text(value: Any) -> str:
    """Return a number, a text or a date as text; numpy's numbers and dates too."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if not isinstance(value, str) and re.fullmatch(r"\d{4}", str(value)):
        return f"+{value}"  # a text of four digits would be a year
    return str(value.item() if hasattr(value, "item") and value.dtype.kind in "iuf" else value)


def fields_from(options: type, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a record from the arguments of a function, by their names in Python."""
    from ncz.commands.fields import declared, fields_given
    from ncz.commands.option_error import OptionError

    values: dict[str, Any] = {}
    for each in declared(options):
        if each.option.python and each.argument in arguments:
            value = arguments[each.argument]
            choices = () if each.option.parse else each.option.values.choices
            if choices and isinstance(value, str) and value not in choices:
                valid = ", ".join(map(repr, choices))
                raise OptionError(f"{each.argument} cannot be {value!r}", hint=f"choose {valid}")
            if each.default == () or each.annotation in ("tuple[str, ...] | None", "Words | None"):
                value = None if value is None else words(_chunkspecs(value))
            values[each.name] = value
    fields = fields_given(options, values)
    if "isel" in arguments:
        rest = {name: arguments[name] for name in ("nearest", "vars", "exclude")}
        fields["subset"] = subset_of(arguments["isel"], arguments["sel"], **rest)
    return fields


def _chunkspecs(value: Any) -> Any:
    """Return the chunkspec of a mapping from dimensions to lengths; others are returned as is."""
    if not isinstance(value, Mapping):
        return value
    return ",".join(
        f"{name}/{'' if length in (-1, None) else length}" for name, length in value.items()
    )
