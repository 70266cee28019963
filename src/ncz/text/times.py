"""Convert CF times to dates and back, for ``-t`` and ``-i`` and for limits of a time coordinate.

A variable has times if its ``units`` are ``UNIT since DATE``; so has the variable named by its
attribute ``bounds`` or ``climatology`` (CF Conventions, sections 4.4 and 7.1). All arithmetic is
exact, in whole microseconds, so a date is the same on every machine.
"""

from __future__ import annotations

import math
import re
import warnings
from collections.abc import Mapping
from datetime import timedelta
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from ncz.errors import Notice, Notify, ignore_notice
from ncz.model.tree import Group
from ncz.record import field, record

if TYPE_CHECKING:
    from ncz.model.data import Values

_SECOND = 1_000_000
_MICROSECONDS = {
    "microsecond": 1, "microsec": 1, "millisecond": 1000, "millisec": 1000, "msec": 1000,
    "ms": 1000, "second": _SECOND, "sec": _SECOND, "s": _SECOND,
    "minute": 60 * _SECOND, "min": 60 * _SECOND, "mn": 60 * _SECOND,
    "hour": 3600 * _SECOND, "hr": 3600 * _SECOND, "h": 3600 * _SECOND,
    "day": 86400 * _SECOND, "dy": 86400 * _SECOND, "d": 86400 * _SECOND,
    "week": 7 * 86400 * _SECOND, "wk": 7 * 86400 * _SECOND,
}  # fmt: skip
_MONTHS = {"month": 1, "mo": 1, "mon": 1, "season": 3, "year": 12, "yr": 12}
_DAY = 86400 * _SECOND

CALENDARS = {
    "": "standard", "standard": "standard", "gregorian": "standard",
    "proleptic_gregorian": "proleptic_gregorian", "julian": "julian",
    "noleap": "noleap", "no_leap": "noleap", "365_day": "noleap",
    "all_leap": "all_leap", "allleap": "all_leap", "366_day": "all_leap", "360_day": "360_day",
}  # fmt: skip
"""cftime's name of each calendar of CF and ncdump."""

_UNITS = re.compile(r"\s*([A-Za-z]+)\s+since\s+(.*?)\s*", re.IGNORECASE | re.DOTALL)
_DATE = re.compile(
    r"([+-]?\d{1,6})(?:-(\d{1,2})(?:-(\d{1,2}))?)?"
    r"(?:(?:\s+|\s*T\s*)(\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d*))?)?)?)?"
    r"\s*(?:Z|UTC|GMT|([+-])(\d{1,2})(?::?(\d{2}))?)?",
    re.IGNORECASE,
)
_FULL_DATE = re.compile(
    r"(-?\d{1,6})-(\d{1,2})-(\d{1,2})"
    r"(?:[T ](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,18}))?)?)?)?"
)
_PACKED = re.compile(r"(\d{4})(\d{2})(\d{2})(?=$|[T\s])")


