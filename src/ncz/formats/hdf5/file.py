"""Open an HDF5 file with h5py, wherever it is, with the filters that plug-ins have."""

from __future__ import annotations

import contextlib
import gc
import importlib.util
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from ncz.errors import FormatError, NczError, ZmapError
from ncz.formats.netcdf.names import HDF5
from ncz.parallel.isolation import no_collection
from ncz.record import record
from ncz.zmap.byte_range import RangeFile

if TYPE_CHECKING:
    from h5py.h5f import FileID

INSTALL = "pip install h5py"
DAMAGED = "the file is damaged, or not completely copied; restore it from a copy"

CACHED_CHUNKS = 101
"""Slots in the table of chunks that HDF5 keeps for each open dataset. The 8191 of HDF5 2.0 take
64 kB for each dataset, although ncz reads and writes most chunks itself."""

Result = TypeVar("Result")


_MOST_TOGETHER = 512
"""Number of things that are read together."""


class ReadAhead:
    """Things of a file that are read one after the other, each with those that follow it.

    How many follow is doubled as long as they are asked for in turn: a call to another process
    takes longer than to read a small thing.
    """

    def __init__(self) -> None:
        self.things: list[Any] = []
        self._next = 0
        self._length = 1

    def add(self, thing: Any) -> int:
        """Add a thing, and return its number."""
        self.things.append(thing)
        return len(self.things) - 1

    def following(self, number: int) -> list[Any]:
        """Return the thing of a number and those after it that should be read with it."""
        is_next = number == self._next
        self._length = min(_MOST_TOGETHER, 2 * self._length) if is_next else 1
        self._next = number + self._length
        return self.things[number : self._next]


class Hdf5Access(Protocol):
    """An HDF5 file that is open in this process, or in one that may crash."""

    @property
    def bytes(self) -> RangeFile:
        """The bytes of the file."""
        ...

    @property
    def ahead(self) -> ReadAhead:
        """What is read from the file, maybe before it is asked for."""
        ...

    def call(self, function: Callable[..., Result], *arguments: object, memory: int = 0) -> Result:
        """Run a function of a module where the file is open, and return its result.

        `memory` has the bytes that its values need; a process of its own may not use much more.
        """
        ...


@record
class Hdf5File:
    """An HDF5 file that is open in this process: h5py's, for metadata, and its bytes."""

    id: FileID
    bytes: RangeFile
    superblock: int
    """The version of the superblock."""
    ahead: ReadAhead

    @property
    def url(self) -> str:
        """The file's path or URL, as messages show it."""
        return self.bytes.url

    def call(self, function: Callable[..., Result], *arguments: object, memory: int = 0) -> Result:
        """Return what a function returns; see `Hdf5Access.call`."""
        with _reading(self.bytes):
            return function(*arguments)


@contextlib.contextmanager
def open_hdf5(file: RangeFile) -> Iterator[Hdf5File]:
    """Open an HDF5 file. Raises `NczError` if h5py is missing, or the file is damaged."""
    require_h5py(file.url)
    import h5py

    from ncz.zmap.byte_range import PositionedFile
    from ncz.zmap.file import BlockCache

    # A file on a server is read in blocks; HDF5 itself reads one on the disk.
    blocks = BlockCache(file) if file.path is None else None
    source = PositionedFile(file.size, blocks.part) if blocks else file.path
    with hdf5_errors(file.url), _reading(file):
        opened = h5py.File(source, "r", rdcc_nslots=CACHED_CHUNKS)
    file.check_unchanged()  # h5py has opened the path again
    try:
        start, read = opened.userblock_size, blocks.part if blocks else file.read
        yield Hdf5File(opened.id, file, read(start + len(HDF5), 1)[0], ReadAhead())
    finally:
        opened.close()


def _reading(file: RangeFile) -> AbstractContextManager[None]:
    """Return the context in which HDF5 may read a file: one on a server is read by other threads.

    h5py holds its lock while it waits for them.
    """
    return no_collection() if file.path is None else contextlib.nullcontext()


def require_h5py(location: str) -> None:
    """Raise `NczError` if h5py is missing."""
    if importlib.util.find_spec("h5py") is None:
        raise NczError(
            "reading netCDF-4 and HDF5 files needs h5py, which is not installed", location, INSTALL
        )


@contextlib.contextmanager
def hdf5_errors(location: str) -> Iterator[None]:
    """Turn the errors of h5py into `FormatError`."""
    try:
        yield
    except NczError:
        raise
    except BlockingIOError as error:
        raise ZmapError(
            "the file is locked, because a program has it open for writing",
            location,
            "wait until that program has closed it, or read a copy",
        ) from error
    except (OSError, RuntimeError, ValueError, TypeError, KeyError, OverflowError) as error:
        words = error.strerror if isinstance(error, OSError) else None
        reason = words or str(error.args[0] if error.args else error)
        raise FormatError(
            f"HDF5 cannot read it: {reason}",
            location,
            DAMAGED,
        ) from error


def address_of(obj: Any) -> int:
    """Return the address of an object, which identifies it in the file.

    h5py's other function for it (h5o.get_info) also measures the index of chunks of every dataset,
    which is slow on a server, and unsafe in a damaged file.
    """
    from h5py import h5g

    low, high = h5g.get_objinfo(obj).objno
    return int(low) + (int(high) << 64)


# Filters of HDF5 that are not built into h5py.
#
# HDF5 itself finds plugins in the folders of the environment variable ``HDF5_PLUGIN_PATH``; the
# package hdf5plugin brings many.

_BUILT_IN = frozenset({*range(1, 7), 32_000})
"""The numbers of the filters of HDF5 itself, deflate to scale-offset, and of h5py's lzf."""

HINT = "pip install hdf5plugin, or set HDF5_PLUGIN_PATH to the folder of the plugin"


def has_filter(number: int) -> bool:
    """Return whether HDF5 has a filter, after adding that of hdf5plugin if it is installed."""
    from h5py import h5z

    if number not in _BUILT_IN:
        _prefer_hdf5plugin(number)
    return bool(h5z.filter_avail(number))


_preferred: set[int] = set()
"""The numbers of filters that need not be replaced, or are."""


def _prefer_hdf5plugin(number: int) -> None:
    """Replace the filter of a plugin that the environment names by that of hdf5plugin.

    Importing netCDF4 sets ``HDF5_PLUGIN_PATH`` to its own plugins. They belong to its copy of HDF5,
    and some of them fail in that of h5py. Importing hdf5plugin replaces no filter that HDF5 finds.
    HDF5 replaces no filter that an open dataset uses, so that this is tried again at the next call.
    """
    if number in _preferred:
        return
    with contextlib.suppress(ImportError):
        import hdf5plugin

        name = next((name for name, n in hdf5plugin.FILTERS.items() if n == number), "")
        if hdf5plugin.get_config().registered_filters.get(name) != "unknown" or _register(name):
            _preferred.add(number)


def _register(name: str) -> bool:
    """Register a filter of hdf5plugin; return whether no open dataset prevents it."""
    import hdf5plugin

    for _ in range(2):
        try:
            return bool(hdf5plugin.register(name))
        except RuntimeError:  # a dataset that uses the old filter is open, or is garbage
            gc.collect()
    return False
