"""A description of a dataset as a page: attributes, small pictures, and maps of chunks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.commands.chunk_map import chunk_map
from ncz.commands.description import DatasetInfo, Statistics, VariableInfo
from ncz.commands.thumbnails import picture_of
from ncz.errors import NczError, OnError
from ncz.model.tree import Attribute, Dataset, Group, Variable, base_name, join
from ncz.text.format_values import format_attribute
from ncz.text.sizes import format_ratio, format_size
from ncz.views.html import print_page
from ncz.views.page_parts import ChunkMap, GroupPart, Page, Picture, Rows, VariablePart

if TYPE_CHECKING:
    from ncz.parallel.threads import ThreadPool


def page_of(dataset: Dataset, info: DatasetInfo, pool: ThreadPool, on_error: OnError) -> str:
    """Return the page of an open dataset.

    Parameters
    ----------
    info
        The description of the dataset, with statistics if the page should have them. Variables that
        it lacks are omitted.
    pool
        The threads that request the sizes of chunks.
    on_error
        Called if the data of a variable cannot be read. If it returns, the variable has no picture.
    """
    known = {variable.path: variable for variable in info.variables}
    making = _PageBuilder(known, pool, on_error)
    page = Page(
        title=info.name, facts=tuple(_facts(info)), root=making.group(dataset.root, "", info.name)
    )
    return "".join(print_page(page))


class _PageBuilder:
    """Turns groups and variables into parts of a page."""

    def __init__(
        self, known: Mapping[str, VariableInfo], pool: ThreadPool, on_error: OnError
    ) -> None:
        self._known = known
        self._pool = pool
        self._on_error = on_error

    def group(self, group: Group, fqn: str, name: str) -> GroupPart:
        """Return a group with all that is in it."""
        described = [
            self._variable(variable, self._known[join(fqn, variable.name)], group)
            for variable in group.variables
            if join(fqn, variable.name) in self._known
        ]
        return GroupPart(
            name=name,
            dimensions=tuple(
                (d.name, f"{d.size}{' (unlimited)' if d.unlimited else ''}")
                for d in group.dimensions
            ),
            attributes=_attributes(group.attributes),
            variables=tuple(described),
            groups=tuple(self.group(g, join(fqn, g.name), g.name) for g in group.groups),
        )

    def _variable(self, variable: Variable, info: VariableInfo, group: Group) -> VariablePart:
        picture: Picture | None = None
        chunks: ChunkMap | None = None
        try:
            chunks = chunk_map(variable, self._pool)
            picture = picture_of(variable, group)
        except NczError as error:
            self._on_error(error)
        found = info.statistics
        dimensions = ", ".join(
            f"{base_name(name)}={length}"
            for name, length in zip(info.dimensions, info.shape, strict=True)
        )
        return VariablePart(
            name=variable.name,
            heading=f"{info.type} ({dimensions})",
            facts=tuple(storage_rows(info)),
            attributes=_attributes(variable.attributes),
            statistics=() if found is None else tuple(statistics_rows(found)),
            histogram=() if found is None else found.histogram,
            range=_range(found) if found is not None else ("", ""),
            picture=picture,
            chunks=chunks,
        )


def _facts(info: DatasetInfo) -> Iterator[tuple[str, str]]:
    yield "Format", info.format
    if info.writer:
        yield "Written by", info.writer
    yield "Variables", str(len(info.variables))
    yield "Size of values", format_size(info.unpacked)
    if info.stored is not None:
        yield "Stored", format_size(info.stored)
    if info.consolidated:
        yield "Consolidated metadata", "yes, with annotations" if info.annotated else "yes"


def storage_rows(info: VariableInfo) -> Iterator[tuple[str, str]]:
    """Yield the storage of a variable, in words."""
    if info.dtype:
        yield "Data type", info.dtype
    if info.chunks:
        yield "Chunks", "x".join(map(str, info.chunks))
    if info.shards:
        yield "Shards", "x".join(map(str, info.shards))
    if info.codecs:
        yield "Codecs", " ".join(info.codecs)
    if info.unpacked is not None:
        yield "Size", format_size(info.unpacked)
    if info.stored is not None:
        ratio = "" if info.ratio is None else f" (ratio {format_ratio(info.ratio)})"
        yield "Stored", format_size(info.stored) + ratio
    if info.chunks_present is not None:
        yield "Chunks stored", f"{info.chunks_present} of {info.chunks_expected}"


def statistics_rows(found: Statistics) -> Iterator[tuple[str, str]]:
    """Yield the names and texts of statistics."""
    yield "Values", str(found.count)
    yield "Missing", str(found.missing)
    if found.infinite:
        yield "Infinite", str(found.infinite)
    dates = found.dates or (None, None, None)
    for name, number, date in (
        ("Minimum", found.minimum, dates[0]),
        ("Maximum", found.maximum, dates[1]),
        ("Mean", found.mean, dates[2]),
        ("Standard deviation", found.std, None),
    ):
        if number is not None:
            yield name, date or _number(number)


def _range(found: Statistics) -> tuple[str, str]:
    """Return the least and the largest value, of times as dates."""
    low, high, _ = found.dates or (None, None, None)
    return low or _number(found.minimum), high or _number(found.maximum)


def _number(number: float | None) -> str:
    return "" if number is None else f"{number:.6g}"


def _attributes(attributes: tuple[Attribute, ...]) -> Rows:
    return tuple((attribute.name, format_attribute(attribute)) for attribute in attributes)
