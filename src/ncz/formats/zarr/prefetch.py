"""The objects that hold the values of variables, in the order in which texts print them.

A remote store is given this list, and fetches many objects at once (`ncz.zmap.remote.prefetch`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ncz.formats.zarr.array import ZarrArray
from ncz.model.slabs import SparseReading, lists_many, slabs_of
from ncz.model.tree import Variable
from ncz.zmap import Zmap

LARGEST_SHARD = 64 << 20
"""Decoded bytes of a shard up to which it is fetched whole; chunks of larger ones are fetched
singly."""


def expect_data(zmap: Zmap, variables: Iterable[Variable]) -> None:
    """Tell a remote store that all values of `variables` will be read, in order."""
    zmap.expect(_objects(zmap, variables))


def _objects(zmap: Zmap, variables: Iterable[Variable]) -> Iterator[tuple[str, int]]:
    """Yield the key of each object of `zmap`, and its decoded size in bytes."""
    for variable in variables:
        source = variable.data
        if not isinstance(source, ZarrArray) or source.zmap is not zmap:
            continue
        size = source.layout.chunk_size * max(1, source.item_size)
        if not source.is_sharded or size <= LARGEST_SHARD:
            yield from ((key, size) for key in _keys(source, variable))


def _keys(source: ZarrArray, variable: Variable) -> Iterator[str]:
    last = None
    listed = SparseReading(source, patience=0) if lists_many(source) else source
    for box in slabs_of(variable, source.grid.shape):
        for index in listed.touching(box):
            key = source.key_of(index)
            if key != last:
                yield key
            last = key
