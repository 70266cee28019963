"""Selections and options from the arguments of Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ncz.commands.functions import Words, words
from ncz.commands.subsets.spelling import parse_value
from ncz.model.selection import Between, Index, Selection, Value


def subset_of(
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    *,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
) -> Selection | None:
    """Return the subset that mappings from dimensions to indices and to values select.

    Returns
    -------
    Selection or None
        None if nothing is selected.

    Raises
    ------
    TypeError
        If an index is neither an integer nor a slice.
    """
    if not (isel or sel or vars or exclude):
        return None
    return Selection(
        by_index={name: _index(index) for name, index in (isel or {}).items()},
        by_value={name: _values(value) for name, value in (sel or {}).items()},
        nearest=nearest,
        vars=words(vars),
        exclude=words(exclude),
    )


def _index(index: Any) -> Index:
    if isinstance(index, slice):
        parts = (index.start, index.stop, index.step)
        return slice(*(None if part is None else _integer(part) for part in parts))
    return _integer(index)


def _integer(value: Any) -> int:
    from operator import index

    try:
        return index(value)
    except TypeError:
        raise TypeError(f"{value!r} is neither an integer nor a slice") from None


def _values(value: Any) -> Value | Between:
    if not isinstance(value, slice):
        return parse_value(value) if isinstance(value, str) else _value(value)
    if value.step is not None:
        raise TypeError("a slice of values cannot have a step")
    low, high = (None if end is None else _value(end) for end in (value.start, value.stop))
    return Between(low, high)


def _value(value: Any) -> Value:
    """Return a number, a text or a date of Python or numpy as a number or a text."""
    if hasattr(value, "isoformat"):
        return str(value.isoformat())
    if hasattr(value, "item") and value.dtype.kind in "iuf":
        value = value.item()
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return value if is_number else str(value)


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
            if each.argument in _SPECS and each.option.parse is not None:
                value = _specs(value, each.option.parse)
            elif each.default == () or each.annotation in _LISTS:
                value = None if value is None else words(value)
            values[each.name] = value
    names = _OF_A_PART if "isel" in arguments else ()
    part = {name: arguments[name] for name in names}
    given = {name: value for name, value in values.items() if name not in part}
    fields = fields_given(options, given)
    return fields | {"subset": subset_of(**part)} if part else fields


_OF_A_PART = ("isel", "sel", "nearest", "vars", "exclude")


_LISTS = ("tuple[str, ...] | None", "Words | None")
_SPECS = ("chunks", "shards", "codecs")
"""Arguments that are texts in the words of the command line, or lengths by dimension."""


def _specs(value: Any, parse: Callable[[Any, str], Any]) -> tuple[Any, ...]:
    if isinstance(value, Mapping):
        from ncz.commands.chunkspec import chunkspec_of

        return (chunkspec_of(value),) if value else ()
    return tuple(spec for text in words(value) for spec in parse(text, ""))
