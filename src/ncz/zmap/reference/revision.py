"""Change a reference set that exists: it is written again, in one step."""

from __future__ import annotations

import contextlib
import os

from ncz.errors import ZmapError, option
from ncz.record import replace
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import ZARR_JSON, ancestors, is_document
from ncz.zmap.location import LARGEST_HELD, RECORD_SIZE, RELATIVE_TO, VERSION, Location
from ncz.zmap.reference.creation import ReferenceCreation, create_references
from ncz.zmap.reference.reference_set import Reference, ReferenceSet
from ncz.zmap.reference.stored_set import open_set


class ReferenceRevision(ReferenceCreation):
    """A reference set and its changes, which appear when they are committed.

    New targets get a seal. Those that the set has keep theirs, and are not looked at.

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
            super().__init__(replace(location, options={**location.options, **options}))
            found = ((key, references.find(key)) for key in references.walk(""))
            known: dict[str, Reference] = {k: entry for k, entry in found if entry is not None}
            self.take(known, references.seals)
            self._before = references.fingerprint
        self._added: dict[str, int] = {}

    def put(self, key: str, value: bytes) -> None:
        """Create or replace an object that the set holds.

        Raises `ZmapError` if the set would have to hold many bytes of values.
        """
        if not is_document(key):
            array = self._array_of(key)
            self._added[array] = self._added.get(array, 0) + len(value)
            if self._added[array] > LARGEST_HELD:
                raise ZmapError(
                    "the set would have to hold more than 1 MiB of new values, as their chunks do"
                    " not fit",
                    self.where(array),
                    f"join the datasets with {option('concat')} to a store",
                )
        super().put(key, value)

    def _array_of(self, key: str) -> str:
        """Return the array that a chunk belongs to."""
        names = (ZARR_JSON, ".zarray")
        return next(
            (
                above
                for above in ancestors(key)
                if any(f"{above}/{n}" in self.entries for n in names)
            ),
            "",
        )

    def commit(self, message: str) -> None:
        """Write the set again. Raises `ZmapError` if another program changed it meanwhile."""
        with contextlib.closing(open_set(self._location)) as now:
            is_same = now.fingerprint == self._before
        if not is_same:
            raise ZmapError(
                "another program changed the set in the meantime",
                self.url,
                "nothing was changed; run the same command again",
            )
        with create_references(self._location, True, None) as creation:
            assert isinstance(creation, ReferenceCreation)
            entries, seals = self.references, self._seals()
            used = {each.url for each in entries.values() if isinstance(each, ByteRange)}
            creation.take(entries, {url: seal for url, seal in seals.items() if url in used})


def _is_relative(references: ReferenceSet) -> bool:
    """Return whether a set names its targets from its own folder."""
    first = next(references.urls(), None)
    return first is not None and "://" not in first and not os.path.isabs(first)
