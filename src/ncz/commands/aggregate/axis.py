"""The order of files along a dimension, from the values of its coordinate variable."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.errors import NczError, Notice, Notify
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values


class AggregateError(NczError, ValueError):
    """Files that cannot be aggregated."""


@record(kw_only=True)
class AxisPart:
    """The part of an axis that one file has; `coordinates` is None if no variable has them."""

    name: str
    length: int
    coordinates: Values | None


def ordered(parts: Sequence[AxisPart], axis: str, notify: Notify) -> list[int]:
    """Return the order of the files along an axis; as given if there are no coordinates.

    A notice names the gaps, which are steps longer than those within the files.

    Raises
    ------
    AggregateError
        If the coordinates of a file are neither ascending nor descending, or two files overlap.
    """
    import numpy as np

    values: list[Values] = []
    for part in parts:
        if part.coordinates is None:
            return list(range(len(parts)))
        steps = np.diff(part.coordinates)
        if not (np.all(steps > 0) or np.all(steps < 0)):
            raise AggregateError(
                f"the coordinate {axis} is neither ascending nor descending", part.name
            )
        values.append(part.coordinates)
    is_descending = any(v.size > 1 and v[0] > v[-1] for v in values)
    order = sorted(range(len(parts)), key=lambda i: float(values[i][0]), reverse=is_descending)
    sign = -1 if is_descending else 1
    within = [np.max(np.abs(np.diff(v))) for v in values if v.size > 1]
    usual = float(max(within)) if within else None
    gaps = []
    for one, other in itertools.pairwise(order):
        step = sign * (float(values[other][0]) - float(values[one][-1]))
        if step <= 0:
            raise AggregateError(
                f"it overlaps {parts[one].name} along {axis}: it begins at"
                f" {values[other][0]:g}, and the other ends at {values[one][-1]:g}",
                parts[other].name,
                "leave one of them out",
            )
        if usual is not None and step > 1.5 * usual:
            gaps.append(f"{values[one][-1]:g} to {values[other][0]:g}")
    if gaps:
        notify(Notice("aggregation-gap", f"files are missing along {axis}: from {', '.join(gaps)}"))
    return order
