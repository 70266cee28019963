"""Zarr's own times, datetime64 and timedelta64, as numbers in units of the CF conventions.

numpy counts calendar years and months, multiples of a unit, and units as short as an attosecond.
CF has a unit only where it always has the same length. So years, months and weeks are read as days,
and multiples as numbers of the unit itself. Durations in years and months have no length in days,
and keep their unit.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.errors import FormatError, LossError
from ncz.late import numpy as np
from ncz.model.tree import Attribute
from ncz.model.types import NOT_A_TIME, Atomic
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values

_WORDS = {
    "Y": "years", "M": "months", "W": "weeks", "D": "days", "h": "hours", "m": "minutes",
    "s": "seconds", "ms": "milliseconds", "us": "microseconds", "ns": "nanoseconds",
    "ps": "picoseconds", "fs": "femtoseconds", "as": "attoseconds",
}  # fmt: skip
_CALENDAR_UNITS = ("Y", "M")
_DAYS_OF_WEEK = 7
_DURATIONS = {
    "D": "s", "h": "s", "m": "s", "s": "s", "ms": "ms", "us": "us", "ns": "ns",
}  # fmt: skip
"""The unit that xarray decodes durations of each unit to, if it decodes them."""

_LARGEST_INT64 = 2**63 - 1
_MOST_YEARS = 2 * 10**16
"""Years, in the calendar of numpy, whose days are fewer than 2**63."""


def is_unit(unit: str) -> bool:
    """Return whether numpy has a unit of time."""
    return unit in _WORDS


@record
class NativeTime:
    """The unit of an element: `count` times the numpy unit `unit`.

    They are moments after 1970-01-01 if `is_date` is true, and durations otherwise.
    """

    is_date: bool
    unit: str
    count: int

    @property
    def dtype(self) -> str:
        """The dtype as numpy spells it, without its byte order."""
        count = "" if self.count == 1 else self.count
        return f"{'M' if self.is_date else 'm'}8[{count}{self.unit}]"

    @property
    def _counts_calendar_units(self) -> bool:
        return self.is_date and self.unit in _CALENDAR_UNITS

    @property
    def base(self) -> str:
        """The numpy unit of the numbers that represent the elements."""
        return "D" if self.unit == "W" or self._counts_calendar_units else self.unit

    @property
    def factor(self) -> int:
        """The number of units of the numbers in one unit of the elements."""
        return self.count * (_DAYS_OF_WEEK if self.unit == "W" else 1)

    @property
    def is_plain(self) -> bool:
        """Whether the numbers are the elements."""
        return self.factor == 1 and not self._counts_calendar_units

    @property
    def hints(self) -> tuple[Attribute, ...]:
        """The attributes that describe the numbers as times, as xarray writes them."""
        texts = {"units": _WORDS[self.base]}
        if self.is_date:
            texts = {
                "units": f"{_WORDS[self.base]} since 1970-01-01",
                "calendar": "proleptic_gregorian",
            }
        elif self.base in _DURATIONS:
            texts["dtype"] = f"timedelta64[{_DURATIONS[self.base]}]"
        return tuple(
            Attribute(name=name, type=Atomic.CHAR, values=(text,)) for name, text in texts.items()
        )

    @property
    def _most(self) -> int:
        """The largest element that has a number."""
        most = _LARGEST_INT64
        if self._counts_calendar_units:
            most = _MOST_YEARS * (12 if self.unit == "M" else 1)
        return most // self.factor

    def numbers(self, elements: Values) -> Values:
        """Return the numbers of stored elements, which are int64 in any byte order.

        Raises `FormatError` for a time that is out of range.
        """
        stored = elements.astype("i8", copy=False)
        if self.is_plain:
            return stored
        present = stored != NOT_A_TIME
        if np.any(np.abs(np.where(present, stored, 0)) > self._most):
            raise FormatError(f"a time of the dtype {self.dtype} is out of range")
        scaled = np.where(present, stored, 0) * self.factor
        if self._counts_calendar_units:
            scaled = scaled.view(f"M8[{self.unit}]").astype("M8[D]").view("i8")
        numbers: Values = np.where(present, scaled, NOT_A_TIME)
        return numbers

    def elements(self, numbers: Values, name: str) -> Values:
        """Return the elements for numbers of the variable `name`.

        Raises `LossError` for a number between two elements.
        """
        if self.is_plain:
            return numbers
        present = numbers != NOT_A_TIME
        scaled = np.where(present, numbers, 0)
        if self._counts_calendar_units:
            scaled = scaled.view("M8[D]").astype(f"M8[{self.unit}]").view("i8")
        elements: Values = np.where(present, scaled // self.factor, NOT_A_TIME)
        wrong = self.numbers(elements) != numbers
        if wrong.any():
            raise LossError(
                f"{name} has the time {numbers[wrong].ravel()[0]}, which its dtype {self.dtype}"
                " cannot represent",
                hint="copy the variable to a new store, which stores its times as int64",
            )
        return elements
