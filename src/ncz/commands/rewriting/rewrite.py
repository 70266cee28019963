"""Write a revision to an existing store."""

from __future__ import annotations

import contextlib
import os

from ncz.commands.rewriting.revision import Revision
from ncz.errors import ZmapError, note_if_interrupted
from ncz.model.chunk.layout import LARGEST_CHUNK
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.record import replace
from ncz.zmap import CopyingZmap, Zmap
from ncz.zmap.claim import Claim
from ncz.zmap.key import is_document
from ncz.zmap.local.hard_links import link_object
from ncz.zmap.local.opening import store_folder
from ncz.zmap.local.zip.reader import ZipZmap
from ncz.zmap.location import Location
from ncz.zmap.opening import create_zmap, open_zmap
from ncz.zmap.revision.documents import replace_documents
from ncz.zmap.revision.names import change_names


def rewrite(
    zmap: Zmap,
    location: Location,
    revision: Revision,
    *,
    pure: bool,
    progress: Progress = NO_PROGRESS,
) -> None:
    """Change the store at `location`: completely or not at all.

    A zip file, and a directory in which names change, are written again beside the old one, which
    they then replace. In other stores each document is replaced as a whole, and after an error the
    old ones are written back.

    Parameters
    ----------
    zmap
        The store, opened to read.
    location
        Where it is.
    revision
        What changes.
    pure
        Whether the store is pure Zarr, and not NCZarr.
    progress
        Receives each object of a store that is written again.

    Raises
    ------
    ZmapError
        If the store cannot be changed.
    """
    is_local = location.kind not in ("remote", "reference", "memory")
    with note_if_interrupted(f"{location.display} was not changed"):
        _rewrite(zmap, location, revision, pure, is_local, progress)


def _rewrite(
    zmap: Zmap,
    location: Location,
    revision: Revision,
    pure: bool,
    is_local: bool,
    progress: Progress,
) -> None:
    """Write a revision in the way that suits the store."""
    if isinstance(zmap, ZipZmap):
        if location.inside or not is_local:
            raise ZmapError(
                "a zip file can only be edited as a whole and on this computer", zmap.url
            )
        _rebuild(zmap, replace(location, kind="zip"), revision, pure, progress)
    elif not revision.is_structural:
        with contextlib.closing(open_zmap(location, write=True)) as target:
            replace_documents(target, revision.documents)
    elif is_local:
        open_zmap(location, write=True).close()  # raises for a store that cannot be changed
        folder = store_folder(location.path)
        _rebuild(zmap, replace(location, kind="directory", path=folder), revision, pure, progress)
    else:
        with contextlib.closing(open_zmap(location, write=True)) as target:
            if not isinstance(target, CopyingZmap):
                raise ZmapError("names in this kind of store cannot be changed", zmap.url)
            change_names(target, revision.documents, revision.places, revision.key_of)


def _rebuild(
    source: Zmap, location: Location, revision: Revision, pure: bool, progress: Progress
) -> None:
    """Build the new store beside the old one; files of a directory are linked if possible."""
    modes = (location.modes - {"zarr", "nczarr"}) | {"zarr" if pure else "nczarr"}
    # A symbolic link to the store stays.
    place = replace(location, path=os.path.realpath(location.path), modes=modes)
    # Two processes must not write the same zip file; a directory is renamed twice.
    claim = Claim("rewritten") if place.kind == "zip" else None
    with create_zmap(place, overwrite=True, claim=claim) as target:
        written = set()
        new_keys: frozenset[str] = frozenset()
        if revision.new is not None:
            revision.new.write(target)
            new_keys = revision.new.keys
        keys = sorted(source.walk(), key=is_document)
        progress.expect(len(keys), "objects")
        for key in keys:
            progress.moved(f"/{key}", 1, 0)
            new = revision.key_of(key)
            if new is None or new in new_keys:
                continue
            if new in revision.documents:
                target.put(new, revision.documents[new])
                written.add(new)
            else:
                link_object(source, key, target, new, LARGEST_CHUNK)
        for key, data in revision.documents.items():
            if key not in written:
                target.put(key, data)
        if isinstance(source, ZipZmap):
            source.close()  # an open file cannot be replaced on Windows