@record
class Times:
    """Converts the numbers of one variable to dates.

    `origin` is midnight of the reference day, a cftime datetime, and `offset` the microseconds from
    there to the reference time. `step` is the length of one unit in microseconds or months.
    """

    origin: Any
    offset: int
    step: int
    in_months: bool
    separator: str
    dates: dict[int, str] = field(default_factory=dict, compare=False, repr=False)
    """The text of each day so far, counted from the origin."""

    def format(self, value: float) -> str | None:
        """Format a date; None if `value` is not finite, out of range, or a fraction of a month."""
        if not math.isfinite(value):
            return None
        numerator, denominator = value.as_integer_ratio()
        numerator *= self.step
        try:
            if self.in_months:
                months, part = divmod(numerator, denominator)
                return None if part else self._months(months)
            moment = self.offset + (2 * numerator + denominator) // (2 * denominator)
            days, rest = divmod(moment, _DAY)
            return f"{self._day(days)}{self._clock(rest)}"
        except (OverflowError, ValueError):
            return None

    def is_exact(self, value: float, *, single: bool = False) -> bool:
        """Return whether the date of a value is read back as the same value.

        `single` is true for values of type float.
        """
        if self.in_months or not math.isfinite(value):
            return True
        numerator, denominator = value.as_integer_ratio()
        whole = (2 * numerator * self.step + denominator) // (2 * denominator)
        return _nearest(Fraction(whole, self.step), single=single) == value

    def parse(self, text: str) -> Fraction:
        """Return the number of a date exactly: the inverse of `format`.

        Raises
        ------
        ValueError
            If the text is not a date of the calendar, with year, month and day; or if units of
            months or years have no number for it.
        """
        match = _FULL_DATE.fullmatch(text)
        if match is None:
            raise ValueError(f"{text!r} is not a date, such as 2000-01-31 06:30")
        year, month, day, hour, minute, second = (int(part or 0) for part in match.groups()[:6])
        if hour > 23 or minute > 59 or second > 59:
            raise ValueError(f"{text!r} has an invalid time of day")
        try:
            midnight = _midnight(year, month, day, self.origin.calendar)
        except ValueError:
            raise ValueError(f"{text!r} does not exist in the calendar") from None
        fraction = match[7] or "0"
        seconds = (hour * 60 + minute) * 60 + second + Fraction(int(fraction), 10 ** len(fraction))
        clock = seconds * _SECOND
        if not self.in_months:
            days: int = (midnight - self.origin).days
            return (days * _DAY + clock - self.offset) / self.step
        months = (year - self.origin.year) * 12 + month - self.origin.month
        if clock != self.offset or not self._months(months).startswith(_format_date(midnight)):
            raise ValueError(f"{text!r} is not whole months after the date of the units")
        return Fraction(months, self.step)

    def _day(self, days: int) -> str:
        text = self.dates.get(days)
        if text is None:
            text = _format_date(_later(self.origin, days))
            self.dates[days] = text
        return text

    def _months(self, months: int) -> str:
        year, month = divmod(self.origin.year * 12 + self.origin.month - 1 + months, 12)
        day = self.origin.day
        while True:  # the last day of a shorter month
            try:
                date = _midnight(year, month + 1, day, self.origin.calendar)
            except ValueError:
                day -= 1
                if day < 28:
                    raise
                continue
            return f"{_format_date(date)}{self._clock(self.offset)}"

    def _clock(self, rest: int) -> str:
        """Format the time of day, down to hours, minutes, seconds or all six decimals as needed."""
        if not rest:
            return ""
        seconds, fraction = divmod(rest, _SECOND)
        minutes, second = divmod(seconds, 60)
        hour, minute = divmod(minutes, 60)
        text = f"{self.separator}{hour:02}"
        if minute or second or fraction:
            text += f":{minute:02}"
        if second or fraction:
            text += f":{second:02}"
        return f"{text}.{fraction:06}" if fraction else text


def _nearest(number: Fraction, *, single: bool) -> float:
    """Return the nearest number of type double, or of type float."""
    value = number.numerator / number.denominator  # rounded correctly, as both are integers
    if not single:
        return value
    import numpy as np

    return float(np.float32(value))


def _format_date(date: Any) -> str:
    return f"{date.year:0{5 if date.year < 0 else 4}}-{date.month:02}-{date.day:02}"


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
    step = _of_unit(_MICROSECONDS, unit)
    months = _of_unit(_MONTHS, unit)
    if step is None and months is None:
        return None
    known_calendar = CALENDARS.get(calendar.strip().lower())
    if known_calendar is None:
        raise ValueError(f"unknown calendar {calendar!r}")
    date = _DATE.fullmatch(_PACKED.sub(r"\1-\2-\3", match[2]))
    if date is None:
        raise ValueError(f"{match[2]!r} is not a date")
    origin, offset = _origin(date, known_calendar)
    return Times(
        origin=origin,
        offset=offset,
        step=months or step or 0,
        in_months=months is not None,
        separator=separator,
    )


