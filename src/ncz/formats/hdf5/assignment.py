"""New values of a variable of a netCDF-4 file, which HDF5 writes through h5py.

The caller works on a copy, and reads it again.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import FormatError
from ncz.formats.hdf5.h5py_import import load_h5py
from ncz.formats.hdf5.scales import NOT_A_COORDINATE
from ncz.late import numpy as np
from ncz.model.tree import base_name, parent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.model.data import Values


def write_hdf5(
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
        If HDF5 cannot write them, such as without the filter of the variable.
    """
    h5py = load_h5py()
    try:
        with h5py.File(path, "r+") as file:
            group, name = file[f"/{parent(fqn).strip('/')}"], base_name(fqn)
            hidden = NOT_A_COORDINATE + name
            dataset = group[hidden if hidden in group else name]
            if len(positions) != len(dataset.shape):
                raise ValueError("its elements are arrays")
            _lengthen(dataset, positions)
            runs = [list(_runs(along)) for along in positions]
            for each in itertools.product(*runs):
                where = tuple(target for target, _ in each)
                part = values[tuple(source for _, source in each)]
                if values.dtype.kind == "S":
                    _write_bytes(dataset, where, part)
                else:
                    dataset[where] = part
    except (RuntimeError, OSError, ValueError, KeyError, TypeError) as error:
        if isinstance(error, FormatError):
            raise
        reason = " ".join(str(error).split())
        raise FormatError(
            f"HDF5 cannot write the values: {reason}", url,
            "nothing was changed; copy the file to a store, and write into that",
        ) from error  # fmt: skip


def _write_bytes(dataset: Any, where: tuple[slice, ...], part: Values) -> None:
    """Write characters without conversion: HDF5 would add a terminating NUL to each."""
    h5s = load_h5py().h5s
    counts = tuple(len(range(s.start, s.stop, s.step)) for s in where)
    space = dataset.id.get_space()
    if counts:
        starts, steps = tuple(s.start for s in where), tuple(s.step for s in where)
        space.select_hyperslab(starts, counts, steps)
    memory = h5s.create_simple(counts) if counts else h5s.create(h5s.SCALAR)
    dataset.id.write(memory, space, np.array(part, order="C"), dataset.id.get_type())


def _lengthen(dataset: Any, positions: Sequence[NDArray[np.int64]]) -> None:
    """Make a dataset as long as the unlimited dimensions that others made longer."""
    if not all(len(along) for along in positions):
        return
    shape = tuple(
        max(size, int(along.max()) + 1)
        for size, along in zip(dataset.shape, positions, strict=True)
    )
    if shape != dataset.shape:
        dataset.resize(shape)


def _runs(along: NDArray[np.int64]) -> Iterator[tuple[slice, slice]]:
    """Yield runs of equal, ascending steps: their places in the file, and in the values."""
    start = 0
    while start < len(along):
        stop, step = start + 1, 1
        if stop < len(along) and along[stop] > along[start]:
            step = int(along[stop] - along[start])
            while stop < len(along) and along[stop] - along[stop - 1] == step:
                stop += 1
        first, last = int(along[start]), int(along[stop - 1])
        yield slice(first, last + 1, step), slice(start, stop)
        start = stop
