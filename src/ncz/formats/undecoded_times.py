"""Zarr's durations in units that programs of netCDF do not decode."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ncz.errors import Notice, named_notice
from ncz.model.tree import Dataset, join, walk
from ncz.model.types import NOT_A_TIME, Atomic

_UNDECODED = frozenset({"years", "months", "picoseconds", "femtoseconds", "attoseconds"})


def undecoded_durations(dataset: Dataset, kept: Collection[str] = ()) -> Iterator[Notice]:
    """Yield a notice of durations that xarray shows as numbers in a copy.

    Parameters
    ----------
    dataset
        The dataset that is copied.
    kept
        The FQNs of variables that keep the dtypes they have in Zarr, whose durations it shows.
    """
    if dataset.provenance.zarr_format is None:
        return
    found = [
        fqn
        for path, group in walk(dataset.root)
        for variable in group.variables
        if variable.type is Atomic.INT64
        and variable.mask == NOT_A_TIME
        and variable.text("units") in _UNDECODED
        and (fqn := join(path, variable.name)) not in kept
    ]
    yield from named_notice(
        "times-as-numbers",
        "xarray shows numbers, because it decodes no durations in these units",
        found,
    )
