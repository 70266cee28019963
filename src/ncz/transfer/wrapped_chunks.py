"""Chunks of gzip as chunks of zlib, whose sizes are known before they are read.

Both contain the same deflate stream, and zlib has a shorter header and a shorter checksum.
"""

from __future__ import annotations

from ncz.codec.rewrap import rewrap
from ncz.errors import CodecError
from ncz.model.grid import Index
from ncz.record import record
from ncz.system_errors import changed_object_error
from ncz.transfer.move import Transfer, convert_chunk

_SHORTER = 12
"""Bytes that zlib saves: its header has 2 bytes and not 10, and its checksum 4 and not 8."""


@record
class WrappedChunks:
    """The chunks of a source in another wrapper; `Transfer.is_rewrapped` is true."""

    transfer: Transfer

    def size(self, stored: int | None) -> int | None:
        """Return a chunk's bytes, given its file's bytes; None if that is no gzip file."""
        return None if stored is None or stored <= _SHORTER else stored - _SHORTER

    def wrapped_chunk(self, index: Index, size: int) -> bytes:
        """Return a chunk in a given number of bytes.

        Raises
        ------
        CodecError
            If it is damaged, or a gzip file of several members that takes more bytes as one.
        NczError
            If it is not the chunk whose size was known.
        """
        source, array = self.transfer.source, self.transfer.array
        location = source.locate(index)
        stored = source.encoded_chunk(index)
        if stored is None or self.size(len(stored)) != size:
            raise changed_object_error(location)
        codecs = [codec.to_json() for codec in source.layout.codecs]
        count = array.layout.at(index).chunk_size
        data = rewrap(codecs, stored, count=count, item_size=array.item_size)
        if data is None:  # a longer header, or several members
            elements = convert_chunk(self.transfer, index)
            data = None if elements is None else array.encode(elements, location)
        if data is None:
            raise changed_object_error(location)
        if len(data) > size:
            raise CodecError(
                "the chunk takes more bytes as zlib than as gzip, in several members",
                location,
                "copy the dataset with zlib first",
            )
        return data + bytes(size - len(data))  # the bytes after the stream are not read
