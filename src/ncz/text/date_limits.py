"""Dates as limits of a time coordinate: "2026-01", "2026-02-01", "2026-02-01T06:00".

A date means the whole period that it names, as in xarray: "2026-01" ends with January.
"""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from ncz.text.times import SECOND, Times, later, midnight

_PARTIAL_DATE = re.compile(
    r"(-?\d{1,6})"
    r"(?:-(\d{1,2})(?:-(\d{1,2})"
    r"(?:[T ](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,18}))?)?)?)?)?)?"
)
_YEAR = re.compile(r"\d{4}")
_UNDERSCORE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})_(?=\d)")
"""A date of WRF, up to the time of day."""


_UTC = re.compile(r"^(\d{4}-[\dT:. -]+)Z$")


def with_iso_date(text: str) -> str:
    """Return a date such as ``2026-01-31_06`` in ISO 8601, without the Z of UTC."""
    return _UTC.sub(r"\1", _UNDERSCORE.sub(r"\1T", text))


def is_year(text: str) -> bool:
    """Return whether a text is a year rather than another number."""
    return _YEAR.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Return whether a text has the form of a date, or of a part of one such as "2026-01"."""
    return is_year(text) or ("-" in text[1:] and _PARTIAL_DATE.fullmatch(text) is not None)


def parse_limits(times: Times, ends: tuple[str, str]) -> tuple[Fraction | None, Fraction | None]:
    """Return the limits of a period in the units of a coordinate, both included, exactly.

    Parameters
    ----------
    times
        The units and the calendar of the coordinate.
    ends
        The first and the last date; "" for an end without a limit.

    Raises
    ------
    ValueError
        If a text is not a date of the calendar, or the units are months or years.
    """
    if times.in_months:
        raise ValueError("dates cannot be compared with units of months or years")
    low = _period(times, ends[0])[0] if ends[0] else None
    high = _period(times, ends[1])[1] if ends[1] else None
    return low, high


def _period(times: Times, text: str) -> tuple[Fraction, Fraction]:
    """Return the first and the last moment of the period that a date names."""
    match = _PARTIAL_DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a date")
    *numbers, fraction = match.groups()
    parts = [int(part) for part in numbers if part is not None]
    year, month, day, hour, minute, second = parts + [0, 1, 1, 0, 0, 0][len(parts) :]
    if hour > 23 or minute > 59 or second > 59:
        raise ValueError(f"{text!r} has an invalid time of day")
    try:
        date = midnight(year, month, day, times.calendar)
        after = _first_after(date, len(parts))
    except (ValueError, OverflowError):
        raise ValueError(f"{text!r} does not exist in the calendar {times.calendar}") from None
    clock = ((hour * 60 + minute) * 60 + second) * SECOND + int((fraction or "0").ljust(18, "0"))
    start = times.number(date, clock)
    if fraction:
        return start, start
    if after is None:
        lengths = {4: 3600 * SECOND, 5: 60 * SECOND}
        end = times.number(date, clock + lengths.get(len(parts), SECOND))
    else:
        end = times.number(after, 0)
    return start, end - Fraction(times.resolution, times.step)


def _first_after(date: Any, precision: int) -> Any:
    """Return the day after a year, a month or a day; None if a date has a time of day."""
    if precision == 1:
        return midnight(date.year + 1, 1, 1, date.calendar)
    if precision == 2:
        years, month = divmod(date.month, 12)
        return midnight(date.year + years, month + 1, 1, date.calendar)
    return later(date, 1) if precision == 3 else None
