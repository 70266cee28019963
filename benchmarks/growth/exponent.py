"""The exponents of the growth of a command's work."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from benchmarks.growth.counted import Counted

LARGEST = 1.15
"""A larger exponent fails. Work in proportion to n log n has about 1.1 at these numbers."""

_NOISE = {"steps": 2000.0, "seconds": 0.3, "read": 500_000.0, "reads": 1000.0}
"""The permitted difference of two runs, or the work that starts only above a small number.

HDF5, for example, reads metadata again that do not fit into its cache of 2 MB.
"""


def exponents(counts: Sequence[int], work: Sequence[Counted]) -> Iterator[tuple[str, float]]:
    """Yield the name of each count, and its exponent.

    Each is calculated from the increases between the last three counts, which excludes constant
    work. Growth that hardly exceeds the noise has a small exponent.
    """
    for name, noise in _NOISE.items():
        few, more, most = (float(getattr(each, name)) for each in work[-3:])
        grown = (max(most - more, 0) + noise) / (max(more - few, 0) + noise)
        widened = (counts[-1] - counts[-2]) / (counts[-2] - counts[-3])
        yield name, math.log(grown) / math.log(widened)
