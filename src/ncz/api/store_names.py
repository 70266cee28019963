"""Paths and URLs with the interface of zarr-python's stores."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, Self, cast

from ncz.api.group import Group
from ncz.api.places import new_in_memory, place_of
from ncz.errors import NczError
from ncz.zmap.foreign_stores import below, url_of_store, with_storage_options
from ncz.zmap.location import path_of


class StoreName(str):
    """The path or the URL of a store. Changes are written immediately, and closing does nothing.

    Functions of ncz and of zarr-python take it as a path.
    """

    __slots__ = ()

    @property
    def path(self) -> str:
        """The path or the URL."""
        return str(self)

    root = path

    def close(self) -> None:
        """Do nothing."""

    flush = close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class LocalStore(StoreName):
    """A store in a directory."""

    __slots__ = ()

    def __new__(cls, root: Any, **_: Any) -> Self:
        """Return the path of a directory."""
        return super().__new__(cls, path_of(root))


class ZipStore(StoreName):
    """A store in a zip file."""

    __slots__ = ()

    def __new__(cls, path: Any, *_: Any, mode: str = "r", **__: Any) -> Self:
        """Return the path of a zip file; with the mode "w", a store of this name is removed."""
        place = path_of(path)
        if mode == "w" and os.path.lexists(place):
            from ncz.commands.rm import rm

            rm(place)
        is_named = "://" in place or place.lower().endswith(".zip")
        return super().__new__(cls, place if is_named else f"{place}#mode=zip")


class MemoryStore(StoreName):
    """A store in memory, which exists until the process ends."""

    __slots__ = ()

    def __new__(cls, *_: Any, **__: Any) -> Self:
        """Return the URL of a new store."""
        return super().__new__(cls, new_in_memory("store"))


class FsspecStore(StoreName):
    """A store in a file system of fsspec."""

    __slots__ = ()

    def __new__(cls, fs: Any, *, path: str = "", **options: Any) -> Self:
        """Return the URL of a path in a file system, or one that is given."""
        if isinstance(fs, str):
            return cls.from_url(fs, options)
        base = url_of_store(fs.get_mapper(path))
        if base is None:
            raise TypeError(f"ncz has no URL for {type(fs).__name__}")
        return super().__new__(cls, base)

    @classmethod
    def from_url(cls, url: str, storage_options: Mapping[str, Any] | None = None, **_: Any) -> Self:
        """Return a URL with options of fsspec."""
        return super().__new__(cls, with_storage_options(url, storage_options or {}))


def copy_store(
    source: Any,
    dest: Any,
    source_path: str = "",
    dest_path: str = "",
    *,
    if_exists: str = "raise",
    **options: Any,
) -> Any:
    """Copy a store, or the part below a path."""
    from ncz.commands.copy.command import copy

    source = below(_place(source), source_path) if source_path else source
    dest = below(_place(dest), dest_path) if dest_path else dest
    return copy(source, dest, **{"overwrite": if_exists == "replace", **options})


def copy_all(source: Any, dest: Any, **options: Any) -> Any:
    """Copy the members of a group into another group, which may have members."""
    from ncz.commands.copy.command import copy

    if isinstance(dest, str | os.PathLike) and not isinstance(dest, StoreName):
        return copy(source, dest, **options)
    done = copy(_of_group(source), cast(Any, _place(dest)), **{"add": True, **options})
    if isinstance(dest, Group):
        dest._handle.reopen()
        dest._forget()
    return done


def _of_group(source: Any) -> Any:
    """Return the place of a group that is not a whole dataset; anything else unchanged."""
    is_part = isinstance(source, Group) and source.path != "/"
    return _place(source) if is_part else source


def _place(store: Any) -> str:
    """Return the path or the URL of a store or a group."""
    found = place_of(store)
    if found is None:
        raise NczError(
            f"a {type(store).__name__} has no path or URL", hint="give the path of the store"
        )
    return found
