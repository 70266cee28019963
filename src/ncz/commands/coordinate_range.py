"""The range and the step of a coordinate, found by reading as few values as possible."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ncz.commands.description import CoordinateRange
from ncz.errors import NczError
from ncz.late import numpy as np
from ncz.model.data import read_all, read_box
from ncz.model.grid import Box
from ncz.model.packing import packing_of
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.text.format_values import Precision, default_format, format_number

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ncz.text.times import Times

_MOST_VALUES, _MOST_CHUNKS = 1 << 20, 8
"""Values and chunks of a coordinate that is read whole, to know whether its steps are equal."""

_EQUAL = 2e-3
"""By which share of the step the steps of rounded numbers may differ."""

_DAY = 86400
_SECONDS = ((_DAY, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def coordinate_range(variable: Variable, size: int, times: Times | None) -> CoordinateRange | None:
    """Return the first and the last coordinate, and the step if all are equal; None without any.

    Parameters
    ----------
    variable
        A variable with one dimension.
    size
        The length of the dimension.
    times
        Its times; None if its numbers are not times.
    """
    data = variable.data
    if data is None or not isinstance(variable.type, Atomic) or variable.type is Atomic.CHAR:
        return None
    size = min(size, data.grid.shape[0])
    if not size:
        return None
    is_short = size <= _MOST_VALUES and data.grid.size <= _MOST_CHUNKS
    try:
        if is_short:
            values = read_all(data)[:size]
            first, last = values[:1], values[-1:]
        else:
            first = read_box(data, Box((0,), (1,)))
            last = read_box(data, Box((size - 1,), (size,)))
    except NczError as error:
        return CoordinateRange(fault=str(error))
    if not variable.has_numbers:
        texts = [str(end.tolist()[0] or "") for end in (first, last)]
        return CoordinateRange(first=texts[0], last=texts[1], texts=(texts[0], texts[1]))
    packing = packing_of(variable)
    ends = [_number(packing, end) for end in (first, last)]
    nc_type = variable.type
    if packing.is_packed:
        nc_type = Atomic.DOUBLE
    texts = [_text(number, nc_type, times) for number in ends]
    step = unit = None
    if is_short and size > 1 and not packing.is_missing(values).any():
        step = _step(packing.unpack(values))
        if times is not None:
            unit = _step_of_times(values, packing, step, times)
    return CoordinateRange(
        first=ends[0],
        last=ends[1],
        step=step,
        texts=(texts[0], texts[1]),
        step_of_dates=unit,
        has_dates=times is not None,
    )


def _number(packing: Any, values: Any) -> float | int | None:
    """Return the one value of an array, unpacked; None if it is missing or not finite."""
    if packing.is_missing(values)[0]:
        return None
    number: float | int = packing.unpack(values).tolist()[0]
    return number + 0 if math.isfinite(number) else None  # -0.0 becomes 0.0


def _text(number: float | int | None, nc_type: Atomic, times: Times | None) -> str:
    if number is None:
        return "missing"
    date = None if times is None else times.format(number)
    if date is not None:
        return date
    return format_number(number, nc_type, default_format(nc_type, Precision()))


def _step(values: Any) -> float | int | None:
    """Return the step from each number to the next if they are equal, and None otherwise."""
    if values.dtype.kind in "iu":
        steps = np.diff(values.astype("i8"))
        return int(steps[0]) if (steps == steps[0]).all() else None
    numbers = values.astype("f8")
    if not np.isfinite(numbers).all():
        return None
    step = (numbers[-1] - numbers[0]) / (len(numbers) - 1)
    ulp = np.spacing(np.abs(numbers).max().astype(values.dtype)).astype("f8")
    if step and (abs(np.diff(numbers) - step) <= _EQUAL * abs(step) + ulp).all():
        return float(f"{step:.6g}")
    return None


def _step_of_times(values: Any, packing: Any, step: float | int | None, times: Times) -> str | None:
    """Return the step of times in words, such as "6 hours" or "1 month"; None if they differ."""
    from ncz.errors import quantity
    from ncz.text.times import SECOND

    if times.in_months:
        months = None if step is None else step * times.step
        return None if months is None else _months(months)
    if step is None:
        return _calendar_step([times.format(n) for n in packing.unpack(values).tolist()])
    seconds = abs(step) * times.step / SECOND
    for length, noun in _SECONDS:
        count = seconds / length
        if count >= 1 and abs(count - round(count)) < 1e-6:
            return quantity(round(count), noun)
    return f"{seconds:.6g} seconds"


def _calendar_step(dates: Sequence[str | None]) -> str | None:
    """Return the step of dates that are whole months apart; None if they are not."""
    months = []
    rest = set()
    for date in dates:
        if date is None or date.startswith("-"):
            return None
        year, month, _ = date[:10].split("-")
        months.append(int(year) * 12 + int(month))
        rest.add(date[8:])
    steps = {after - before for before, after in pairwise(months)}
    is_middle = all(text[:2] in ("14", "15", "16", "17") for text in rest)
    is_last = all(text[:2] in ("28", "29", "30", "31") for text in rest)
    if len(steps) != 1 or not (len(rest) == 1 or is_middle or is_last) or steps <= {0}:
        return None
    return _months(steps.pop())


def _months(months: float) -> str | None:
    from ncz.errors import quantity

    count = abs(round(months))
    if not count or count != abs(months):
        return None
    return quantity(count // 12, "year") if count % 12 == 0 else quantity(count, "month")
