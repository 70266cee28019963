"""The limits of a selection by value: numbers, or dates in the calendar of a coordinate."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.date_parts import hint_for_part
from ncz.commands.subsets.spelling import number_of
from ncz.commands.subsets.written_ranges import hint_for
from ncz.model.selection import Between, ByValue, OneOf, Value
from ncz.model.tree import Variable
from ncz.record import record
from ncz.text.date_limits import is_date, is_year, parse_limits, with_iso_date
from ncz.text.time_variables import times_of
from ncz.text.times import Times

Ends = tuple[Value | None, Value | None]
"""Two limits; None for an end left out."""


@record(kw_only=True)
class SelectionLimits:
    """The first and the last value that are selected, as numbers; None for an end left out.

    Dates name periods: `end_of_first` and `start_of_last` are the inner ends of these, and `times`
    formats dates. Of numbers, they are the limits themselves.
    """

    low: float | None
    high: float | None
    end_of_first: float | None
    start_of_last: float | None
    times: Times | None = None


def ends_of(value: ByValue) -> Ends:
    """Return the two limits of a selection, which are equal if it is one value."""
    if isinstance(value, Between):
        return _with_iso_date(value.low), _with_iso_date(value.high)
    if isinstance(value, OneOf):
        return _with_iso_date(value.values[0]), _with_iso_date(value.values[-1])
    end = _with_iso_date(value)
    return end, end


def _with_iso_date(end: Value | None) -> Value | None:
    return with_iso_date(end) if isinstance(end, str) else end


def may_be_dates(value: ByValue) -> bool:
    """Return whether the limits of a selection have the form of dates, such as years."""
    return all(_is_date(end) for end in ends_of(value) if end is not None)


def are_numbers(value: ByValue) -> bool:
    """Return whether the limits of a selection are numbers; years are."""
    return all(number_of(end) is not None for end in ends_of(value) if end is not None)


def _is_date(end: Value) -> bool:
    return isinstance(end, str) and is_date(end)


def _is_year(end: Value) -> bool:
    return isinstance(end, str) and is_year(end)


def _as_usual(end: Value | None, *, has_dates: bool) -> Value | None:
    """Return a date without hyphens with them, and degrees with a letter as a number."""
    if has_dates:
        date = _COMPACT_DATE.fullmatch(str(end))
        return end if date is None else "-".join(date.groups())
    degrees = _DEGREES.fullmatch(end) if isinstance(end, str) else None
    if degrees is None:
        return end
    return float(degrees[1]) * (-1 if degrees[2] in "SW" else 1)


_COMPACT_DATE = re.compile(r"(1[5-9]\d\d|2[01]\d\d)(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])")
"""A date such as 20260131; +20260131 is a number."""

_DEGREES = re.compile(r"(\d{1,3}(?:\.\d+)?) ?°?([NSEW])")


def limits_of(
    ends: Ends, variable: Variable, times: Times | None, text: str, *, is_whole: bool
) -> SelectionLimits:
    """Return the limits of a selection as numbers of a coordinate.

    Parameters
    ----------
    ends
        The limits.
    variable
        The coordinate.
    times
        Its times, or None.
    text
        The whole selection, for messages.
    is_whole
        Whether the coordinates are integers, which are compared exactly with limits.

    Raises
    ------
    OptionError
        If the limits are not numbers, nor dates of the calendar of times.
    """
    has_dates = times is not None and not times.in_months
    name, _, value = text.partition("=")
    first, last = (_as_usual(end, has_dates=has_dates) for end in ends)
    ends = first, last
    numbers = number_of(first), number_of(last)
    given = [(n, end) for n, end in zip(numbers, ends, strict=True) if end is not None]
    if all(n is not None for n, _ in given) and not (
        has_dates and all(_is_year(end) for _, end in given)
    ):
        low, high = numbers
        return SelectionLimits(low=low, high=high, end_of_first=low, start_of_last=high)
    if times is None:
        dates = [end for n, end in given if n is None or _is_year(end)]
        if not all(map(_is_date, dates)):
            raise OptionError(f"{text!r}: the limits must be numbers", hint=hint_for(name, value))
        hint = hint_for(name, value, "write numbers as limits")
        raise OptionError(f"{text!r}: {_no_dates(variable)}", hint=hint)
    wrong = [end for _, end in given if not _is_date(end)]
    if wrong:
        otherwise = hint_for_part(name, value) or f"write a date, such as {name}=2026-01-31"
        hint = hint_for(name, value, otherwise)
        raise OptionError(f"{text!r}: {str(wrong[0])!r} is not a date", hint=hint)
    begin, end_text = ("" if end is None else str(end) for end in ends)
    try:
        earliest, latest = parse_limits(times, (begin, end_text))
        start_of_last, end_of_first = parse_limits(times, (end_text, begin))
    except ValueError as error:
        raise OptionError(f"{text!r}: {error}") from None
    low, start = (
        _as_number(n, math.ceil if is_whole else float) for n in (earliest, start_of_last)
    )
    high, end = (_as_number(n, math.floor if is_whole else float) for n in (latest, end_of_first))
    if low is not None and high is not None and low > high:
        return SelectionLimits(
            low=start, high=end, end_of_first=high, start_of_last=low, times=times
        )
    return SelectionLimits(low=low, high=high, end_of_first=end, start_of_last=start, times=times)


def _as_number(limit: Fraction | None, convert: Callable[[Fraction], float]) -> float | None:
    """Return a limit as a number of the coordinate's type, so that it is compared exactly."""
    return None if limit is None else convert(limit)


def _no_dates(variable: Variable) -> str:
    """Return the reason that dates cannot be limits of a coordinate."""
    try:
        times_of(variable, " ")
    except ValueError as error:
        return f"the times of {variable.name} cannot be read: {error}"
    units = variable.text("units")
    found = f"with the units {units!r}" if units else "without units"
    return f"{variable.name} has numbers {found}, and no dates"
