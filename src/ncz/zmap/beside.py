"""The files and folders that belong to a store and are stored next to it."""

from __future__ import annotations

from collections.abc import Callable

from ncz.record import record


@record(kw_only=True)
class Beside:
    """A folder next to a store, with objects that the store needs.

    Attributes
    ----------
    place
        Its path or URL, as messages show it.
    objects, size
        The number of objects, and their size in bytes.
    unused, unused_size
        The objects that the store does not need: an interrupted command left them.
    modified
        When the last of them changed, in seconds since 1970; None if a server does not say.
    remove
        Removes all objects, or only unused ones. Other files in the folder stay.
    """

    place: str
    objects: int
    size: int
    unused: int
    unused_size: int
    modified: float | None
    remove: Callable[[bool], None]
