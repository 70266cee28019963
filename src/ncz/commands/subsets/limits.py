"""The limits of a selection by value: numbers, or dates in the calendar of a coordinate."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from fractions import Fraction

from ncz.commands.option_error import OptionError
from ncz.model.tree import Variable
from ncz.record import record
from ncz.text.date_limits import is_date, is_year, parse_limits
from ncz.text.time_variables import times_of
from ncz.text.times import Times

_UNDERSCORE = re.compile(r"(\d{4}-\d{1,2}-\d{1,2})_(?=\d)")
"""A date of WRF, up to the time of day."""


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


def with_iso_dates(value: str) -> str:
    """Return a value with ``2026-01-31_06`` as ISO 8601 has it."""
    return _UNDERSCORE.sub(r"\1T", value)


def ends_of(value: str) -> tuple[str, str]:
    """Return the two limits of a selection, which are equal if it is one value.

    A slash separates them, or a colon. Times of day have colons too.
    """
    if "/" in value:
        first, _, last = value.partition("/")
        return first, last
    if ":" not in value or is_date(value):
        return value, value
    splits = [(value[:at], value[at + 1 :]) for at in range(len(value)) if value[at] == ":"]
    for ends in splits:
        if all(not end or number_of(end) is not None or is_date(end) for end in ends):
            return ends
    return splits[0]


def may_be_dates(value: str) -> bool:
    """Return whether the limits of a selection have the form of dates, such as years."""
    return all(is_date(end) for end in ends_of(with_iso_dates(value)) if end)


def are_numbers(value: str) -> bool:
    """Return whether the limits of a selection are numbers; years are."""
    return all(number_of(end) is not None for end in ends_of(value) if end)


def limits_of(
    ends: tuple[str, str], variable: Variable, times: Times | None, text: str, *, is_whole: bool
) -> SelectionLimits:
    """Return the limits of a selection as numbers of a coordinate.

    Parameters
    ----------
    ends
        The limits as texts.
    variable
        The coordinate.
    times
        Its times; None if it has none.
    text
        The whole selection, for messages.
    is_whole
        Whether the coordinates are integers, with which limits are compared exactly.

    Raises
    ------
    OptionError
        If the limits are not numbers, nor dates of the calendar of times.
    """
    numbers = number_of(ends[0]), number_of(ends[1])
    given = [(n, end) for n, end in zip(numbers, ends, strict=True) if end]
    has_dates = times is not None and not times.in_months
    if all(n is not None for n, _ in given) and not (
        has_dates and all(is_year(end) for _, end in given)
    ):
        low, high = numbers
        return SelectionLimits(low=low, high=high, end_of_first=low, start_of_last=high)
    if times is None:
        dates = [end for n, end in given if n is None or is_year(end)]
        if not all(map(is_date, dates)):
            raise OptionError(f"{text!r}: the limits must be numbers")
        raise OptionError(f"{text!r}: {_no_dates(variable)}", hint="write numbers as limits")
    wrong = [end for end in ends if end and not is_date(end)]
    if wrong:
        raise OptionError(f"{text!r}: {wrong[0]!r} is not a date")
    try:
        earliest, latest = parse_limits(times, ends)
        start_of_last, end_of_first = parse_limits(times, (ends[1], ends[0]))
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
    """Return why dates cannot be limits of a coordinate."""
    try:
        times_of(variable, " ")
    except ValueError as error:
        return f"the times of {variable.name} cannot be read: {error}"
    units = variable.text("units")
    found = f"with the units {units!r}" if units else "without units"
    return f"{variable.name} has numbers {found}, and no dates"


def number_of(text: str) -> float | None:
    """Return a text as a number; None if it is not one."""
    try:
        number = float(text)
    except ValueError:
        return None
    return None if math.isnan(number) else number
