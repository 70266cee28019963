"""The objects of a store of zarr-python that has no path, such as one in memory."""

from __future__ import annotations

from collections.abc import Iterator, MutableMapping
from typing import Any
from weakref import WeakValueDictionary

_STORES: WeakValueDictionary[str, Any] = WeakValueDictionary()
"""The stores that have a name as long as the program uses them."""


class ZarrObjects(MutableMapping[str, bytes]):
    """A store of zarr-python, or the part below a prefix, as a mapping from keys to bytes."""

    def __init__(self, store: Any, prefix: str = "") -> None:
        self._store = store
        self._prefix = prefix

    def __getitem__(self, key: str) -> bytes:
        from zarr.core.buffer import default_buffer_prototype

        found = _wait(self._store.get(self._prefix + key, default_buffer_prototype()))
        if found is None:
            raise KeyError(key)
        return bytes(found.to_bytes())

    def __setitem__(self, key: str, value: bytes) -> None:
        from zarr.core.buffer.cpu import Buffer

        _wait(self._store.set(self._prefix + key, Buffer.from_bytes(value)))

    def __delitem__(self, key: str) -> None:
        if key not in self:
            raise KeyError(key)
        _wait(self._store.delete(self._prefix + key))

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and bool(_wait(self._store.exists(self._prefix + key)))

    def __iter__(self) -> Iterator[str]:
        async def list_keys() -> list[str]:
            found = self._store.list_prefix(self._prefix)
            return [key.removeprefix(self._prefix) async for key in found]

        return iter(_wait(list_keys()))

    def __bool__(self) -> bool:
        async def has_one() -> bool:
            return any([True async for _ in self._store.list_dir(self._prefix)])

        return bool(_wait(has_one()))

    def __len__(self) -> int:
        return sum(1 for _ in self)


def register_store(store: Any) -> str:
    """Register a store of zarr-python for `objects_of`, and return its name."""
    name = f"zarr-{id(store)}"
    _STORES[name] = store
    return name


def objects_of(name: str) -> ZarrObjects | None:
    """Return the objects of the store with a name, or of a group of it; None if not found."""
    name, _, group = name.partition("/")
    store = _STORES.get(name)
    return None if store is None else ZarrObjects(store, f"{group}/" if group else "")


def _wait(work: Any) -> Any:
    from zarr.core.sync import sync

    return sync(work)
