"""The parts that documents of arrays of Zarr V2 and V3 have in common.

`ncz.formats.zarr.documents.document_v2` and `document_v3` have the rest.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from ncz.errors import FormatError, quantity
from ncz.formats.zarr.json import Json, show_json
from ncz.zmap.key import ChunkKeys

if TYPE_CHECKING:
    from ncz.formats.zarr.types.dtypes import Encoding
    from ncz.model.chunks import ChunkLayout
    from ncz.model.types import NcType, Value


class ArrayDocument(ABC):
    """The metadata document of an array, checked."""

    __slots__ = ()

    if TYPE_CHECKING:  # properties of one version, fields of the other

        @property
        @abstractmethod
        def layout(self) -> ChunkLayout:
            """The grid of stored chunks, and their encoding."""

        @property
        @abstractmethod
        def keys(self) -> ChunkKeys:
            """The encoding of the keys of chunks."""

        @property
        @abstractmethod
        def data_type(self) -> Json:
            """The data type in the document."""

        @property
        @abstractmethod
        def raw_fill(self) -> Json:
            """The value of missing chunks in the document."""

        @property
        @abstractmethod
        def fill_value(self) -> Json:
            """The value of missing chunks, as Zarr V2 spells it."""

    @property
    @abstractmethod
    def rank(self) -> int:
        """The number of axes."""

    @property
    def no_fill(self) -> bool:
        """Whether the value of missing chunks is undefined; V3 always has a fill value."""
        return self.fill_value is None

    @property
    def lacks_fill(self) -> bool:
        """Whether an early writer left out ``fill_value``, so that only ``_FillValue`` says it."""
        return False

    @property
    @abstractmethod
    def fill_is_mask(self) -> bool:
        """Whether readers take the document's ``fill_value``, if not null, for the mask."""

    @abstractmethod
    def as_scalar(self) -> ArrayDocument:
        """Return the document of a scalar that is stored as an array of shape [1]."""

    @abstractmethod
    def encoding(self, *, nczarr: bool, alias: str | None, type_name: str) -> Encoding:
        """Return the storage of elements; see `ncz.formats.zarr.types.dtypes`.

        Raises `FormatError` for a data type that is not supported.
        """

    @abstractmethod
    def fill(self, encoding: Encoding) -> Value:
        """Return the value of missing chunks, or None. Raises `FormatError`."""

    @abstractmethod
    def read_fill_attribute(self, value: Json, nc_type: NcType) -> Json:
        """Return the JSON of the attribute ``_FillValue`` as Zarr V2 spells it."""


_LONGEST_AXIS = 2**63 - 1
_MOST_AXES = 1024


def check_version(document: Mapping[str, Json], version: int, location: str) -> None:
    """Raise `FormatError` if a document is not of this version of Zarr."""
    stored_version = document.get("zarr_format")
    if stored_version != version or isinstance(stored_version, bool):
        raise FormatError(
            f"zarr_format must be {version}, not {show_json(stored_version)}", location
        )


def check_required(document: Mapping[str, Json], members: Iterable[str], location: str) -> None:
    """Raise `FormatError` if a member is missing."""
    for member in members:
        if member not in document:
            raise FormatError(f"{member} is missing", location)


def axis_lengths(value: Json, member: str, location: str) -> tuple[int, ...]:
    """Return the length along each axis that a member lists. Raises `FormatError`."""
    if not isinstance(value, list) or len(value) > _MOST_AXES:
        raise FormatError(f"{member} must be a list of integers, not {show_json(value)}", location)
    if not all(type(n) is int and 0 <= n <= _LONGEST_AXIS for n in value):
        raise FormatError(f"{member} must be a list of lengths, not {show_json(value)}", location)
    return tuple(value)


def check_rank(chunks: Sequence[Json], shape: tuple[int, ...], location: str) -> None:
    """Raise `FormatError` if chunks have another number of dimensions than the shape."""
    if len(chunks) != len(shape):
        raise FormatError(
            f"chunks have {quantity(len(chunks), 'dimension')}, but the shape has {len(shape)}",
            location,
        )


def chunk_lengths(
    shape: tuple[int, ...], lengths: tuple[int, ...], what: str, location: str
) -> tuple[int, ...]:
    """Return the lengths of a chunk, each at least 1.

    Some writers give chunks of length 0 along a dimension of length 0. Raises `FormatError` for
    another dimension; `what` begins its message.
    """
    for n, chunk in zip(shape, lengths, strict=True):
        if n and not chunk:
            raise FormatError(f"{what} length 0 along a dimension of {n}", location)
    return tuple(max(1, n) for n in lengths)
