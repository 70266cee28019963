"""Run all checks of a store."""

from __future__ import annotations

import contextlib
import copy
import itertools
import os
import re
import zipfile
from collections import Counter
from collections.abc import Collection, Iterator, Mapping

from ncz.codec.catalogue import codec_of
from ncz.commands.changes import alone_here, open_to_change
from ncz.commands.check.documents import (
    ReadStore,
    check_consolidated,
    check_documents,
    check_readers,
    has_own_documents,
    key_in,
    ordered_byte,
    read_documents,
    read_store,
    unquoted_texts,
    zero_element_sizes,
)
from ncz.commands.check.finding import (
    SEVERITIES,
    ArrayCensus,
    CheckReport,
    Finding,
    Repair,
    finding,
)
from ncz.commands.check.links import check_linked_positions, check_links
from ncz.commands.fields import option, words
from ncz.errors import (
    NO_PROGRESS,
    CodecError,
    CodecMissing,
    NczError,
    Progress,
    ZmapError,
    counted,
    ignore_notice,
    note_if_interrupted,
)
from ncz.formats.zarr.annotation_merge import renewed_document
from ncz.formats.zarr.array import ZarrArray
from ncz.formats.zarr.audience import readers_named
from ncz.formats.zarr.consolidated import consolidated, inline, kept_annotations
from ncz.formats.zarr.document_v2 import ZARRAY, ZATTRS, ZGROUP, ZMETADATA
from ncz.formats.zarr.json import Json, print_document
from ncz.formats.zarr.misplaced import fitting_keys
from ncz.formats.zarr.notes import ANNOTATIONS, OBJECTS
from ncz.formats.zarr.versions import find_root
from ncz.model.grid import Grid, Index
from ncz.record import field, record, replace
from ncz.zmap import Zmap
from ncz.zmap.journal import Changes
from ncz.zmap.key import ZARR_JSON, ancestors, display, join_key
from ncz.zmap.local.zip import ZipZmap
from ncz.zmap.location import Location
from ncz.zmap.opening import open_zmap
from ncz.zmap.reference.reader import ReferenceZmap

NODES = frozenset({ZARRAY, ZGROUP, ZARR_JSON})
"""The documents one of which is in every node."""

_DOCUMENTS_V2 = frozenset({ZARRAY, ZGROUP, ZATTRS, ZMETADATA, *OBJECTS.values()})
DOCUMENTS = _DOCUMENTS_V2 | {ZARR_JSON}
"""The names of all metadata documents."""

_CHUNK = re.compile(r"(?:(?P<array>.+?)/)?(?:c[./])?[0-9]+(?:[./][0-9]+)*")


def document_keys(zmap: Zmap) -> list[str]:
    """Return the keys of all metadata documents. Raises `ZmapError`."""
    return [key for key in zmap.walk() if key.rpartition("/")[2] in DOCUMENTS]


@record
class _Several:
    """Keys of which one finding tells: the first of them, and their number."""

    first: str
    count: int = 1

    @property
    def text(self) -> str:
        return counted(self.count, "object")


@record
class _Survey:
    read: ReadStore
    present: dict[str, list[int]] = field(default_factory=dict)
    """Key of an array -> its numbers of chunks, of empty chunks, and of bytes."""
    several: dict[tuple[str, str], _Several] = field(default_factory=dict)
    """Code and key of a node -> the keys of one finding."""
    findings: list[Finding] = field(default_factory=list)
    grids: dict[str, tuple[Grid, int | None]] = field(default_factory=dict)
    """Key of an array -> the grid of its chunks, and the size of each if that is known."""

    def add(self, code: str, node: str, key: str) -> None:
        known = self.several.get((code, node))
        self.several[code, node] = (
            _Several(key) if known is None else _Several(known.first, known.count + 1)
        )

    def visit(self, key: str) -> None:
        """Count the object at `key`, which is not a document."""
        folder = key.rpartition("/")[0]
        for owner in (*([folder] if folder else ()), *ancestors(folder), ""):
            if owner in self.read.arrays:
                self.chunk(owner, key)
                return
        match = _CHUNK.fullmatch(key)
        if match is None:
            self.add("key-unowned", folder, key)
        else:
            self.add("chunk-orphaned", match["array"] or "", key)

    def chunk(self, owner: str, key: str) -> None:
        """Count the object at `key` below the array at `owner`."""
        if owner not in self.grids:
            layout = self.read.arrays[owner].document.layout
            self.grids[owner] = layout.grid, fixed_size(self.read.data(owner))
        grid, expected = self.grids[owner]
        counts = grid.counts
        name = key[len(owner) + 1 :] if owner else key
        index = self.read.arrays[owner].document.keys.index(name, len(counts))
        if index is None:
            is_chunk = fitting_keys(name, self.read.arrays[owner].document) is not None
            self.add("chunk-misplaced" if is_chunk else "key-unowned", owner, key)
        elif not _is_inside(index, counts):
            self.add("chunk-outside", owner, key)
        else:
            try:
                size = self.read.zmap.size(key) or 0
            except NczError as error:
                self.findings.append(finding("reference-broken", key, error.message, error.hint))
                return
            numbers = self.present.setdefault(owner, [0, 0, 0])
            numbers[0] += 1
            numbers[1] += not size
            numbers[2] += size
            if not size:
                self.add("chunk-empty", owner, key)
            elif expected is not None and size != expected:
                self.add("chunk-length", owner, key)


