"""Write a planned dataset to a new file of a classic format.

The size of the file is known before, and its place on the disk is reserved. Values are written
through a mapping of the file, so that any box of a variable can be written at any time.
"""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.formats.netcdf.classic.header_writer import HeaderWriter
from ncz.formats.netcdf.classic.layout import lay_out, refuse_large
from ncz.late import numpy as np
from ncz.model.data import Values, fill_array
from ncz.model.tree import Dataset

if TYPE_CHECKING:
    from ncz.formats.netcdf.classic.layout import ClassicArray, FileLayout
    from ncz.model.grid import Box


_RESERVED_AT_ONCE = 1 << 20


def plan_file(
    dataset: Dataset, arrays: Sequence[ClassicArray], version: int
) -> tuple[bytes, FileLayout]:
    """Return the header of the file, and the places of its variables.

    Raises `LossError` if the dataset is too large for the format.
    """
    refuse_large(dataset, arrays, version)
    header = HeaderWriter(version)
    nowhere = dict.fromkeys((array.fqn for array in arrays), 0)
    size = len(header.encode(dataset, arrays, nowhere, 0))
    layout = lay_out(dataset, arrays, size, version)
    return header.encode(dataset, arrays, layout.begins, layout.records), layout


class ClassicValues:
    """The values of one variable in a file."""

    def __init__(self, values: Values, array: ClassicArray, url: str) -> None:
        self._values = values
        self._array = array
        self.url = url

    def put_values(self, box: Box, values: Values) -> None:
        """Write the values of a box, of shape ``box.shape``."""
        self._values[box.slices] = values

    def release(self) -> None:
        """Stop referring to the file."""
        del self._values

    def put_fill(self, box: Box) -> None:
        """Write the fill value to a box; nothing if it is undefined."""
        if self._array.fill is not None:
            self._values[box.slices] = fill_array((), self._array.type, self._array.fill)


@contextlib.contextmanager
def create_classic(
    path: str, header: bytes, layout: FileLayout, arrays: Sequence[ClassicArray], url: str
) -> Iterator[Mapping[str, ClassicValues]]:
    """Create a file with everything but values.

    Parameters
    ----------
    path
        A path without a file.
    header, layout
        What `plan_file` returned.
    arrays
        The variables.
    url
        The name of the file in messages.

    Yields
    ------
    Mapping[str, ClassicValues]
        The writers of the values of each variable, by its FQN, until the context ends.
    """
    with open(path, "x+b") as file:
        size = max(layout.size, len(header))
        _reserve(file.fileno(), size)
        mapped = mmap.mmap(file.fileno(), size)
        mapped[: len(header)] = header
        stores = {a.fqn: ClassicValues(_view(mapped, a, layout), a, url) for a in arrays}
        try:
            yield stores
            mapped.flush()
        finally:
            for store in stores.values():
                store.release()
            with contextlib.suppress(BufferError):  # views still refer to it; freed with the last
                mapped.close()  # Windows does not rename a file that is mapped


def _view(mapped: mmap.mmap, array: ClassicArray, layout: FileLayout) -> Values:
    """Return the values of a variable as an array in the mapped file."""
    shape = array.layout.shape
    dtype = np.dtype(array.stored_dtype)
    if 0 in shape:
        return np.empty(shape, dtype)
    if array.is_record:
        inner = np.empty(shape[1:], dtype).strides
        strides = (layout.record_size, *inner)
        return np.ndarray(shape, dtype, mapped, layout.begins[array.fqn], strides)
    return np.ndarray(shape, dtype, mapped, layout.begins[array.fqn])


def _reserve(file: int, size: int) -> None:
    """Reserve space for the file, because a mapping of a full disk would end the process."""
    if size > sys.maxsize:
        raise OSError(errno.EFBIG, os.strerror(errno.EFBIG))
    if hasattr(os, "posix_fallocate"):
        os.posix_fallocate(file, 0, size)
        return
    for start in range(0, size, _RESERVED_AT_ONCE):
        os.write(file, bytes(min(_RESERVED_AT_ONCE, size - start)))
