"""The names of the folder of pieces next to their master."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence

from ncz.errors import StoreExists
from ncz.zmap.location import Location

WriteMaster = Callable[[str], None]
"""A function that writes the master of the pieces in the folder with a name."""

Publish = Callable[[WriteMaster], None]
"""A function that gives new pieces their folder, writes the master, and removes old pieces."""

_GENERATIONS = 9
USE_OTHER = "use another name"


def generation_names(stem: str) -> Iterator[str]:
    """Yield the names that a folder of pieces can have. All pieces begin with the first and a dot.

    A master whose own folder has one of the other names has pieces that begin otherwise.
    """
    yield stem
    yield from (f"{stem}-{number}" for number in range(2, _GENERATIONS + 1))


def is_own(name: str, master: Location) -> bool:
    """Return whether a piece, as the master names it, is in the folder of the master's pieces."""
    folder, slash, piece = name.rpartition("/")
    stem = folder_name(master)
    return bool(slash) and folder in generation_names(stem) and piece.startswith(f"{stem}.")


def are_pieces(names: Sequence[str], stem: str) -> bool:
    """Return whether all names belong to pieces of a master."""
    return all(name.startswith(f"{stem}.") for name in names)


def foreign_objects(url: str, what: str, cure: str) -> StoreExists:
    """Return the error for a folder that contains other things than pieces."""
    message = f"will not be overwritten: it contains {what} that are not pieces"
    return StoreExists(message, url, f"{cure}, or use another name")


def is_local(location: Location) -> bool:
    """Return whether a location is a path."""
    return location.kind not in ("remote", "memory")


def folder_name(location: Location) -> str:
    """Return the name of the folder of pieces: the master's name without its suffix."""
    name = location.dataset_name()
    base = location.path.replace(os.sep, "/").rstrip("/").rpartition("/")[2]
    return f"{name}-pieces" if name == base else name
