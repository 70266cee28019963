"""Write new values of a variable of a classic file in place."""

from __future__ import annotations

import contextlib
import math
import mmap
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.errors import FormatError
from ncz.formats.netcdf.classic.header import read_header
from ncz.formats.netcdf.classic.reader import place_of_values
from ncz.late import numpy as np
from ncz.zmap.file import LocalFile

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.model.data import Values


def write_classic(
    path: str, fqn: str, positions: Sequence[NDArray[np.int64]], values: Values, url: str
) -> None:
    """Write values into the file at a path.

    Parameters
    ----------
    path
        The file, which is changed.
    fqn, positions, values
        The variable, and its new values at the product of indices along each axis.
    url
        The name of the file in messages.

    Raises
    ------
    FormatError
        If the file is truncated.
    """
    with contextlib.closing(LocalFile(path)) as file:
        found = place_of_values(file, read_header(file), fqn.lstrip("/"))
    end = found.begin + sum(
        (n - 1) * step for n, step in zip(found.shape, found.strides, strict=True)
    )
    with open(path, "r+b") as changed, mmap.mmap(changed.fileno(), 0) as memory:
        if math.prod(found.shape) and end + np.dtype(found.dtype).itemsize > len(memory):
            raise FormatError("the file is truncated", url, "nothing was changed")
        array = np.ndarray(found.shape, found.dtype, memory, found.begin, found.strides)
        array[np.ix_(*positions) if positions else ()] = values
        del array  # the map cannot be closed before
