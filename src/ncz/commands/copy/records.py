"""Store coordinates of many records together, and not in a chunk for each record.

Models write one time after the other, and netCDF-C gives some variables of an unlimited dimension
chunks of one record. In a store, each of these few bytes would be a separate object, which a
reader of the coordinate has to fetch.
"""

from __future__ import annotations

import math

from ncz.commands.references import REFERENCE_SIZE
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, each_variable, shape_of
from ncz.model.type_sizes import fixed_size
from ncz.record import replace
from ncz.zmap.reference.held_values import LARGEST_HELD

_SMALL_RECORD = 64
"""Bytes of the largest record, such as a time and its bounds, that is stored with others."""

_SMALL_CHUNK = 4096
_MANY = 16
"""A variable with more chunks than this of at most `_SMALL_CHUNK` bytes gets larger ones."""

_LARGEST_CHUNK = 1 << 20
"""Bytes of a chunk of several records."""

_TEXT = 16
"""Bytes that a string is taken to have."""


def with_records_together(dataset: Dataset, *, held: int | None = None) -> Dataset:
    """Return a dataset with chunks of many records for variables of small records.

    `held` is the most bytes of a chunk inside a reference set, if the copy is one. A
    set can refer to each record of a classic file, but the values of a small one take less than
    that.
    """
    lengths = dimensions_by_fqn(dataset.root)

    def together(_: str, variable: Variable) -> Variable:
        shape = shape_of(variable, lengths)
        if not shape or variable.storage.shards:
            return variable
        size = fixed_size(variable.type) or _TEXT
        record = math.prod(shape[1:]) * size
        chunks = variable.storage.chunks
        largest = _SMALL_RECORD
        if chunks is None and held is not None and record <= held:
            chunks, largest = _referred_shape(variable), held
        if chunks is None or len(chunks) != len(shape):
            return variable
        count = math.prod(-(-n // max(1, c)) for n, c in zip(shape, chunks, strict=True))
        is_small = record <= largest and math.prod(chunks) * size <= _SMALL_CHUNK
        is_too_much = held is not None and record * shape[0] > LARGEST_HELD
        if not is_small or count <= _MANY or (is_too_much and record > REFERENCE_SIZE):
            return variable
        length = min(shape[0], _LARGEST_CHUNK // max(1, record))
        storage = replace(variable.storage, chunks=(length, *(max(1, n) for n in shape[1:])))
        return replace(variable, storage=storage)

    return each_variable(dataset, together)


def _referred_shape(variable: Variable) -> tuple[int, ...] | None:
    """Return the shape of the parts of a file that a set refers to; None for no parts."""
    data = None if variable.data is None else variable.data.referable()
    return data.layout.chunks if isinstance(data, EncodedSource) else None
