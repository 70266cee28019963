"""The documents of a store in each version of Zarr, and the version of a store.

A document of V2 is `.zarray`, `.zgroup` or `.zattrs`; V3 has one, `zarr.json`, for each node.
Consolidated metadata saves a request for each document and all listing. For V2 (`.zmetadata`,
format 1), it is used if it is well-formed; otherwise the documents themselves are read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.errors import CONSOLIDATE, FormatError, Notify, ignore_notice
from ncz.formats.zarr.documents import notes
from ncz.formats.zarr.documents.document import ArrayDocument
from ncz.formats.zarr.documents.document_v2 import (
    DIMENSION_NAMES,
    ZARRAY,
    ZATTRS,
    ZGROUP,
    ZMETADATA,
    ArrayDocumentV2,
    read_array,
)
from ncz.formats.zarr.documents.hierarchy import (
    DOCUMENT_SIZE,
    Documents,
    Metadata,
    Root,
    key_of,
    leave_out,
)
from ncz.formats.zarr.documents.notes import find_note
from ncz.formats.zarr.json import Json, parse_document
from ncz.zmap import Zmap
from ncz.zmap.key import ZARR_JSON, join_key

if TYPE_CHECKING:
    from ncz.formats.zarr.documents.consolidated_v2 import ConsolidatedMetadata


_MOST_KNOWN = 100
"""Different documents of arrays among which an equal one is looked for."""


class MetadataV2(Metadata):
    """The documents of a store of Zarr V2. If `consolidated` is false, `.zmetadata` is ignored."""

    zarr_format = 2
    spelling = notes.V2
    roots = (ZGROUP, ZATTRS, ZARRAY, notes.OBJECTS[notes.SUPERBLOCK])
    group = ZGROUP
    nodes = (ZARRAY, ZGROUP)
    optional = (ZATTRS,)
    hides_dots = True

    def __init__(self, zmap: Zmap, consolidated: bool | None, notify: Notify) -> None:
        self._is_ignored = consolidated is False
        members = None if self._is_ignored else _read_consolidated(zmap, notify)
        super().__init__(zmap, None if members is None else members.documents)
        self._annotations = None if members is None else members.annotations
        self._arrays: dict[bytes | str, Mapping[str, Json]] = {}
        """Documents of arrays by their text; in a large store most are the same."""
        self._checked: dict[int, tuple[Mapping[str, Json], ArrayDocumentV2]] = {}
        """The same documents by their identity, and their notes."""
        self._of_root: dict[str, Mapping[str, Json] | None] = {}
        """Documents of the root by their names, which are read first to find the root."""

    @classmethod
    def find_root(cls, zmap: Zmap, consolidated: bool | None, notify: Notify) -> Root | None:
        metadata = cls(zmap, consolidated, notify)
        zgroup, zattrs = metadata.of_root(ZGROUP), metadata.of_root(ZATTRS)
        superblock = find_note(notes.SUPERBLOCK, (zattrs, zgroup))
        version = 0
        if superblock is not None:
            version = max(2, notes.read_superblock(superblock))
        elif metadata.of_root(notes.OBJECTS[notes.SUPERBLOCK]) is not None:
            version = 1
        elif zgroup is None and zattrs is None and metadata.of_root(ZARRAY) is None:
            return None
        has_superblock = version > 0
        if not has_superblock:
            zarray = None if zgroup is not None else metadata.of_root(ZARRAY)
            version = metadata.version_without_superblock((zattrs, zgroup or zarray), zgroup)
        return _root(metadata, consolidated, version, has_superblock, zattrs or {})

    def version_without_superblock(
        self, documents: Iterable[Mapping[str, Json] | None], zgroup: Mapping[str, Json] | None
    ) -> int:
        """Return NCZarr's version by the other notes of the root; 0 without notes."""
        name = notes.ARRAY if zgroup is None else notes.GROUP
        if find_note(name, documents) is not None:
            return 2
        return int(self.zmap.lists_freely and self.zmap.size(notes.OBJECTS[name]) is not None)

    @classmethod
    def find_array(cls, zmap: Zmap, prefix: str) -> ArrayDocumentV2 | None:
        key = join_key(prefix, ZARRAY)
        data = zmap.get(key)
        if data is None:
            return None
        location = zmap.where(key)
        return read_array(parse_document(data, location), location)

    @property
    def has_consolidated(self) -> bool:
        if self._is_ignored:
            return self.zmap.get(ZMETADATA) is not None
        return self.is_consolidated

    @property
    def is_consolidated(self) -> bool:
        return self.documents is not None

    @property
    def annotations(self) -> Json:
        if self._is_ignored:
            members = _read_consolidated(self.zmap, ignore_notice)
            return None if members is None else members.annotations
        return self._annotations

    def array_location(self, key: str) -> str:
        return self.zmap.where(key_of(key, ZARRAY))

    def attributes_location(self, key: str) -> str:
        return self.zmap.where(key_of(key, ZATTRS))

    def of_root(self, name: str) -> Mapping[str, Json] | None:
        """Return the document `name` of the root, or None; it is read once."""
        if name not in self._of_root:
            self._of_root[name] = self.get(name)
        return self._of_root[name]

    def documents_of(self, key: str, superblock: int, notify: Notify) -> Documents:
        """Return the documents of a node; below the root, without broken ones.

        A group of NCZarr may have `.zattrs` only.
        """
        if not key:
            zgroup = self.of_root(ZGROUP)
            zarray = None if zgroup is not None else self.of_root(ZARRAY)
            return Documents(array=zarray, group=zgroup, attributes=self.of_root(ZATTRS))
        zarray = self._intact(key_of(key, ZARRAY), notify)
        zgroup = None if zarray is not None else self._intact(key_of(key, ZGROUP), notify)
        zattrs = None
        if superblock or zarray is not None or zgroup is not None:
            zattrs = self._intact(key_of(key, ZATTRS), notify)
        return Documents(array=zarray, group=zgroup, attributes=zattrs)

    def document_keys(self, key: str, *, is_group: bool) -> Iterator[str]:
        for name in (ZARRAY, ZGROUP, ZATTRS) if is_group else (ZARRAY, ZATTRS):
            yield key_of(key, name)

    def note(
        self, name: str, key: str, documents: Documents, superblock: int, notify: Notify
    ) -> Json:
        """Return a note from the member of a document, or from the separate object of version 1."""
        annotation = find_note(name, (documents.attributes, documents.array or documents.group))
        if annotation is None and superblock == 1:
            return self._intact(key_of(key, notes.OBJECTS[name]), notify)
        return annotation

    def read_array(self, documents: Documents, location: str) -> tuple[ArrayDocument, Json]:
        """Return the contents of a `.zarray`; a document that arrays share is checked once."""
        zarray = documents.array or {}
        names = (documents.attributes or {}).get(DIMENSION_NAMES)
        shared = self._checked.get(id(zarray))
        if shared is not None:
            return shared[1], names
        document = read_array(zarray, location)
        if len(self._checked) < _MOST_KNOWN:
            self._checked[id(zarray)] = zarray, document
        return document, names

    def get(self, key: str) -> Mapping[str, Json] | None:
        document = super().get(key)
        if document is None or self.documents is None or not self._may_share(key):
            return document
        return self._share(repr(document), document)

    def _parse(self, key: str, data: bytes) -> Mapping[str, Json]:
        shared = self._arrays.get(data)
        if shared is not None:
            return shared
        document = super()._parse(key, data)
        return self._share(data, document) if self._may_share(key) else document

    def _may_share(self, key: str) -> bool:
        """Return whether equal documents are shared: documents of arrays, which often are equal."""
        return key.endswith(ZARRAY) and len(self._arrays) < _MOST_KNOWN

    def _share(self, text: bytes | str, document: Mapping[str, Json]) -> Mapping[str, Json]:
        """Return the document of an array that was read before from the same text, if any."""
        return document if len(text) > DOCUMENT_SIZE else self._arrays.setdefault(text, document)

    def _place(self, key: str) -> tuple[str, str | None]:
        hint = f"remove {ZMETADATA} to read the objects themselves"
        return f"{self.zmap.where(ZMETADATA)}: {key}", hint

    def _intact(self, key: str, notify: Notify) -> Mapping[str, Json] | None:
        """Return a document; None, with a notice, if it is broken."""
        try:
            return self.get(key)
        except FormatError as error:
            leave_out(error, notify)
            return None


