"""Values of xarray, computed and encoded a block at a time."""

from __future__ import annotations

import math
import threading
from collections.abc import Sequence
from operator import gt
from typing import Any

import numpy as np
import xarray
from xarray import conventions

from ncz.errors import FormatError
from ncz.formats.xarray.coders import text_values
from ncz.model.data import ChunkSource, Values
from ncz.model.grid import Box, ChunkGrid, Index, Shape
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Enumeration, NcType
from ncz.record import field, record, replace

_BLOCK = 32 << 20
"""Bytes of the values that are computed at a time, if chunks are not longer."""

_MOST_COMPUTED = 256 << 20
"""Bytes of the values that are computed at a time, unless a chunk of the target has more."""

_TEXT = 64
"""Bytes of a text, about."""


@record
class XarrayValues(ChunkSource):
    """The values of a variable of xarray.

    `natural` is the shape of the blocks that are computed or read at the least cost, and `chunks`
    is the shape of the returned blocks. The last block is kept.
    """

    variable: xarray.Variable
    encodes: bool
    type: NcType
    fqn: str
    shape: Shape
    natural: Shape | None
    chunks: Shape | None = None
    last: dict[Index, Values] = field(default_factory=dict, compare=False, repr=False)
    lock: Any = field(default_factory=threading.Lock, compare=False, repr=False)

    fill = None

    @property
    def grid(self) -> ChunkGrid:
        """The shape, and the blocks."""
        return ChunkGrid(self.shape, self.chunks or tuple(max(1, n) for n in self.shape))

    def preferred_chunks(self) -> Shape | None:
        """Return the shape of the chunks of Dask, or of the file that is read."""
        return self.natural

    def rechunk(self, chunks: Shape) -> XarrayValues:
        """Return the same values in blocks of whole chunks of that shape, and of natural blocks."""
        natural = self.natural or chunks
        block = [c if c >= n else -(-n // c) * c for c, n in zip(chunks, natural, strict=True)]
        item = max(1, fixed_size(self.type)) if self.type is not Atomic.STRING else _TEXT
        while item * math.prod(block) > _MOST_COMPUTED and any(map(gt, block, chunks)):
            # Chunks of Dask that cross long chunks of the target are computed more than once.
            axis = max(range(len(block)), key=lambda i: block[i] // chunks[i])
            block[axis] = -(-block[axis] // chunks[axis] // 2) * chunks[axis]
        for axis in reversed(range(len(block))):
            most = max(1, _BLOCK // max(1, item * math.prod(block)))
            needed = -(-self.shape[axis] // block[axis])
            block[axis] *= max(1, min(most, needed))
        return replace(self, chunks=tuple(block), last={}, lock=threading.Lock())

    def split(self, most: int) -> XarrayValues:
        """Return the same values in blocks of at most `most` bytes, or of single natural ones."""
        least = self.natural or (1,) * len(self.shape)
        block, item = list(self.grid.chunks), max(1, fixed_size(self.type))
        while item * math.prod(block) > most and any(map(gt, block, least)):
            axis = max(range(len(block)), key=lambda i: block[i] / least[i])
            block[axis] = max(least[axis], block[axis] // 2)
        return replace(self, chunks=tuple(block), last={}, lock=threading.Lock())

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._chunk(index) for index in indices]

    def _chunk(self, index: Index) -> Values:
        """Return the values of a block."""
        with self.lock:
            if index not in self.last:
                self.last.clear()  # before the next one is computed
                self.last[index] = self._values(self.grid.box(index))
            return self.last[index]

    def _values(self, box: Box) -> Values:
        """Compute and encode the values of a block."""
        rank = self.variable.ndim
        block = self.variable[box.slices[:rank]].compute()
        if self.encodes:
            kind = block.dtype.kind
            if kind in "OT":
                block = block.copy(data=text_values(block.to_numpy(), self.fqn))
            elif kind != "U":
                block = encoded_block(block, self.fqn)
        values: Values = block.to_numpy()
        if self.type is Atomic.STRING:
            return values.astype(object)
        if self.type is Atomic.CHAR:
            length = self.shape[-1]
            flat = np.ascontiguousarray(values, f"S{length}").reshape(-1)
            return flat.view("S1").reshape(box.shape)
        if isinstance(self.type, Atomic):
            return values.astype(self.type.dtype, copy=False)
        result = np.empty(values.size, object)
        if isinstance(self.type, Enumeration):
            result[:] = values.ravel().tolist()
        else:
            result[:] = [(each.real, each.imag) for each in values.ravel().tolist()]
        return result.reshape(values.shape)


def encoded_block(block: xarray.Variable, fqn: str) -> xarray.Variable:
    """Encode a block of values.

    Raises `FormatError` for values that xarray cannot encode, and for numbers beyond the integers
    of the encoding, which it would wrap around.
    """
    try:
        with np.errstate(invalid="ignore"):  # of a cast, which is checked here
            encoded = conventions.encode_cf_variable(block, name=fqn.rpartition("/")[2])
    except (ValueError, TypeError, OverflowError) as error:
        message = " ".join(str(error).split())
        raise FormatError(f"xarray cannot encode the values: {message}", fqn) from error
    if encoded.dtype.kind in "iu" and block.dtype.kind in "iuf":
        _check_range(block, encoded.dtype, fqn)
    return encoded


def _check_range(block: xarray.Variable, dtype: np.dtype[Any], fqn: str) -> None:
    """Raise `FormatError` if an integer dtype cannot represent the packed numbers of a block."""
    encoding, numbers = block.encoding, block.to_numpy()
    present = numbers[np.isfinite(numbers)] if numbers.dtype.kind == "f" else numbers
    if not present.size:
        return
    scale, offset = (encoding.get(name) for name in ("scale_factor", "add_offset"))
    unsigned = str(encoding.get("_Unsigned", "")).lower()
    kind = {"true": "u", "false": "i"}.get(unsigned, dtype.kind)
    limits = np.iinfo(np.dtype(f"{kind}{dtype.itemsize}"))
    for value in (present.min().item(), present.max().item()):
        packed = value
        if scale is not None or offset is not None:
            packed = (value - float(offset or 0)) / float(1 if scale is None else scale)
        if not limits.min - 0.5 <= packed <= limits.max + 0.5:
            raise FormatError(
                f"the value {value:g} cannot be encoded as {dtype.name}",
                fqn,
                "change the encoding of the variable, or drop it with ds.drop_encoding()",
            )
