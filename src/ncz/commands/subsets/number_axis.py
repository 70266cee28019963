"""Select indices by coordinates that are numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.limits import SelectionLimits
from ncz.commands.subsets.longitudes import CIRCLE
from ncz.errors import Notice, Notify, option
from ncz.model.data import Values
from ncz.record import record
from ncz.text.times import Times


@record
class IndexChoice:
    """Indices that a selection keeps of a dimension, in order.

    `turns` has the multiple of 360 degrees that is added to the longitude at each of them; None if
    nothing is added.
    """

    indices: Values
    turns: Values | None = None

    def every(self, step: int) -> IndexChoice:
        """Return every `step`-th of them, in reverse if it is negative."""
        return IndexChoice(self.indices[::step], None if self.turns is None else self.turns[::step])


@record(kw_only=True)
class NumberAxis:
    """The coordinates along a dimension, for selecting some of them.

    `values` are the values that are not missing, at `indices` of the dimension. Two longitudes are
    equal if they differ by `circle` or less; it is None for another coordinate. Other numbers are
    equal within `slack`. `unit` is the unit of the numbers, without the reference date of times.
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

    def pick(self, at: Values, turns: Values | None = None) -> IndexChoice:
        """Return the indices of some of the coordinates."""
        return IndexChoice(self.indices[at], None if turns is None or not turns.any() else turns)

    def equal(self, value: float) -> IndexChoice:
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
                return self.pick(at, turns[at])
        if not at.size:
            hint = f"give limits, such as lat=40:60, or add {option('nearest', True)}"
            if float(value).is_integer() and -self.values.size <= value < self.values.size:
                hint += f"; for an index, use {option('isel')}"
            raise OptionError(f"{self.text!r}: no coordinate has this value", hint=hint)
        return self.pick(at)

    def nearest(self, value: float, notify: Notify) -> IndexChoice:
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
        return self.pick(np.array([at]), turns[[at]])

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

    def within(self, limits: SelectionLimits, notify: Notify) -> IndexChoice:
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
        # A double represents the last moment before the next period; a float is the next one.
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
        return self.pick(at)

    def _around(self, low: float, high: float, notify: Notify) -> IndexChoice:
        """Return the indices of longitudes between two limits, in any range of longitudes."""
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
        return self.pick(order, turns[order])

    def _nothing(self) -> OptionError:
        begin, end = map(self._label, self.ends)
        return OptionError(
            f"{self.text!r} selects nothing: {self.fqn} has no coordinate within the limits",
            hint=f"its coordinates are from {begin} to {end}",
        )

    def _check_limits(
        self, low: float | None, high: float | None, found: Values, notify: Notify
    ) -> None:
        """Notify of a limit that is a step of the coordinate or more beyond the values found."""
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
