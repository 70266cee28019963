"""Floats that are rounded before they are compressed, as netCDF-C 4.9 and later do.

Source: nc_def_var_quantize in the netCDF-C documentation, and the papers it rests on (Zender 2016
for BitGroom, Delaunay et al. 2019 for GranularBitRound, Kouznetsov 2021 for BitRound). The
results are netcdf-c 4.10.1's, bit for bit, except for infinities: they stay, and netcdf-c makes
them 0 or NaN.
"""

from __future__ import annotations

import math
from functools import partial
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.data import ChunkSource, Values
from ncz.model.grid import Box
from ncz.model.mapped_source import MappedSource
from ncz.model.quantization import Quantization
from ncz.model.types import Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[Any]


_BITS_PER_DIGIT = math.log(10) / math.log(2)
_DIGITS_PER_BIT = math.log(2) / math.log(10)


def quantized_source(
    source: ChunkSource, quantize: Quantization, mask: Value = None
) -> ChunkSource:
    """Return a source of rounded floats or doubles.

    The mask is not rounded; without one, the fill value of the source is not.
    """
    fill = source.fill if mask is None else mask
    shape = source.grid.shape
    return MappedSource(source, partial(_round_box, quantize=quantize, fill=fill, shape=shape))


def _round_box(
    values: Values, box: Box, *, quantize: Quantization, fill: Value, shape: tuple[int, ...]
) -> Values:
    return round_floats(values, quantize.algorithm, quantize.digits, fill, _odd_places(box, shape))


def _odd_places(box: Box, shape: tuple[int, ...]) -> Values:
    """Return whether each element of `box` has an odd position in the flattened array."""
    odd = np.zeros(box.shape, bool)
    stride = 1
    for axis in reversed(range(len(shape))):
        places = np.arange(box.start[axis], box.stop[axis]) * (stride % 2) % 2 == 1
        odd ^= places.reshape(-1, *(1 for _ in shape[axis + 1 :]))
        stride *= shape[axis]
    return odd


def round_floats(
    values: Floats, algorithm: str, digits: int, fill: float | None, odd: NDArray[Any]
) -> Floats:
    """Round `values` (float32 or float64, any shape), except infinities, NaN and `fill`.

    `algorithm` is "BitGroom", "GranularBitRound" (`digits` decimal) or "BitRound" (bits). `odd`
    broadcasts to the shape and is true where the index of an element in the whole array is odd:
    BitGroom rounds those up and the others down.
    """
    result = values.copy()
    bits = result.view("u4" if values.dtype.itemsize == 4 else "u8")
    explicit = 23 if values.dtype.itemsize == 4 else 52
    affected = np.isfinite(values)
    if fill is not None:
        affected &= values != values.dtype.type(fill)
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
    return np.left_shift(~np.zeros((), dtype), np.asarray(count).astype(dtype))


def _round_half(bits: NDArray[Any], affected: NDArray[Any], count: NDArray[Any]) -> None:
    """Round to nearest in place by clearing the lowest `count` bits; a half is rounded up."""
    zeros = _ones_above(np.clip(count, 0, 8 * bits.dtype.itemsize - 1), bits.dtype)
    half = ~zeros & (zeros >> bits.dtype.type(1))
    bits[affected] = ((bits + half) & zeros)[affected]


def _granular_bits(values: Floats, affected: NDArray[Any], digits: int) -> NDArray[Any]:
    """Return the explicit bits that each value needs for that many decimal digits."""
    safe = np.where(affected, values, 1).astype("f8")
    mantissa, exponent = np.frexp(np.abs(safe))
    log_mantissa = np.log10(mantissa, where=mantissa > 0, out=np.zeros_like(mantissa))
    leading = np.floor(exponent * _DIGITS_PER_BIT + log_mantissa).astype(int) + 1
    power = np.floor(_BITS_PER_DIGIT * (leading - digits)).astype(int)
    bits_needed = np.floor(exponent - _BITS_PER_DIGIT * log_mantissa).astype(int) - power
    return np.where(mantissa == 0, 0, np.abs(bits_needed)) - 1
