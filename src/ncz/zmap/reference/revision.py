"""Change an existing reference set: it is written again, in one step."""

from __future__ import annotations

import contextlib
import os

from ncz.errors import ZmapError
from ncz.record import replace
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.fragment import RECORD_SIZE, RELATIVE_TO, VERSION
from ncz.zmap.location import Location
from ncz.zmap.reference.creation import ReferenceCreation, create_set
from ncz.zmap.reference.new_chunks import NewChunks
from ncz.zmap.reference.reference_set import Reference, ReferenceSet
from ncz.zmap.reference.stored_set import open_set


class ReferenceRevision(ReferenceCreation):
    """A reference set and its changes, which appear when they are committed.

    New targets get a seal. Existing targets keep theirs, and are not checked.

    Parameters
    ----------
    location
        Where the set is.
    """

    is_atomic = True

    def __init__(self, location: Location) -> None:
        with contextlib.closing(open_set(location)) as references:
            options = {RECORD_SIZE: str(references.record_size), VERSION: str(references.version)}
            if location.options.get(RELATIVE_TO) is None and _is_relative(references):
                options[RELATIVE_TO] = "ref"
            location = replace(location, options={**location.options, **options})
            super().__init__(location, NewChunks(location))
            found = ((key, references.find(key)) for key in references.walk(""))
            known: dict[str, Reference] = {k: entry for k, entry in found if entry is not None}
            self.take(known, references.seals)
            self._before = references.fingerprint

    def commit(self, message: str) -> None:
        """Write the set again. Raises `ZmapError` if another program has changed it."""
        with contextlib.closing(open_set(self._location)) as now:
            is_same = now.fingerprint == self._before
        if not is_same:
            raise ZmapError(
                "another program changed the set in the meantime",
                self.url,
                "nothing was changed; run the same command again",
            )
        with create_set(self._location, True, self._new) as creation:
            self.settle()
            entries, seals = self.references, self._seals()
            used = {each.url for each in entries.values() if isinstance(each, ByteRange)}
            creation.take(entries, {url: seal for url, seal in seals.items() if url in used})

    def close(self) -> None:
        """Close the set; chunks that were added and not committed are removed."""
        self._new.abandon()
        super().close()


def _is_relative(references: ReferenceSet) -> bool:
    """Return whether a set names its targets from its own folder."""
    first = next(references.urls(), None)
    return first is not None and "://" not in first and not os.path.isabs(first)
