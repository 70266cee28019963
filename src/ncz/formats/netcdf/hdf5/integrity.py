"""Chunks of HDF5 that are checked when they are copied without decoding."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.codec.chain import probe_for
from ncz.errors import CodecMissing
from ncz.model.chunk.encoded import put_encoded
from ncz.model.grid import Index
from ncz.zmap import WritableZmap

if TYPE_CHECKING:
    from ncz.formats.netcdf.hdf5.chunks import Hdf5Chunks


class CheckedHdf5Chunks:
    """The encoded chunks of a dataset; reading a damaged one raises `CodecError`.

    Parameters
    ----------
    source
        The chunks.
    decodes
        Whether every chunk is decoded; otherwise only those whose length or header is suspicious.
    """

    def __init__(self, source: Hdf5Chunks, *, decodes: bool) -> None:
        codecs = [codec.to_json() for codec in source.layout.codecs]
        self._source = source
        self._decodes = decodes
        self._looks_whole = probe_for(codecs, source.layout.chunk_size, source.item_size)

    def encoded(self, index: Index) -> bytes | None:
        """Return a chunk as it is stored; see `EncodedSource.encoded`."""
        data = self._source.encoded(index)
        if data is not None and (self._decodes or not self._looks_whole(data)):
            try:
                self._source.elements(index)
            except CodecMissing:
                if self._decodes:
                    raise
        return data

    def copy_encoded(self, index: Index, zmap: WritableZmap, key: str) -> int | None:
        """Write a stored chunk to `key`; see `EncodedSource.copy_encoded`."""
        return put_encoded(self, index, zmap, key)
