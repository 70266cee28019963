"""Parts of dates, such as the month, that select indices: ``time.month=6,7,8``."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.spelling import text_of
from ncz.errors import either
from ncz.late import numpy as np
from ncz.model.data import Values
from ncz.model.selection import ByValue
from ncz.text.times import Times

_DATE = re.compile(r"(?P<year>-?\d+)-(?P<month>\d+)-(?P<day>\d+)(?:[ T](?P<hour>\d+))?")

_SEASONS = ("DJF", "MAM", "JJA", "SON")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_MONTH = re.compile(rf"({'|'.join(_MONTHS)})[a-z]*", re.IGNORECASE)


def _number(name: str) -> Callable[[re.Match[str]], str]:
    return lambda date: str(int(date[name] or 0))


DATE_PARTS: Mapping[str, Callable[[re.Match[str]], str]] = {
    **{name: _number(name) for name in ("year", "month", "day", "hour")},
    "season": lambda date: _SEASONS[int(date["month"]) % 12 // 3],
}
"""The names of parts, as in xarray, and the functions that return them of a date."""


def at_parts(times: Times, values: Values, part: str, wanted: ByValue, text: str) -> Values:
    """Return the indices of the dates with one of several parts, or with one in a range.

    Raises `OptionError` if none exist, or the parts are not valid; `text` is the selection.
    """
    chosen = {one for each in text_of(wanted).split(",") for one in _parts(each, part, text)}
    dates = (_DATE.match(times.format(value) or "") for value in values.tolist())
    of_date = DATE_PARTS[part]
    found = [at for at, date in enumerate(dates) if date is not None and of_date(date) in chosen]
    if not found:
        raise OptionError(f"{text!r} selects nothing: no date has such a {part}")
    return np.array(found)


def _parts(text: str, part: str, selection: str) -> list[str]:
    """Return the parts that one of the texts between commas names: ``6`` or ``6:8``."""
    if part == "season":
        if text.upper() in _SEASONS:
            return [text.upper()]
        raise OptionError(f"{selection!r}: the seasons are {', '.join(_SEASONS)}")
    if part == "month":
        text = _with_numbers(text)
    match = re.fullmatch(r"\+?(-?\d{1,6})(?:[:/-](-?\d{1,6}))?", text.strip())
    if match is None:
        raise OptionError(f"{selection!r}: write a {part} as a number, as in time.{part}=1,2")
    first, last = int(match[1]), int(match[2] or match[1])
    if part == "month" and first > last:  # a winter
        last += 12
        return [str((number - 1) % 12 + 1) for number in range(first, last + 1)]
    return [str(number) for number in range(first, last + 1)]


def _with_numbers(text: str) -> str:
    """Return a text with numbers in place of the English names of months, whole or short."""
    return _MONTH.sub(lambda month: str(_MONTHS.index(month[1].lower()) + 1), text)


def hint_for_part(name: str, text: str) -> str | None:
    """Return a hint for a month or a season in place of a date; None for other texts."""
    if text.upper() in _SEASONS:
        return f"write {either('--sel ', '')}{name}.season={text.upper()}"
    months = _with_numbers(text)
    is_part = months != text and re.fullmatch(r"\d{1,2}(?:[,:/-]\d{1,2})*", months)
    return f"write {either('--sel ', '')}{name}.month={months}" if is_part else None
