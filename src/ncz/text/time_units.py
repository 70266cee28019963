"""The ``units`` and the ``calendar`` of times: texts such as "hours since 2000-01-01" to `Times`.

A date is read as ISO 8601 and cftime have it, the year first. Months and years follow the calendar,
as in ncdump; where all have the same length, they are that many days, as in cftime.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from ncz.text.times import DAY, MICROSECOND, SECOND, Times, later, midnight

_MINUTE, _HOUR = 60 * SECOND, 3600 * SECOND
_ATTOSECONDS = {
    "attosecond": 1, "femtosecond": 10**3, "fs": 10**3, "picosecond": 10**6, "ps": 10**6,
    "nanosecond": 10**9, "nanosec": 10**9, "nsec": 10**9, "ns": 10**9,
    "microsecond": 10**12, "microsec": 10**12, "us": 10**12,
    "millisecond": 10**15, "millisec": 10**15, "msec": 10**15, "ms": 10**15,
    "second": SECOND, "sec": SECOND, "s": SECOND, "minute": _MINUTE, "min": _MINUTE, "mn": _MINUTE,
    "hour": _HOUR, "hr": _HOUR, "h": _HOUR, "day": DAY, "dy": DAY, "d": DAY,
    "week": 7 * DAY, "wk": 7 * DAY,
}  # fmt: skip
_MONTHS = {"month": 1, "mo": 1, "mon": 1, "season": 3, "year": 12, "yr": 12}
_DAYS_OF_MONTH = {"360_day": 30}
"""The days of a month, in the calendars with equal months."""

CALENDARS = {
    "": "standard", "standard": "standard", "gregorian": "standard",
    "proleptic_gregorian": "proleptic_gregorian", "julian": "julian", "tai": "tai",
    "noleap": "noleap", "no_leap": "noleap", "365_day": "noleap",
    "all_leap": "all_leap", "allleap": "all_leap", "366_day": "all_leap", "360_day": "360_day",
}  # fmt: skip
"""cftime's name of each calendar of CF and ncdump."""

_UNITS = re.compile(r"\s*([A-Za-z_]+)\s+since\s+(.*?)\s*", re.IGNORECASE | re.DOTALL)
_DATE = re.compile(
    r"([+-]?\d{1,6})(?:-(\d{1,2})(?:-(\d{1,2}))?)?"
    r"(?:(?:\s+|\s*T\s*|[^\d\s+.-])(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?)?)?"
    r"(?:\s*(?:Z|UTC|GMT)|\s+00?(?::?00)?|\s*([+-])(\d{1,2})(?::?(\d{2}))?)?",
    re.IGNORECASE,
)
_PACKED = re.compile(r"\A(\d{4})(\d{2})(\d{2})(?=$|[T\s])")
_YEAR_LAST = re.compile(r"\d{1,2}-\d{1,2}-\d{3,}.*", re.DOTALL)
_DIGITS = 18
"""Digits of a fraction of a second that are read: down to attoseconds."""


def reference_date(units: str) -> str:
    """Return the text of the date in units of time."""
    match = _UNITS.fullmatch(units)
    return match[2] if match is not None else ""


def parse_times(units: str, calendar: str, separator: str) -> Times | None:
    """Parse the ``units`` and ``calendar`` of a variable.

    Parameters
    ----------
    separator
        Text between the date and the time of day.

    Returns
    -------
    Times or None
        None if `units` are not a unit of time since a date.

    Raises
    ------
    ValueError
        The calendar is not known or the date is not valid.
    """
    match = _UNITS.fullmatch(units)
    if match is None:
        return None
    unit = match[1].lower()
    step = _of_unit(_ATTOSECONDS, unit)
    months = _of_unit(_MONTHS, unit)
    is_common_year = unit in ("common_year", "common_years")
    if step is None and months is None and not is_common_year:
        return None
    known_calendar = CALENDARS.get(calendar.strip().lower())
    if known_calendar is None:
        raise ValueError(f"unknown calendar {calendar!r}")
    if is_common_year:
        if known_calendar != "noleap":
            raise ValueError("a common_year is a unit of the calendar noleap only")
        step = 365 * DAY
    if months is not None and known_calendar in _DAYS_OF_MONTH:
        step, months = months * _DAYS_OF_MONTH[known_calendar] * DAY, None
    if _YEAR_LAST.fullmatch(match[2]):
        raise ValueError(f"{match[2]!r} does not begin with the year, as 2000-01-31 does")
    date = _DATE.fullmatch(_PACKED.sub(r"\1-\2-\3", match[2]))
    if date is None or (date[8] and date[3] is None):
        raise ValueError(f"{match[2]!r} is not a date")
    origin, offset = _origin(date, known_calendar)
    return Times(
        origin=origin,
        offset=offset,
        step=months or step or 0,
        in_months=months is not None,
        resolution=_resolution(offset if months else math.gcd(offset, step or 0)),
        separator=separator,
        calendar=known_calendar,
    )


def _of_unit(steps: Mapping[str, int], unit: str) -> int | None:
    return steps.get(unit) or (steps.get(unit[:-1]) if len(unit) > 2 and unit[-1] == "s" else None)


def _resolution(common: int) -> int:
    """Return a microsecond, or the longest shorter unit that divides `common`."""
    unit = MICROSECOND
    while common % unit:
        unit //= 1000
    return unit


def _origin(date: re.Match[str], calendar: str) -> tuple[Any, int]:
    """Return midnight, as a cftime datetime, and the attoseconds after it."""
    year, month, day, hour, minute, second = (
        int(part or least)
        for part, least in zip(date.groups()[:6], (0, 1, 1, 0, 0, 0), strict=True)
    )
    if hour > 24 or minute > 59 or second > 60:
        raise ValueError(f"{date[0]!r} has an invalid time of day")
    try:
        start = midnight(year, month, day, calendar)
    except ValueError:
        raise ValueError(f"{date[0]!r} does not exist in the calendar {calendar}") from None
    offset = ((hour * 60 + minute) * 60 + second) * SECOND
    offset += int((date[7] or "0")[:_DIGITS].ljust(_DIGITS, "0"))
    if date[8]:  # east of Greenwich, clocks are ahead
        hours, minutes = int(date[9]), int(date[10] or 0)
        if hours > 23 or minutes > 59:
            raise ValueError(f"{date[0]!r} has an invalid time zone")
        zone = (hours * 60 + minutes) * _MINUTE
        offset -= -zone if date[8] == "-" else zone
    days, offset = divmod(offset, DAY)
    return later(start, days), offset
