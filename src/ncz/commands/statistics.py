"""Statistics of a variable's values in one pass, in parallel and in bounded memory."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any

from ncz.commands.description import Statistics
from ncz.model.data import fill_array
from ncz.model.encoded import EncodedSource
from ncz.model.grid import Index, slabs, whole
from ncz.model.packing import Packing, packing_of
from ncz.model.slabs import grid_of, read_slab
from ncz.model.sparse_source import sparse
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.parallel.threads import LEAST_MEMORY, ThreadPool
from ncz.record import record, replace

if TYPE_CHECKING:
    from numpy.typing import NDArray


# Count, extremes, mean and variance of arrays, combined from those of their parts.
#
# Source: Chan, Golub and LeVeque, "Updating formulae and a pairwise algorithm for computing sample
# variances" (1979).

_BLOCK = 1 << 15
"""Elements that are processed at once, so that they stay in the processor's cache."""

_SAMPLE = 256
"""Most values of a block that are kept for the histogram."""

_MOST_SAMPLED = 1 << 16
"""Values of the sample above which half of it is dropped."""


@record(kw_only=True)
class Moments:
    """The moments of packed values. `squares` is the sum of squared distances from the mean.

    `sample` has some of the values, of which each stands for `each` of them.
    """

    count: int = 0
    missing: int = 0
    infinite: int = 0
    minimum: float | None = None
    maximum: float | None = None
    mean: float = 0.0
    squares: float = 0.0
    sample: tuple[tuple[int, NDArray[Any]], ...] = ()

    @property
    def size(self) -> int:
        """The number of all values."""
        return self.count + self.missing + self.infinite

    def combined(self, other: Moments) -> Moments:
        """Return the moments of the values of both."""
        missing, infinite = self.missing + other.missing, self.infinite + other.infinite
        if not (self.count and other.count):
            known = self if self.count else other
            return replace(known, missing=missing, infinite=infinite)
        assert self.minimum is not None and other.minimum is not None  # noqa: PT018
        assert self.maximum is not None and other.maximum is not None  # noqa: PT018
        count = self.count + other.count
        apart = other.mean - self.mean
        return Moments(
            count=count,
            missing=missing,
            infinite=infinite,
            minimum=min(self.minimum, other.minimum),
            maximum=max(self.maximum, other.maximum),
            mean=self.mean + apart * (other.count / count),
            squares=self.squares + other.squares + apart**2 * (self.count * other.count / count),
            sample=_thinned((*self.sample, *other.sample)),
        )

    def repeated(self, times: int) -> Moments:
        """Return the moments of one value as those of many equal ones."""
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
        import numpy as np

        assert self.minimum is not None
        assert self.maximum is not None
        counts = np.zeros(bins)
        low, high = float(self.minimum), float(self.maximum)
        with np.errstate(all="ignore"):
            width = (high - low) / bins or 1.0
            for weight, values in self.sample:
                places = ((values.astype("f8") - low) / width).astype("i8").clip(0, bins - 1)
                counts += weight * np.bincount(places, minlength=bins)
        return tuple(int(n) for n in counts)


def _thinned(
    sample: tuple[tuple[int, NDArray[Any]], ...],
) -> tuple[tuple[int, NDArray[Any]], ...]:
    """Join the parts of equal weight, and drop every other value of the lightest if needed."""
    import numpy as np

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
    import numpy as np

    flat = packing.signed(values.reshape(-1))
    masks = packing.masks_of(values.dtype)
    total = Moments()
    with np.errstate(all="ignore"):
        for start in range(0, flat.size, _BLOCK):
            total = total.combined(_of_block(flat[start : start + _BLOCK], masks))
    return total


