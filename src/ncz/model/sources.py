"""Chunk sources made of others: values that are changed, rounded or watched."""

from __future__ import annotations

import bisect
import math
from collections import OrderedDict
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from ncz.errors import NczError, Progress
from ncz.model.data import ChunkSource, DerivedSource, Values, dtype_of, fill_array
from ncz.model.filters import Quantization
from ncz.model.grid import Box, ChunkGrid, Grid, Index, Shape
from ncz.model.tree import Dataset, Variable, each_variable, variables_by_fqn
from ncz.model.types import NcType, Value
from ncz.record import field, record, replace

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]


# The values of another source, changed by a function when they are read.


@record
class MappedSource(DerivedSource):
    """A `ChunkSource` of the changed values of another one, with the same grid, type and fill.

    `change` is called with the values of a chunk and its box; it returns values of the same shape.
    """

    source: ChunkSource
    change: Callable[[Values, Box], Values]

    def chunk(self, index: Index) -> Values | None:
        """Return the changed values of a chunk; None if it is missing."""
        values = self.source.chunk(index)
        return None if values is None else self.change(values, self.grid.box(index))

    def rechunked(self, chunks: tuple[int, ...]) -> MappedSource:
        """Return the same values in chunks of that shape, if the source can serve them."""
        return MappedSource(self.source.rechunked(chunks), self.change)


@record
class ConvertedSource(DerivedSource):
    """A `ChunkSource` of the values of another one, converted to another type.

    `convert` returns values of the same shape. With `is_dense`, missing chunks are converted too,
    because the fill of the source cannot be converted.
    """

    source: ChunkSource
    type: NcType
    fill: Value
    convert: Callable[[Values], Values]
    is_dense: bool = False

    def chunk(self, index: Index) -> Values | None:
        """Return the converted values of a chunk; None if it is missing."""
        values = self.source.chunk(index)
        if values is None:
            if not self.is_dense:
                return None
            shape = self.grid.box(index).shape
            values = fill_array(shape, self.source.type, self.source.fill)
        return self.convert(values)

    def rechunked(self, chunks: tuple[int, ...]) -> ConvertedSource:
        """Return the same values in chunks of that shape, if the source can serve them."""
        return replace(self, source=self.source.rechunked(chunks))


def converted_source(
    source: ChunkSource, nc_type: NcType, convert: Callable[[Values], Values]
) -> ConvertedSource:
    """Return the values of a source, converted to another type.

    A fill that cannot be converted is an error only when a missing chunk is read.
    """
    try:
        fill = convert(fill_array((1,), source.type, source.fill))[0].item()
    except NczError:
        return ConvertedSource(source, nc_type, None, convert, is_dense=True)
    return ConvertedSource(source, nc_type, fill, convert)


@record
class UnwrittenSource(ChunkSource):
    """A `ChunkSource` of a variable of which no value was ever written: all are fill."""

    shape: Shape
    type: NcType
    fill: Value

    @property
    def grid(self) -> Grid:
        """One chunk."""
        return ChunkGrid(self.shape, tuple(max(1, n) for n in self.shape))

    def chunk(self, index: Index) -> Values | None:
        """Return None: the chunk is missing."""
        return None


# Floats that are rounded before they are compressed, as netCDF-C 4.9 and later do.
#
# Source: nc_def_var_quantize in the netCDF-C documentation, and the papers it rests on (Zender 2016
# for BitGroom, Delaunay et al. 2019 for GranularBitRound, Kouznetsov 2021 for BitRound). The
# results are netcdf-c 4.10.1's, bit for bit.

_BITS_PER_DIGIT = math.log(10) / math.log(2)
_DIGITS_PER_BIT = math.log(2) / math.log(10)


def quantized(source: ChunkSource, quantize: Quantization) -> ChunkSource:
    """Return a source of rounded floats or doubles. Fill values are not rounded."""
    shape = source.grid.shape
    return MappedSource(source, partial(_rounded, quantize=quantize, fill=source.fill, shape=shape))


def _rounded(
    values: Values, box: Box, *, quantize: Quantization, fill: Value, shape: tuple[int, ...]
) -> Values:
    return rounded(values, quantize.algorithm, quantize.digits, fill, _odd_places(box, shape))


def _odd_places(box: Box, shape: tuple[int, ...]) -> Values:
    """Return whether each element of `box` has an odd position in the flattened array."""
    import numpy as np

    odd = np.zeros(box.shape, bool)
    stride = 1
    for axis in reversed(range(len(shape))):
        places = np.arange(box.start[axis], box.stop[axis]) * (stride % 2) % 2 == 1
        odd ^= places.reshape(-1, *(1 for _ in shape[axis + 1 :]))
        stride *= shape[axis]
    return odd


