"""Blosc: blocks that one of several compressors encodes, after an optional shuffle.

Source: c-blosc's README_HEADER and README_CHUNK_FORMAT.
"""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from ncz.codec import (
    LARGEST,
    ArraySpec,
    Bytes,
    Codec,
    Configuration,
    EncodedBytes,
    Hdf5Parameter,
    Hdf5Spelling,
    Parameter,
    Stage,
    V3Parameter,
    V3Spelling,
    choice,
    integer,
    view,
)
from ncz.late import numpy as np

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


_VERSIONS = (2, 2)
"""The revision of the HDF5 filter, and of Blosc's format."""

_AUTOMATIC = ("bitshuffle", "shuffle")


class Blosc(Codec):
    """The codec blosc."""

    id = "blosc"
    kind = "compressor"
    parameters = (
        integer("clevel", 5, 0, 9),
        integer("blocksize", 0, 0, LARGEST),
        choice("cname", "lz4", "blosclz", "lz4", "lz4hc", "zlib", "zstd"),
        integer("shuffle", 1, -1, 2),
        Parameter("typesize", "integer", None, 1, 255, is_recent=True),
    )
    effort = ("clevel", "blocksize", "cname", "shuffle", "typesize")
    hdf5 = Hdf5Spelling(
        32001,
        (
            *(Hdf5Parameter(),) * 3,
            Hdf5Parameter("blocksize", 0),
            Hdf5Parameter("clevel", 5),
            Hdf5Parameter("shuffle", 1),
            # numcodecs has no snappy; ncz can name it, but not write it.
            Hdf5Parameter("cname", 0, ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")),
        ),
    )
    v3 = V3Spelling(
        "blosc",
        (
            V3Parameter("typesize", is_item_size=True),
            V3Parameter("cname", "zstd"),
            V3Parameter("clevel", 5),
            V3Parameter("shuffle", "noshuffle", ("noshuffle", "shuffle", "bitshuffle"), _AUTOMATIC),
            V3Parameter("blocksize", 0),
        ),
    )
    short = (("cname", "lz4"), ("clevel", 5), ("shuffle", 1))

    def hdf5_parameters(
        self, numbers: tuple[int, ...], item_size: int, chunk_size: int
    ) -> tuple[int, ...]:
        """Return versions and sizes, which only the writer of a file knows, and the numbers."""
        return (*_VERSIONS, item_size, item_size * chunk_size, *numbers[4:])

    def check(self, data: Bytes, stage: Stage) -> None:
        """Compare the sizes in the header, and the table of blocks, with the data."""
        if len(data) < 16:
            raise ValueError("it is shorter than the header of blosc")
        flags = data[2]
        size, block, encoded = (int.from_bytes(data[at : at + 4], "little") for at in (4, 8, 12))
        stage.refuse_longer(size)
        # Some writers, such as z5, leave bytes after the last block, which c-blosc ignores.
        if encoded > len(data):
            raise ValueError(f"its header declares {encoded} bytes, but it has {len(data)}")
        if size and not 0 < block <= size:
            raise ValueError(f"its header declares blocks of {block} bytes, of {size} in all")
        if flags & 2:  # the elements follow uncompressed
            if encoded != size + 16:
                raise ValueError(f"its header declares {size} bytes, but {encoded - 16} follow")
            return
        table = 16 + 4 * (-(-size // block) if size else 0)
        if table > encoded:
            raise ValueError("it is shorter than its table of blocks")
        _check_block_starts(data[16:table], table, encoded)

    def decode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Decode as many bytes as the header declares."""
        data = view(value)
        return super().decode(data[: int.from_bytes(data[12:16], "little")], stage)

    def encode(self, value: Bytes | Elements, stage: Stage) -> Bytes | Elements:
        """Encode in one thread, because several write the blocks in an order that varies.

        numcodecs uses several in the main thread only, and reads its setting each time.
        """
        from numcodecs import blosc

        if threading.current_thread() is not threading.main_thread():
            return super().encode(value, stage)
        uses_threads, blosc.use_threads = blosc.use_threads, False
        try:
            return super().encode(value, stage)
        finally:
            blosc.use_threads = uses_threads

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Compare the sizes in the header."""
        head = data[:16]
        return (
            len(head) == 16
            and int.from_bytes(head[12:], "little") == len(data)
            and size in (None, int.from_bytes(head[4:8], "little"))
        )


def _check_block_starts(starts: Bytes, first: int, end: int) -> None:
    """Check that each block has at least its four bytes of length, after the table."""
    places = np.frombuffer(starts, "<i4")
    if places.size and not (int(places.min()) >= first and int(places.max()) <= end - 4):
        raise ValueError("its table of blocks points outside of it")


CODECS = (Blosc(),)
