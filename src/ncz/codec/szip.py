"""The compressor szip, which numcodecs lacks; the HDF5 library decodes it.

Sources: netcdf-c's NCZhdf5filters.c for the working parameters; the HDF5 file format specification,
version 3.0, "Filter Pipeline Message" and the description of szip.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NoReturn

from ncz.codec import (
    ArraySpec,
    Bytes,
    Codec,
    Configuration,
    EncodedBytes,
    Hdf5Parameter,
    Hdf5Spelling,
    Stage,
    integer,
    to_bytes,
)
from ncz.codec.hdf5_library import LibraryFilter, decode_by_hdf5
from ncz.errors import CodecMissing
from ncz.late import numpy as np

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


_MOST_BLOCKS = 128
"""The most blocks of pixels in a scan line."""

_LONGEST_LINE = 4096
_K13, _CHIP, _LITTLE, _BIG, _RAW_STREAM = 1, 2, 8, 16, 128


_UNSIGNED = b"\x10\0\0\0"
"""The first bytes of an HDF5 datatype that is an unsigned integer in little-endian order."""


class Szip(Codec):
    """szip, as NCZarr names it: the decoded size in four bytes, and scan lines of pixels."""

    id = "szip"
    kind = "compressor"
    parameters = (
        integer("mask", 0, 0, 2**32 - 1),
        integer("pixels-per-block", 0, 0, 2**32 - 1),
    )
    hdf5 = Hdf5Spelling(4, (Hdf5Parameter("mask", 0), Hdf5Parameter("pixels-per-block", 0)))
    can_encode = False
    install = "pip install h5py"

    def check(self, data: Bytes, stage: Stage) -> None:
        """Compare the decoded size, and refuse parameters that the library does not have."""
        size = int.from_bytes(data[:4], "little")
        stage.refuse_longer(size)
        if len(data) < 5 or size != stage.count * stage.item_size:
            raise ValueError(f"it does not hold {stage.count} elements of {stage.item_size} bytes")
        pixels = stage.configuration.get("pixels-per-block")
        if type(pixels) is not int or pixels not in range(2, 33, 2):
            raise ValueError(f"pixels-per-block must be an even number up to 32, not {pixels!r}")
        if stage.item_size not in (1, 2, 4, 8) or stage.row < 1:
            raise ValueError(f"szip has no pixels of {stage.item_size} bytes in rows")

    def looks_whole(
        self, data: EncodedBytes, size: int | None, array: ArraySpec, configuration: Configuration
    ) -> bool:
        """Compare the decoded size."""
        return len(data) > 4 and size in (None, int.from_bytes(data[:4], "little"))

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Decode scan lines of the length that netcdf-c gives them."""
        try:
            from h5py import h5z
        except ImportError as error:
            raise self.missing_error() from error

        if not h5z.filter_avail(self.hdf5.number):
            raise CodecMissing("the HDF5 library of h5py has no filter 4 (szip)")
        size = stage.item_size
        decoded = decode_by_hdf5(
            to_bytes(value),
            [LibraryFilter(self.hdf5.number, _parameters(stage))],
            mask=0,
            datatype=_UNSIGNED + struct.pack("<IHH", size, 0, 8 * size),
            chunks=(stage.count,),
            item_size=size,
        )
        return np.frombuffer(decoded, f"u{size}")

    def load(self, configuration: Configuration) -> NoReturn:
        """Refuse to encode."""
        raise CodecMissing("the codec 'szip' is not available", hint="ncz only decodes it")


def _parameters(stage: Stage) -> tuple[int, ...]:
    """Return the options, and the lengths of a block, a pixel (in bits) and a scan line.

    HDF5 derives the last from the shape of a chunk, but NCZarr from the array's shape: with another
    length the library decodes other values, without an error.
    """
    mask: int = stage.configuration.get("mask", 0)
    pixels: int = stage.configuration["pixels-per-block"]
    options = mask & ~(_CHIP | _LITTLE | _BIG) | _K13 | _RAW_STREAM
    options |= _BIG if stage.array.order == ">" else _LITTLE
    line = _MOST_BLOCKS * pixels
    if stage.row < pixels:
        line = min(line, stage.count)
    elif stage.row <= _LONGEST_LINE:
        line = min(line, stage.row)
    return options, pixels, 8 * stage.item_size, line


CODECS = (Szip(),)
