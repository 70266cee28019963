"""Selections and options from the arguments of Python functions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from ncz.commands.functions import words
from ncz.commands.subsets.python_values import selection_of


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
    return fields | {"subset": selection_of(**part)} if part else fields


_OF_A_PART = ("isel", "sel", "nearest", "vars", "exclude")


_LISTS = ("tuple[str, ...] | None", "Words | None")
_SPECS = ("chunks", "shards", "codecs")
"""Arguments that are texts in the words of the command line, or lengths by dimension."""


def _specs(value: Any, parse: Callable[[Any, str], Any]) -> tuple[Any, ...]:
    if isinstance(value, Mapping):
        from ncz.commands.chunkspec import chunkspec_of

        return (chunkspec_of(value),) if value else ()
    return tuple(spec for text in words(value) for spec in parse(text, ""))
