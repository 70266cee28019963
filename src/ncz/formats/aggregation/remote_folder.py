"""The folder of new pieces on a server, where nothing can be renamed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import TYPE_CHECKING

from ncz.errors import NczError, StoreExists
from ncz.formats.aggregation.folder_names import (
    USE_OTHER,
    are_pieces,
    folder_name,
    foreign_objects,
    generation_names,
)
from ncz.formats.signatures import CLASSIC, HDF5
from ncz.record import replace
from ncz.system_errors import already_exists
from ncz.zmap.fragment import quote
from ncz.zmap.key import ROOT_DOCUMENTS
from ncz.zmap.location import Location
from ncz.zmap.remote.opening import connect_to_write
from ncz.zmap.remote.store import WritableRemoteZmap

if TYPE_CHECKING:
    from ncz.formats.aggregation.folder_names import Publish, WriteMaster


@contextmanager
def new_remote_folder(master: Location, overwrite: bool) -> Iterator[tuple[Location, Publish]]:
    """Choose a folder that does not exist; see `new_folder`."""
    above = master.path.rstrip("/").rpartition("/")[0]
    stem = quote(folder_name(master))

    def place(name: str) -> Location:
        return replace(master, path=f"{above}/{name}" if above else name)

    old: list[str] = []
    new = ""
    with closing(connect_to_write(master)) as before:
        _check_master(before, overwrite)
    for name in generation_names(stem):
        with closing(connect_to_write(place(name))) as pieces:
            keys = list(pieces.walk())
            is_free = not keys and pieces.file_size() is None
            if is_free:
                new = new or name
            elif keys and pieces.file_size() is None and are_pieces(keys, folder_name(master)):
                if not overwrite:
                    raise already_exists(pieces.url)
                old.append(name)
            elif name == stem:
                raise foreign_objects(pieces.url, "objects", "delete them")
        if new and name != stem:
            break
    if not new:
        raise StoreExists("already exists, as do all other names", place(stem).display, USE_OTHER)

    def publish(write_master: WriteMaster) -> None:
        write_master(folder_name(master) + new.removeprefix(stem))
        for name in old:
            _delete(place(name))

    try:
        yield place(new), publish
    except BaseException:
        with suppress(NczError):  # must not hide the first error
            _delete(place(new))
        raise


def _delete(folder: Location) -> None:
    with closing(connect_to_write(folder)) as pieces:
        pieces.delete_many(list(pieces.walk()))


def _check_master(old: WritableRemoteZmap, overwrite: bool) -> None:
    """Raise `StoreExists` if a master exists that must not be replaced."""
    size = old.file_size()
    if size is None and not old.holds_something():
        return
    if not overwrite:
        raise already_exists(old.url)
    is_store = size is None and any(key in ROOT_DOCUMENTS for key in old.walk())
    if not (is_store or (size and old.first_bytes(len(HDF5)).startswith((HDF5, *CLASSIC)))):
        raise StoreExists(
            "will not be overwritten: it is not a dataset", old.url,
            "delete it, or use another name",
        )  # fmt: skip
