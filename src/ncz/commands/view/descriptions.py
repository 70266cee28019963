"""Contents of the page besides values: variables, attributes, storage, statistics."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from ncz.commands.chunk_map import chunk_map
from ncz.commands.page import statistics_rows, storage_rows
from ncz.commands.statistics import statistics
from ncz.commands.variable_storage import describe, with_census
from ncz.commands.view.answer import Answer, too_large_answer
from ncz.commands.view.axes import picture_axes
from ncz.commands.view.error import ViewError
from ncz.commands.view.flags import flags_of
from ncz.commands.view.page_axes import PageAxes
from ncz.commands.view.page_values import MOST_HEADER, attribute_rows, finite, type_name
from ncz.commands.view.placed_pictures import PlacedPictures
from ncz.commands.view.request import Request, StaleRequest, never
from ncz.commands.view.value_digits import digits_of
from ncz.commands.view.value_reader import ValueReader
from ncz.commands.view.variables import (
    AUXILIARY,
    choose_variable,
    find_variable,
    is_drawn,
    names_in_attributes,
    one_line_of,
    title_of,
)
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.tree import Dataset, Variable, base_name, parent, shape_of, walk
from ncz.model.types import Atomic
from ncz.views.colormaps import COLORMAPS, ColormapName, of_kind, palette
from ncz.views.html_text import printable
from ncz.views.stored_form import format_of

_MOST_COUNTED = 4096
"""Chunks of a variable whose sizes are found without asking."""


class Descriptions:
    """Answers that need no values but coordinates, and statistics, which need all of a variable.

    Parameters
    ----------
    reader
        The variables.
    axes
        Their axes.
    placed
        The variables that are drawn on the map.
    limit
        Bytes of values that may be read for statistics.
    """

    def __init__(
        self, reader: ValueReader, axes: PageAxes, placed: PlacedPictures, limit: int
    ) -> None:
        self._reader = reader
        self._axes = axes
        self._placed = placed
        self._limit = limit
        self._groups = dict(walk(reader.dataset.root))

    def overview(self, variable: str | None = None) -> Answer:
        """Return the list of variables, without bounds and grid mappings, and the one to show."""
        auxiliary = names_in_attributes(self._reader.dataset, AUXILIARY)
        entries = [
            {
                "number": number,
                "path": printable(fqn.lstrip("/")),
                "group": printable(parent(fqn).lstrip("/")),
                "name": printable(one.name),
                "type": type_name(one),
                "dimensions": [printable(base_name(d)) for d in one.dimensions],
                "shape": list(shape_of(one, self._reader.lengths)),
                "units": printable(one_line_of(one, "units")),
                "title": printable(title_of(one)),
            }
            for number, (fqn, one) in enumerate(self._reader.variables)
            if one.name not in auxiliary
        ]
        first: int | None = None
        if variable is not None:
            first = self._reader.numbers[find_variable(self._reader.dataset, variable)[0]]
        elif entries:
            try:
                first = self._reader.numbers[choose_variable(self._reader.dataset, None)[0]]
            except ViewError:
                first = int(str(entries[0]["number"]))
        return {
            "name": printable(self._reader.dataset.name),
            "format": format_of(self._reader.dataset.provenance) or "text",
            "variables": entries,
            "first": first,
            "limit": self._limit,
            "colormaps": {name: _colors(name) for name in COLORMAPS},
            "diverging": list(of_kind("diverging")),
            "cyclic": list(of_kind("cyclic")),
        }

    def description(self, request: Request, axes: Sequence[str] = ()) -> Answer:
        """Return a description of a variable: axes, flags and attributes."""
        fqn, variable, shape = self._reader.variable(request)
        is_text = not is_drawn(variable)
        dimensions = variable.dimensions
        if variable.type is Atomic.CHAR and dimensions:
            dimensions, shape = dimensions[:-1], shape[:-1]
        down, across = _axes_of(self._reader.dataset, variable, shape, axes, is_text=is_text)
        group = self._groups[parent(fqn)]
        return {
            "number": request.variable,
            "path": printable(fqn.lstrip("/")),
            "title": printable(title_of(variable)),
            "units": printable(one_line_of(variable, "units")),
            "type": type_name(variable),
            "isText": is_text,
            "digits": digits_of(variable).kind,
            "decimals": digits_of(variable).decimals,
            "axes": [
                {
                    "name": printable(base_name(dimension)),
                    "size": size,
                    "kind": self._axes.coordinates.kinds.get(dimension, ""),
                    "units": self._axes.units(dimension),
                    "isCategory": self._axes.labels(dimension, variable) is not None,
                    "scale": self._axes.scale(dimension),
                }
                for dimension, size in zip(dimensions, shape, strict=True)
            ],
            "x": across,
            "y": down,
            "placed": None if is_text or axes else self._placed.extent(request),
            "flags": flags_of(variable),
            "attributes": attribute_rows(variable.attributes),
            "groupAttributes": attribute_rows(group.attributes),
            "rootAttributes": attribute_rows(self._reader.dataset.root.attributes)
            if parent(fqn)
            else [],
        }

    def header(self, request: Request) -> Answer:
        """Return the header of the dataset in CDL."""
        from ncz.cdl.printer import CdlOptions, print_cdl

        text = bytearray()

        def write(part: bytes) -> None:
            if len(text) < MOST_HEADER:
                text.extend(part)

        print_cdl(self._reader.dataset, CdlOptions(header_only=True), write)
        printed = printable(text[:MOST_HEADER].decode("utf-8", "replace").replace("\t", "    "))
        return {"text": printed, "isWhole": len(text) < MOST_HEADER}

    def storage(self, request: Request) -> Answer:
        """Return the storage of a variable; sizes of many chunks only if `request` has a limit."""
        fqn, variable, shape = self._reader.variable(request)
        description = describe(fqn, variable, shape)
        data = variable.data
        count = data.layout.grid.size if isinstance(data, EncodedSource) else 0
        if count > max(_MOST_COUNTED, request.limit or 0):
            return {"rows": [*storage_rows(description)], "uncounted": count}
        rows = [*storage_rows(with_census(description, variable, self._reader.pool))]
        chunks = chunk_map(variable, self._reader.pool)
        return {
            "rows": rows,
            "columns": chunks.columns if chunks else 0,
            "chunks": [[c.first, c.count, c.present, c.size] for c in chunks.cells]
            if chunks
            else [],
        }

    def statistics(self, request: Request, is_stale: Callable[[], bool] = never) -> Answer:
        """Return the statistics of all values, with a histogram."""
        _, variable, shape = self._reader.variable(request)
        if not variable.has_numbers:
            return {"rows": []}
        assert isinstance(variable.type, Atomic)
        size = math.prod(shape) * variable.type.size
        if size > (request.limit or self._limit):
            return {"tooLarge": too_large_answer("the statistics need", size, self._limit)}

        def step(chunks: int, size: int) -> None:
            if is_stale():
                raise StaleRequest

        summary = statistics(variable, shape, self._reader.pool, step)
        return {
            "rows": [*statistics_rows(summary)],
            "histogram": list(summary.histogram),
            "range": [finite(summary.minimum), finite(summary.maximum)],
        }


def _axes_of(
    dataset: Dataset,
    variable: Variable,
    shape: tuple[int, ...],
    requested: Sequence[str],
    *,
    is_text: bool,
) -> tuple[int | None, int | None]:
    """Return the vertical and the horizontal axis to begin with; None for a missing one."""
    if not shape:
        return None, None
    if is_text:
        return (None, 0) if len(shape) == 1 else (len(shape) - 2, len(shape) - 1)
    names = [base_name(d) for d in variable.dimensions]
    return picture_axes(dataset, variable, requested if all(w in names for w in requested) else ())


def _colors(name: ColormapName) -> list[list[int]]:
    return [list(color) for color in palette(name)]
