"""CFA 0.5: the partitions are variables of a group, which ``cfa_group`` names.

The group has dimensions of the names of the variable's own, as long as there are partitions.
"""

from __future__ import annotations

import posixpath
from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.formats.aggregation.marks import text_of
from ncz.formats.aggregation.master_form import MasterForm
from ncz.formats.aggregation.partitions import GridError, Piece, partitions_of
from ncz.formats.aggregation.tables import indices_of, is_text, missing
from ncz.late import numpy as np
from ncz.model.data import Values
from ncz.model.grid import Box, Index
from ncz.model.tree import Variable, join

if TYPE_CHECKING:
    from ncz.formats.aggregation.master import AggregatedVariable
    from ncz.formats.aggregation.partitions import Partitions
    from ncz.model.data import Values


def _group(aggregated: AggregatedVariable) -> str:
    name = text_of(aggregated.stored, "cfa_group") or ""
    return name if name.startswith("/") else join(aggregated.group, name)


def _partitions_cfa05(aggregated: AggregatedVariable) -> Partitions:
    group = _group(aggregated)

    def table(name: str, what: str) -> tuple[Values, Variable]:
        return aggregated.table(join(group, name), what)

    files, _ = table("file", "the files")
    names, _ = table("ncvar", "the variables")
    rank = len(aggregated.shape)
    if files.ndim != rank or names.shape != files.shape:
        raise aggregated.error("file and ncvar do not have the dimensions of the variable")
    formats: Values | None = None
    if join(group, "format") in aggregated.master.variables:
        formats, _ = table("format", "the formats")
    location, described = table("location", "the locations")
    if location.shape != (*files.shape, rank, 2):
        raise aggregated.error("location does not have two limits for each dimension")
    undefined: Values = np.any(missing(location, described), axis=(-2, -1))
    base = ""
    if join(group, "base") in aggregated.master.variables:
        base = str(table("base", "the base of the files")[0].ravel()[0] or "")

    def locate() -> Iterator[tuple[Box, Piece]]:
        for index in indices_of(files):
            if not is_text(files[index]) and not is_text(names[index]):
                continue
            box = (
                _equal_part(aggregated.shape, files.shape, index)
                if undefined[index]
                else Box(*(tuple(map(int, ends)) for ends in location[index].T))
            )
            file = posixpath.join(base, files[index]) if is_text(files[index]) else None
            address = names[index] if is_text(names[index]) else aggregated.stored.name
            found = formats[index] if formats is not None else None
            yield (
                box,
                Piece(
                    files=() if file is None else (file,),
                    address=address,
                    format=found if is_text(found) else None,
                    number=index,
                ),
            )

    try:
        return partitions_of(aggregated.shape, locate())
    except GridError as error:
        raise aggregated.error(str(error)) from error


def _equal_part(shape: tuple[int, ...], counts: tuple[int, ...], index: Index) -> Box:
    """Return the part of a partition that has no location, if all are equally long."""
    parts = list(zip(shape, counts, index, strict=True))
    return Box(
        tuple(i * n // count for n, count, i in parts),
        tuple((i + 1) * n // count for n, count, i in parts),
    )


CFA_05 = MasterForm(
    name="CFA-0.5",
    recognises=lambda variable: text_of(variable, "cfa_group") is not None,
    dimensions="cfa_dimensions",
    own=lambda aggregated: (_group(aggregated),),
    partitions=_partitions_cfa05,
    converts=False,
    has_uris=False,
)
