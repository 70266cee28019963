"""HDF5 files that are open in a process of their own.

The HDF5 library trusts what it reads: some damaged files make it crash or loop without end, and
Python cannot interrupt it. Where processes can be forked, only an isolated process calls HDF5. The
bytes of chunks are read without HDF5, by this process.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterator
from typing import Any

from ncz.errors import FormatError, NczError, Notice, Notify
from ncz.formats.hdf5.file import DAMAGED, Hdf5File, ReadAhead, Result, open_hdf5, require_h5py
from ncz.formats.hdf5.reader import read_ahead, read_hdf5
from ncz.formats.netcdf.names import MODULES, is_open_here
from ncz.model.tree import Dataset
from ncz.parallel.isolation import CLOSED, Ask, Isolated, Limits, can_isolate, prepare
from ncz.record import record
from ncz.zmap.byte_range import RangeFile, closed_file
from ncz.zmap.file import LocalFile

SECONDS = 2.0
"""Processor time of one call; what HDF5 reads at once takes milliseconds."""

_RATE = 100_000
"""Bytes of the file for each further second, as a large file may have much metadata."""

_MEMORY = 256 << 20
"""Bytes of memory of one call, beyond what its values need."""

_GROWTH = 8
"""Bytes of memory for each further byte of the file, of which at most 512 MiB are metadata."""

_METADATA = 512 << 20


def prepare_isolation() -> None:
    """Let an isolated process be prepared while a connection to a server is opened."""
    prepare(MODULES)


@contextlib.contextmanager
def open_hdf5_dataset(file: RangeFile, name: str, notify: Notify) -> Iterator[Dataset]:
    """Open an HDF5 file as a dataset, in a process of its own if that is possible.

    Parameters
    ----------
    file
        The file.
    name
        The name of the dataset.
    notify
        Receives a notice of everything that ncz cannot read.

    Raises
    ------
    NczError
        If h5py is missing, or the file is damaged.
    """
    require_h5py(file.url)
    is_new = file.path is not None and is_open_here(file.path)
    if not can_isolate(MODULES, is_new=is_new):
        with open_hdf5(file) as opened:
            yield opened.call(read_hdf5, opened, name, notify)
        return
    with contextlib.closing(_IsolatedHdf5(file, notify, is_new=is_new)) as access:
        yield access.call(read_hdf5, access, name, _Notices())


@record
class DatasetName:
    """A dataset of HDF5 that is open in the other process. `path` leads to it from the root."""

    path: bytes


class _IsolatedHdf5:
    """An `ncz.formats.hdf5.file.Hdf5Access` to a file that is open in another process.

    As the argument of a call it stands for the open file there.
    """

    def __init__(self, file: RangeFile, notify: Notify, *, is_new: bool) -> None:
        self.bytes = file
        self.ahead = ReadAhead()
        self._process = Isolated(
            _Outside(self),
            _Enter(file.url, file.path and file.address, file.size, file.address),
            lambda question: question.answer(file, notify),
            limits=Limits(
                SECONDS + file.size / _RATE, _MEMORY + _GROWTH * min(file.size, _METADATA)
            ),
            failed=lambda what: _failed(what, file.url),
            modules=MODULES,
            is_new=is_new,
        )

    def call(self, function: Callable[..., Result], *arguments: object, memory: int = 0) -> Result:
        """Run a function in the other process; see `Hdf5Access.call`."""
        if self.bytes.path is not None:
            _keep_few(self)
            if self._process.is_paused:
                self.bytes.check_unchanged()  # the next process opens the path again
        return self._process.call(function, *arguments, memory=memory)

    def pause(self) -> None:
        """End the other process until the next call, which is rarely necessary.

        The index of chunks is read before. If that fails, so does the call that needs it.
        """
        with contextlib.suppress(NczError):
            read_ahead(self.ahead, self._process.call)
        self._process.pause()

    def close(self) -> None:
        """End the other process."""
        with _changing:
            _running.pop(self, None)
        self._process.close()


_MOST_RUNNING = 32
"""Number of files that have a process at the same time; each takes several megabytes."""

_running: dict[_IsolatedHdf5, None] = {}
"""The files that have a process, the one not used for longest first."""

_changing = threading.Lock()


def _keep_few(used: _IsolatedHdf5) -> None:
    """Note that a file is used, and pause the one not used for longest if there are too many."""
    with _changing:
        _running.pop(used, None)
        _running[used] = None
        oldest = next(iter(_running)) if len(_running) > _MOST_RUNNING else None
        if oldest is not None:
            del _running[oldest]
    if oldest is not None:
        oldest.pause()


def _failed(what: str, url: str) -> NczError:
    """Return the error for a call to a process to which something happened."""
    if what == CLOSED:
        return closed_file(url)
    return FormatError(f"HDF5 cannot read it: the library {what}", url, DAMAGED)


@record
class _Notices:
    """Stands for the function of this process that receives notices."""


class _Outside:
    """The names of this process: of the file, its bytes, and its datasets."""

    def __init__(self, access: _IsolatedHdf5) -> None:
        self.kinds = (DatasetName, _Notices, type(access), type(access.bytes))
        self._named = {"file": access, "bytes": access.bytes}

    def name_of(self, thing: Any) -> Any:
        """Return the name of an object; see `ncz.parallel.isolation.Names`."""
        if isinstance(thing, DatasetName):
            return thing.path
        if isinstance(thing, _Notices):
            return "notices"
        return "file" if thing is self._named["file"] else "bytes"

    def find(self, name: Any) -> Any:
        """Return the object of a name; see `ncz.parallel.isolation.Names`."""
        return DatasetName(name) if isinstance(name, bytes) else self._named[name]


@record
class _Enter:
    """Opens a file in the isolated process."""

    url: str
    path: str | None
    size: int
    address: str

    def __call__(self, ask: Ask) -> _Inside:
        """Return the names that the process knows."""
        if self.path is None:
            return _Inside(_AskedFile(self, ask), ask)
        contents = LocalFile(self.path)
        contents.url = self.url
        return _Inside(contents, ask)


class _Inside:
    """The names of the process in which HDF5 has the file open."""

    def __init__(self, contents: RangeFile, ask: Ask) -> None:
        from h5py.h5d import DatasetID

        self._opening = open_hdf5(contents)  # closed by the end of the process
        opened = self._opening.__enter__()
        self.kinds = (DatasetID, Hdf5File, type(contents))
        self._file = opened
        self._named: dict[str | bytes, Any] = {
            "file": opened,
            "bytes": contents,
            "notices": lambda notice: ask(_Told(notice)),
        }

    def name_of(self, thing: Any) -> Any:
        """Return the name of an object; see `ncz.parallel.isolation.Names`."""
        from h5py import h5i

        if isinstance(thing, Hdf5File):
            return "file"
        if thing is self._file.bytes:
            return "bytes"
        path: bytes = h5i.get_name(thing)
        self._named[path] = thing
        return path

    def find(self, name: Any) -> Any:
        """Return the object of a name; see `ncz.parallel.isolation.Names`."""
        from h5py import h5d

        if name not in self._named:
            self._named[name] = h5d.open(self._file.id, name)
        return self._named[name]


@record
class _Told:
    """A notice for the other process."""

    notice: Notice

    def answer(self, file: RangeFile, notify: Notify) -> None:
        """Pass the notice on."""
        notify(self.notice)


@record
class _Range:
    """A question for a part of the file."""

    start: int
    count: int

    def answer(self, file: RangeFile, notify: Notify) -> bytes:
        """Return the bytes."""
        return file.read(self.start, self.count)


class _AskedFile:
    """A `RangeFile` on a server, which the other process reads: connections are not forked."""

    path = None

    def __init__(self, file: _Enter, ask: Ask) -> None:
        self.url = file.url
        self.size = file.size
        self.address = file.address
        self._ask = ask

    def read(self, start: int, count: int) -> bytes:
        """Return a part of the file; see `RangeFile.read`."""
        data: bytes = self._ask(_Range(start, count))
        return data

    def check_unchanged(self) -> None:
        """Do nothing: the other process compares every part that it reads."""

    def close(self) -> None:
        """Do nothing: the other process closes the file."""
