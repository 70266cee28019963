"""Select indices of a dimension by the unpacked values of a coordinate."""

from __future__ import annotations

import numpy as np

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.coordinates import Coordinate
from ncz.commands.subsets.date_parts import at_parts
from ncz.commands.subsets.limits import ends_of, limits_of, may_be_dates
from ncz.commands.subsets.longitudes import slack_of
from ncz.commands.subsets.number_axis import IndexChoice, NumberAxis
from ncz.commands.subsets.spelling import text_of
from ncz.commands.subsets.text_values import at_names, dates_of
from ncz.errors import Notify, did_you_mean, list_names, option
from ncz.model.data import Values, read_all
from ncz.model.packing import Packing, packing_of
from ncz.model.selection import Between, ByValue, OneOf, Value
from ncz.record import replace
from ncz.text.date_texts import texts_in
from ncz.text.time_variables import find_times
from ncz.text.times import Times

_ULPS = 8
"""Permitted difference of an unpacked value from the requested number, in rounding errors."""


def choice_of(
    coordinate: Coordinate, value: ByValue, text: str, notify: Notify, *, nearest: bool
) -> IndexChoice:
    """Return the indices that a value, two limits or several values select; see `indices_at`.

    Parts of dates select in the order of the dates, and other values in theirs.
    """
    if not isinstance(value, OneOf):
        return indices_at(coordinate, value, text, notify, nearest=nearest)
    if coordinate.part:
        return indices_at(coordinate, text_of(value), text, notify, nearest=nearest)
    name = text.partition("=")[0]
    found = [
        indices_at(coordinate, each, f"{name}={text_of(each)}", notify, nearest=nearest)
        for each in value.values
    ]
    turns = [
        np.zeros(each.indices.shape, int) if each.turns is None else each.turns for each in found
    ]
    return IndexChoice(
        np.concatenate([each.indices for each in found]),
        np.concatenate(turns) if any(map(np.any, turns)) else None,
    )


def indices_at(
    coordinate: Coordinate,
    value: Value | Between,
    text: str,
    notify: Notify,
    *,
    nearest: bool,
) -> IndexChoice:
    """Return the indices whose coordinates are within limits, both included, or equal a value.

    Parameters
    ----------
    coordinate
        The coordinate.
    value
        A value or two limits.
    text
        The whole selection, for messages.
    notify
        Receives a notice of a limit, or a nearest value, far from the coordinates.
    nearest
        Whether the coordinate that is nearest to a single value is selected.

    Raises
    ------
    OptionError
        If the value is not valid, or selects nothing.
    """
    variable, fqn = coordinate.variable, coordinate.fqn
    assert variable.data is not None
    stored = read_all(variable.data)
    packing = packing_of(variable)
    times: Times | None
    if not variable.has_numbers:
        names = texts_in(stored)
        whole = replace(value, step=1) if isinstance(value, Between) else value
        found = None if coordinate.part else at_names(names, text_of(whole))
        if found is not None:
            return IndexChoice(found)
        dated = dates_of(names) if coordinate.part or may_be_dates(value) else None
        if dated is None:
            hint = did_you_mean(text_of(value), names, f"its coordinates are {list_names(names)}")
            raise OptionError(f"{text!r}: no coordinate of {fqn} has this name", hint=hint)
        stored, times = dated
        packing = Packing()
    else:
        times = find_times(coordinate.group, " ").get(variable.name)
    present = np.flatnonzero(~packing.is_missing(stored))
    values = packing.unpack(stored)[present]
    if coordinate.part:
        if times is None:
            raise OptionError(f"{text!r}: {fqn} has no dates, as its units say no time")
        return IndexChoice(present[at_parts(times, values, coordinate.part, value, text)])
    is_sorted = bool(np.all(values[1:] > values[:-1]) or np.all(values[1:] < values[:-1]))
    if not is_sorted and not coordinate.is_auxiliary:
        raise OptionError(
            f"{text!r}: the coordinate {fqn} is neither ascending nor descending",
            hint=f"select by index: {option('isel')}",
        )
    if not values.size:
        raise OptionError(f"{text!r} selects nothing: the coordinate {fqn} has no values")
    ends = ends_of(value)
    limits = limits_of(ends, variable, times, text, is_whole=values.dtype.kind in "iu")
    axis = NumberAxis(
        fqn=fqn,
        text=text,
        values=values,
        indices=present,
        times=limits.times,
        is_sorted=is_sorted,
        circle=slack_of(variable, values),
        slack=_ULPS * _rounding_error(values, packing) if packing.is_packed else 0.0,
        unit=variable.text("units").partition(" since ")[0],
    )
    if not isinstance(value, Between) and limits.low is not None:
        if nearest:
            return axis.nearest(limits.low, notify)
        if limits.times is None:
            return axis.equal(limits.low)
    return axis.within(limits, notify)


def _rounding_error(values: Values, packing: Packing) -> float:
    """Return the largest rounding error of the numbers that values were unpacked from."""
    largest = max(float(abs(values).max()), abs(packing.offset or 0.0))
    return float(np.spacing(values.dtype.type(largest)))
