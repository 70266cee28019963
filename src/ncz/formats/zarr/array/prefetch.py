"""In which objects the values of variables lie, in the order in which texts print them.

A remote store is told so, and fetches many at once (`ncz.zmap.remote.prefetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ncz.formats.zarr.array.array import ZarrArray
from ncz.model.slabs import slabs_of
from ncz.model.tree import Variable
from ncz.zmap import Zmap, expect

LARGEST_SHARD = 64 << 20
"""Bytes of a shard, decoded, that is fetched whole; of a larger one its chunks are, one by one."""


def expect_data(zmap: Zmap, variables: Iterable[Variable]) -> None:
    """Tell a store that all values of these variables will be read."""
    expect(zmap, _objects(variables))


def _objects(variables: Iterable[Variable]) -> Iterator[tuple[str, int]]:
    """The keys, and the bytes of what is decoded of each."""
    for variable in variables:
        source = variable.data
        if not isinstance(source, ZarrArray):
            continue
        size = source.layout.chunk_size * max(1, source.encoding.item_size)
        if not source.is_sharded or size <= LARGEST_SHARD:
            yield from ((key, size) for key in _keys(source, variable))


def _keys(source: ZarrArray, variable: Variable) -> Iterator[str]:
    last = None
    for box in slabs_of(variable, source.grid.shape):
        for index in source.grid.indices(box):
            key = source.key_of(index)
            if key != last:
                yield key
            last = key
