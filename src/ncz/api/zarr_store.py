"""A dataset as a read-only store of zarr-python."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any, TypeVar

from zarr.abc.store import OffsetByteRequest, RangeByteRequest, Store, SuffixByteRequest

from ncz.api.dataset import Dataset
from ncz.commands.planned_store import planned_store
from ncz.errors import Notify, ignore_notice
from ncz.model.chunks import LARGEST_CHUNK
from ncz.parallel.memory import default_memory

_T = TypeVar("_T")


class DatasetStore(Store):  # type: ignore[misc]
    """The objects of a dataset, which are made when zarr-python requests them; can be pickled."""

    supports_writes = False
    supports_deletes = False
    supports_listing = True

    def __init__(
        self,
        dataset: Dataset,
        zarr_format: int | None,
        allow_loss: bool,
        notify: Notify = ignore_notice,
    ) -> None:
        super().__init__(read_only=True)
        self.dataset = dataset
        self._options = zarr_format, allow_loss
        self._zmap = planned_store(
            dataset.record, notify, zarr_format=zarr_format, allow_loss=allow_loss,
            memory=default_memory() // 2,
        )  # fmt: skip
        self._is_open = True

    def __reduce__(self) -> tuple[Any, tuple[Any, ...]]:
        return DatasetStore, (self.dataset, *self._options)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, DatasetStore) and self._open_arguments() == other._open_arguments()

    def _open_arguments(self) -> tuple[Any, ...]:
        """Return the arguments that opened the dataset, and the options."""
        return (*self.dataset._handle.__reduce__()[1], self._options)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"ncz.open_store({self.dataset.filepath()!r})"

    def close(self) -> None:
        """Close the store, and the dataset."""
        super().close()
        self._zmap.close()
        self.dataset.close()

    def with_read_only(self, read_only: bool = False) -> DatasetStore:
        """Return the store. Raises `ValueError` for one that can be written."""
        if not read_only:
            raise self._refusal()
        return self

    async def get(self, key: str, prototype: Any = None, byte_range: Any = None) -> Any:
        """Return an object, or a part of it; None if it does not exist."""
        if prototype is None:
            from zarr.core.buffer import default_buffer_prototype

            prototype = default_buffer_prototype()
        if byte_range is None and self._zmap.is_document(key):
            data = self._zmap.get(key)
        else:
            data = await self._in_thread(lambda: self._read(key, byte_range))
        return None if data is None else prototype.buffer.from_bytes(data)

    def _read(self, key: str, byte_range: Any) -> bytes | None:
        if byte_range is None:
            return self._zmap.get(key, LARGEST_CHUNK)
        if isinstance(byte_range, RangeByteRequest):
            start, stop = byte_range.start, byte_range.end
            return self._zmap.get_range(key, start, stop - start)
        size = self._zmap.size(key)
        if size is None:
            return None
        if isinstance(byte_range, OffsetByteRequest):
            start = min(byte_range.offset, size)
        elif isinstance(byte_range, SuffixByteRequest):
            start = max(0, size - byte_range.suffix)
        else:
            raise TypeError(f"a range of bytes is expected, not {byte_range!r}")
        return self._zmap.get_range(key, start, size - start)

    async def get_partial_values(
        self, prototype: Any, key_ranges: Iterable[tuple[str, Any]]
    ) -> list[Any]:
        """Return parts of objects."""
        parts = (self.get(key, prototype, wanted) for key, wanted in key_ranges)
        return [*await asyncio.gather(*parts)]

    async def exists(self, key: str) -> bool:
        """Return whether there is an object."""
        return await self._in_thread(lambda: self._zmap.size(key)) is not None

    async def getsize(self, key: str) -> int:
        """Return the size of an object. Raises `FileNotFoundError` if it does not exist."""
        size = await self._in_thread(lambda: self._zmap.size(key))
        if size is None:
            raise FileNotFoundError(key)
        return size

    async def list(self) -> AsyncIterator[str]:
        """Iterate over the keys."""
        for key in await self._in_thread(lambda: [*self._zmap.walk()]):
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Iterate over the keys that begin with a text."""
        folder = prefix.rpartition("/")[0]
        for key in await self._in_thread(lambda: [*self._zmap.walk(folder)]):
            if key.startswith(prefix):
                yield key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """Iterate over the names directly below a key."""
        for name in await self._in_thread(lambda: self._zmap.search(prefix.strip("/"))):
            yield name

    async def set(self, key: str, value: Any) -> None:
        """Raise `ValueError`: the store is read-only."""
        raise self._refusal()

    async def delete(self, key: str) -> None:
        """Raise `ValueError`: the store is read-only."""
        raise self._refusal()

    def _refusal(self) -> ValueError:
        path = self.dataset.filepath()
        return ValueError(
            f"the store of ncz.open_store is read-only; ncz.copy({path!r}, 'x.zarr') writes another"
        )

    async def _in_thread(self, function: Callable[[], _T]) -> _T:
        return await asyncio.to_thread(function)
