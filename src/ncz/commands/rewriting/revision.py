"""What changes in a store that is edited."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ncz.record import record
from ncz.zmap import WritableZmap
from ncz.zmap.key import ancestors, join_key

_NONE: Mapping[str, bytes] = {}
_NOWHERE: Mapping[str, str | None] = {}


@record(kw_only=True)
class NewObjects:
    """Objects that are written to a store that is written again.

    Attributes
    ----------
    keys
        Their keys; what the old store has there is left out.
    write
        Writes them to the new store. It is not called by several threads.
    """

    keys: frozenset[str]
    write: Callable[[WritableZmap], None]


@record(kw_only=True)
class Revision:
    """Changed documents, and new names.

    Attributes
    ----------
    documents
        The changed documents by their new keys, those of the root last.
    places
        The new keys of groups and arrays by the old ones; None for what is removed. What is below
        them moves with them.
    is_structural
        Whether names change, so that old and new documents must never be read together.
    new
        Chunks that a zip file gets; those of other stores are written before.
    """

    documents: Mapping[str, bytes] = _NONE
    places: Mapping[str, str | None] = _NOWHERE
    is_structural: bool = False
    new: NewObjects | None = None

    def key_of(self, key: str) -> str | None:
        """Return the new key of an object, or of a group or array; None if it is removed."""
        for place in (key, *ancestors(key)):
            if place in self.places:
                new = self.places[place]
                return None if new is None else join_key(new, key[len(place) :])
        return key
