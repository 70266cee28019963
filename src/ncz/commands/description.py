"""What `info` returns: records of a dataset, and how its variables are stored."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from ncz.model.data import PartitionedSource
from ncz.model.encoded import EncodedSource
from ncz.model.tree import Variable
from ncz.model.type_sizes import fixed_size
from ncz.record import record, replace
from ncz.views.stored_form import stored_form

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


@record(kw_only=True)
class Statistics:
    """Statistics of a variable's values, unpacked as xarray does.

    `missing` counts NaN and the values of ``_FillValue`` and ``missing_value``, `infinite` both
    infinities. The others are of the remaining values, and None if there are none. `std` is that
    of the population. `histogram` counts an evenly spaced sample of the values in bins of equal
    width from the minimum to the maximum.
    """

    count: int
    missing: int
    infinite: int
    minimum: float | None = None
    maximum: float | None = None
    mean: float | None = None
    std: float | None = None
    histogram: tuple[int, ...] = ()
    dates: tuple[str | None, str | None, str | None] | None = None
    """The dates of minimum, maximum and mean of times; None for other variables."""


@record(kw_only=True)
class VariableInfo:
    """A variable and how it is stored. Sizes are in bytes.

    `shards` is None without shards. A stored chunk is a shard if there are shards. `stored`,
    `chunks_present` and `chunks_expected` are None if the source does not know them, such as a
    text. `unpacked` is None for strings and other values of variable size.
    """

    path: str
    type: str
    dtype: str | None
    dimensions: tuple[str, ...]
    shape: tuple[int, ...]
    chunks: tuple[int, ...] | None
    shards: tuple[int, ...] | None
    codecs: tuple[str, ...]
    unpacked: int | None
    stored: int | None = None
    chunks_present: int | None = None
    chunks_expected: int | None = None
    statistics: Statistics | None = None

    @property
    def ratio(self) -> float | None:
        """The size of all values over that of the stored chunks; None if it is unknown."""
        return self.unpacked / self.stored if self.stored and self.unpacked is not None else None


@record(kw_only=True)
class DatasetInfo:
    """A dataset: its format, the program that wrote it, and its variables.

    `dimensions` has the path and the length of each, and whether it is unlimited. `annotated` is
    true for pure Zarr with annotations of what pure Zarr cannot say.
    """

    name: str
    format: str
    writer: str | None
    consolidated: bool
    annotated: bool
    groups: int
    dimensions: tuple[tuple[str, int, bool], ...]
    variables: tuple[VariableInfo, ...]


# How a variable is stored: its form, and the number and size of its chunks.

_REQUEST = 1 << 16
"""Memory, in bytes, that the request for one size is counted with."""


def describe(fqn: str, variable: Variable, shape: tuple[int, ...]) -> VariableInfo:
    """Return the form of a variable, without looking at its chunks."""
    data, form = variable.data, stored_form(variable)
    size = fixed_size(variable.type)
    return VariableInfo(
        path=fqn,
        type=str(getattr(variable.type, "word", None) or getattr(variable.type, "name", "")),
        dtype=str(data.stored_dtype) if isinstance(data, EncodedSource) else None,
        dimensions=variable.dimensions,
        shape=shape,
        chunks=form.chunks,
        shards=form.shards,
        codecs=form.codecs,
        unpacked=size * math.prod(shape) if size else None,
    )


def with_census(info: VariableInfo, variable: Variable, pool: ThreadPool) -> VariableInfo:
    """Add the number of stored chunks and their sizes, without reading them."""
    data = variable.data
    if isinstance(data, PartitionedSource):
        return replace(
            info,
            chunks_present=sum(1 for _ in data.defined()),
            chunks_expected=data.partition_grid.size,
        )
    if not isinstance(data, EncodedSource):
        return info
    sizes = pool.each(data.stored_size, data.present(), _REQUEST)
    present = [size for size in sizes if size is not None]
    return replace(
        info,
        stored=sum(present),
        chunks_present=len(present),
        chunks_expected=data.layout.grid.size,
    )
