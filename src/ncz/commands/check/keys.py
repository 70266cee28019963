"""Every key of a store: which node it belongs to, and the census of chunks."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ncz.commands.check.finding import ArrayCensus, Finding, finding
from ncz.commands.check.reading import ReadStore
from ncz.errors import NczError
from ncz.formats.zarr.array.array import ZarrArray
from ncz.formats.zarr.document.v2 import ARRAY, ATTRIBUTES, CONSOLIDATED, GROUP
from ncz.formats.zarr.nczarr.v2 import OBJECTS
from ncz.model.grid import Grid, Index
from ncz.model.progress import Progress
from ncz.record import field, record
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, ancestors, display, join_key

NODES = frozenset({ARRAY, GROUP, ZARR_JSON})
"""The documents one of which is in every node."""

_DOCUMENTS_V2 = frozenset({ARRAY, GROUP, ATTRIBUTES, CONSOLIDATED, *OBJECTS.values()})
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
    def told(self) -> str:
        return "1 object" if self.count == 1 else f"{self.count} objects"


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
            self.add("key-unowned", owner, key)
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
        progress.moved(f"/{key}", 1, 0)
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
            findings.append(finding(code, several.first, f"{several.told}: {message}", advice))
    findings.extend(_unreached(read, documents, reported))
    return findings, tuple(_census(found))


_TOLD = {
    "chunk-empty": ("the chunk has no bytes", "restore it, or delete it to read the fill value"),
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
        if not is_v3 and join_key(key, GROUP) not in here:
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
        elif name == ATTRIBUTES and folder not in above_nodes:
            yield finding(
                "attributes-orphaned",
                key,
                "attributes without a group or an array",
                f"restore {ARRAY} or {GROUP}, or delete it",
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
                yield _no_group(above, ZARR_JSON if is_v3 else GROUP)


def _has_node(folder: str, documents: set[str]) -> bool:
    return any(join_key(folder, name) in documents for name in NODES)


def _no_group(key: str, document: str = GROUP) -> Finding:
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
