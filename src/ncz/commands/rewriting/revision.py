"""What changes in a store that is edited."""

from __future__ import annotations

from collections.abc import Mapping

from ncz.record import record
from ncz.zmap.key import ancestors, join_key

_NONE: Mapping[str, bytes] = {}
_NOWHERE: Mapping[str, str | None] = {}


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
    """

    documents: Mapping[str, bytes] = _NONE
    places: Mapping[str, str | None] = _NOWHERE
    is_structural: bool = False

    def key_of(self, key: str) -> str | None:
        """Return the new key of an object, or of a group or array; None if it is removed."""
        for place in (key, *ancestors(key)):
            if place in self.places:
                new = self.places[place]
                return None if new is None else join_key(new, key[len(place) :])
        return key
