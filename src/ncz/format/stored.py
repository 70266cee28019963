"""A variable's chunks behind keys, codecs and fill: where bytes become values.

`StoredArray` is the `ncz.model.data.ChunkSource` over a store. Chunk keys are those of Zarr V2:
indices joined by the separator, "0" for a scalar; every chunk is stored in full size.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ncz.codec import chain
from ncz.errors import CodecError, FormatError, NczError, ignore_notice
from ncz.format.documents import parse_document
from ncz.format.dtypes import Encoding, read_encoding
from ncz.format.elements import from_disk, to_disk
from ncz.format.v2 import ARRAY, ArrayDocument, read_array
from ncz.model.data import ChunkSource, fill_array, read_present
from ncz.model.grid import ChunkGrid, Index
from ncz.model.types import NcType, Value
from ncz.zmap import WritableZmap, Zmap
from ncz.zmap.key import display, join_key

if TYPE_CHECKING:
    from ncz.model.data import Values


@dataclass(frozen=True, slots=True)
class StoredArray:
    """An array in a store. `key` is its prefix; `fill` what a missing chunk holds."""

    zmap: Zmap
    key: str
    document: ArrayDocument
    encoding: Encoding
    fill: Value

    @property
    def grid(self) -> ChunkGrid:
        """Shape and chunks, as the `.zarray` says."""
        return ChunkGrid(self.document.shape, self.document.chunks)

    @property
    def type(self) -> NcType:
        """The netCDF type of the values."""
        return self.encoding.type

    def chunk(self, index: Index) -> Values | None:
        """Values of chunk `index`, clipped to the array; None if the store has no such object."""
        key = chunk_key(self.key, index, self.document.separator)
        data = self.zmap.get(key)
        if data is None:
            return None
        values = decode_elements(data, self.document, self.encoding, _where(self.zmap, key))
        box = self.grid.box(index)
        if not index:
            return values  # a scalar: not indexed, that would take it out of its array
        return values[tuple(slice(0, n) for n in box.shape)]


def chunk_key(prefix: str, index: Index, separator: str) -> str:
    """The key of a chunk of the array at `prefix`."""
    return join_key(prefix, separator.join(map(str, index)) or "0")


def decode_elements(data: bytes, document: ArrayDocument, encoding: Encoding, where: str) -> Values:
    """All elements of a stored chunk, those beyond the array's edge too."""
    count = math.prod(document.chunks)
    _check_size(count * encoding.item_size, document, where)
    decoded = chain.decode(
        [codec.to_json() for codec in document.codecs],
        data,
        count=count,
        item_size=encoding.item_size,
        where=where,
    )
    try:
        return from_disk(decoded, document.chunks, encoding, document.order)
    except NczError as error:
        raise CodecError(error.what, where) from error
    except (ValueError, TypeError, OverflowError, MemoryError) as error:
        raise CodecError(f"the chunk's elements cannot be read: {error}", where) from error


def write_chunks(
    zmap: WritableZmap,
    key: str,
    source: ChunkSource,
    document: ArrayDocument,
    encoding: Encoding,
    fill: Value,
) -> None:
    """Write every chunk of which `source` has a value; what it has none of stays missing.

    One chunk is in memory at a time. A chunk at the edge is padded with `fill`.
    """
    grid = ChunkGrid(document.shape, document.chunks)
    name = display(key)
    _check_size(math.prod(document.chunks) * encoding.item_size, document, name)
    configurations = [codec.to_json() for codec in document.codecs]
    for index in grid.indices():
        box = grid.box(index)
        values = read_present(source, box)
        if values is None:
            continue
        if box.shape != document.chunks:
            padded = fill_array(document.chunks, encoding.type, fill)
            padded[tuple(slice(0, n) for n in box.shape)] = values
            values = padded
        elements = to_disk(values, encoding, name).reshape(
            -1, order="F" if document.order == "F" else "C"
        )
        target = chunk_key(key, index, document.separator)
        zmap.put(
            target,
            chain.encode(
                configurations,
                elements,
                item_size=encoding.item_size,
                where=_where(zmap, target),
            ),
        )


def decode_chunk(zmap: Zmap, key: str) -> Values:
    """The elements of the one stored chunk at `key`, found out from the `.zarray` above it.

    Raises `FormatError` if there is no such array or object, `CodecError` if it cannot be decoded.
    """
    where = _where(zmap, key)
    prefix = key
    while prefix:
        prefix = prefix.rpartition("/")[0]
        described = zmap.get(join_key(prefix, ARRAY))
        if described is None:
            continue
        at = _where(zmap, join_key(prefix, ARRAY))
        document = read_array(parse_document(described, at), at, ignore_notice)
        encoding = read_encoding(document.dtype, nczarr=False, codecs=document.codecs)
        data = zmap.get(key)
        if data is None:
            raise FormatError("there is no such object", where)
        return decode_elements(data, document, encoding, where)
    raise FormatError("this is no chunk of an array", where, "leave --decode out")


def _check_size(size: int, document: ArrayDocument, where: str) -> None:
    if size > chain.LARGEST or math.prod(document.chunks) > chain.LARGEST:
        chunks = "x".join(map(str, document.chunks))
        raise CodecError(
            f"a chunk of {chunks} elements is larger than the {chain.LARGEST} bytes ncz handles",
            where,
        )


def _where(zmap: Zmap, key: str) -> str:
    return f"{zmap.url}: {display(key)}"
