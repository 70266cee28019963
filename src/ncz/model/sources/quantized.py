"""Values that are rounded before they are compressed.

Source: netCDF-C's nc_def_var_quantize.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.model.data import ChunkSource
from ncz.model.grid import Box, Grid, Index
from ncz.model.quantize import Quantize
from ncz.model.types import NcType, Value
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values


@record
class QuantizedSource:
    """A source of rounded floats or doubles. Fill values are not rounded."""

    source: ChunkSource
    quantize: Quantize

    @property
    def grid(self) -> Grid:
        """The same as that of the source."""
        return self.source.grid

    @property
    def type(self) -> NcType:
        """The same as that of the source."""
        return self.source.type

    @property
    def fill(self) -> Value:
        """The same as that of the source."""
        return self.source.fill

    def chunk(self, index: Index) -> Values | None:
        """Return the rounded values of a chunk, or None if it is missing."""
        from ncz.codec.quantize import quantize

        values = self.source.chunk(index)
        if values is None:
            return None
        odd = _odd_places(self.grid.box(index), self.grid.shape)
        return quantize(values, self.quantize.algorithm, self.quantize.digits, self.fill, odd)


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
