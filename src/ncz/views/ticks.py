"""Ticks of an axis: places with labels, at round numbers, degrees and dates."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from ncz.record import record
from ncz.text.times import DAY

if TYPE_CHECKING:
    from ncz.text.times import Times


_LEAST, _LARGEST = 1e-290, 1e300
"""Numbers between which the arithmetic neither overflows nor loses bits."""


@record
class Tick:
    """A value on an axis, and its label."""

    value: float
    text: str


def round_steps(low: float, high: float, count: int, factors: Iterable[float]) -> list[float]:
    """Return at most about `count` multiples of a round number between two numbers.

    The round number is one of the factors times a power of ten.
    """
    if not (math.isfinite(low) and _LEAST < high - low < _LARGEST):
        return [low] if math.isfinite(low) else []
    rough = (high - low) / max(1, count)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next((f * power for f in factors if f * power >= rough * 0.999), 10 * power)
    first, last = math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6)
    # Neighbouring doubles have several multiples of a step that is less than their distance.
    return sorted({step * n for n in range(first, min(last, first + 100) + 1)})


def number_ticks(low: float, high: float, count: int) -> list[Tick]:
    """Return ticks at round numbers, with the digits that distinguish them."""
    values = round_steps(low, high, count, (1, 2, 2.5, 5, 10))
    largest = max(map(abs, values), default=0.0)
    if len(values) < 2:
        return [Tick(value, f"{value:.6g}") for value in values]
    step = values[1] - values[0]
    if largest >= 1e6 or 0 < largest < 1e-3:
        return [Tick(value, _with_exponent(value, step)) for value in values]
    digits = max(0, -math.floor(math.log10(step) + 1e-9))
    if not math.isclose(round(step, digits), step, rel_tol=1e-6):
        digits += 1
    return [Tick(value, f"{round(value, digits) + 0.0:.{digits}f}") for value in values]


def _with_exponent(value: float, step: float) -> str:
    """Return a number as ``2.5e-6``."""
    text = f"{value:.{max(1, round(math.log10(abs(value) / step)) + 2) if value else 1}g}"
    return _with_short_exponent(text)


def _with_short_exponent(text: str) -> str:
    return text.replace("e+0", "e").replace("e-0", "e-").replace("e+", "e")


def log_ticks(low: float, high: float, count: int) -> list[Tick]:
    """Return ticks at powers of ten, and between them if there are few."""
    if not _LEAST < low < high < _LARGEST:
        return number_ticks(low, high, count)
    first, last = math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9)
    if last - first < 1:
        factors = (1, 2, 5)
        values = [f * 10.0**n for n in range(first - 2, last + 2) for f in factors]
        within = [value for value in values if low * 0.999 <= value <= high * 1.001]
        return [_log_tick(v) for v in within] if len(within) > 1 else number_ticks(low, high, count)
    every = math.ceil((last - first + 1) / max(1, count))
    return [_log_tick(10.0**n) for n in range(first, last + 1, every)]


def _log_tick(value: float) -> Tick:
    return Tick(value, _with_short_exponent(f"{value:g}"))


def degree_ticks(low: float, high: float, count: int, letters: str) -> list[Tick]:
    """Return ticks of longitudes (letters ``EW``) or latitudes (``NS``), as ``60°N``."""
    span = high - low
    if span > 5:
        step = next((s for s in (1, 2, 5, 10, 15, 30, 45, 60, 90) if span / s <= count), 90)
        multiples = range(math.ceil(low / step - 1e-6), math.floor(high / step + 1e-6) + 1)
        values = [float(step * n) for n in multiples]
    else:
        values = round_steps(low, high, count, (1, 2, 5, 10))
    digits = 0
    if len(values) > 1 and values[1] - values[0] < 1:
        digits = max(0, -math.floor(math.log10(values[1] - values[0]) + 1e-9))
    return [Tick(value, degrees(value, letters, digits)) for value in values]


def degrees(value: float, letters: str, digits: int = 0) -> str:
    """Return a longitude (letters ``EW``) or a latitude (``NS``) as ``60°N``."""
    if letters == "EW":
        value = (value + 180) % 360 - 180
        value = 180.0 if value == -180 else value
    number = f"{abs(value):.{digits}f}"
    is_middle = float(number) == 0 or (letters == "EW" and float(number) == 180)
    return f"{number}°{'' if is_middle else letters[value < 0]}"


_HOURS = (1, 2, 3, 6, 12)
_DAYS = (1, 2, 5, 10)
_MONTHS = (1, 3, 6)
_YEARS = tuple(factor * 10**power for power in range(7) for factor in (1, 2, 5))


def date_ticks(low: float, high: float, count: int, times: Times) -> list[Tick]:
    """Return ticks of an axis of times at the beginning of years, months, days or hours.

    The result is empty if the numbers are not dates, or if times are counted in months and no time
    is on the first day of a month.
    """
    first, last = times.format(low), times.format(high)
    if first is None or last is None:
        return []
    if not times.in_months and (high - low) * times.step <= 10 * count * DAY:
        found = _clock_ticks(low, high, count, times, first)
        if len(found) > 1:
            return found
    begin, end = _year(first), _year(last)
    if end - begin > count:
        step = next((n for n in _YEARS if (end - begin) / n <= count), _YEARS[-1])
        texts = [(f"{y:04}-01-01", f"{y}") for y in range(begin - begin % step, end + 1, step)]
    else:
        days = [(f"{y:04}-{m:02}-01", m) for y in range(begin, end + 1) for m in range(1, 13)]
        shown = [day for day, _ in days if low <= _number(times, day, low - 1) <= high]
        every = next((n for n in _MONTHS if len(shown) / n <= count), 12)
        texts = [(day, day[:-3]) for day, month in days if (month - 1) % every == 0]
    places = ((_number(times, date, math.nan), text) for date, text in texts)
    return [Tick(value, text) for value, text in places if low <= value <= high]


def _year(date: str) -> int:
    return int(date.partition(" ")[0].rsplit("-", 2)[0])


def _number(times: Times, date: str, otherwise: float) -> float:
    try:
        return float(times.parse(date))
    except (ValueError, OverflowError):
        return otherwise


def _clock_ticks(low: float, high: float, count: int, times: Times, first: str) -> list[Tick]:
    """Return ticks every few days, hours or minutes."""
    date = first.partition(" ")[0]
    midnight = _number(times, date, math.nan)
    if math.isnan(midnight):
        return []
    day = DAY / times.step
    span = (high - low) / day
    steps = [minutes / 1440 for minutes in (1, 5, 10, 30)] + [h / 24 for h in _HOURS]
    step = next((s for s in [*steps, *map(float, _DAYS)] if span / s <= count), None)
    if step is None:
        return []
    numbers = [midnight + n * step * day for n in range(math.ceil(span / step + 1 / step) + 2)]
    found = []
    for number in numbers:
        if low <= number <= high and (text := times.format(number)) is not None:
            date_of_tick, _, clock = text.partition(" ")
            found.append(Tick(number, with_minutes(clock) or date_of_tick))
    if found and all(":" in tick.text for tick in found):
        found[0] = Tick(found[0].value, f"{date} {found[0].text}")
    return found


def with_minutes(text: str) -> str:
    """Return a date or a time of day with minutes, if it has the hour alone."""
    return f"{text}:00" if re.fullmatch(r"(.*-\d\d )?\d\d", text) else text
