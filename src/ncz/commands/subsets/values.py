"""Select indices of a dimension by the values of a coordinate, unpacked as its readers see them."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.coordinates import Coordinate
from ncz.commands.subsets.limits import (
    SelectionLimits,
    ends_of,
    limits_of,
    may_be_dates,
    with_iso_dates,
)
from ncz.commands.subsets.longitudes import CIRCLE, slack_of
from ncz.errors import Notice, Notify, did_you_mean, list_names, option
from ncz.model.data import Values, read_all
from ncz.model.packing import Packing, packing_of
from ncz.record import record
from ncz.text.date_texts import parse_date_texts, texts_in
from ncz.text.time_variables import find_times
from ncz.text.times import Times

_ULPS = 8
"""Roundings by which an unpacked value may differ from the number that is asked for."""


@record
class Picked:
    """Indices that a selection keeps of a dimension, in order.

    `turns` has how often 360 degrees are added to the longitude at each of them; None for never.
    """

    indices: Values
    turns: Values | None = None


def indices_at(
    coordinate: Coordinate, value: str, text: str, notify: Notify, *, nearest: bool
) -> Picked:
    """Return the indices whose coordinates are within limits, both included, or equal a value.

    Parameters
    ----------
    coordinate
        The coordinate.
    value
        A value or two limits, as the option has them.
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
        found = _at_names(names, value)
        if found is not None:
            return Picked(found)
        dated = _dates_of(names) if may_be_dates(value) else None
        if dated is None:
            hint = did_you_mean(value, names, f"its coordinates are {list_names(names)}")
            raise OptionError(f"{text!r}: no coordinate of {fqn} has this name", hint=hint)
        stored, times = dated
        packing = Packing()
    else:
        times = find_times(coordinate.group, " ").get(variable.name)
    present = np.flatnonzero(~packing.missing(stored))
    values = packing.unpacked(stored)[present]
    is_sorted = bool(np.all(values[1:] > values[:-1]) or np.all(values[1:] < values[:-1]))
    if not is_sorted and not coordinate.is_auxiliary:
        raise OptionError(
            f"{text!r}: the coordinate {fqn} is neither ascending nor descending",
            hint=f"select by index: {option('isel')}",
        )
    if not values.size:
        raise OptionError(f"{text!r} selects nothing: the coordinate {fqn} has no values")
    value = with_iso_dates(value)
    ends = ends_of(value)
    limits = limits_of(ends, variable, times, text, is_whole=values.dtype.kind in "iu")
    axis = _Axis(
        fqn=fqn,
        text=text,
        values=values,
        indices=present,
        times=limits.times,
        is_sorted=is_sorted,
        circle=slack_of(variable, values),
        slack=_ULPS * _spacing(values, packing) if packing.is_packed else 0.0,
        unit=variable.text("units").partition(" since ")[0],
    )
    if ends == (value, value) and limits.low is not None:
        if nearest:
            return axis.nearest(limits.low, notify)
        if limits.times is None:
            return axis.equal(limits.low)
    return axis.within(limits, notify)


def _spacing(values: Values, packing: Packing) -> float:
    """Return by how much the largest number from which values were unpacked can be rounded."""
    largest = max(float(abs(values).max()), abs(packing.offset or 0.0))
    return float(np.spacing(values.dtype.type(largest)))


# Texts: names, or dates.


def _at_names(names: list[str], value: str) -> Values | None:
    """Return the indices of a name, or those from a name to another that follows it."""
    found = [at for at, name in enumerate(names) if name == value]
    if found:
        return np.array(found)
    ends = {"", *names}
    for at, sign in enumerate(value):
        first, last = value[:at], value[at + 1 :]
        if sign not in ":/" or first not in ends or last not in ends:
            continue
        begin = names.index(first) if first else 0
        end = len(names) - names[::-1].index(last) if last else len(names)
        if begin < end:
            return np.arange(begin, end)
        raise OptionError(f"{value!r} selects nothing: {first!r} comes after {last!r}")
    return None


def _dates_of(names: list[str]) -> tuple[Values, Times] | None:
    """Return the seconds of texts that are dates, and what formats them; None for other texts."""
    parsed = parse_date_texts(names)
    return None if parsed is None else (np.array(parsed[0], "f8"), parsed[1])


# Numbers.


