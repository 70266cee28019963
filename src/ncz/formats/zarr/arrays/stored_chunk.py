"""The elements of one stored chunk, found by its key alone."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.errors import FormatError, option
from ncz.formats.zarr.arrays.array import decode_elements, stored_size_limit, values_of
from ncz.formats.zarr.documents.document import ArrayDocument
from ncz.formats.zarr.documents.versions import VERSIONS
from ncz.zmap import Zmap

if TYPE_CHECKING:
    from ncz.model.data import Values


def decode_chunk(zmap: Zmap, key: str) -> Values:
    """Return the elements of the stored chunk at `key`, given the array's document above it.

    Returns
    -------
    ndarray
        The values, of the shape of a stored chunk: a chunk at the array's edge is not clipped.

    Raises
    ------
    FormatError
        If no array is above the key, or no object is at the key.
    CodecError
        If the chunk cannot be decoded.
    """
    location = zmap.where(key)
    prefix = key
    while prefix:
        prefix = prefix.rpartition("/")[0]
        document = _array_at(zmap, prefix)
        if document is None:
            continue
        encoding = document.encoding(nczarr=False, alias=None, type_name="/element")
        data = zmap.get(key, stored_size_limit(document.layout, encoding.item_size))
        if data is None:
            raise FormatError("no object exists at this key", location)
        fill = document.fill(encoding)
        layout = document.layout
        index = document.keys.index(key[len(prefix) + 1 :] if prefix else key, layout.rank)
        if index is not None and layout.lengths is not None:
            layout = layout.at(index)
        elements = decode_elements(data, layout, encoding, location, fill)
        return values_of(elements, encoding, location)
    raise FormatError("this is not a chunk of an array", location, f"omit {option('decode')}")


def _array_at(zmap: Zmap, prefix: str) -> ArrayDocument | None:
    for version in VERSIONS:
        document = version.find_array(zmap, prefix)
        if document is not None:
            return document
    return None
