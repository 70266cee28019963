"""Open an HDF5 file with h5py, wherever it is."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.errors import FormatError, NczError
from ncz.formats.netcdf.magic import HDF5
from ncz.record import record
from ncz.zmap.file.ranges import RangeFile

if TYPE_CHECKING:
    from h5py.h5f import FileID

INSTALL = "pip install 'ncz[netcdf]'"


@record
class Hdf5File:
    """An open HDF5 file: h5py's, for metadata, and its bytes."""

    id: FileID
    bytes: RangeFile
    superblock: int
    """The version of the superblock."""

    @property
    def url(self) -> str:
        """The file's path or URL, as messages show it."""
        return self.bytes.url


@contextlib.contextmanager
def open_hdf5(file: RangeFile) -> Iterator[Hdf5File]:
    """Open an HDF5 file. Raises `NczError` if h5py is missing, or the file is damaged."""
    try:
        import h5py
    except ImportError as error:
        raise NczError(
            "reading netCDF-4 and HDF5 files needs h5py, which is not installed", file.url, INSTALL
        ) from error
    from ncz.zmap.file.blocks import BlockFile

    blocks = BlockFile(file)
    with hdf5_errors(file.url):
        opened = h5py.File(blocks if file.path is None else file.path, "r")
    try:
        start = opened.userblock_size
        yield Hdf5File(opened.id, file, blocks.part(start + len(HDF5), 1)[0])
    finally:
        opened.close()


@contextlib.contextmanager
def hdf5_errors(location: str) -> Iterator[None]:
    """Turn the errors of h5py into `FormatError`."""
    try:
        yield
    except NczError:
        raise
    except (OSError, RuntimeError, ValueError, TypeError, KeyError, OverflowError) as error:
        reason = str(error.args[0] if error.args else error)
        raise FormatError(
            f"HDF5 cannot read it: {reason}",
            location,
            "the file is damaged, or not completely copied; restore it from a copy",
        ) from error