@record(kw_only=True)
class _Axis:
    """The coordinates along a dimension, of which some are selected.

    `values` are those that are not missing, at `indices` of the dimension. `circle` is the slack in
    which two longitudes are equal; None for another coordinate. `slack` is that of other numbers.
    `unit` is the unit of the numbers, without the date that times begin at.
    """

    fqn: str
    text: str
    values: Values
    indices: Values
    times: Times | None
    is_sorted: bool
    circle: float | None
    slack: float
    unit: str

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest coordinate."""
        return self.values.min().item(), self.values.max().item()

    @property
    def is_ascending(self) -> bool:
        """Whether the coordinates ascend; a single one does."""
        return bool(self.values[0] <= self.values[-1])

    @property
    def step(self) -> float:
        """The longest step from a coordinate to the next larger one; infinite for a single one."""
        numbers = np.unique(self.values.astype("f8"))
        return float(np.diff(numbers).max()) if numbers.size > 1 else math.inf

    def picked(self, at: Values, turns: Values | None = None) -> Picked:
        """Return the indices of some of the coordinates."""
        return Picked(self.indices[at], None if turns is None or not turns.any() else turns)

    def equal(self, value: float) -> Picked:
        """Return the indices of the coordinates that equal a value in the coordinate's type."""
        wanted = self.values.dtype.type(value) if self.values.dtype.kind == "f" else value
        at = np.flatnonzero(self.values == wanted)
        if not at.size and self.slack:
            at = np.flatnonzero(abs(self.values.astype("f8") - value) <= self.slack)
        if not at.size and self.circle is not None:
            turns = np.round((value - self.values.astype("f8")) / CIRCLE).astype(int)
            at = np.flatnonzero(abs(self.values + CIRCLE * turns - value) <= self.circle)
            at = at[:1] if self.is_sorted else at
            if at.size:
                return self.picked(at, turns[at])
        if not at.size:
            raise OptionError(
                f"{self.text!r}: no coordinate has this value",
                hint=f"give limits, such as lat=40:60, or add {option('nearest', True)}",
            )
        return self.picked(at)

    def nearest(self, value: float, notify: Notify) -> Picked:
        """Return the index of the coordinate that is nearest; of two, the larger one."""
        is_exact = isinstance(value, int) and self.values.dtype.kind == "i"
        numbers = self.values.astype("i8" if is_exact else "f8")
        turns = np.zeros(numbers.shape, int)
        if self.circle is not None:
            turns = np.round((value - numbers) / CIRCLE).astype(int)
            numbers = numbers + CIRCLE * turns
        distance = abs(numbers - value)
        among = np.flatnonzero(distance == distance.min())
        at = among[np.argmax(numbers[among])]
        self._check_distance(float(distance[at]), self.values[at].item(), notify)
        return self.picked(np.array([at]), turns[[at]])

    def _check_distance(self, distance: float, found: float, notify: Notify) -> None:
        """Notify of a nearest coordinate that is farther away than others are from each other."""
        if distance > (self.step if self.values.size > 1 else 0.0):
            unit = f" {self.unit}" if self.unit else ""
            notify(
                Notice(
                    "limit-outside",
                    f"{self.text!r}: the nearest coordinate of {self.fqn} is {self._label(found)},"
                    f" which is {distance:.6g}{unit} away",
                )
            )

    def within(self, limits: SelectionLimits, notify: Notify) -> Picked:
        """Return the indices between two limits."""
        low, high = limits.low, limits.high
        if low is not None and high is not None and low > high:
            first, last = low, high
            low, high = last, first
            if self.circle is not None:  # from the western limit eastwards to the other
                low, high = first - CIRCLE * math.ceil((first - last) / CIRCLE), last
        lowest, highest = self.ends
        if (
            self.circle is not None
            and low is not None
            and high is not None
            and (low < lowest or high > max(lowest + CIRCLE, highest))
        ):
            return self._around(low, high, notify)
        # The last moment before the next period is that of a double; a float is the next one.
        is_float = self.values.dtype.kind == "f" and limits.times is not None
        values = self.values.astype("f8") if is_float else self.values
        mask = np.ones(values.shape, bool)
        if low is not None:
            mask &= values >= low
        if high is not None:
            mask &= values <= high
        at = np.flatnonzero(mask)
        if not at.size:
            raise self._nothing()
        ends = (low, high)
        if limits.times is not None:
            ends = (limits.end_of_first, limits.start_of_last)
        self._check_limits(*ends, self.values[at], notify)
        return self.picked(at)

    def _around(self, low: float, high: float, notify: Notify) -> Picked:
        """Return the indices of longitudes between two limits, whatever turn they are in."""
        assert self.circle is not None
        numbers = self.values.astype("f8")
        turns = np.ceil((low - self.circle - numbers) / CIRCLE).astype(int)
        shifted = numbers + CIRCLE * turns
        order: Values = np.arange(numbers.size)
        if self.is_sorted:
            order = np.argsort(shifted, kind="stable")
        order = order[shifted[order] <= high + self.circle]
        if not order.size:
            raise self._nothing()
        if self.is_sorted:
            # The first and the last meridian of a grid may be the same.
            is_new = np.append(True, np.diff(shifted[order]) > self.circle)
            order = order[is_new] if self.is_ascending else order[is_new][::-1]
        self._check_limits(low, high, shifted[order], notify)
        return self.picked(order, turns[order])

    def _nothing(self) -> OptionError:
        begin, end = map(self._label, self.ends)
        return OptionError(
            f"{self.text!r} selects nothing: {self.fqn} has no coordinate within the limits",
            hint=f"its coordinates are from {begin} to {end}",
        )

    def _check_limits(
        self, low: float | None, high: float | None, found: Values, notify: Notify
    ) -> None:
        """Notify of a limit that lies a step of the coordinate or more beyond what is found."""
        step = self.step
        lowest, highest = self.ends
        if self.circle is not None and highest - lowest + step >= CIRCLE - self.circle:
            return  # a whole circle has no ends
        begin, end = found.min().item(), found.max().item()
        ends = []
        if low is not None and begin - low >= step:
            ends.append(f"begins at {self._label(begin)}")
        if high is not None and high - end >= step:
            ends.append(f"ends at {self._label(end)}")
        if ends:
            notify(
                Notice(
                    "limit-outside",
                    f"{self.text!r}: the coordinate {self.fqn} {' and '.join(ends)}",
                )
            )

    def _label(self, number: Any) -> str:
        date = None if self.times is None else self.times.format(number)
        return date or str(self.values.dtype.type(number))
