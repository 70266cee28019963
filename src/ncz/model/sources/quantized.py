"""Values that are rounded before they are compressed.

Source: netCDF-C's nc_def_var_quantize.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from ncz.model.data import ChunkSource
from ncz.model.grid import Box
from ncz.model.quantize import Quantize
from ncz.model.sources.mapped import MappedSource
from ncz.model.types import Value

if TYPE_CHECKING:
    from ncz.model.data import Values


def quantized(source: ChunkSource, quantize: Quantize) -> ChunkSource:
    """Return a source of rounded floats or doubles. Fill values are not rounded."""
    shape = source.grid.shape
    return MappedSource(source, partial(_rounded, quantize=quantize, fill=source.fill, shape=shape))


def _rounded(
    values: Values, box: Box, *, quantize: Quantize, fill: Value, shape: tuple[int, ...]
) -> Values:
    from ncz.codec.quantize import quantize as rounded

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
