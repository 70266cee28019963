"""The folder next to a reference set, with chunks that are neither in the set nor elsewhere.

The set ``x.json`` has the folder ``x.json.chunks``. Its files contain chunks, one after the other,
and the set refers to them as to any other file, so that other programs read them too. The name of a
file is a hash of its bytes, and its bytes never change: the same chunks have the same name, and the
files of an old set and of the new one that replaces it do not disturb each other.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Iterator, Mapping

from ncz.errors import FormatError, StoreMissing, ZmapError
from ncz.record import replace
from ncz.system_errors import storage_errors
from ncz.zmap.beside import Beside
from ncz.zmap.local.build_names import partial_name
from ncz.zmap.local.claims import only_writer
from ncz.zmap.location import Location
from ncz.zmap.reference.stored_set import open_set
from ncz.zmap.reference.targets import FOLDER, folder_beside, home_of, name_in_folder
from ncz.zmap.remote.opening import connect_to_write
from ncz.zmap.remote.store import WritableRemoteZmap

_NAME = re.compile(r"[0-9a-f]{32}")
_PARTIAL = re.compile(r"\.ncz-[0-9a-f]{8}\.partial")


class ChunkFolder(ABC):
    """The folder of chunks of the set at a location.

    Attributes
    ----------
    display
        Its path or URL in messages.
    """

    display: str

    @abstractmethod
    def address(self, name: str) -> str:
        """Return the absolute path or the URL of a file."""

    @abstractmethod
    def files(self) -> dict[str, tuple[int, float | None]]:
        """Return the size and the time of the last change of each file that ncz put here."""

    def is_empty(self) -> bool:
        """Return whether the folder exists and nothing is in it."""
        return False

    @abstractmethod
    def write_access(self) -> contextlib.AbstractContextManager[str]:
        """Make the folder, keep others from writing into it, and yield a path for new files."""

    @abstractmethod
    def put(self, name: str, path: str) -> None:
        """Move a complete file at a path into the folder, where it may exist."""

    @abstractmethod
    def delete(self, names: Iterable[str]) -> None:
        """Remove files, and then the folder if it is empty."""

    @abstractmethod
    def alone(self) -> contextlib.AbstractContextManager[None]:
        """Raise `ZmapError` if another process writes into the folder during the block."""


class _LocalFolder(ChunkFolder):
    def __init__(self, location: Location) -> None:
        self.display = location.path.rstrip("/") + FOLDER
        self._path = os.path.abspath(self.display)

    def address(self, name: str) -> str:
        return os.path.join(self._path, name)

    def files(self) -> dict[str, tuple[int, float | None]]:
        found: dict[str, tuple[int, float | None]] = {}
        with (
            contextlib.suppress(FileNotFoundError, NotADirectoryError),
            os.scandir(self._path) as entries,
        ):
            for entry in entries:
                status = entry.stat(follow_symlinks=False)
                if _is_ours(entry.name) and stat.S_ISREG(status.st_mode):
                    found[entry.name] = status.st_size, status.st_mtime
        return found

    def is_empty(self) -> bool:
        return os.path.isdir(self._path) and not os.listdir(self._path)

    @contextlib.contextmanager
    def write_access(self) -> Iterator[str]:
        with storage_errors(self.display, "write"):
            with contextlib.suppress(FileExistsError):
                os.mkdir(self._path)
            if not stat.S_ISDIR(os.lstat(self._path).st_mode):
                raise ZmapError(
                    "the folder for chunks of the set cannot be made: something else has its name",
                    self.display,
                    "remove it, or use another name for the set",
                )
        with self.alone():
            yield os.path.join(self._path, partial_name())

    def put(self, name: str, path: str) -> None:
        with storage_errors(self.display, "write"):
            os.replace(path, self.address(name))

    def delete(self, names: Iterable[str]) -> None:
        with storage_errors(self.display, "remove"):
            for name in names:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(self.address(name))
        with contextlib.suppress(OSError):  # it is not empty
            os.rmdir(self._path)

    def alone(self) -> contextlib.AbstractContextManager[None]:
        return only_writer(self._path, self.display)


class _RemoteFolder(ChunkFolder):
    def __init__(self, location: Location) -> None:
        path = location.path.rstrip("/") + FOLDER
        self._location = replace(location, path=path, modes=location.modes - {"reference"})
        self.display = self._location.address
        home = home_of(location)
        self._start = "" if home is None else home.root + home.path.rstrip("/")
        self._start += FOLDER

    def address(self, name: str) -> str:
        return f"{self._start}/{name}"

    def files(self) -> dict[str, tuple[int, float | None]]:
        with self._server() as server:
            return {
                key: (size, modified)
                for key, size, modified in server.everything()
                if _is_ours(key)
            }

    @contextlib.contextmanager
    def write_access(self) -> Iterator[str]:
        import tempfile

        with tempfile.TemporaryDirectory(prefix="ncz-") as folder:
            yield os.path.join(folder, "file")

    def put(self, name: str, path: str) -> None:
        with open(path, "rb") as file, self._server() as server:
            server.put(name, file.read())
        os.unlink(path)

    def delete(self, names: Iterable[str]) -> None:
        with self._server() as server:
            server.delete_many(names)

    def alone(self) -> contextlib.AbstractContextManager[None]:
        return contextlib.nullcontext()  # servers have no locks

    @contextlib.contextmanager
    def _server(self) -> Iterator[WritableRemoteZmap]:
        with contextlib.closing(connect_to_write(self._location)) as server:
            yield server


def _is_ours(name: str) -> bool:
    return bool(_NAME.fullmatch(name) or _PARTIAL.fullmatch(name))


def chunk_folder(location: Location) -> ChunkFolder:
    """Return the folder of chunks of the set at a location, which need not exist."""
    return _RemoteFolder(location) if location.kind == "remote" else _LocalFolder(location)


def names_in_use(location: Location) -> set[str]:
    """Return the names of the files in the folder that the set at a location refers to.

    Empty if no set exists there. Raises `ZmapError` if it cannot be read.
    """
    try:
        with contextlib.closing(open_set(location)) as references:
            folder = folder_beside(location)
            found = {name_in_folder(url, folder) for url in references.urls()}
    except (FormatError, StoreMissing):
        return set()
    return {name for name in found if name is not None}


def beside_set(location: Location) -> Beside | None:
    """Return the folder of chunks of the set at a location, or None without one."""
    folder = chunk_folder(location)
    files = folder.files()
    is_empty = not files and folder.is_empty()  # a killed removal left it
    if not files and not is_empty:
        return None
    unused = files.keys() - names_in_use(location) if files else set()

    def remove(only_unused: bool) -> None:
        with folder.alone():
            used: Collection[str] = names_in_use(location) if only_unused else ()
            folder.delete(sorted(folder.files().keys() - set(used)))

    return Beside(
        place=folder.display,
        objects=len(files) + is_empty,
        size=_size(files, files),
        unused=len(unused) + is_empty,
        unused_size=_size(files, unused),
        modified=_newest(files),
        remove=remove,
    )


def _size(files: Mapping[str, tuple[int, float | None]], names: Iterable[str]) -> int:
    return sum(files[name][0] for name in names)


def _newest(files: Mapping[str, tuple[int, float | None]]) -> float | None:
    times = [modified for _, modified in files.values() if modified is not None]
    return max(times, default=0) if len(times) == len(files) else None
