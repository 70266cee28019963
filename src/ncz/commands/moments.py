"""Count, extremes, mean and variance of arrays, combined from the moments of their parts.

Source: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample
variances" (1979).
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.packing import Packing
from ncz.record import record, replace

if TYPE_CHECKING:
    from numpy.typing import NDArray


BLOCK = 1 << 15
"""Elements that are processed together, so that they stay in the processor's cache."""

_SAMPLE = 256
"""Most values of a block that are kept for the histogram."""

_EXTREME = 400
"""Binary exponents whose double, for squares, is near the limits of a number."""

_MOST_SAMPLED = 1 << 16
"""Largest number of values of the sample; half of them are dropped when it is exceeded."""


@record(kw_only=True)
class Moments:
    """The moments of packed values, the standard deviation `std` among them.

    `sample` has some of the values; each counts as `each` of them.
    """

    count: int = 0
    missing: int = 0
    infinite: int = 0
    minimum: float | None = None
    maximum: float | None = None
    mean: float = 0.0
    std: float = 0.0
    sample: tuple[tuple[int, NDArray[Any]], ...] = ()

    @property
    def size(self) -> int:
        """The number of all values."""
        return self.count + self.missing + self.infinite

    def combine(self, other: Moments) -> Moments:
        """Return the moments of the values of both."""
        missing, infinite = self.missing + other.missing, self.infinite + other.infinite
        if not (self.count and other.count):
            known = self if self.count else other
            return replace(known, missing=missing, infinite=infinite)
        assert self.minimum is not None and other.minimum is not None  # noqa: PT018
        assert self.maximum is not None and other.maximum is not None  # noqa: PT018
        count = self.count + other.count
        ours, theirs = self.count / count, other.count / count
        mean = self.mean + (other.mean - self.mean) * theirs
        if math.isinf(mean):
            mean = self.mean * ours + other.mean * theirs
        half = math.sqrt(ours * theirs)  # at most, so that the distance of two numbers fits
        return Moments(
            count=count,
            missing=missing,
            infinite=infinite,
            minimum=min(self.minimum, other.minimum),
            maximum=max(self.maximum, other.maximum),
            mean=mean,
            std=math.hypot(
                self.std * math.sqrt(ours),
                other.std * math.sqrt(theirs),
                other.mean * half - self.mean * half,
            ),
            sample=_thin((*self.sample, *other.sample)),
        )

    def repeat(self, times: int) -> Moments:
        """Return the moments of many values that equal one."""
        sample = tuple((times, values) for _, values in self.sample)
        return replace(
            self,
            count=self.count * times,
            missing=self.missing * times,
            infinite=self.infinite * times,
            sample=sample,
        )

    def histogram(self, bins: int) -> tuple[int, ...]:
        """Return the counts of the sample in bins of equal width between the extremes."""
        assert self.minimum is not None
        assert self.maximum is not None
        counts = np.zeros(bins)
        low, high = self.minimum / 2, self.maximum / 2  # the distance of halves is a number
        with np.errstate(all="ignore"):
            width = (high - low) / bins or 1.0
            for weight, values in self.sample:
                places = ((values.astype("f8") / 2 - low) / width).astype("i8").clip(0, bins - 1)
                counts += weight * np.bincount(places, minlength=bins)
        return tuple(int(n) for n in counts)


def _thin(
    sample: tuple[tuple[int, NDArray[Any]], ...],
) -> tuple[tuple[int, NDArray[Any]], ...]:
    """Join the parts of equal weight, and drop every other value of the lightest if needed."""
    size = sum(len(values) for _, values in sample)
    if len(sample) <= _SAMPLE and size <= _MOST_SAMPLED:
        return sample
    parts: dict[int, list[NDArray[Any]]] = {}
    for weight, values in sample:
        parts.setdefault(weight, []).append(values)
    joined = {weight: np.concatenate(values) for weight, values in parts.items()}
    while size > _MOST_SAMPLED:
        weight = min((w for w, values in joined.items() if len(values) > 1), default=0)
        if not weight:
            break
        values = joined.pop(weight)
        half = values[: len(values) // 2 * 2 : 2]
        size -= len(values) - len(half)
        joined[2 * weight] = np.concatenate((joined.get(2 * weight, half[:0]), half))
    return tuple(joined.items())


def moments_of(values: NDArray[Any], packing: Packing) -> Moments:
    """Return the moments of an array of numbers."""
    flat = packing.to_signed(values.reshape(-1))
    masks = packing.masks_of(values.dtype)
    total = Moments()
    with np.errstate(all="ignore"):
        for start in range(0, flat.size, BLOCK):
            total = total.combine(_of_block(flat[start : start + BLOCK], masks))
    return total


def _of_block(block: NDArray[Any], masks: NDArray[Any] | None) -> Moments:
    size, infinite = block.size, 0
    low, high = block.min(), block.max()  # NaN if any is
    is_finite = bool(np.isfinite(low) and np.isfinite(high))
    if not is_finite or (masks is not None and bool(((masks >= low) & (masks <= high)).any())):
        good = np.isfinite(block)
        if not good.all():
            infinite = int(np.isinf(block).sum())
        for mask in () if masks is None else masks:
            is_masked = block == mask
            infinite -= int(np.count_nonzero(is_masked & np.isinf(block)))
            good &= ~is_masked
        block = block[good]
        if not block.size:
            return Moments(missing=size - infinite, infinite=infinite)
        low, high = block.min(), block.max()
    mean, std = _mean_and_std(block.astype("f8"), max(abs(float(low)), abs(float(high))))
    step = -(-block.size // _SAMPLE)
    return Moments(
        count=block.size,
        missing=size - block.size - infinite,
        infinite=infinite,
        minimum=low.item(),
        maximum=high.item(),
        mean=mean,
        std=std,
        sample=((step, block[::step].copy()),),
    )


def _mean_and_std(values: NDArray[Any], largest: float) -> tuple[float, float]:
    """Return the mean and the standard deviation of values, which are changed.

    If sums or squares of them would be too large or too small, the values are scaled.
    """
    exponent = math.frexp(largest)[1]
    if abs(exponent) >= _EXTREME:
        mean, std = _mean_and_std(np.ldexp(values, -exponent), 0.5)
        below_one = math.nextafter(1, 0)
        mean = max(-below_one, min(mean, below_one))
        return math.ldexp(mean, exponent), math.ldexp(min(std, below_one), exponent)
    mean = float(values.mean())
    values -= mean
    return mean, math.sqrt(float(np.dot(values, values)) / values.size)