def _of_unit(steps: Mapping[str, int], unit: str) -> int | None:
    return steps.get(unit) or (steps.get(unit[:-1]) if len(unit) > 2 and unit[-1] == "s" else None)


def _origin(date: re.Match[str], calendar: str) -> tuple[Any, int]:
    """Return midnight, as a cftime datetime, and the microseconds after it."""
    year, month, day, hour, minute, second = (
        int(part or least)
        for part, least in zip(date.groups()[:6], (0, 1, 1, 0, 0, 0), strict=True)
    )
    if hour > 24 or minute > 59 or second > 60:
        raise ValueError(f"{date[0]!r} has an invalid time of day")
    try:
        midnight = _midnight(year, month, day, calendar)
    except ValueError:
        raise ValueError(f"{date[0]!r} does not exist in the calendar {calendar}") from None
    offset = ((hour * 60 + minute) * 60 + second) * _SECOND
    offset += int((date[7] or "0")[:6].ljust(6, "0"))
    if date[8]:  # east of Greenwich, clocks are ahead
        zone = (int(date[9]) * 60 + int(date[10] or 0)) * 60 * _SECOND
        offset -= -zone if date[8] == "-" else zone
    days, offset = divmod(offset, _DAY)
    return _later(midnight, days), offset


def _midnight(year: int, month: int, day: int, calendar: str) -> Any:
    """Return a day as a cftime datetime. Year 0 exists, as in ISO 8601, ncdump and most models."""
    import cftime

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cftime.CFWarning)  # CF discourages year 0
        return cftime.datetime(year, month, day, calendar=calendar, has_year_zero=True)


def _later(date: Any, days: int) -> Any:
    from datetime import timedelta

    import cftime

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cftime.CFWarning)
        return date + timedelta(days=days)


def find_times(group: Group, separator: str, notify: Notify = ignore_notice) -> dict[str, Times]:
    """Return the times of a group's variables by name, without the variables that have none."""
    times_by_name: dict[str, Times] = {}
    for variable in group.variables:
        if not variable.has_numbers:
            continue
        units = variable.text("units")
        try:
            times = parse_times(units, variable.text("calendar"), separator)
        except ValueError as error:
            notify(
                Notice(
                    "time-units-ignored",
                    f"the units {units!r} are not a valid time: {error}",
                    location=variable.name,
                    hint="numbers are printed instead of dates",
                )
            )
            continue
        if times is not None:
            times_by_name[variable.name] = times
    for variable in group.variables:
        for name in ("bounds", "climatology"):
            bounds = variable.text(name)
            if variable.name in times_by_name and _is_numeric(group, bounds):
                times_by_name.setdefault(bounds, times_by_name[variable.name])
    return times_by_name


def _is_numeric(group: Group, name: str) -> bool:
    variable = next((v for v in group.variables if v.name == name), None)
    return variable is not None and variable.has_numbers and variable.attribute("units") is None


# Dates as limits of a time coordinate: "2026-01", "2026-02-01", "2026-02-01T06:00".
#
# A date stands for the whole period that it names, as in xarray: "2026-01" ends with January.

_PARTIAL_DATE = re.compile(
    r"(-?\d{1,6})"
    r"(?:-(\d{1,2})(?:-(\d{1,2})(?:[T ](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d+))?)?)?)?)?)?"
)
_YEAR = re.compile(r"\d{4}")
_MICROSECOND = timedelta(microseconds=1)


def is_year(text: str) -> bool:
    """Return whether a text is a year rather than another number."""
    return _YEAR.fullmatch(text) is not None


def is_date(text: str) -> bool:
    """Return whether a text has the form of a date, or of a part of one such as "2026-01"."""
    return is_year(text) or ("-" in text[1:] and _PARTIAL_DATE.fullmatch(text) is not None)


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
    match = _PARTIAL_DATE.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a date")
    *numbers, fraction = match.groups()
    parts = [int(part) for part in numbers if part is not None]
    year, month, day, hour, minute, second = parts + [0, 1, 1, 0, 0, 0][len(parts) :]
    try:
        start = times.origin.replace(
            year=year, month=month, day=day, hour=hour, minute=minute, second=second,
            microsecond=int((fraction or "0")[:6].ljust(6, "0")),
        )  # fmt: skip
        end = start if fraction else _next(start, len(parts)) - _MICROSECOND
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


