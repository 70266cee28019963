"""The folder of new pieces on a server, where nothing can be renamed.

The pieces are written to their place. An old master is deleted before, so that none ever leads to
pieces of which some are new.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress

from ncz.errors import NczError, StoreExists
from ncz.formats.netcdf.magic import CLASSIC, HDF5
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.location import Location
from ncz.zmap.remote.opening import connect, policy_of
from ncz.zmap.remote.requests.errors import read_only
from ncz.zmap.remote.store import WritableRemoteZmap

_USE_OVERWRITE = "use --overwrite to replace it"


@contextmanager
def new_distant_folder(master: Location, folder: Location, overwrite: bool) -> Iterator[None]:
    """Make room for a master and the folder of its pieces; an error deletes what was written.

    Raises `StoreExists` if something exists that may not be replaced.
    """
    with closing(_opened(master)) as old, closing(_opened(folder)) as pieces:
        start = f"{folder.path.rstrip('/').rpartition('/')[2]}."
        others = [key for key in pieces.walk() if not key.startswith(start)]
        if others or pieces.file_size() is not None:
            raise StoreExists(
                "will not be overwritten: it holds other objects than pieces", pieces.url,
                "delete them, or use another name",
            )  # fmt: skip
        if pieces.holds_something() and not overwrite:
            raise StoreExists("already exists", pieces.url, _USE_OVERWRITE)
        _delete_master(old, overwrite)
        pieces.delete_many(list(pieces.walk()))
        try:
            yield
        except BaseException:
            with suppress(NczError):  # must not hide the first error
                pieces.delete_many(list(pieces.walk()))
            raise


def _opened(location: Location) -> WritableRemoteZmap:
    policy = policy_of(location)
    objects, root, url = connect(location, policy)
    if not objects.most_deleted:
        objects.close()
        raise read_only(url)
    return WritableRemoteZmap(objects, root, url, policy)


def _delete_master(old: WritableRemoteZmap, overwrite: bool) -> None:
    """Delete a master, its root documents first; raise `StoreExists` if that is not permitted."""
    size = old.file_size()
    if size is None and not old.holds_something():
        return
    if not overwrite:
        raise StoreExists("already exists", old.url, _USE_OVERWRITE)
    keys = list(old.walk()) if size is None else []
    roots = [key for key in keys if key in ROOT_DOCUMENTS]
    if not (roots or (size and old.first_bytes(len(HDF5)).startswith((HDF5, *CLASSIC)))):
        raise StoreExists(
            "will not be overwritten: it is not a dataset", old.url,
            "delete it, or use another name",
        )  # fmt: skip
    if size is not None:
        old.delete_file()
    old.delete_many(roots)
    old.delete_many(keys)