def _read_consolidated(zmap: Zmap, notify: Notify) -> ConsolidatedMetadata | None:
    data = zmap.get(ZMETADATA)
    if data is None:
        return None
    from ncz.formats.zarr.documents.consolidated_v2 import read_consolidated

    return read_consolidated(data, zmap.where(ZMETADATA), notify)


class MetadataV3(Metadata):
    """The documents of a store of Zarr V3, whose root has `document`.

    If `consolidated` is false, the ones in the root's document are ignored. `document_v3` takes
    long to import, so that is left until a document of V3 is read.
    """

    zarr_format = 3
    spelling = notes.V3
    roots = nodes = (ZARR_JSON,)
    group = ZARR_JSON

    has_consolidated = False
    is_consolidated = False
    annotations: Json = None

    def __init__(self, zmap: Zmap, document: Mapping[str, Json], consolidated: bool | None) -> None:
        self._document = document
        member = document.get("consolidated_metadata")
        members = member if isinstance(member, dict) else {}
        metadata = members.get("metadata")
        self.has_consolidated = (
            isinstance(metadata, dict) and members.get("kind", "inline") == "inline"
        )
        self.is_consolidated = self.has_consolidated and consolidated is not False
        self.annotations = members.get(notes.ANNOTATIONS)
        documents = None
        if self.is_consolidated and metadata:
            documents = {key_of(key, ZARR_JSON): member for key, member in metadata.items()}
        super().__init__(zmap, documents)

    @classmethod
    def find_root(cls, zmap: Zmap, consolidated: bool | None, notify: Notify) -> Root | None:
        data = zmap.get(ZARR_JSON)
        if data is None:
            return None
        from ncz.formats.zarr.documents.document_v3 import attributes_of, check_node

        location = zmap.where(ZARR_JSON)
        document = parse_document(data, location)
        check_node(document, location)
        attributes = attributes_of(document, location)
        superblock = find_note(notes.SUPERBLOCK, (attributes,))
        name = notes.GROUP if document["node_type"] == "group" else notes.ARRAY
        version = 0 if find_note(name, (attributes,)) is None else 3
        if superblock is not None:
            version = max(3, notes.read_superblock(superblock))
        metadata = cls(zmap, document, consolidated)
        return _root(metadata, consolidated, version, superblock is not None, attributes)

    @classmethod
    def find_array(cls, zmap: Zmap, prefix: str) -> ArrayDocument | None:
        key = join_key(prefix, ZARR_JSON)
        data = zmap.get(key)
        if data is None:
            return None
        from ncz.formats.zarr.documents.document_v3 import check_node
        from ncz.formats.zarr.documents.document_v3 import read_array as read_array_v3

        location = zmap.where(key)
        document = parse_document(data, location)
        is_array = check_node(document, location) == "array"
        return read_array_v3(document, location) if is_array else None

    def array_location(self, key: str) -> str:
        return self.zmap.where(key_of(key, ZARR_JSON))

    attributes_location = array_location

    def name_location(self, key: str, name: str) -> str:
        return self.array_location(join_key(key, name))

    def documents_of(self, key: str, superblock: int, notify: Notify) -> Documents:
        from ncz.formats.zarr.documents.document_v3 import attributes_of, check_node

        document = self.get(key_of(key, ZARR_JSON)) if key else self._document
        if document is None:
            return Documents(array=None, group=None, attributes=None)
        location = self.array_location(key)
        is_array = check_node(document, location) == "array"
        return Documents(
            array=document if is_array else None,
            group=None if is_array else document,
            attributes=attributes_of(document, location),
        )

    def document_keys(self, key: str, *, is_group: bool) -> Iterator[str]:
        yield key_of(key, ZARR_JSON)

    def note(
        self, name: str, key: str, documents: Documents, superblock: int, notify: Notify
    ) -> Json:
        return find_note(name, (documents.attributes,))

    def read_array(self, documents: Documents, location: str) -> tuple[ArrayDocument, Json]:
        from ncz.formats.zarr.documents.document_v3 import read_array as read_array_v3

        document = read_array_v3(documents.array or {}, location)
        return document, document.dimension_names