# Times in the units of another variable: the same moments, exactly.

_REFORM = -141427 * _DAY
"""1582-10-15, from which on the standard calendar is the proleptic Gregorian one, after 1970."""


def are_convertible(ours: Times, theirs: Times) -> bool:
    """Return whether times can be expressed in the units of others.

    Their calendars must be the same, or differ only before 1582-10-15. Months and years are not a
    fixed number of days, so that they can only become other months and years.
    """
    calendars = {ours.origin.calendar, theirs.origin.calendar}
    if ours.in_months or theirs.in_months:
        days = {(t.origin.day, t.offset) for t in (ours, theirs)}
        is_alike = ours.in_months == theirs.in_months and len(calendars) == len(days) == 1
        return is_alike and ours.origin.day <= 28
    return len(calendars) == 1 or calendars == {"standard", "proleptic_gregorian"}


def convert_times(values: Values, ours: Times, theirs: Times, dtype: Any) -> Values:
    """Return times in other units.

    Parameters
    ----------
    values
        Finite numbers in the units `ours`.
    ours, theirs
        The units, for which `are_convertible` is true.
    dtype
        The dtype of the result.

    Raises
    ------
    ValueError
        If `dtype` cannot hold a time with an error of at most half a microsecond.
    """
    import numpy as np

    if not values.size:
        return values.astype(dtype)
    shift = _after_1970(ours) - _after_1970(theirs)
    if ours.in_months:
        shift = _months_of(ours) - _months_of(theirs)
    floors = np.floor(values) if values.dtype.kind == "f" else values
    most = max(abs(int(floors.min())), abs(int(floors.max())) + 1)
    if most * ours.step + abs(shift) >= 2**62:
        raise ValueError("a time is out of range")
    rest = (values - floors).astype("f8") * ours.step  # less than one unit, so exact enough
    if ours.in_months and rest.any():
        raise ValueError("a fraction of a month has no date")
    moments = floors.astype("i8") * ours.step + shift
    is_other_calendar = ours.origin.calendar != theirs.origin.calendar
    if is_other_calendar and int(moments.min()) + _after_1970(theirs) < _REFORM:
        raise ValueError("a time is before 1582-10-15, where the calendars differ")
    target = np.dtype(dtype)
    if target.kind in "iu":
        result, remainder = np.divmod(moments + np.rint(rest).astype("i8"), theirs.step)
        limits = np.iinfo(target)
        if remainder.any() or result.min() < limits.min or result.max() > limits.max:
            at = int(np.flatnonzero(remainder)[0]) if remainder.any() else 0
            raise ValueError(f"{values.ravel()[at]} is not a whole number in the other units")
        whole_numbers: Values = result.astype(target)
        return whole_numbers
    whole, remainder = np.divmod(moments, theirs.step)
    converted: Values = (whole + (remainder + rest) / theirs.step).astype(target)
    again = np.floor(converted.astype("f8"))
    fraction = converted.astype("f8") - again
    errors = moments - again.astype("i8") * theirs.step + (rest - fraction * theirs.step)
    inexact = np.abs(errors) > 0.5
    if inexact.any():
        raise ValueError(
            f"{values[inexact].ravel()[0]} is not exact in the other units as {target.name}"
        )
    return converted


def _after_1970(times: Times) -> int:
    """Return the microseconds from the start of 1970 to the reference time."""
    start = times.origin.replace(year=1970, month=1, day=1)
    return int((times.origin - start) // _MICROSECOND) + times.offset


def _months_of(times: Times) -> int:
    return int(times.origin.year) * 12 + int(times.origin.month)
