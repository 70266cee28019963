"""CFA 0.4: the partitions are JSON text in the attribute ``cfa_array``.

S3netCDF4 numbers the elements of a location from 0, and includes the last one.
"""

from __future__ import annotations

import json
import posixpath
from typing import TYPE_CHECKING, Any

from ncz.errors import quantity
from ncz.formats.aggregation.marks import text_of
from ncz.formats.aggregation.master_form import MasterForm
from ncz.formats.aggregation.partitions import GridError, Piece, dotted_number, partitions_of
from ncz.model.grid import Box
from ncz.model.tree import base_name

if TYPE_CHECKING:
    from ncz.formats.aggregation.master import AggregatedVariable
    from ncz.formats.aggregation.partitions import Partitions


_UNSUPPORTED = ("part", "reverse", "flip", "pmembers", "punits", "pcalendar")
"""Members of the first convention 0.4, which change the values of a piece."""


def _partitions_cfa04(aggregated: AggregatedVariable) -> Partitions:
    document = _document(aggregated)
    listed = document.get("Partitions")
    if not isinstance(listed, list):
        raise aggregated.error("cfa_array has no list Partitions")
    base = document.get("base") or ""
    try:
        return partitions_of(
            aggregated.shape, [_partition(aggregated, each, str(base)) for each in listed]
        )
    except GridError as error:
        raise aggregated.error(str(error)) from error


def _document(aggregated: AggregatedVariable) -> dict[str, Any]:
    try:
        document = json.loads(text_of(aggregated.stored, "cfa_array") or "")
    except (ValueError, RecursionError) as error:
        raise aggregated.error(f"cfa_array is not valid JSON: {error}") from error
    if not isinstance(document, dict):
        raise aggregated.error("cfa_array is not a JSON object")
    return document


def _partition(aggregated: AggregatedVariable, entry: Any, base: str) -> tuple[Box, Piece]:
    """Return the part of the array that a partition covers, and its piece."""
    rank = len(aggregated.shape)
    subarray = entry.get("subarray") if isinstance(entry, dict) else None
    if not isinstance(subarray, dict):
        raise aggregated.error("a partition of cfa_array has no object subarray")
    number = tuple(_integers(aggregated, entry.get("index", [0] * rank), "index"))
    for name in _UNSUPPORTED:
        if entry.get(name) or subarray.get(name):
            raise aggregated.error(
                f"partition {dotted_number(number)} has {name!r}, which ncz cannot read"
            )
    names = entry.get("pdimensions")
    if names is not None and names != [base_name(fqn) for fqn in aggregated.dimensions]:
        raise aggregated.error(
            f"partition {dotted_number(number)} has other dimensions than the variable"
        )
    location = entry.get("location")
    if not isinstance(location, list) or len(location) != rank:
        raise aggregated.error(
            f"partition {dotted_number(number)} has no location in {quantity(rank, 'dimension')}"
        )
    limits = [_integers(aggregated, pair, "location", 2) for pair in location]
    box = Box(tuple(a for a, _ in limits), tuple(b + 1 for _, b in limits))
    address = subarray.get("ncvar")
    if not isinstance(address, str) or not address:
        raise aggregated.error(f"partition {dotted_number(number)} names no variable")
    file = subarray.get("file")
    files = () if not file else (posixpath.join(base, str(file)),)
    return box, Piece(files=files, address=address, format=_format(subarray), number=number)


def _format(subarray: dict[str, Any]) -> str | None:
    found = subarray.get("format")
    return found if isinstance(found, str) else None


def _integers(
    aggregated: AggregatedVariable, values: Any, what: str, count: int | None = None
) -> list[int]:
    is_valid = isinstance(values, list) and all(type(n) is int for n in values)
    if not is_valid or (count is not None and len(values) != count):
        raise aggregated.error(f"a partition of cfa_array has a {what} that is not integers")
    return list(values)


CFA_04 = MasterForm(
    name="CFA-0.4",
    recognises=lambda variable: text_of(variable, "cfa_array") is not None,
    dimensions="cfa_dimensions",
    own=lambda _: (),
    partitions=_partitions_cfa04,
    converts=False,
    has_uris=False,
)
