"""Zarr's times in units shorter than a nanosecond, for formats without such times.

CF has these units, but no program of netCDF decodes times in them, and xarray then opens nothing of
a file.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.errors import LossError
from ncz.late import numpy as np
from ncz.model.mapped_source import converted_source
from ncz.model.sparse_source import chunks_of
from ncz.model.tree import Dataset, Variable, each_variable
from ncz.model.types import NOT_A_TIME, Atomic
from ncz.record import replace

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ncz.model.data import Values

_OF_A_NANOSECOND = {"picoseconds": 10**3, "femtoseconds": 10**6, "attoseconds": 10**9}
_SINCE = " since 1970-01-01"


def with_nanoseconds(dataset: Dataset, kept: Collection[str] = ()) -> Dataset:
    """Return a dataset whose times in Zarr's shorter units are in nanoseconds.

    Parameters
    ----------
    dataset
        The dataset. The values of such variables are read.
    kept
        The FQNs of variables that keep the dtypes they have in Zarr.

    Raises
    ------
    LossError
        If a time is not a whole number of nanoseconds.
    """
    if dataset.provenance.zarr_format is None:
        return dataset

    def in_nanoseconds(fqn: str, variable: Variable) -> Variable:
        unit, since, rest = variable.text("units").partition(_SINCE)
        size = _OF_A_NANOSECOND.get(unit)
        is_native = variable.type is Atomic.INT64 and variable.mask == NOT_A_TIME
        if size is None or not since or rest or not is_native or fqn in kept:
            return variable
        return _in_units(variable, fqn, unit, size)

    return each_variable(dataset, in_nanoseconds)


def _fill(variable: Variable) -> Iterator[Values]:
    """Yield the value of missing chunks, if they have one."""
    if variable.storage.fill is not None:
        yield np.array([variable.storage.fill])


def _in_units(variable: Variable, fqn: str, unit: str, size: int) -> Variable:
    def change(values: Values) -> Values:
        shorter: Values = np.where(values == NOT_A_TIME, values, values // size)
        return shorter

    if variable.data is None:
        return variable
    for values in (*_fill(variable), *chunks_of(variable.data)):
        if np.any((values % size != 0) & (values != NOT_A_TIME)):
            raise LossError(
                f"{fqn} has times in {unit} that are not whole nanoseconds, the shortest unit that"
                " other programs decode",
                hint="leave the variable out, or copy to pure Zarr, which has such times"
                " (nothing was written)",
            )
    attributes = tuple(
        replace(a, values=(f"nanoseconds{_SINCE}",)) if a.name == "units" else a
        for a in variable.attributes
    )
    fill = variable.storage.fill
    storage = replace(variable.storage, fill=fill if fill in (None, NOT_A_TIME) else fill // size)
    data = converted_source(variable.data, variable.type, change)
    return replace(variable, attributes=attributes, storage=storage, data=data)
