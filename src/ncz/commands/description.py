"""Records of a dataset and its variables, which `info` returns."""

from __future__ import annotations

from typing import Any, Literal, SupportsIndex, overload

from ncz.errors import quantity
from ncz.model.tree import Attribute, base_name
from ncz.record import record
from ncz.text.sizes import format_size
from ncz.zmap.history import History
from ncz.zmap.source_file import SourceFile

Role = Literal["coordinate", "auxiliary", "data"]
"""The role of a variable: the coordinate of its dimension, one that others name, or any other."""


@record(kw_only=True)
class Statistics:
    """Statistics of a variable's values, unpacked as xarray does.

    `missing` counts NaN and the values of ``_FillValue`` and ``missing_value``, `infinite` both
    infinities. The others are of the remaining values, and None if none exist. `std` is the
    standard deviation of the population. `histogram` counts an evenly spaced sample of the values
    in bins of equal width from the minimum to the maximum.
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
class CoordinateRange:
    """The first and the last value of a coordinate, and the step between all of them.

    Attributes
    ----------
    first, last
        Unpacked numbers, or texts; None if they are missing.
    step
        None if the steps differ, or are not known because not all values were read.
    texts
        The first and the last value as text; times are dates.
    step_of_dates
        The step of times in words, such as "1 month".
    has_dates
        Whether the values are times.
    fault
        Why they cannot be read.
    """

    first: float | int | str | None = None
    last: float | int | str | None = None
    step: float | int | None = None
    texts: tuple[str, str] = ("", "")
    step_of_dates: str | None = None
    has_dates: bool = False
    fault: str | None = None


@record(kw_only=True)
class VariableInfo:
    """A variable and its storage. Sizes are in bytes.

    `shards` is None without shards; otherwise the chunks in them are counted. `stored`,
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
    role: Role = "data"
    range: CoordinateRange | None = None
    """The range of a coordinate; None for other variables."""
    attributes: tuple[Attribute, ...] = ()

    def __repr__(self) -> str:
        return f"<ncz.VariableInfo {self.path} {self.shape_text} {self.type}, {self.size_text}>"

    @property
    def shape_text(self) -> str:
        """The dimensions and their lengths: ``(time: 4, lat: 3)``."""
        pairs = zip(map(base_name, self.dimensions), self.shape, strict=True)
        return f"({', '.join(f'{name}: {size}' for name, size in pairs)})"

    @property
    def size_text(self) -> str:
        """The size of all values for people."""
        return "of variable size" if self.unpacked is None else format_size(self.unpacked)

    def text(self, name: str) -> str:
        """Return an attribute that is text; "" without it."""
        from ncz.text.format_values import format_attribute

        return next((format_attribute(a) for a in self.attributes if a.name == name), "")

    @property
    def ratio(self) -> float | None:
        """The size of all values over the size of the stored chunks; None if it is unknown."""
        return self.unpacked / self.stored if self.stored and self.unpacked is not None else None


class VariableInfos(tuple[VariableInfo, ...]):
    """Variables in their order, which can also be found by their names or paths."""

    __slots__ = ()

    @overload
    def __getitem__(self, index: SupportsIndex | str) -> VariableInfo: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[VariableInfo, ...]: ...

    def __getitem__(self, index: SupportsIndex | slice | str) -> Any:
        """Return a variable by its place, its path or its name, or several by a slice."""
        if not isinstance(index, str):
            return super().__getitem__(index)
        for found in self:
            if f"/{index.lstrip('/')}" == found.path:
                return found
        for found in self:
            if base_name(found.path) == index:
                return found
        raise KeyError(f"no variable is named {index!r}")


@record(kw_only=True)
class DatasetInfo:
    """A dataset: its format, the program that wrote it, and its variables.

    `dimensions` has the path and the length of each, and whether it is unlimited. `annotated` is
    true for pure Zarr with annotations. `history` is the history of a store
    that keeps its old versions, and `sources` are the files that the dataset refers to; None if
    they were not requested.
    """

    name: str
    format: str
    writer: str | None
    consolidated: bool
    annotated: bool
    groups: int
    dimensions: tuple[tuple[str, int, bool], ...]
    variables: VariableInfos
    history: History | None = None
    sources: tuple[SourceFile, ...] | None = None
    attributes: tuple[tuple[str, tuple[Attribute, ...]], ...] = ()
    """The attributes of each group by its path; the root's come first: ""."""
    is_part: bool = False
    """Whether only variables that were named are described."""
    coordinates: tuple[VariableInfo, ...] = ()
    """Coordinates of the dimensions of these variables, if they were not named."""

    @property
    def unpacked(self) -> int:
        """The size in bytes of all values whose size is known."""
        return sum(variable.unpacked or 0 for variable in self.variables)

    @property
    def stored(self) -> int | None:
        """The size in bytes of all stored chunks whose size is known; None without any."""
        known = [variable.stored for variable in self.variables if variable.stored is not None]
        return sum(known) if known else None

    def __repr__(self) -> str:
        return f"<{self._title}>"

    def __str__(self) -> str:
        lines = [
            ", ".join(
                (
                    f"{path} {dimensions} {kind}",
                    size,
                    *([f"chunks of {chunks}"] if chunks else []),
                    *([codecs] if codecs else []),
                )
            )
            for path, dimensions, kind, size, chunks, codecs in self._rows
        ]
        return "\n  ".join((repr(self), *lines))

    def _repr_html_(self) -> str:
        from ncz.views.notebook import table_html

        columns = ("variable", "dimensions", "type", "size", "chunks", "codecs")
        return table_html(self._title, columns, self._rows)

    @property
    def _rows(self) -> list[tuple[str, ...]]:
        return [
            (
                variable.path,
                variable.shape_text,
                variable.type,
                variable.size_text,
                "" if variable.chunks is None else "x".join(map(str, variable.chunks)),
                " ".join(variable.codecs),
            )
            for variable in self.variables
        ]

    @property
    def _title(self) -> str:
        size = format_size(self.unpacked)
        count = quantity(len(self.variables), "variable")
        return f"ncz.DatasetInfo {self.name}: {self.format}, {count}, {size}"
