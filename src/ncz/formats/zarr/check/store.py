"""Run all checks of a store."""

from __future__ import annotations

import contextlib
import itertools

from ncz.errors import Progress, ZmapError
from ncz.formats.digest_findings import check_digests
from ncz.formats.findings import CheckReport, CheckRequest, finding, in_order
from ncz.formats.link_findings import check_linked_positions, check_links
from ncz.formats.missing_findings import check_missing
from ncz.formats.zarr.check.chunks import check_chunks, check_codecs
from ncz.formats.zarr.check.consolidation import check_consolidated, has_own_documents
from ncz.formats.zarr.check.contents import read_contents
from ncz.formats.zarr.check.document_names import document_keys
from ncz.formats.zarr.check.documents import check_documents, read_documents
from ncz.formats.zarr.check.masks import masks_of_formats
from ncz.formats.zarr.check.readers import check_readers
from ncz.formats.zarr.check.references import check_references
from ncz.formats.zarr.check.repairs import repairs
from ncz.formats.zarr.check.survey import survey
from ncz.formats.zarr.check.unreached_documents import no_group
from ncz.formats.zarr.check.zip_entries import check_archive
from ncz.formats.zarr.documents.document_v2 import ZGROUP, ZMETADATA
from ncz.formats.zarr.opening.lost_root import version_of_lost_root
from ncz.zmap.key import ROOT_DOCUMENTS, ZARR_JSON
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap


def check_store(location: Location, request: CheckRequest, progress: Progress) -> CheckReport:
    """Return the findings in the store at `location`; see `Maintenance.check`.

    Raises
    ------
    NczError
        If the location cannot be opened.
    """
    with contextlib.closing(open_zmap(location)) as zmap:
        try:
            keys: list[str] | None = document_keys(zmap)
        except ZmapError as error:
            # Some servers do not list; a folder on the disk that cannot be listed is an error.
            code = "store-unreadable" if zmap.holds_files else "not-listed"
            keys, listing = None, [finding(code, "", error.message, error.hint)]
        else:
            listing = []
        documents, findings = read_documents(zmap, keys or [], progress)
        damaged = {f.key for f in findings if f.code == "document-damaged"}
        is_whole = keys is not None and bool(damaged or has_own_documents(documents))
        read, reported = read_contents(zmap, location, False if is_whole else None)
        has_root = keys is None or not {*ROOT_DOCUMENTS}.difference({ZMETADATA}).isdisjoint(keys)
        lost = None if has_root or read is not None else version_of_lost_root(zmap)
        zarr_format = lost if read is None else read.zarr_format
        if lost is not None:
            reported, listing = [], [no_group("", ZGROUP if lost == 2 else ZARR_JSON)]
        findings += listing
        below_damage = damaged | {key.rpartition("/")[0] for key in damaged} - {""}
        if is_whole:  # the survey finds these errors at every depth
            found_by_survey = ("group-missing", "chunk-misplaced")
            reported = [f for f in reported if f.code not in found_by_survey]
        findings += [
            f for f in reported if f.key not in below_damage or f.code == "store-unreadable"
        ]
        findings += check_documents(documents)
        arrays = None
        if zarr_format is not None and is_whole:
            findings += check_consolidated(documents, zarr_format, damaged)
        if read is not None:
            if keys is not None:
                about = {f.key for f in findings if f.severity == "error"}
                found, arrays = survey(read, keys if is_whole else [], about, progress)
                findings += found
            findings += itertools.chain(
                check_codecs(read),
                check_references(read) if keys is not None else (),
                check_chunks(read, progress) if request.data else (),
                check_digests(read.variables) if request.data else (),
                check_links(read.dataset.root, "store"),
                check_linked_positions(read.dataset) if request.data else (),
                check_missing(read.dataset, request, masks_of_formats(read)),
                check_archive(zmap, location),
                check_readers(read, documents, request.readers),
            )
        if any(f.severity == "error" for f in findings):
            zmap.check_unchanged()  # an unfinished change is not an error
        fixes = []
        if request.repairs and zarr_format is not None and is_whole:
            fixes = repairs(documents, findings, zarr_format)
        return CheckReport(
            store=zmap.url, findings=in_order(findings), arrays=arrays, repairs=tuple(fixes),
            may_be_master=request.names_master(zmap),
        )  # fmt: skip
