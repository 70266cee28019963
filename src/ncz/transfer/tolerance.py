"""The largest difference of two numbers that count as equal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.errors import NczError
from ncz.late import numpy as np
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray


_MAX = 1 << 63


@record(kw_only=True)
class Tolerance:
    """Limits for numbers; two are equal if they keep to any of the limits that are set.

    `absolute` limits the difference, `relative` the difference as a part of the larger of the two
    magnitudes, and `ulp` the number of steps between them: representable numbers of their type.
    """

    absolute: float = 0
    relative: float = 0
    ulp: int = 0

    def __post_init__(self) -> None:
        if not (self.absolute >= 0 and self.relative >= 0 and self.ulp >= 0):
            raise NczError("a tolerance cannot be negative", hint="give 0 or more")

    @property
    def is_exact(self) -> bool:
        """Whether only equal numbers are equal."""
        return not (self.absolute or self.relative or self.ulp)


EXACT = Tolerance()


def distances(expected: NDArray[Any], found: NDArray[Any]) -> NDArray[Any]:
    """Return the absolute differences of two arrays of numbers.

    They are exact (uint64) for integers of the same signedness, and otherwise float64 or longer.
    NaN is the distance of a number from NaN.
    """
    kinds = {expected.dtype.kind, found.dtype.kind}
    if kinds in ({"i"}, {"u"}):
        wide = np.dtype(f"{kinds.pop()}8")
        a, b = expected.astype(wide), found.astype(wide)
        # The difference of int64 may exceed its range; unsigned arithmetic wraps around to it.
        apart = a.view("u8") - b.view("u8")
        return np.asarray(np.where(a > b, apart, np.uint64(0) - apart))
    with np.errstate(all="ignore"):
        wide = np.result_type(expected.dtype, found.dtype, "f8")
        return np.asarray(np.abs(expected.astype(wide) - found.astype(wide)))


def exceeds(expected: NDArray[Any], found: NDArray[Any], tolerance: Tolerance) -> NDArray[np.bool_]:
    """Return for each pair of unequal numbers whether it exceeds the tolerance."""
    apart = distances(expected, found)
    within = apart <= tolerance.absolute if tolerance.absolute else np.zeros(apart.shape, bool)
    if tolerance.relative:
        with np.errstate(all="ignore"):
            larger = np.maximum(np.abs(expected.astype("f8")), np.abs(found.astype("f8")))
            within |= np.isfinite(apart) & (apart <= tolerance.relative * larger)
    if tolerance.ulp:
        within |= _steps(expected, found) <= tolerance.ulp
    return ~within


def _steps(expected: NDArray[Any], found: NDArray[Any]) -> NDArray[Any]:
    """Return the number of representable numbers between two; the largest number for NaN."""
    common = np.result_type(expected.dtype, found.dtype)
    if common.kind != "f":
        return distances(expected, found)
    a, b = expected.astype(common), found.astype(common)
    is_nan = np.isnan(a) | np.isnan(b)
    steps = distances(_ordinals(a), _ordinals(b))
    return np.where(is_nan, np.uint64(2 * _MAX - 1), steps)


def _ordinals(numbers: NDArray[Any]) -> NDArray[Any]:
    """Return integers in the order of the floats, consecutive for neighbours; 0 for both zeros."""
    bits = numbers.view(f"i{numbers.dtype.itemsize}").astype("i8")
    lowest = -(1 << (8 * numbers.dtype.itemsize - 1))
    return np.where(bits < 0, np.int64(lowest) - bits, bits)
