"""Dates as limits of a time coordinate: "2026-01", "2026-02-01", "2026-02-01T06:00".

A date stands for the whole period that it names, as in xarray: "2026-01" ends with January.
"""

from __future__ import annotations

import re
from datetime import timedelta
from typing import Any

from ncz.text.times import Times

_DATE = re.compile(
    r"(-?\d{1,6})(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2})(?::(\d{1,2})(?::(\d{1,2}))?)?)?)?)?"
)
_MICROSECOND = timedelta(microseconds=1)


def parse_limits(times: Times, ends: tuple[str, str]) -> tuple[float | None, float | None]:
    """Return the limits of a period in the units of a coordinate, both included.

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


def _period(times: Times, text: str) -> tuple[float, float]:
    """Return the first and the last moment of the period that a date names."""
    match = _DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a date")
    parts = [int(part) for part in match.groups() if part is not None]
    year, month, day, hour, minute, second = (parts + [0, 1, 1, 0, 0, 0][len(parts) :])[:6]
    try:
        start = times.origin.replace(
            year=year, month=month, day=day, hour=hour, minute=minute, second=second
        )
        end = _next(start, len(parts)) - _MICROSECOND
    except ValueError as error:
        raise ValueError(f"{text!r} does not exist in the calendar: {error}") from None
    return _number(times, start), _number(times, end)


def _next(start: Any, precision: int) -> Any:
    """Return the start of the next period of the same length."""
    if precision == 1:
        return start.replace(year=start.year + 1)
    if precision == 2:
        years, month = divmod(start.month, 12)
        return start.replace(year=start.year + years, month=month + 1)
    lengths = {3: timedelta(days=1), 4: timedelta(hours=1), 5: timedelta(minutes=1)}
    return start + lengths.get(precision, timedelta(seconds=1))


def _number(times: Times, date: Any) -> float:
    microseconds = (date - times.origin) // _MICROSECOND - times.offset
    return float(microseconds / times.step)
