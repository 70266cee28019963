"""Compare all keys of a store with its arrays and groups."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ncz.errors import NczError, Progress, quantity
from ncz.formats.findings import ArrayCensus, Finding, finding
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.check.contents import StoreContents
from ncz.formats.zarr.check.document_names import DOCUMENTS, NODES, is_document
from ncz.formats.zarr.check.unreached_documents import unreached_documents
from ncz.formats.zarr.documents.misplaced_chunks import fitting_keys
from ncz.model.grid import Grid, Index
from ncz.record import field, record
from ncz.zmap.key import ancestors

_CHUNK = re.compile(r"(?:(?P<array>.+?)/)?(?:c[./])?[0-9]+(?:[./][0-9]+)*")


@record
class _KeyCount:
    """Keys of one finding: the first ones, and their number."""

    first: str
    count: int = 1

    @property
    def text(self) -> str:
        return quantity(self.count, "object")


@record
class _Survey:
    read: StoreContents
    present: dict[str, list[int]] = field(default_factory=dict)
    """Key of an array -> its numbers of chunks, of empty chunks, and of bytes."""
    several: dict[tuple[str, str], _KeyCount] = field(default_factory=dict)
    """Code and key of a node -> the keys of one finding."""
    findings: list[Finding] = field(default_factory=list)
    grids: dict[str, tuple[Grid, int | None]] = field(default_factory=dict)
    """Key of an array -> the grid of its chunks, and the size of each if that is known."""

    def add(self, code: str, node: str, key: str) -> None:
        known = self.several.get((code, node))
        self.several[code, node] = (
            _KeyCount(key) if known is None else _KeyCount(known.first, known.count + 1)
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
            numbers[0] += self.count(owner, index, key) if size else 1
            numbers[1] += not size
            numbers[2] += size
            if not size:
                self.add("chunk-empty", owner, key)
            elif expected is not None and size != expected:
                self.add("chunk-length", owner, key)

    def count(self, owner: str, index: Index, key: str) -> int:
        """Return the number of chunks in an object of the array at `owner`."""
        data = self.read.data(owner)
        if data is None:
            return 1
        try:
            return data.count_parts(index)
        except NczError as error:
            self.findings.append(finding("chunk-damaged", key, error.message, error.hint))
            return 0


def survey(
    read: StoreContents, documents: list[str], reported: set[str], progress: Progress
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
        The findings.
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
    nodes = {key.rpartition("/")[0] if is_document(key) else key for key in reported}
    known = (stray | nodes) - {""}
    findings = list(found.findings)
    for (code, node), several in found.several.items():
        is_known = code in ("chunk-orphaned", "key-unowned") and node not in read.arrays
        if not (is_known and any(k in known for k in (node, *ancestors(node)))):
            message, advice = _MESSAGES[code]
            findings.append(finding(code, several.first, f"{several.text}: {message}", advice))
    if documents:
        findings.extend(unreached_documents(read, documents, reported))
    return findings, tuple(_census(found))


_MESSAGES = {
    "chunk-empty": ("the chunk has no bytes", "restore it, or delete it to read the fill value"),
    "chunk-misplaced": (
        "the metadata of the array ask for another key, such as one with another separator",
        "correct the separator in the metadata",
    ),
    "chunk-length": ("the chunk is shorter or longer than its array says", "restore it"),
    "chunk-orphaned": (
        "chunks without the document of their array",
        "restore the document, add the variable again, or delete the chunks",
    ),
    "chunk-outside": (
        "the chunk is outside of the shape of its array, and no reader sees it",
        "delete it, or correct the shape",
    ),
    "key-unowned": ("no group or array owns this key", "delete it if nothing needs it"),
}


def fixed_size(data: ZarrArray | None) -> int | None:
    """Return the bytes of every stored chunk, if it has no codecs that make this uncertain."""
    if data is None or data.layout.lengths or data.layout.shard or data.layout.inner_codecs:
        return None
    return data.layout.chunk_size * data.item_size or None


def _is_inside(index: Index, counts: tuple[int, ...]) -> bool:
    return all(i < n for i, n in zip(index, counts, strict=True))


def _census(found: _Survey) -> Iterator[ArrayCensus]:
    for key, array in found.read.arrays.items():
        present, empty, size = found.present.get(key, (0, 0, 0))
        yield ArrayCensus(
            key=key,
            expected=array.document.layout.reading_grid.size,
            present=present,
            empty=empty,
            bytes=size,
        )