def survey(
    read: ReadStore, documents: list[str], reported: set[str], progress: Progress
) -> tuple[list[Finding], tuple[ArrayCensus, ...]]:
    """Compare all keys of a store with its nodes.

    Parameters
    ----------
    read
        The store.
    documents
        The keys of its metadata documents.
    reported
        The keys of nodes and documents that other findings are about.
    progress
        Receives each key.

    Returns
    -------
    list of Finding
        What was found.
    tuple of ArrayCensus
        The chunks of each array.
    """
    found = _Survey(read)
    progress.expect(None, "keys")
    for key in read.zmap.walk():
        progress.advance(f"/{key}", 1, 0)
        if key.rpartition("/")[2] not in DOCUMENTS:
            found.visit(key)
    stray = {key.rpartition("/")[0] for key in documents if key.rpartition("/")[2] in NODES} - (
        read.arrays.keys() | read.groups.keys()
    )
    nodes = {key.rpartition("/")[0] if _is_document(key) else key for key in reported}
    known = (stray | nodes) - {""}
    findings = list(found.findings)
    for (code, node), several in found.several.items():
        is_known = code in ("chunk-orphaned", "key-unowned") and node not in read.arrays
        if not (is_known and any(k in known for k in (node, *ancestors(node)))):
            message, advice = _TOLD[code]
            findings.append(finding(code, several.first, f"{several.text}: {message}", advice))
    if documents:
        findings.extend(_unreached(read, documents, reported))
    return findings, tuple(_census(found))


_TOLD = {
    "chunk-empty": ("the chunk has no bytes", "restore it, or delete it to read the fill value"),
    "chunk-misplaced": (
        "the metadata of the array ask for another key, such as one with another separator",
        "correct the separator in the metadata",
    ),
    "chunk-length": ("the chunk is shorter or longer than its array says", "restore it"),
    "chunk-orphaned": (
        "chunks without the document of their array",
        "restore the document, or delete the chunks",
    ),
    "chunk-outside": (
        "the chunk is outside of the shape of its array, and no reader sees it",
        "delete it, or correct the shape",
    ),
    "key-unowned": ("no group or array owns this key", "delete it if nothing needs it"),
}


def fixed_size(data: ZarrArray | None) -> int | None:
    """Return the bytes of every stored chunk, if it has no codecs that make this uncertain."""
    if data is None or data.layout.codecs or data.layout.shard or data.layout.lengths:
        return None
    return data.layout.chunk_size * data.item_size or None


def _is_inside(index: Index, counts: tuple[int, ...]) -> bool:
    return all(i < n for i, n in zip(index, counts, strict=True))


def _is_document(key: str) -> bool:
    return key.rpartition("/")[2] in DOCUMENTS


def _census(found: _Survey) -> Iterator[ArrayCensus]:
    for key, array in found.read.arrays.items():
        present, empty, size = found.present.get(key, (0, 0, 0))
        yield ArrayCensus(
            key=key,
            expected=array.document.layout.grid.size,
            present=present,
            empty=empty,
            bytes=size,
        )


def _unreached(read: ReadStore, documents: list[str], reported: set[str]) -> Iterator[Finding]:
    """Yield documents that no reader finds, and groups without a document."""
    here = set(documents)
    is_v3 = read.zarr_format == 3
    has_both = is_v3 and any(key in _DOCUMENTS_V2 for key in documents)
    for key in read.groups:
        if not is_v3 and join_key(key, ZGROUP) not in here:
            yield _no_group(key)
    missing: set[str] = set()
    above_nodes = {
        a for key in documents if key.rpartition("/")[2] in NODES for a in ancestors(key)
    }
    for key in documents:
        folder, _, name = key.rpartition("/")
        is_other = is_v3 != (name == ZARR_JSON)
        if folder in read.arrays or folder in read.groups:
            if is_other and folder and not has_both:
                yield _stray(key)
            continue
        if key in reported or any(k in reported for k in (folder, *ancestors(folder))):
            continue
        if is_other:
            if not has_both:
                yield _stray(key)
        elif name == ZATTRS and folder not in above_nodes:
            yield finding(
                "attributes-orphaned",
                key,
                "attributes without a group or an array",
                f"restore {ZARRAY} or {ZGROUP}, or delete it",
            )
        elif name in NODES:
            above = next((a for a in (*ancestors(folder), "") if a != folder), "")
            if above in read.groups and not read.dataset.provenance.superblock:
                continue  # left out for its content, which the reader reported
            if above in read.groups:
                yield finding(
                    "object-unlisted",
                    folder,
                    "not listed by its group; left out",
                    f"add {folder.rpartition('/')[2]} to the annotation of the group",
                )
            elif above not in missing and not _has_node(above, here):
                missing.add(above)
                yield _no_group(above, ZARR_JSON if is_v3 else ZGROUP)