def rounded(
    values: Floats, algorithm: str, digits: int, fill: float | None, odd: NDArray[Any]
) -> Floats:
    """Round `values` (float32 or float64, any shape), except those equal to `fill`.

    `algorithm` is "BitGroom", "GranularBitRound" (`digits` decimal) or "BitRound" (bits). `odd`
    broadcasts to the shape and is true where the index of an element in the whole array is odd:
    BitGroom rounds those up and the others down.
    """
    import numpy as np

    result = values.copy()
    bits = result.view("u4" if values.dtype.itemsize == 4 else "u8")
    explicit = 23 if values.dtype.itemsize == 4 else 52
    affected = np.ones(values.shape, bool) if fill is None else values != values.dtype.type(fill)
    if algorithm == "BitGroom":
        kept_bits = math.ceil(digits * _BITS_PER_DIGIT) + 1
        zeros = _ones_above(max(0, explicit - kept_bits), bits.dtype)
        down, up = affected & ~odd, affected & odd & (values != 0)
        bits[down] &= zeros
        bits[up] |= ~zeros
    elif algorithm == "BitRound":
        _round_half(bits, affected, np.full(values.shape, max(0, explicit - digits)))
    else:
        affected &= bits != 0
        _round_half(bits, affected, explicit - _granular_bits(values, affected, digits))
    return result


def _ones_above(count: Any, dtype: Any) -> Any:
    """Return masks of ones, with zeros in the lowest `count` bits."""
    import numpy as np

    return np.left_shift(~np.zeros((), dtype), np.asarray(count).astype(dtype))


def _round_half(bits: NDArray[Any], affected: NDArray[Any], count: NDArray[Any]) -> None:
    """Round to nearest in place by clearing the lowest `count` bits; a half is rounded up."""
    import numpy as np

    zeros = _ones_above(np.clip(count, 0, 8 * bits.dtype.itemsize - 1), bits.dtype)
    half = ~zeros & (zeros >> bits.dtype.type(1))
    bits[affected] = ((bits + half) & zeros)[affected]


def _granular_bits(values: Floats, affected: NDArray[Any], digits: int) -> NDArray[Any]:
    """Return the explicit bits that each value needs for that many decimal digits."""
    import numpy as np

    safe = np.where(affected & np.isfinite(values), values, 1).astype("f8")
    mantissa, exponent = np.frexp(np.abs(safe))
    log_mantissa = np.log10(mantissa, where=mantissa > 0, out=np.zeros_like(mantissa))
    leading = np.floor(exponent * _DIGITS_PER_BIT + log_mantissa).astype(int) + 1
    power = np.floor(_BITS_PER_DIGIT * (leading - digits)).astype(int)
    bits_needed = np.floor(exponent - _BITS_PER_DIGIT * log_mantissa).astype(int) - power
    return np.where(mantissa == 0, 0, np.abs(bits_needed)) - 1


# Data that reports which part of it was read.


def watched(dataset: Dataset, progress: Progress) -> Dataset:
    """Return a dataset that reports its values to `progress`, which expects all of them.

    This is for data that is read once and not stored in chunks, such as that of a text.
    """
    sources = [v.data for _, v in variables_by_fqn(dataset.root) if v.data is not None]
    progress.expect(sum(math.prod(source.grid.shape) for source in sources), "values")
    return reported(dataset, progress.advance)


def reported(dataset: Dataset, report: Callable[[str, int, int], object]) -> Dataset:
    """Return a dataset that reports the values it reads: their variable, number and bytes."""

    def variable(fqn: str, one: Variable) -> Variable:
        if one.data is None:
            return one
        source = watched_source(one.data, lambda count, size: report(fqn, count, size))
        return replace(one, data=source)

    return each_variable(dataset, variable)


def watched_source(source: ChunkSource, report: Callable[[int, int], object]) -> MappedSource:
    """Return a source that reports the values, and their bytes, of each chunk that is read."""

    def change(values: Values, _: Box) -> Values:
        report(values.size, values.nbytes)
        return values

    return MappedSource(source, change)


# An array stored as blocks of its flattened values, and read in boxes of any shape.
#
# The data of a text are a list in row-major order, but writers read chunks. As many of the last
# blocks are cached as neighbouring chunks share, so memory is bounded.

_SLAB = 1 << 20
"""Elements of a default chunk, and of a contiguous read from which a box is taken."""
_MAX_CACHED = 1 << 25
"""Largest number of elements in cached blocks."""


