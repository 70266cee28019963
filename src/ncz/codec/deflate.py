"""The codecs zlib and gzip, with the fastest libraries.

The compressed bytes differ from zlib's, so two machines write the same bytes only if both have
these libraries or neither has them. Both decode to the same data.

Source: RFC 1950-1952.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.codec import (
    LEVEL,
    ArraySpec,
    Codec,
    Configuration,
    EncodedBytes,
    Hdf5Spelling,
    Stage,
    V3Parameter,
    V3Spelling,
    by_numcodecs,
    integer,
    to_bytes,
    view,
)
from ncz.codec.deflate_streams import GZIP, ZLIB, deflate
from ncz.codec.inflate import inflate
from ncz.codec.planes import deflate_planes

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


class _Deflate(Codec):
    """A wrapper of a deflate stream."""

    kind = "compressor"
    parameters = (integer("level", 1, 0, 9),)
    effort = ("level",)
    deflate_window: int

    def encode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Compress bytes, or the planes of shuffled elements."""
        data, level = view(value), stage.configuration.get("level", 1)
        if stage.shuffled > 1:
            return deflate_planes(data, level, self.deflate_window, len(data) // stage.shuffled)
        return deflate(data, level, self.deflate_window)

    def decode(self, value: Bytes | Elements, stage: Stage) -> bytes | bytearray:
        """Decompress at most `stage.limit` bytes."""
        return inflate(to_bytes(value), stage.limit, self.deflate_window)


class Zlib(_Deflate):
    """The codec zlib."""

    id = "zlib"
    hdf5 = Hdf5Spelling(1, LEVEL, ("deflate", "gzip"))
    v3 = by_numcodecs("zlib")
    short = (("level", 1),)
    deflate_window = ZLIB

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Check the header."""
        head = data[:2]
        return len(data) > 6 and head[0] & 15 == 8 and int.from_bytes(head, "big") % 31 == 0


class Gzip(_Deflate):
    """The codec gzip: one or more members."""

    id = "gzip"
    v3 = V3Spelling("gzip", (V3Parameter("level", 5),))
    short = (("level", 5),)
    deflate_window = GZIP

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Compare the size in the trailer, which belongs to the last member."""
        return (
            len(data) >= 18
            and data[:3] == b"\x1f\x8b\x08"
            and (size is None or int.from_bytes(data[-4:], "little") == size % 2**32)
        )


CODECS = (Zlib(), Gzip())
