"""Run all checks of a store."""

from __future__ import annotations

import contextlib
import copy
import itertools
import re
from collections.abc import Collection, Iterator, Mapping

from ncz.commands.changes import alone_here, open_to_change
from ncz.commands.check.documents import (
    check_consolidated,
    check_documents,
    check_readers,
    has_own_documents,
    ordered_byte,
    read_documents,
    read_store,
    unquoted_texts,
    zero_element_sizes,
)
from ncz.commands.check.finding import SEVERITIES, CheckReport, Finding, Repair, finding
from ncz.commands.check.keys import (
    check_archive,
    check_chunks,
    check_codecs,
    check_references,
    document_keys,
    survey,
)
from ncz.commands.fields import option, words
from ncz.errors import ZmapError, ignore_notice, note_if_interrupted
from ncz.formats.zarr.annotations import renewed_document
from ncz.formats.zarr.consolidated import consolidated, inline, kept_annotations
from ncz.formats.zarr.document_v2 import ZARRAY, ZATTRS, ZGROUP, ZMETADATA
from ncz.formats.zarr.json import Json, print_document
from ncz.formats.zarr.notes import ANNOTATIONS
from ncz.formats.zarr.options import readers_named
from ncz.formats.zarr.versions import find_root
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.record import record, replace
from ncz.zmap.journal import Changes
from ncz.zmap.key import ZARR_JSON, join_key
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap

# Repairs of documents that lose nothing. Chunks are never changed.

_COPIED = (ZGROUP, ZARRAY, ZATTRS)
_SIZED = re.compile(r"[<>|=]?[iufcb]([0-9]+)")
_GROUPS: Mapping[int, tuple[str, dict[str, Json]]] = {
    2: (ZGROUP, {"zarr_format": 2}),
    3: (ZARR_JSON, {"zarr_format": 3, "node_type": "group", "attributes": {}}),
}
"""The document of a new group in each version of Zarr."""


def repairs(
    documents: Mapping[str, Json], findings: Collection[Finding], zarr_format: int
) -> list[Repair]:
    """Return what can be mended without loss, the documents of the root last.

    Parameters
    ----------
    documents
        All documents of the store that can be parsed, by key.
    findings
        What was found.
    zarr_format
        The version of Zarr.
    """
    mended = {key: copy.deepcopy(document) for key, document in documents.items()}
    done: dict[str, list[str]] = {}
    for key, document in mended.items():
        done[key] = list(_mend(key, document))
    for found in findings:
        if found.code == "document-not-strict" and found.key in done:
            done[found.key].append("write strict JSON")
        elif found.code == "group-missing":
            name, group = _GROUPS[zarr_format]
            key = join_key(found.key, name)
            mended[key], done[key] = dict(group), ["create the document of the group"]
    _consolidate(mended, done, findings, zarr_format)
    changed = sorted((k for k, what in done.items() if what), key=lambda k: (-k.count("/"), k))
    return [
        Repair(key=key, what=", ".join(done[key]), document=print_document(mended[key]))
        for key in changed
    ]


def _mend(key: str, document: dict[str, Json]) -> Iterator[str]:
    """Mend a document in place; yield what was done."""
    name = key.rpartition("/")[2]
    if name == ZARRAY:
        size = _SIZED.fullmatch(str(document.get("dtype")))
        filters = zero_element_sizes(document)
        if filters and size is not None:
            for shuffle in filters:
                shuffle["elementsize"] = int(size[1])
            yield f"set elementsize to {size[1]}"
        dtype = ordered_byte(document)
        if dtype is not None:
            document["dtype"] = dtype
            yield f"set dtype to {dtype}"
    elif name == ZATTRS:
        for attribute, text in list(unquoted_texts(document)):
            document[attribute] = text
            yield f"write attribute {attribute} as text"


def _consolidate(
    documents: dict[str, Json],
    done: dict[str, list[str]],
    findings: Collection[Finding],
    zarr_format: int,
) -> None:
    """Consolidate again if that is needed, and no document is damaged or only consolidated."""
    place = ZMETADATA if zarr_format == 2 else ZARR_JSON
    root = documents.get(ZARR_JSON, {})
    has_copies = any(f.key == ZMETADATA for f in findings) or ZMETADATA in documents
    if zarr_format == 3:
        has_copies = root.get("consolidated_metadata") is not None
    codes = {f.code for f in findings if f.key != ZMETADATA}
    is_old = any(f.code.startswith(("consolidated-", "annotation-outdated")) for f in findings)
    is_changed = any(done.values()) or is_old
    is_lost = any(f.code == "consolidated-stale" and f.key not in documents for f in findings)
    if not has_copies or not is_changed or is_lost or "document-damaged" in codes:
        return
    names = _COPIED if zarr_format == 2 else (ZARR_JSON,)
    own = {key: d for key, d in documents.items() if key.rpartition("/")[2] in names}
    if zarr_format == 2:
        before = documents.get(ZMETADATA, {}).get(ANNOTATIONS)
        kept = kept_annotations(before, {key.rpartition("/")[0] for key in own})
        documents[place] = consolidated(own, kept)
    else:
        nodes = {key.rpartition("/")[0]: document for key, document in own.items()}
        kept = kept_annotations(root["consolidated_metadata"].get(ANNOTATIONS), nodes)
        documents[place] = {**root, "consolidated_metadata": inline(nodes, kept)}
    documents[place] = renewed_document(place, documents[place])
    done.setdefault(place, []).append("consolidate metadata")