def _has_node(folder: str, documents: set[str]) -> bool:
    return any(join_key(folder, name) in documents for name in NODES)


def _no_group(key: str, document: str = ZGROUP) -> Finding:
    return finding(
        "group-missing",
        key,
        f"the group has no document {display(join_key(key, document))}; many readers do not find"
        " what is below it",
        "create it",
    )


def _stray(key: str) -> Finding:
    return finding(
        "stray-document",
        key,
        "the document is of another version of Zarr than the store, and is not read",
        "delete it if nothing needs it",
    )


# Entries of a zip file that readers do not see alike.

_LOCAL_HEADER = 30


def check_archive(zmap: Zmap, location: Location) -> Iterator[Finding]:
    """Yield what is wrong with a local zip file; nothing for other stores."""
    if not isinstance(zmap, ZipZmap) or not os.path.isfile(location.path):
        return
    for name in zmap.ignored:
        if name.startswith("/") or ".." in name.replace("\\", "/").split("/"):
            yield finding(
                "zip-name-unsafe", name.lstrip("/"), "the name of the entry leads out of the store"
            )
    with zipfile.ZipFile(location.path) as archive:
        entries = archive.infolist()
        end = archive.start_dir
    for name, count in Counter(entry.filename for entry in entries).items():
        if count > 1:
            yield finding(
                "zip-duplicate",
                name,
                f"{count} entries have this name; the last one is used",
                "write a new file with ncz copy",
            )
    for entry in entries:
        if entry.header_offset + _LOCAL_HEADER + entry.compress_size > end:
            yield finding(
                "zip-entry-damaged",
                entry.filename,
                "the entry ends after the end of the data of the zip file",
                "restore the file from a copy",
            )


# Chunks: whether their codecs are installed, and whether they decode.


def check_codecs(read: ReadStore) -> Iterator[Finding]:
    """Yield the arrays whose codecs are not installed."""
    for key in read.variables:
        data = read.data(key)
        if data is None:
            continue
        for codec in (*data.layout.codecs, *data.layout.inner_codecs):
            configuration = codec.to_json()
            known = codec_of(configuration)
            if known.kind == "unknown":
                try:
                    known.load(configuration)
                except CodecError as error:
                    yield finding("codec-missing", key, error.message, error.hint)
                    break


def check_chunks(read: ReadStore, progress: Progress) -> Iterator[Finding]:
    """Decode every stored chunk; yield those that are damaged."""
    arrays = [data for key in read.variables if (data := read.data(key)) is not None]
    progress.expect(sum(data.layout.grid.size for data in arrays))
    for data in arrays:
        yield from _check_array(read.zmap, data, progress)


def _check_array(zmap: Zmap, data: ZarrArray, progress: Progress) -> Iterator[Finding]:
    chunks = data.checked(decodes=True)
    for index in data.present():
        size = 0
        try:
            size = len(chunks.encoded(index) or b"")
        except CodecMissing as error:
            yield finding("codec-missing", data.key, error.message, error.hint)
            return
        except NczError as error:
            yield finding("chunk-damaged", key_in(zmap, error.location), error.message, error.hint)
        progress.advance(f"/{data.key}", 1, size)


def check_references(read: ReadStore) -> Iterator[Finding]:
    """Yield references to local files that are absent, or shorter than the reference says.

    Only the last byte of each is read.
    """
    zmap = read.zmap
    if not isinstance(zmap, ReferenceZmap) or not zmap.survives_fork or not zmap.can_list:
        return
    for key in zmap.walk():
        try:
            size = zmap.size(key)
            if size and zmap.get_range(key, size - 1, 1) == b"":
                yield finding("reference-broken", key, "the target is shorter than the reference")
        except NczError as error:
            yield finding("reference-broken", key, error.message, error.hint)


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
        annotations = kept_annotations(before, {key.rpartition("/")[0] for key in own})
        documents[place] = consolidated(own, annotations)
    else:
        nodes = {key.rpartition("/")[0]: document for key, document in own.items()}
        annotations = kept_annotations(root["consolidated_metadata"].get(ANNOTATIONS), nodes)
        documents[place] = {**root, "consolidated_metadata": inline(nodes, annotations)}
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
        " zarr-python-2, gdal, tensorstore, zarrs, zarrita.",
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
        documents, findings = read_documents(zmap, keys or [], progress)
        damaged = {f.key for f in findings if f.code == "document-damaged"}
        is_whole = keys is not None and bool(damaged or has_own_documents(documents))
        read, reported = read_store(zmap, location, False if is_whole else None)
        findings += listing
        below_damage = damaged | {key.rpartition("/")[0] for key in damaged} - {""}
        if is_whole:  # the survey finds those at every depth
            found_by_survey = ("group-missing", "chunk-misplaced")
            reported = [f for f in reported if f.code not in found_by_survey]
        findings += [
            f for f in reported if f.key not in below_damage or f.code == "store-unreadable"
        ]
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
                check_links(read),
                check_linked_positions(read) if options.data else (),
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
