"""A planned Zarr store that is never written: its objects are made when they are read.

The documents are made once. A chunk is passed on as the source stores it if a copy would copy it
raw, and encoded on request otherwise. Every object has the bytes that `ZarrWritePlan.write` would
write.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence

from ncz.errors import Notify, ZmapError
from ncz.formats.chunks import check_chunk_size, encoded_box, values_to_write
from ncz.formats.create_options import CreateOptions
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.target import ZarrWritePlan, plan_zarr
from ncz.formats.zarr.writing.writer import metadata_writer
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Index
from ncz.model.tree import Dataset
from ncz.record import record
from ncz.transfer.chunk_cache import Budget, ChunkCache
from ncz.transfer.move import Transfer, encoded_fill, recode_chunk, transfer_for
from ncz.zmap import Zmap
from ncz.zmap.key import LARGEST_DOCUMENT, SortedKeys, ancestors, check_inside, part, too_large
from ncz.zmap.location import Location
from ncz.zmap.memory import MemoryZmap

_DECODED = 4
"""The memory for recoding a chunk, as a multiple of its size."""


@record(kw_only=True)
class _ChunkMaker:
    """The way to make the chunks of one array.

    `make` returns a chunk of the source, or None if the source lacks it, and `filling` its
    substitute. `cost` is the largest memory for this in bytes. `is_raw` is true if chunks are
    passed on as the source stores them, and `raw` is the array whose objects they are.
    """

    array: ArrayPlan
    make: Callable[[Index], bytes | None]
    filling: Callable[[], bytes | None]
    cost: int
    is_raw: bool = False
    raw: ZarrArray | None = None


def plan_served_store(dataset: Dataset, location: Location, notify: Notify) -> ZarrWritePlan:
    """Plan a dataset as a store with consolidated metadata, for `PlannedZmap`."""
    return plan_zarr(dataset, location, CreateOptions(consolidated=True), notify)


class PlannedZmap(Zmap):
    """A store with the objects that a plan would write; many threads may read it.

    Parameters
    ----------
    plan
        The contents of the store. The source must stay open.
    memory
        Bytes that all chunks in the making take together. A larger one is made alone.
    kept
        Bytes of encoded chunks that are kept for the next requests of their parts.
    """

    def __init__(self, plan: ZarrWritePlan, *, memory: int, kept: int = 64 << 20) -> None:
        self.url = plan.location.display
        self._closed = False
        makings = [self._chunk_maker(array) for array in plan.arrays]
        plan.check_codecs({m.array.fqn for m in makings if not m.is_raw})
        self._makings = {making.array.key: making for making in makings}
        self._documents = MemoryZmap(url=self.url)
        writer = metadata_writer(plan.plan, self._documents)
        for array in plan.arrays:
            # Only masked chunks that are not written can be missing; see the plan.
            writer.write_array(array, complete=not array.masks_missing)
        writer.write_groups()
        self._budget = Budget(memory)
        self._kept = ChunkCache(kept)

    def is_document(self, key: str) -> bool:
        """Return whether an object is a document, which was made when the store was opened."""
        return self._documents.size(key) is not None

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        """Read a whole object; see `Zmap.get`."""
        document = self._documents.get(key, limit)
        chunk = None if document is not None else self._find(key)
        data = document if chunk is None else self._chunk(*chunk)
        if data is not None and len(data) > limit:
            raise too_large(self.where(key), limit)
        return data

    def get_range(self, key: str, start: int, count: int) -> bytes | None:
        """Read a part of an object; see `Zmap.get_range`."""
        document = self._documents.get_range(key, start, count)
        chunk = None if document is not None else self._find(key)
        if chunk is None:
            return document
        making, index = chunk
        if making.raw is not None:
            raw = making.raw
            data = raw.zmap.get_range(raw.keys.key(raw.key, index), start, count)
            if data is not None:
                return data
        whole = self._chunk(making, index)
        return None if whole is None else part(whole, start, count)

    def size(self, key: str) -> int | None:
        """Return the size of an object in bytes; a chunk that is not passed on raw is made."""
        size = self._documents.size(key)
        chunk = None if size is not None else self._find(key)
        if chunk is None:
            return size
        making, index = chunk
        if making.raw is not None and (stored := making.raw.stored_size(index)) is not None:
            return stored
        data = self._chunk(making, index)
        return None if data is None else len(data)

    def search(self, prefix: str) -> list[str]:
        """List the names directly below `prefix`; see `Zmap.search`."""
        if any(above in self._makings for above in (prefix, *ancestors(prefix))):
            return SortedKeys(self.walk(prefix)).search(prefix)
        return self._documents.search(prefix)

    def nodes(self, prefix: str) -> list[str]:
        """List the names directly below `prefix` that do not name chunks."""
        return self._documents.search(prefix)

    def walk(self, prefix: str = "") -> Iterator[str]:
        """Iterate over the keys at or below `prefix`; see `Zmap.walk`."""
        above = (check_inside(prefix), *ancestors(prefix))
        keys = list(self._documents.walk(prefix))
        for key, making in self._makings.items():
            if key in above or not prefix or key.startswith(f"{prefix}/"):
                keys += self._chunk_keys(making)
        return SortedKeys(keys).walk(prefix)

    def close(self) -> None:
        """Close the store. Reading afterwards raises `ZmapError`."""
        self._closed = True
        self._documents.close()
        self._kept.clear()

    def _chunk_maker(self, array: ArrayPlan) -> _ChunkMaker:
        source, layout = array.variable.data, array.layout
        cost = _DECODED * layout.chunk_size * max(1, array.item_size)
        raw, is_raw = None, source is None
        make: Callable[[Index], bytes | None]
        if source is None:
            make = _no_chunk
        elif isinstance(source, EncodedSource) and source.layout.shape == layout.shape:
            transfer = transfer_for(source, array)
            if transfer.way == "raw":
                raw = source if isinstance(source, ZarrArray) else None
                make, cost, is_raw = source.encoded_chunk, cost // _DECODED, True
            elif transfer.way == "recode":
                make = functools.partial(self._recode, transfer)
            else:
                make = self._from_values(array)
                cost += _DECODED * source.layout.chunk_size * max(1, source.item_size)
        else:
            make = self._from_values(array)
        filling = functools.cache(lambda: encoded_fill(array) if array.fills_missing else None)
        return _ChunkMaker(
            array=array, make=make, filling=filling, cost=cost, is_raw=is_raw, raw=raw
        )

    def _recode(self, transfer: Transfer, index: Index) -> bytes | None:
        return recode_chunk(transfer, index, self)

    def _from_values(self, array: ArrayPlan) -> Callable[[Index], bytes | None]:
        """Return a function that encodes values which are not stored in such chunks."""
        values = values_to_write(array)
        assert values is not None
        check_chunk_size(array)
        return lambda index: encoded_box(values, array, index, self.where)

    def _find(self, key: str) -> tuple[_ChunkMaker, Index] | None:
        """Return the array and the index of a chunk; None if no chunk can have this key."""
        for above in (*ancestors(key), ""):
            making = self._makings.get(above)
            if making is not None:
                grid = making.array.layout.grid
                name = key[len(above) + 1 :] if above else key
                index = making.array.keys.index(name, len(grid.counts))
                is_inside = index is not None and all(
                    i < n for i, n in zip(index, grid.counts, strict=True)
                )
                return (making, index) if index is not None and is_inside else None
        return None

    def _chunk(self, making: _ChunkMaker, index: Index) -> bytes | None:
        """Return a chunk. Threads that request the same one at the same time share it."""

        def make() -> bytes | None:
            with self._budget.spend(making.cost):
                data = making.make(index)
                return making.filling() if data is None else data

        if self._closed:
            raise ZmapError("the store is closed", location=self.url)
        if making.raw is not None:  # whose store may keep it better
            return make()
        return self._kept.get((making.array.key, index), make)

    def _chunk_keys(self, making: _ChunkMaker) -> Sequence[str]:
        """Return the keys of the chunks of an array. Chunks not known to exist are made."""
        array, source = making.array, making.array.variable.data
        indices = array.layout.grid.indices()
        if array.fills_missing:
            return [array.chunk_key(index) for index in indices]
        if making.raw is not None and isinstance(source, ZarrArray) and source.is_listed:
            return [array.chunk_key(index) for index in source.present()]
        if source is None:
            return []
        return [array.chunk_key(i) for i in indices if self._chunk(making, i) is not None]


def _no_chunk(_: Index) -> None:
    """Return None: a variable without data has no chunks."""
