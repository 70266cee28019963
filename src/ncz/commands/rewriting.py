"""Write changed documents to an existing store: all of them, or none."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping

from ncz.errors import NczError, ZmapError
from ncz.model.chunk.layout import LARGEST_CHUNK
from ncz.record import replace
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.local.move import move_object
from ncz.zmap.local.zip.layout import is_document
from ncz.zmap.local.zip.reader import ZipZmap
from ncz.zmap.location import Location
from ncz.zmap.opening import create_zmap, open_zmap


def rewrite(zmap: Zmap, location: Location, documents: Mapping[str, bytes], *, pure: bool) -> None:
    """Replace documents of the store at `location`, in order.

    A zip file is written again beside the old one, which it then replaces. In other stores each
    document is replaced as a whole, and after an error the old ones are written back.

    Parameters
    ----------
    zmap
        The store, opened to read.
    location
        Where it is.
    documents
        The new documents by key, those of the root last.
    pure
        Whether the store is pure Zarr, and not NCZarr.

    Raises
    ------
    ZmapError
        If the store cannot be changed.
    """
    if isinstance(zmap, ZipZmap):
        _rewrite_zip(zmap, location, documents, pure)
        return
    with contextlib.closing(open_zmap(location, write=True)) as target:
        replace_all(target, documents)


def replace_all(zmap: WritableZmap, documents: Mapping[str, bytes]) -> None:
    """Replace documents in place; after an error, write the old ones back and raise it again."""
    before = {key: zmap.get(key) for key in documents}
    done = []
    try:
        for key, data in documents.items():
            done.append(key)
            zmap.put(key, data)
    except BaseException:
        for key in reversed(done):
            old = before[key]
            with contextlib.suppress(NczError):  # the error that stopped the edit is raised
                if old is None:
                    zmap.delete(key)
                else:
                    zmap.put(key, old)
        raise


def _rewrite_zip(
    source: Zmap, location: Location, documents: Mapping[str, bytes], pure: bool
) -> None:
    if location.inside or location.kind == "remote":
        raise ZmapError("a zip file can only be edited as a whole and on this computer", source.url)
    modes = (location.modes - {"zarr", "nczarr"}) | {"zarr" if pure else "nczarr"}
    keys = sorted(source.walk(), key=is_document)
    with create_zmap(replace(location, kind="zip", modes=modes), overwrite=True) as target:
        for key in keys:
            if key in documents:
                target.put(key, documents[key])
            else:
                move_object(source, key, target, key, LARGEST_CHUNK)
        for key, data in documents.items():
            if source.size(key) is None:
                target.put(key, data)