def _of_block(block: NDArray[Any], masks: NDArray[Any] | None) -> Moments:
    import numpy as np

    size, infinite = block.size, 0
    low, high = block.min(), block.max()  # NaN if there is one
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
    wide = block.astype("f8")
    mean = float(wide.mean())
    wide -= mean
    step = -(-block.size // _SAMPLE)
    return Moments(
        count=block.size,
        missing=size - block.size - infinite,
        infinite=infinite,
        minimum=low.item(),
        maximum=high.item(),
        mean=mean,
        squares=float(np.dot(wide, wide)),
        sample=((step, block[::step].copy()),),
    )


Step = Callable[[int, int], None]
"""Called with the number of chunks that were read, and their size in bytes."""

BINS = 24
"""Number of bins of a histogram."""

_COPIES = 3
"""Arrays of the size of a chunk that are in memory for each chunk."""


def statistics(
    variable: Variable, shape: tuple[int, ...], pool: ThreadPool, step: Step
) -> Statistics:
    """Compute the statistics of a variable of numbers.

    Parameters
    ----------
    variable
        The variable. Its attributes ``_FillValue``, ``missing_value``, ``scale_factor``,
        ``add_offset`` and ``_Unsigned`` are applied.
    shape
        Its shape.
    pool
        The threads that read and decode; its memory is the limit.
    step
        Called as values are read.

    Raises
    ------
    NczError
        If values cannot be read.
    """
    packing = packing_of(variable)
    total = Moments()
    for part in _parts(variable, shape, pool, packing, step):
        total = total.combined(part)
    return _unpacked(total, packing)


def chunks_to_read(variable: Variable) -> int:
    """Return the most steps that `statistics` takes for a variable."""
    data = variable.data
    return data.layout.grid.size if isinstance(data, EncodedSource) else 1


def _parts(
    variable: Variable, shape: tuple[int, ...], pool: ThreadPool, packing: Packing, step: Step
) -> Iterator[Moments]:
    data = variable.data
    if isinstance(data, EncodedSource):
        yield from _chunk_parts(data, shape, pool, packing, step)
        return
    assert isinstance(variable.type, Atomic)
    limit = max(1, min(pool.memory, LEAST_MEMORY) // 8 // variable.type.size)
    for box in slabs(grid_of(variable, shape), limit):
        values = read_slab(variable, shape, box)
        yield moments_of(values, packing)
        step(0, values.nbytes)
        del values  # free it before the next one is read
    step(1, 0)


def _chunk_parts(
    data: EncodedSource, shape: tuple[int, ...], pool: ThreadPool, packing: Packing, step: Step
) -> Iterator[Moments]:
    """Yield the moments of each stored chunk, and at the end those of all that are missing."""
    layout = data.layout
    is_whole = _COPIES * layout.chunk_size * data.item_size <= pool.memory // pool.threads
    grid = layout.grid if is_whole else data.grid
    source = sparse(data)
    read_one = data.stored_values if is_whole else source.chunk
    reads_alike = not is_whole or grid == data.grid

    def read(indices: Sequence[Index]) -> tuple[int, Moments | None]:
        found = source.chunk_many(indices) if reads_alike else map(read_one, indices)
        flat = [values.reshape(-1) for values in found if values is not None]
        joined = flat[0] if len(flat) == 1 else _concatenate(flat)
        return len(indices), None if joined is None else moments_of(joined, packing)

    indices = iter(data.present() if is_whole else source.touching(whole(grid.shape)))
    rest, size = math.prod(shape), math.prod(grid.chunks)
    together = max(1, _BLOCK // size)  # small chunks become one block
    cost = _COPIES * size * together * max(1, data.item_size)
    for count, part in pool.each(read, iter(lambda: list(islice(indices, together)), []), cost):
        if part is not None:
            rest -= part.size
            yield part
        step(count, 0 if part is None else part.size * data.item_size)
    if rest:
        fill = fill_array((1,), data.type, data.fill)
        yield moments_of(fill, packing).repeated(rest)


def _concatenate(parts: Sequence[NDArray[Any]]) -> NDArray[Any] | None:
    import numpy as np

    return np.concatenate(parts) if parts else None


def _unpacked(total: Moments, packing: Packing) -> Statistics:
    """Return the statistics of all values, after applying scale and offset."""
    if not total.count:
        return Statistics(count=0, missing=total.missing, infinite=total.infinite)
    scale = 1 if packing.scale is None else packing.scale
    offset = 0 if packing.offset is None else packing.offset
    assert total.minimum is not None
    assert total.maximum is not None
    ends = sorted((total.minimum * scale + offset, total.maximum * scale + offset))
    histogram = total.histogram(BINS)
    return Statistics(
        count=total.count,
        missing=total.missing,
        infinite=total.infinite,
        minimum=ends[0],
        maximum=ends[1],
        mean=total.mean * scale + offset,
        std=math.sqrt(total.squares / total.count) * abs(scale),
        histogram=histogram if scale >= 0 else histogram[::-1],
    )
