"""Describe a copy in a sentence, for stores that keep a history."""

from __future__ import annotations

from ncz.commands.copy.options import CopyOptions
from ncz.commands.sources import name_of

_NAMED = 3
"""Number of sources that are named."""


def description_of(options: CopyOptions) -> str:
    """Return a description of a copy, such as "Join a.nc and b.nc along time"."""
    names = [name_of(source) for source in options.sources]
    if options.append is not None:
        return f"Append {_list_of(names)} along {options.append}"
    along = options.concat or options.new_dimension
    if along is not None:
        return f"Join {_list_of(names)} along {along}"
    if options.add:
        return f"Add {_list_of(names)}"
    return f"{'Merge' if len(names) > 1 else 'Copy'} {_list_of(names)}"


def _list_of(names: list[str]) -> str:
    if len(names) == 1:
        return names[0]
    if len(names) <= _NAMED:
        return f"{', '.join(names[:-1])} and {names[-1]}"
    return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} other sources"
