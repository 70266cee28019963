"""The tree of groups and arrays of a store, and what every version of Zarr says of it.

An object that is broken or missing below the root is left out with a notice, so that it does not
hide the others. A broken document of the root is an error, because nothing can be read without it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol

from ncz.errors import Notify
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.nczarr.notes import ArrayNote, GroupNote
from ncz.record import record
from ncz.zmap import Zmap

if TYPE_CHECKING:
    from ncz.formats.zarr.array.keys import ChunkKeys
    from ncz.formats.zarr.element.encoding import Encoding
    from ncz.model.chunk.layout import ChunkLayout
    from ncz.model.types import NcType, Value

DEEPEST_GROUP = 100
"""Levels of nested groups that are read."""

DOCUMENT_SIZE = 4096
"""Bytes that are expected of a metadata document; few are larger."""

MOST_KNOWN = 100
"""Different documents of arrays among which an equal one is looked for."""


class ArrayDocument(Protocol):
    """The metadata document of an array, checked."""

    @property
    def layout(self) -> ChunkLayout:
        """The grid of stored chunks, and how each is encoded."""
        ...

    @property
    def keys(self) -> ChunkKeys:
        """How the keys of chunks are made."""
        ...

    @property
    def data_type(self) -> Json:
        """The data type, as the document has it."""
        ...

    @property
    def no_fill(self) -> bool:
        """Whether the value of missing chunks is undefined."""
        ...

    @property
    def fill_is_mask(self) -> bool:
        """Whether readers take the document's ``fill_value``, if not null, for the mask."""
        ...

    def encoding(self, *, nczarr: bool, alias: str | None, type_name: str) -> Encoding:
        """Return how elements are stored; see `ncz.formats.zarr.element.encoding`.

        Raises `FormatError` for a data type that is not supported.
        """
        ...

    def fill(self, encoding: Encoding) -> Value:
        """Return the value of missing chunks, or None. Raises `FormatError`."""
        ...

    def read_fill_attribute(self, value: Json, nc_type: NcType) -> Json:
        """Return the JSON of the attribute ``_FillValue`` as Zarr V2 spells it."""
        ...


class Metadata(Protocol):
    """The metadata documents of one store."""

    @property
    def zmap(self) -> Zmap:
        """The store."""
        ...

    @property
    def zarr_format(self) -> int:
        """The version of Zarr."""
        ...

    @property
    def has_consolidated(self) -> bool:
        """Whether the store has consolidated metadata, even if they are ignored."""
        ...

    @property
    def is_consolidated(self) -> bool:
        """Whether the documents are read from consolidated metadata."""
        ...

    @property
    def annotations(self) -> Json:
        """The annotations of pure Zarr beside consolidated metadata; None if there are none."""
        ...

    def array_location(self, key: str) -> str:
        """Return where the document of the array at `key` is, for messages."""
        ...

    def attributes_location(self, key: str) -> str:
        """Return where the attributes of the node at `key` are, for messages."""
        ...

    def load(self, name: str, superblock: int, notify: Notify) -> GroupNode:
        """Read the whole tree.

        Parameters
        ----------
        name
            The name of the root if it is an array.
        superblock
            NCZarr's major version; 0 to read the store as pure Zarr.
        notify
            Receives a notice for everything that is left out.

        Raises
        ------
        FormatError
            If the documents of the root are broken.
        """
        ...


@record(kw_only=True)
class Root:
    """What the root of a store says of it."""

    metadata: Metadata
    superblock: int
    """NCZarr's major version; 0 for pure Zarr."""
    properties: Json
    """The attribute ``_NCProperties``; None if there is none."""


@record(kw_only=True)
class ArrayNode:
    """An array. `key` is its prefix in the store; `types` are the noted types of its attributes."""

    name: str
    key: str
    document: ArrayDocument
    attributes: Mapping[str, Json]
    types: Mapping[str, Json]
    note: ArrayNote | None
    dimension_names: Json = None
    """The names of its dimensions as the format gives them, unchecked; None if it gives none."""
    axes: tuple[str, ...] | None = None
    """Names of its dimensions that its group gives instead (OME-Zarr)."""


@record(kw_only=True)
class GroupNode:
    """A group, with its children in the order of the store."""

    name: str
    key: str
    attributes: Mapping[str, Json]
    types: Mapping[str, Json]
    note: GroupNote | None
    arrays: tuple[ArrayNode, ...]
    groups: tuple[GroupNode, ...]


def root_of_array(array: ArrayNode) -> GroupNode:
    """Return the root group of a store that is a single array."""
    return GroupNode(
        name="", key="", attributes={}, types={}, note=None, arrays=(array,), groups=()
    )


def key_of(key: str, name: str) -> str:
    """Return the key of the object `name` in the node at `key`; either may be empty."""
    return f"{key}/{name}" if key and name else key or name
