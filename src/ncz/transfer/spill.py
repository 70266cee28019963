"""A file for pieces of chunks until their block is written."""

from __future__ import annotations

import math
import os
import threading
from typing import IO, TYPE_CHECKING, Any

from ncz.errors import ZmapError, option
from ncz.late import numpy as np
from ncz.zmap.s3netcdf4 import temporary_folder

if TYPE_CHECKING:
    from ncz.model.data import Values


class Spill:
    """A temporary file with elements of an array, at offsets in elements."""

    def __init__(self, file: IO[bytes], dtype: np.dtype[Any], fqn: str) -> None:
        self._file = file
        self._dtype = dtype
        self._fqn = fqn
        self._lock = threading.Lock()

    def write(self, offset: int, values: Values) -> None:
        """Write elements. Raises `ZmapError` if the disk is full."""
        data = values.tobytes()
        try:
            with self._lock:
                self._file.seek(offset * self._dtype.itemsize)
                self._file.write(data)
        except OSError as error:
            raise _no_spill(error, self._fqn) from error

    def read(self, offset: int, shape: tuple[int, ...]) -> Values:
        """Return elements that were written before, as an array of the shape."""
        count = math.prod(shape) * self._dtype.itemsize
        try:
            with self._lock:
                self._file.seek(offset * self._dtype.itemsize)
                data = self._file.read(count)
        except OSError as error:  # an earlier write failed
            raise _no_spill(error, self._fqn) from error
        return np.frombuffer(data, self._dtype).reshape(shape)


_SPILL_HINT = f"set TMPDIR to a folder with more space, or increase {option('memory')}"


def spill_file(size: int, folder: str | None, fqn: str) -> IO[bytes]:
    """Create the file, with space for `size` bytes. Raises `ZmapError`."""
    import shutil
    import tempfile

    folder = folder or temporary_folder(os.environ)
    try:
        folder = folder or tempfile.gettempdir()
        room = shutil.disk_usage(folder).free
        if room >= size:
            return tempfile.TemporaryFile(prefix="ncz-copy-", dir=folder)
    except OSError as error:
        raise _no_spill(error, folder or fqn) from error
    raise ZmapError(
        f"rechunking {fqn} needs a temporary file of {size >> 20} MiB, but only {room >> 20} MiB"
        " are free",
        folder,
        _SPILL_HINT,
    )


def _no_spill(error: OSError, location: str) -> ZmapError:
    return ZmapError(
        f"cannot write a temporary file: {error.strerror or error}",
        location,
        _SPILL_HINT,
    )