@record
class FlatBlocks:
    """Consecutive values of an array of shape `grid.shape`, block by block.

    Block `n` has ``counts[n]`` values, the first of which has the flat index ``bases[n]``. Bases
    ascend; elements between two blocks are `fill`. `read` returns the values of one block.
    """

    grid: ChunkGrid
    type: NcType
    fill: Value
    bases: Sequence[int]
    counts: Sequence[int]
    read: Callable[[int], Values]
    cache: OrderedDict[int, Values] = field(default_factory=OrderedDict, compare=False, repr=False)

    def box(self, box: Box) -> Values | None:
        """Read a box, as an array of shape ``box.shape``; None if no block overlaps it."""
        import numpy as np

        start = self._flat_index(box.start)
        stop = self._flat_index(tuple(n - 1 for n in box.stop)) + 1
        if not self._has_values(start, stop):
            return None
        values = np.empty(box.shape, dtype_of(self.type))
        self._copy_box(0, 0, box.start, box.stop, values)
        return values

    def _flat_index(self, index: Index) -> int:
        number = 0
        for i, n in zip(index, self.grid.shape, strict=True):
            number = number * n + i
        return number

    def _has_values(self, start: int, stop: int) -> bool:
        """Return whether a block has a value between two flat indices."""
        number = max(0, bisect.bisect_right(self.bases, start) - 1)
        while number < len(self.bases) and self.bases[number] < stop:
            if self.bases[number] + self.counts[number] > start:
                return True
            number += 1
        return False

    def _copy_box(self, axis: int, offset: int, start: Index, stop: Index, out: Values) -> None:
        """Copy the box from `start` to `stop`, in the sub-array at `offset`, to `out`."""
        shape = self.grid.shape
        if axis == len(shape):
            out[...] = self._flat(offset, 1).reshape(())
            return
        trailing = math.prod(shape[axis + 1 :])
        first, last = start[0], stop[0]
        if axis + 1 == len(shape) or (last - first) * trailing <= _SLAB:
            if out.flags.c_contiguous and out.size == (last - first) * trailing:  # whole rows
                self._fill(offset + first * trailing, out.reshape(-1))
                return
            flat = self._flat(offset + first * trailing, (last - first) * trailing)
            rest = tuple(slice(a, b) for a, b in zip(start[1:], stop[1:], strict=True))
            out[...] = flat.reshape(last - first, *shape[axis + 1 :])[:, *rest]
            return
        for i in range(first, last):
            self._copy_box(axis + 1, offset + i * trailing, start[1:], stop[1:], out[i - first])

    def _flat(self, start: int, count: int) -> Values:
        """Return `count` values from flat index `start` on, including fill."""
        import numpy as np

        stop = start + count
        number = max(0, bisect.bisect_right(self.bases, start) - 1)
        base = self.bases[number]
        if base <= start and stop <= base + self.counts[number]:
            return self._block(number)[start - base : stop - base]
        result = np.empty((count,), dtype_of(self.type))
        self._fill(start, result)
        return result

    def _fill(self, start: int, out: Values) -> None:
        """Copy the values from flat index `start` on to the flat array `out`."""
        stop = start + out.size
        number = max(0, bisect.bisect_right(self.bases, start) - 1)
        position = start
        while number < len(self.bases) and self.bases[number] < stop:
            base = self.bases[number]
            low = max(start, base)
            high = min(stop, base + self.counts[number])
            if low < high:
                self._put_fill(out[position - start : low - start])
                out[low - start : high - start] = self._block(number)[low - base : high - base]
                position = high
            number += 1
        self._put_fill(out[position - start :])

    def _put_fill(self, out: Values) -> None:
        """Write fill to all elements of `out`, which most often has none."""
        if out.size:
            out[...] = fill_array(out.shape, self.type, self.fill)

    def _block(self, number: int) -> Values:
        """Return the values of one block, from the cache if possible."""
        if number in self.cache:
            self.cache.move_to_end(number)
            return self.cache[number]
        values = self.read(number)
        self.cache[number] = values
        cached = sum(self.counts[n] for n in self.cache)
        while len(self.cache) > 2 and cached > self._capacity():
            oldest, _ = self.cache.popitem(last=False)
            cached -= self.counts[oldest]
        return values

    def _capacity(self) -> int:
        """Return the number of elements to cache: those that neighbouring chunks share."""
        shape, chunks = self.grid.shape, self.grid.chunks
        if all(c >= n for c, n in zip(chunks[1:], shape[1:], strict=True)):
            return 0
        return min(_MAX_CACHED, chunks[0] * math.prod(shape[1:]) + 2 * max(self.counts))


def row_chunks(shape: Shape) -> Shape:
    """Return the shape of chunks of about a million elements in whole rows, as in a list."""
    chunks: list[int] = []
    remaining = _SLAB
    for n in reversed(shape):
        chunks.append(max(1, min(n, remaining)))
        remaining //= max(1, n)
    return tuple(reversed(chunks))