def _root(
    metadata: Metadata,
    consolidated: bool | None,
    version: int,
    has_superblock: bool,
    attributes: Mapping[str, Json],
) -> Root:
    if consolidated and not metadata.is_consolidated:
        where = metadata.zmap.url
        raise FormatError("the store has no consolidated metadata", where, f"run {CONSOLIDATE}")
    properties = attributes.get(notes.PROPERTIES)
    return Root(
        metadata=metadata,
        superblock=version,
        has_superblock=has_superblock,
        properties=properties,
    )


VERSIONS: tuple[type[Metadata], ...] = (MetadataV3, MetadataV2)
"""All versions, in the order of detection.

V3 is the first, as in zarr-python: only V3 has a `zarr.json`, but any store may have a stray
document of V2.
"""


def mode_of(version: type[Metadata]) -> str:
    """Return the mode that selects a version of Zarr in a URL."""
    return f"v{version.zarr_format}"


def find_root(
    zmap: Zmap, modes: Collection[str], consolidated: bool | None, notify: Notify
) -> Root | None:
    """Return the root of the store, of the version that `modes` select if they do."""
    selected = [version for version in VERSIONS if mode_of(version) in modes]
    for version in selected or VERSIONS:
        root = version.find_root(zmap, consolidated, notify)
        if root is not None:
            return root
    return None
