"""Select indices by coordinates that are texts: names, or dates."""

from __future__ import annotations

import numpy as np

from ncz.commands.option_error import OptionError
from ncz.model.data import Values
from ncz.text.date_texts import parse_date_texts
from ncz.text.times import Times


def at_names(names: list[str], value: str) -> Values | None:
    """Return the indices of a name, or from a name to a later one."""
    found = [at for at, name in enumerate(names) if name == value]
    if found:
        return np.array(found)
    ends = {"", *names}
    for at, sign in enumerate(value):
        first, last = value[:at], value[at + 1 :]
        if sign not in ":/" or first not in ends or last not in ends:
            continue
        begin = names.index(first) if first else 0
        end = len(names) - names[::-1].index(last) if last else len(names)
        if begin < end:
            return np.arange(begin, end)
        raise OptionError(f"{value!r} selects nothing: {first!r} comes after {last!r}")
    return None


def dates_of(names: list[str]) -> tuple[Values, Times] | None:
    """Return the seconds of texts that are dates, and their format; None for other texts."""
    parsed = parse_date_texts(names)
    return None if parsed is None else (np.array(parsed[0], "f8"), parsed[1])
