"""Numbers of times as dates and back, for ``-t`` and ``-i``, messages and selections.

All arithmetic is exact, in whole attoseconds, so a date is the same on every machine.
"""

from __future__ import annotations

import math
import re
import warnings
from fractions import Fraction
from typing import Any

from ncz.late import numpy as np
from ncz.record import field, record

SECOND = 10**18
"""Attoseconds of a second."""
DAY = 86400 * SECOND
MICROSECOND = SECOND // 10**6

_FULL_DATE = re.compile(
    r"(-?\d{1,6})-(\d{1,2})-(\d{1,2})"
    r"(?:[T ](\d{1,2})(?::(\d{1,2})(?::(\d{1,2})(?:\.(\d{1,18}))?)?)?)?"
)

_LAST_YEAR = 999_999
"""Years of more digits are not dates: cftime takes a time that grows with the year."""


@record
class Times:
    """Converts the numbers of one variable to dates.

    `origin` is midnight of the reference day, a cftime datetime, and `offset` the attoseconds from
    there to the reference time. `step` is the length of one unit in attoseconds or months. Dates
    are rounded to `resolution` attoseconds: a microsecond, or less for finer units. `calendar` is
    the dates' calendar, which differs from the one of `origin` for "tai": it counts the days as
    "proleptic_gregorian" does.
    """

    origin: Any
    offset: int
    step: int
    in_months: bool
    resolution: int
    separator: str
    calendar: str
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
            moment = self.offset + _round_ratio(numerator, denominator, self.resolution)
            days, rest = divmod(moment, DAY)
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
        whole = _round_ratio(numerator * self.step, denominator, self.resolution)
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
            start = midnight(year, month, day, self.calendar)
        except ValueError:
            raise ValueError(f"{text!r} does not exist in the calendar") from None
        clock = ((hour * 60 + minute) * 60 + second) * SECOND
        clock += int((match[7] or "0").ljust(18, "0"))
        if not self.in_months:
            return self.number(start, clock)
        months = (year - self.origin.year) * 12 + month - self.origin.month
        if clock != self.offset or not self._months(months).startswith(_format_date(start)):
            raise ValueError(f"{text!r} is not whole months after the date of the units")
        return Fraction(months, self.step)

    def number(self, day: Any, clock: int) -> Fraction:
        """Return the number of a day, a cftime datetime, and the attoseconds after midnight."""
        days: int = (day - self.origin).days
        return Fraction(days * DAY + clock - self.offset, self.step)

    def _day(self, days: int) -> str:
        text = self.dates.get(days)
        if text is None:
            if abs(days) > 366 * _LAST_YEAR:
                raise OverflowError
            text = _format_date(later(self.origin, days))
            self.dates[days] = text
        return text

    def _months(self, months: int) -> str:
        year, month = divmod(self.origin.year * 12 + self.origin.month - 1 + months, 12)
        day = self.origin.day
        if abs(year) > _LAST_YEAR:
            raise OverflowError
        while True:  # the last day of a shorter month
            try:
                date = midnight(year, month + 1, day, self.calendar)
            except ValueError:
                day -= 1
                if day < 28:
                    raise
                continue
            return f"{_format_date(date)}{self._clock(self.offset)}"

    def _clock(self, rest: int) -> str:
        """Format the time of day, down to hours, minutes, seconds or decimals as needed.

        A fraction has six decimals, or as many groups of three more as it needs.
        """
        if not rest:
            return ""
        seconds, fraction = divmod(rest, SECOND)
        minutes, second = divmod(seconds, 60)
        hour, minute = divmod(minutes, 60)
        text = f"{self.separator}{hour:02}"
        if minute or second or fraction:
            text += f":{minute:02}"
        if second or fraction:
            text += f":{second:02}"
        if not fraction:
            return text
        digits = 6
        while fraction % 10 ** (18 - digits):
            digits += 3
        return f"{text}.{fraction // 10 ** (18 - digits):0{digits}}"


def _round_ratio(numerator: int, denominator: int, unit: int) -> int:
    """Return a ratio rounded to whole units; halves are rounded up."""
    return (2 * numerator + denominator * unit) // (2 * denominator * unit) * unit


def _nearest(number: Fraction, *, single: bool) -> float:
    """Return the nearest number of type double, or of type float."""
    value = number.numerator / number.denominator  # rounded correctly, as both are integers
    if not single:
        return value

    return float(np.float32(value))


def _format_date(date: Any) -> str:
    """Format a day. Raises `OverflowError` if its year has more than six digits."""
    if abs(date.year) > _LAST_YEAR:
        raise OverflowError
    return f"{date.year:0{5 if date.year < 0 else 4}}-{date.month:02}-{date.day:02}"


def midnight(year: int, month: int, day: int, calendar: str) -> Any:
    """Return a day as a cftime datetime. Year 0 exists, as in ISO 8601, ncdump and most models."""
    import cftime

    name = "proleptic_gregorian" if calendar == "tai" else calendar  # cftime's tai begins in 1958
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cftime.CFWarning)  # CF discourages year 0
        return cftime.datetime(year, month, day, calendar=name, has_year_zero=True)


def later(date: Any, days: int) -> Any:
    """Return the date some days after another, or before it."""
    from datetime import timedelta

    import cftime

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", cftime.CFWarning)
        return date + timedelta(days=days)
