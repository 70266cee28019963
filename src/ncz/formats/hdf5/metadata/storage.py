"""The storage of a dataset: the layout, the filters, the fill value, external files.

Source: HDF5 File Format Specification, "The Data Storage - Fill Value", "External Data Files",
"Data Layout" and "Filter Pipeline Messages" (IV.A.2.e, f, h, i, l).
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, Literal

from ncz.formats.hdf5.metadata.datatype import MOST_AXES
from ncz.formats.hdf5.metadata.faults import DamageError, UnsupportedError
from ncz.record import record

if TYPE_CHECKING:
    from ncz.formats.hdf5.metadata.superblock import Sizes

_SHORT, _SHORTS, _LONG = (Struct(f).unpack_from for f in ("<H", "<HH", "<I"))

IndexKind = Literal["btree1", "single", "implicit", "fixed array", "extensible array", "btree2"]
"""The source of the places of the chunks of a dataset."""

_INDEXES: dict[int, IndexKind] = {
    1: "single", 2: "implicit", 3: "fixed array", 4: "extensible array", 5: "btree2",
}  # fmt: skip

_CREATION_BYTES = {2: 0, 3: 1, 4: 5, 5: 6}
"""Bytes that describe an index in a layout of version 4, by its number."""

_PARTIAL_EDGES, _FILTERED_SINGLE = 1, 2


@record(kw_only=True)
class Layout:
    """The places of the data of a dataset.

    Attributes
    ----------
    kind
        The storage class.
    address
        The address of the data, or of the index of chunks; None if nothing was written.
    size
        The bytes of contiguous data; None if the layout does not say.
    data
        Compact data.
    chunks
        The shape of a chunk, with the bytes of an element at the end.
    index
        The index of the places of chunks.
    single
        The bytes and the filter mask of the only chunk, if it has filters.
    leaves_edges
        Whether chunks that the edge of the dataset cuts have no filters.
    number
        The number of the object in the global heap that lists the sources of virtual data.
    """

    kind: Literal["compact", "contiguous", "chunked", "virtual"]
    address: int | None = None
    size: int | None = None
    data: bytes = b""
    chunks: tuple[int, ...] = ()
    index: IndexKind | None = None
    single: tuple[int, int] | None = None
    leaves_edges: bool = False
    number: int = 0


def parse_layout(data: bytes, sizes: Sizes) -> Layout:
    """Return the layout of a message."""
    version = data[0]
    if version <= 2:
        return _parse_old(data, sizes)
    if version > 5:
        raise UnsupportedError(f"the layout of data has the unknown version {version}")
    kind = data[1]
    if kind == 0:
        (size,) = _SHORT(data, 2)
        return Layout(kind="compact", data=_part(data, 4, size))
    if kind == 1:
        address = sizes.offset(data, 2)
        return Layout(
            kind="contiguous", address=address, size=sizes.length(data, 2 + sizes.offset_size)
        )
    if kind == 2 and version == 3:
        rank = _rank(data[2])
        chunks = _lengths(Struct(f"<{rank}I").unpack_from(data, 3 + sizes.offset_size))
        return Layout(kind="chunked", address=sizes.offset(data, 3), chunks=chunks, index="btree1")
    if kind == 2:
        return _parse_chunk_layout(data, sizes)
    if kind == 3 and version >= 4:
        (number,) = _LONG(data, 2 + sizes.offset_size)
        return Layout(kind="virtual", address=sizes.offset(data, 2), number=number)
    raise UnsupportedError(f"the layout of data is of the unknown class {kind}")


def _parse_old(data: bytes, sizes: Sizes) -> Layout:
    """Return a layout of version 1 or 2."""
    rank, kind = _rank(data[1]), data[2]
    at = 8
    address = None
    if kind != 0:
        address = sizes.offset(data, at)
        at += sizes.offset_size
    lengths = Struct(f"<{rank}I").unpack_from(data, at)
    at += 4 * rank
    if kind == 0:
        (size,) = _LONG(data, at)
        return Layout(kind="compact", data=_part(data, at + 4, size))
    if kind == 1:
        return Layout(kind="contiguous", address=address)
    if kind == 2:
        chunks = _lengths(lengths)
        return Layout(kind="chunked", address=address, chunks=chunks, index="btree1")
    raise UnsupportedError(f"the layout of data is of the unknown class {kind}")


def _parse_chunk_layout(data: bytes, sizes: Sizes) -> Layout:
    """Return a layout of version 4 or 5 with chunks."""
    flags, rank, width = data[2], _rank(data[3]), data[4]
    if flags & ~(_PARTIAL_EDGES | _FILTERED_SINGLE):
        raise UnsupportedError(f"chunks have the unknown flags {flags:#x}")
    if not 1 <= width <= 8:
        raise DamageError("the lengths of a chunk have an impossible size")
    starts = range(5, 5 + rank * width, width)
    chunks = _lengths(tuple([int.from_bytes(data[at : at + width], "little") for at in starts]))
    at = 5 + rank * width
    number = data[at]
    index = _INDEXES.get(number)
    if index is None:
        raise UnsupportedError(f"chunks have an index of the unknown kind {number}")
    at += 1
    single = None
    if index == "single" and flags & _FILTERED_SINGLE:
        single = sizes.length(data, at), _LONG(data, at + sizes.length_size)[0]
        at += sizes.length_size + 4
    at += _CREATION_BYTES.get(number, 0)
    return Layout(
        kind="chunked",
        address=sizes.offset(data, at),
        chunks=chunks,
        index=index,
        single=single,
        leaves_edges=bool(flags & _PARTIAL_EDGES),
    )


def _lengths(chunks: tuple[int, ...]) -> tuple[int, ...]:
    if not chunks or not all(chunks):
        raise DamageError("chunks have an impossible shape")
    return chunks


def _rank(number: int) -> int:
    if number > MOST_AXES + 1:  # one for the bytes of an element
        raise DamageError("the layout of data has too many dimensions")
    return number


def _part(data: bytes, at: int, size: int) -> bytes:
    part = data[at : at + size]
    if len(part) < size:
        raise DamageError("compact data are longer than their message")
    return part


@record
class PipelineFilter:
    """A filter of a dataset: its number, its parameters, and the bytes of its message."""

    number: int
    is_optional: bool
    parameters: tuple[int, ...]


def parse_filters(data: bytes) -> tuple[PipelineFilter, ...]:
    """Return the filters of a message, in the order of encoding."""
    version, count = data[0], data[1]
    if version not in (1, 2):
        raise UnsupportedError(f"a filter pipeline has the unknown version {version}")
    if count > 32:
        raise DamageError("a filter pipeline has too many filters")
    at = 8 if version == 1 else 2
    filters = []
    for _ in range(count):
        (number,) = _SHORT(data, at)
        at += 2
        length = 0
        if version == 1 or number >= 256:
            (length,) = _SHORT(data, at)
            at += 2
        flags, values = _SHORTS(data, at)
        at += 4 + (-(-length // 8) * 8 if version == 1 else length)
        parameters = Struct(f"<{values}I").unpack_from(data, at)
        at += 4 * values + (4 if version == 1 and values % 2 else 0)
        filters.append(PipelineFilter(number, bool(flags & 1), parameters))
    return tuple(filters)


@record
class FillValue:
    """The fill value of a dataset: its bytes, if a program has set it.

    `is_defined` is false if elements that were not written have no value.
    """

    data: bytes = b""
    is_defined: bool = True


UNDEFINED = FillValue(is_defined=False)


def parse_fill(data: bytes) -> FillValue:
    """Return the fill value of a message."""
    version = data[0]
    if version in (1, 2):
        if version == 2 and not data[3]:
            return UNDEFINED
        (size,) = _LONG(data, 4)
        at = 8
    elif version == 3:
        flags = data[1]
        if flags & 16:
            return UNDEFINED
        if not flags & 32:
            return FillValue()
        (size,) = _LONG(data, 2)
        at = 6
    else:
        raise UnsupportedError(f"a fill value has the unknown version {version}")
    if size == 0xFFFFFFFF:
        return UNDEFINED
    value = data[at : at + size]
    if len(value) < size:
        raise DamageError("a fill value is longer than its message")
    return FillValue(value)


def parse_old_fill(data: bytes) -> FillValue:
    """Return the fill value of a message of the oldest kind."""
    (size,) = _LONG(data, 0)
    if len(data) < 4 + size:
        raise DamageError("a fill value is longer than its message")
    return FillValue(data[4 : 4 + size]) if size else UNDEFINED


def parse_external(data: bytes, sizes: Sizes) -> tuple[int | None, tuple[int, ...]]:
    """Return the address of the names of external files, and the start of each name."""
    if data[0] != 1:
        raise UnsupportedError(f"a list of external files has the unknown version {data[0]}")
    (used,) = _SHORT(data, 6)
    at = 8 + sizes.offset_size
    step = 3 * sizes.length_size
    starts = [sizes.length(data, at + number * step) for number in range(used)]
    return sizes.offset(data, 8), tuple(starts)
