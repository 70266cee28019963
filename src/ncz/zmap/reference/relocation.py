"""Rewrite a reference set whose targets were moved."""

from __future__ import annotations

import contextlib
import os

from ncz.record import replace
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.fragment import RECORD_SIZE, SEALS, VERSION
from ncz.zmap.location import Location
from ncz.zmap.moved_sources import Move, Moved
from ncz.zmap.reference.creation import ReferenceCreation, create_references, target_namer
from ncz.zmap.reference.reference_set import Reference, ReferenceSet
from ncz.zmap.reference.stored_set import open_set
from ncz.zmap.reference.targets import LocalPlace, Targets


def move_targets(location: Location, move: Move, dry_run: bool) -> list[Moved]:
    """Let the targets of the set at a location be elsewhere; see `Opener.move_sources`.

    The set is written again with the states that its targets had. Templates are expanded.
    """
    references = open_set(location)
    with contextlib.closing(references):
        names = _names(references, location, move)
        if not names or dry_run:
            return [*names.items()]
        entries: dict[str, Reference] = {}
        for key in references.walk(""):
            found = references.find(key)
            if isinstance(found, ByteRange):
                found = replace(found, url=names.get(found.url, found.url))
            if found is not None:
                entries[key] = found
        seals = {names.get(url, url): seal for url, seal in references.seals.items()}
        options = {RECORD_SIZE: str(references.record_size), VERSION: str(references.version)}
        place = replace(location, options={**location.options, **options, SEALS: "off"})
        with create_references(place, True, None) as creation:
            assert isinstance(creation, ReferenceCreation)
            creation.take(entries, seals)
    return [*names.items()]


def _names(references: ReferenceSet, location: Location, move: Move) -> dict[str, str]:
    """Return the new names of the targets that move, by their names in the set.

    Files in the folder next to the set get absolute names, as other programs must find them.
    """
    targets = Targets(location, location.address, has_folder=True)
    name = target_namer(location)
    found: dict[str, str] = {}
    with contextlib.closing(targets):
        for url in references.urls():
            if targets.is_own(url):
                here = _absolute(url, targets)
                named = _relative(url, here, location) or name(here)
                found |= {url: named} if named != url else {}
                continue
            query = url.partition("?")[2] if "://" in url else ""
            new = move.new_name(_absolute(url, targets))
            if new is not None:
                relative = _relative(url, new, location)
                found[url] = relative or name(new) + (f"?{query}" if query else "")
    return found


def _absolute(url: str, targets: Targets) -> str:
    """Return the absolute path or the URL of a target."""
    if "://" in url and not url.startswith("file:") and not targets.is_own(url):
        return url.partition("?")[0]
    place = targets.absolute(url)
    return place.path.replace(os.sep, "/") if isinstance(place, LocalPlace) else place.display


def _relative(url: str, new: str, location: Location) -> str | None:
    """Return the new name of a target from the folder of the set, if it was and is below it."""
    if "://" in url or os.path.isabs(url) or "://" in new or location.kind == "remote":
        return None
    folder = os.path.dirname(os.path.abspath(location.path))
    name = os.path.relpath(new, folder).replace(os.sep, "/")
    return None if name.startswith("..") else name
