"""The check of a dataset that is not a store: a netCDF file, an aggregation, or one on a server."""

from __future__ import annotations

import itertools
import os
from collections.abc import Iterator, Sequence

from ncz.errors import CodecError, CodecMissing, NczError, Notice, Progress
from ncz.formats.findings import (
    CODES,
    ArrayCensus,
    CheckReport,
    CheckRequest,
    Finding,
    finding,
    in_order,
)
from ncz.formats.kinds import OpenedDataset
from ncz.formats.link_findings import check_linked_positions, check_links
from ncz.formats.missing_findings import check_missing
from ncz.model.data import ChunkSource, PartitionedSource
from ncz.model.encoded_arrays import EncodedSource, lists_present
from ncz.model.grid import Index
from ncz.model.tree import Attribute, Variable, variables_by_fqn
from ncz.zmap.location import Location

_LOSSES = {
    "attribute-left-out": "object-left-out",
    "codec-unknown": "codec-missing",
    "type-left-out": "object-left-out",
}
"""The codes of findings for notices that have others."""

READERS = ("xarray", "netcdf-c", "gdal")
"""The programs that read netCDF files."""


def check_opened(
    opened: OpenedDataset, notices: Sequence[Notice], request: CheckRequest, progress: Progress
) -> CheckReport:
    """Return the findings in an open dataset; see `Maintenance.check`.

    `notices` come from its reader.
    """
    name, dataset = opened.location.display, opened.dataset
    findings = [*map(_of_notice, (n for n in notices if n.code in CODES or n.code in _LOSSES))]
    for reader in request.readers:
        if reader not in READERS:
            text = f"{reader} does not open {_kind(opened)}"
            findings.append(finding("reader-unopened", "", text, "copy it to a store"))
    variables = [*variables_by_fqn(dataset.root)]
    findings += itertools.chain.from_iterable(_fill_types(fqn, v) for fqn, v in variables)
    arrays = []
    for fqn, variable in variables:
        source = variable.data
        if isinstance(source, EncodedSource):
            try:
                found, census = _stored_chunks(fqn, source)
            except NczError as error:
                findings.append(_unreadable(fqn, error))
                continue
            findings += found
            arrays.append(census)
    if request.data:
        progress.expect(sum(v.data.grid.size for _, v in variables if v.data is not None))
        for fqn, variable in variables:
            if not isinstance(variable.data, PartitionedSource | None):  # pieces are checked so
                findings += _values(fqn, variable.data, progress)
    findings += check_links(dataset.root, "file")
    findings += check_linked_positions(dataset) if request.data else ()
    findings += check_missing(dataset, request, ())
    return CheckReport(store=name, findings=in_order(findings), arrays=tuple(arrays))


def unreadable_report(location: Location, error: NczError) -> CheckReport:
    """Return the report of a file that cannot be opened."""
    found = finding("store-unreadable", "", error.message, error.hint)
    return CheckReport(store=location.display, findings=(found,), arrays=None)


def _kind(opened: OpenedDataset) -> str:
    return "netCDF files" if opened.dataset.provenance.is_file else "such a dataset"


def _of_notice(notice: Notice) -> Finding:
    """Return the notice of a reader as a finding."""
    code = _LOSSES.get(notice.code, notice.code)
    key = (notice.location or "").rpartition(": /")[2] if ": /" in (notice.location or "") else ""
    return finding(code, key, notice.message, notice.hint)


def _fill_types(fqn: str, variable: Variable) -> Iterator[Finding]:
    """Yield the finding that a ``_FillValue`` has another type than the variable, or no value."""
    fill: Attribute | None = next((a for a in variable.attributes if a.name == "_FillValue"), None)
    if fill is None or (fill.type == variable.type and len(fill.values) == 1):
        return
    text = (
        f"_FillValue has {len(fill.values)} values"
        if fill.type == variable.type
        else "_FillValue has another type than the variable, so that it masks nothing"
    )
    yield finding("fill-value-type", fqn[1:], text, "change it with ncz edit")


def _stored_chunks(fqn: str, source: EncodedSource) -> tuple[list[Finding], ArrayCensus]:
    """Return chunks that are beyond the end of a file, and the census of an array."""
    grid, sizes = source.layout.grid, dict[str, int]()
    found: list[Finding] = []
    present = total = beyond = 0
    first: Index = ()
    for index in source.present() if lists_present(source) else ():
        present += 1
        total += source.stored_size(index) or 0
        place = source.place(index)
        if place is None or "://" in place.url:
            continue
        if place.url not in sizes:
            sizes[place.url] = os.path.getsize(place.url) if os.path.isfile(place.url) else -1
        size = sizes[place.url]
        if 0 <= size < place.offset + (place.length or 0):
            first = first if beyond else index
            beyond += 1
    if beyond:
        text = f"{beyond} of {grid.size} chunks are beyond the end of the file, as {first}"
        found.append(finding("chunk-damaged", fqn[1:], text, "get the file again"))
    census = ArrayCensus(
        key=fqn[1:],
        expected=grid.size,
        present=present if lists_present(source) else grid.size,
        empty=0,
        bytes=total,
    )
    return found, census


def _values(fqn: str, source: ChunkSource, progress: Progress) -> Iterator[Finding]:
    """Read every chunk, and yield the unreadable ones."""
    for index in source.grid.indices():
        size = 0
        try:
            values = source.chunk(index)
            size = 0 if values is None else values.nbytes
        except CodecMissing as error:
            yield finding("codec-missing", fqn[1:], error.message, error.hint)
            return
        except NczError as error:
            yield _unreadable(fqn, error)
        progress.advance(fqn, 1, size)


def _unreadable(fqn: str, error: NczError) -> Finding:
    """Return the finding that data cannot be read."""
    code = "chunk-damaged" if isinstance(error, CodecError) else "data-unreadable"
    place = (error.location or "").rpartition(": ")[2]
    where = f"{place}: " if " chunk " in place else ""
    return finding(code, fqn[1:], f"{where}{error.message}", error.hint)