@record(kw_only=True)
class CheckOptions:
    """What to check.

    With `data` every chunk is decoded. `readers` are the programs that must read the store. With
    `fix` documents are mended, unless `dry_run` is set.
    """

    source: Location
    data: bool = option(
        "--data",
        default=False,
        section="Checks",
        common=True,
        help="Decode every chunk and verify its checksum.",
        python="Whether to decode every chunk.",
    )
    readers: tuple[str, ...] = option(
        "--for",
        default=(),
        metavar="READER,...",
        section="Checks",
        parse=words,
        common=True,
        completes="readers",
        help="Report as errors what these programs do not read: xarray, netcdf-c, zarr-python,"
        " zarr-python-2, tensorstore, zarrs, zarrita, gdal.",
        python='Programs that must read the store, such as "xarray".',
        argument="audience",
    )
    fix: bool = option(
        "--fix",
        default=False,
        section="Repair",
        common=True,
        help="Mend documents where nothing is lost.",
        python="Whether to mend documents where nothing is lost.",
    )
    dry_run: bool = option(
        "--dry-run",
        default=False,
        section="Repair",
        common=True,
        help="With --fix: print what would change.",
        python="Whether to return what `fix` would do, and change nothing.",
    )


def check(options: CheckOptions, progress: Progress = NO_PROGRESS) -> CheckReport:
    """Check a store, mend it if asked for, and return what is wrong or suspicious after that.

    Raises
    ------
    NczError
        If the location cannot be opened, or a reader is not known.
    """
    readers_named(options.readers)
    if options.fix and not options.dry_run:
        location = options.source
        with note_if_interrupted(f"{location.display} was not changed"), alone_here(location):
            return _mended(options, progress)
    with note_if_interrupted("nothing was changed"):
        return _checked(options, progress)


def _mended(options: CheckOptions, progress: Progress) -> CheckReport:
    """Mend a store if that is needed; one on a server is locked only then."""
    with note_if_interrupted("nothing was changed"):
        report = _checked(options, progress)
    if not report.repairs:
        return report
    location = options.source
    with open_to_change(location) as store:
        # What was found before a server kept others away may have changed.
        found = _checked(replace(options, data=False, readers=()), NO_PROGRESS)
        root = find_root(store.zmap, location.modes, None, ignore_notice)
        pure = root is None or not root.superblock
        store.apply(Changes(documents={r.key: r.document for r in found.repairs}), pure=pure)
    with note_if_interrupted("the store was mended, but not checked again"):
        after = _checked(replace(options, fix=False), progress)
    return replace(after, repairs=found.repairs)


def _checked(options: CheckOptions, progress: Progress) -> CheckReport:
    """Check the store; `fix` adds the repairs that are possible."""
    location = options.source
    with contextlib.closing(open_zmap(location)) as zmap:
        try:
            keys: list[str] | None = document_keys(zmap)
        except ZmapError as error:
            # Some servers do not list; a folder on the disk that cannot be listed is an error.
            code = "store-unreadable" if zmap.holds_files else "not-listed"
            keys, listing = None, [finding(code, "", error.message, error.hint)]
        else:
            listing = []
        is_whole = keys is not None and has_own_documents(keys)
        read, reported = read_store(zmap, location, False if is_whole else None)
        documents, findings = read_documents(zmap, keys or [], progress)
        damaged = {f.key for f in findings if f.code == "document-damaged"}
        findings += listing
        hidden = damaged | {key.rpartition("/")[0] for key in damaged} - {""}
        if is_whole:  # the survey finds those at every depth
            reported = [f for f in reported if f.code != "group-missing"]
        findings += [f for f in reported if f.key not in hidden or f.code == "store-unreadable"]
        findings += check_documents(documents)
        arrays = None
        if read is not None:
            if keys is not None and is_whole:
                findings += check_consolidated(documents, read.zarr_format, damaged)
            if keys is not None:
                about = {f.key for f in findings if f.severity == "error"}
                found, arrays = survey(read, keys if is_whole else [], about, progress)
                findings += found
            findings += itertools.chain(
                check_codecs(read),
                check_references(read) if keys is not None else (),
                check_chunks(read, progress) if options.data else (),
                check_archive(zmap, location),
                check_readers(read, documents, options.readers),
            )
        if any(f.severity == "error" for f in findings):
            zmap.check_unchanged()  # what a change under way leaves for a moment is not a fault
        fixes = []
        if options.fix and read is not None and is_whole:
            fixes = repairs(documents, findings, read.zarr_format)
        return CheckReport(
            store=zmap.url, findings=_in_order(findings), arrays=arrays, repairs=tuple(fixes)
        )


def _in_order(findings: list[Finding]) -> tuple[Finding, ...]:
    """Return findings by severity and key, each once."""
    once = {(f.code, f.key, f.message): f for f in findings}
    return tuple(sorted(once.values(), key=lambda f: (SEVERITIES.index(f.severity), f.key, f.code)))
