"""Conversion of units of measure, by cf-units (UDUNITS-2 and, for times, cftime)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ncz.errors import NczError
from ncz.model.data import Values
from ncz.record import record


@record
class Units:
    """The units of a variable, with the calendar of times."""

    text: str
    calendar: str = "standard"


class UnitsError(NczError, ValueError):
    """Units that cannot be converted."""


def converter(ours: Units, theirs: Units) -> Callable[[Values], Values] | None:
    """Return a function that converts values to `theirs`, as double; None if they are equal.

    Raises `UnitsError` if the units cannot be converted, or cf-units is not installed.
    """
    if ours.text.strip() == theirs.text.strip() and ours.calendar == theirs.calendar:
        return None
    try:
        import cf_units
    except ImportError as error:
        raise UnitsError(
            f"converting {ours.text!r} to {theirs.text!r} needs the package cf-units",
            hint="pip install 'ncz[aggregation]'",
        ) from error
    found = [_unit(cf_units, units) for units in (ours, theirs)]
    if found[0] == found[1]:
        return None
    if not found[0].is_convertible(found[1]):
        raise UnitsError(f"the units {ours.text!r} cannot be converted to {theirs.text!r}")

    def convert(values: Values) -> Values:
        try:
            converted: Values = found[0].convert(values.astype("f8"), found[1])
        except ValueError as error:
            raise UnitsError(
                f"the units {ours.text!r} cannot be converted to {theirs.text!r}: {error}"
            ) from error
        return converted

    return convert


def _unit(library: Any, units: Units) -> Any:
    try:
        is_time = " since " in units.text
        return library.Unit(units.text, calendar=units.calendar if is_time else None)
    except ValueError as error:
        raise UnitsError(f"{units.text!r} is not a valid unit") from error
