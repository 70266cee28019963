"""Single-precision numbers in Python: doubles with few digits."""

from __future__ import annotations

import math

from ncz.late import numpy as np


def shortest_single(value: float) -> float:
    """Return the double with the fewest digits that identify a single-precision number."""
    single = np.float32(value)
    if not math.isfinite(single):
        return float(single)
    shortest = float(str(single))
    # A text is parsed as a double first, which may be the midpoint of two floats.
    return shortest if np.float32(shortest) == single else float(f"{value:.9g}")
