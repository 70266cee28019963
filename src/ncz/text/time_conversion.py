"""Times in the units of another variable: the same moments, exactly."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.text.times import DAY, Times, midnight

if TYPE_CHECKING:
    from ncz.model.data import Values

_REFORM = -141427 * DAY
"""1582-10-15, the first day of the Gregorian calendar, relative to 1970."""


def are_convertible(ours: Times, theirs: Times) -> bool:
    """Return whether times can be expressed in the units of others.

    Their calendars must be the same, or differ only before 1582-10-15. Months and years are not a
    fixed number of days, so that they can only become other months and years.
    """
    calendars = {ours.calendar, theirs.calendar}
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
        The convertible units; see `are_convertible`.
    dtype
        The dtype of the result.

    Raises
    ------
    ValueError
        If `dtype` cannot represent a time with an error of at most half a microsecond, or half of
        the resolution of finer units.
    """
    if not values.size:
        return values.astype(dtype)
    shift = _after_1970(ours) - _after_1970(theirs)
    if ours.in_months:
        shift = _months_of(ours) - _months_of(theirs)
    tick = math.gcd(ours.step, theirs.step, shift)  # all whole numbers of units are whole in ticks
    floors = np.floor(values) if values.dtype.kind == "f" else values
    low, high = int(floors.min()), int(floors.max())
    limits = np.iinfo("i8")
    ends = [n * (ours.step // tick) + shift // tick for n in (low, high + 1)]
    if min(low, *ends) < limits.min or max(high, *ends) > limits.max:
        raise ValueError("a time is out of range")
    rest = (values - floors).astype("f8") * (ours.step // tick)
    if ours.in_months and rest.any():
        raise ValueError("a fraction of a month has no date")
    is_other_calendar = ours.calendar != theirs.calendar
    if is_other_calendar and low * ours.step + _after_1970(ours) < _REFORM:
        raise ValueError("a time is before 1582-10-15, where the calendars differ")
    steps = theirs.step // tick
    if steps > limits.max:
        raise ValueError("a time is out of range")
    # The sum is in range, and reverses an overflow of the product.
    scale, distance = (np.int64(_wrap(n // tick)) for n in (ours.step, shift))
    with np.errstate(over="ignore"):
        moments = floors.astype("i8") * scale + distance
    slack = 0.0 if ours.in_months else ours.resolution / (2 * tick)
    target = np.dtype(dtype)
    if target.kind in "iu":
        nearest = np.rint(rest)
        result, remainder = np.divmod(moments + nearest.astype("i8"), steps)
        bounds = np.iinfo(target)
        wrong = (remainder != 0) | (np.abs(rest - nearest) > slack)
        wrong |= (result < bounds.min) | (result > bounds.max)
        if wrong.any():
            raise ValueError(f"{values[wrong].ravel()[0]} is not a whole number in the other units")
        whole_numbers: Values = result.astype(target)
        return whole_numbers
    whole, remainder = np.divmod(moments, steps)
    converted: Values = (whole + (remainder + rest) / steps).astype(target)
    again = np.floor(converted.astype("f8"))
    fraction = converted.astype("f8") - again
    errors = (whole - again.astype("i8")) * float(steps) + remainder + (rest - fraction * steps)
    inexact = np.abs(errors) > slack
    if inexact.any():
        raise ValueError(
            f"{values[inexact].ravel()[0]} is not exact in the other units as {target.name}"
        )
    return converted


def _wrap(number: int) -> int:
    """Return the number of 64 bits that a number becomes if it overflows."""
    return (number + 2**63) % 2**64 - 2**63


def _after_1970(times: Times) -> int:
    """Return the attoseconds from the start of 1970 to the reference time."""
    start = midnight(1970, 1, 1, times.calendar)
    days: int = (times.origin - start).days
    return days * DAY + times.offset


def _months_of(times: Times) -> int:
    return int(times.origin.year) * 12 + int(times.origin.month)
