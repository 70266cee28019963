"""Parts of a page: records without any HTML."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.record import record

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


Rows = tuple[tuple[str, str], ...]
"""Names and values of a table."""


@record(kw_only=True)
class Picture:
    """A picture of a variable: a line if `values` has one dimension, a map if it has two.

    `values` are of float64, with NaN for missing data, thinned to the visible resolution. `caption`
    names the part of the variable.
    """

    values: NDArray[np.float64]
    caption: str


@record(kw_only=True)
class ChunkCell:
    """Consecutive chunks: the first, their number, the number of stored ones, and their bytes."""

    first: int
    count: int
    present: int
    size: int


@record(kw_only=True)
class ChunkMap:
    """The chunks of a variable in row-major order, `columns` cells in a row."""

    columns: int
    cells: tuple[ChunkCell, ...]


@record(kw_only=True)
class VariablePart:
    """A variable on a page. `heading` is its type and shape."""

    name: str
    heading: str
    facts: Rows
    attributes: Rows
    statistics: Rows = ()
    histogram: tuple[int, ...] = ()
    range: tuple[str, str] = ("", "")
    """The ends of the histogram."""
    picture: Picture | None = None
    chunks: ChunkMap | None = None


@record(kw_only=True)
class GroupPart:
    """A group on a page, with the variables and groups in it."""

    name: str
    dimensions: Rows
    attributes: Rows
    variables: tuple[VariablePart, ...]
    groups: tuple[GroupPart, ...]


@record(kw_only=True)
class Page:
    """A page: a title, a description of the whole dataset, and its root group."""

    title: str
    facts: Rows
    root: GroupPart
