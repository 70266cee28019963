"""A compressor of HDF5 that Zarr names and numcodecs does not have: szip."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, NoReturn

from ncz.codec import (
    Bytes,
    Codec,
    Configuration,
    Encoded,
    Hdf5Parameter,
    Hdf5Spelling,
    Stage,
    integer,
    to_bytes,
)
from ncz.errors import CodecMissing

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements


_MOST_BLOCKS = 128
"""The most blocks of pixels in a scan line."""

_LONGEST_LINE = 4096
_K13, _CHIP, _LITTLE, _BIG, _RAW_STREAM = 1, 2, 8, 16, 128


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
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Compare the decoded size."""
        return len(data) > 4 and size in (None, int.from_bytes(data[:4], "little"))

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Decode scan lines of the length that netcdf-c gives them."""
        return _by_hdf5(4, _szip_parameters(stage), to_bytes(value), stage, self)

    def load(self, configuration: Configuration) -> NoReturn:
        """Refuse to encode."""
        raise CodecMissing("the codec 'szip' is not available", hint="ncz only decodes it")


def _szip_parameters(stage: Stage) -> tuple[int, ...]:
    """Return the options, and the lengths of a block, a pixel (in bits) and a scan line.

    HDF5 derives the last from the shape of a chunk, but NCZarr from that of the array: with another
    length the library decodes other values, without an error.
    """
    mask: int = stage.configuration.get("mask", 0)
    pixels: int = stage.configuration["pixels-per-block"]
    options = mask & ~(_CHIP | _LITTLE | _BIG) | _K13 | _RAW_STREAM
    options |= _BIG if stage.order == ">" else _LITTLE
    line = _MOST_BLOCKS * pixels
    if stage.row < pixels:
        line = min(line, stage.count)
    elif stage.row <= _LONGEST_LINE:
        line = min(line, stage.row)
    return options, pixels, 8 * stage.item_size, line


def _by_hdf5(
    number: int, parameters: tuple[int, ...], data: bytes, stage: Stage, codec: Codec
) -> Elements:
    """Decode the only chunk of a file in memory.

    HDF5 computes some parameters when it creates a dataset; in the bytes of the file they are
    replaced by those that the chunk was encoded with.
    """
    try:
        from h5py import h5d, h5f, h5p, h5s, h5t, h5z
    except ImportError as error:
        raise codec.missing() from error
    import numpy as np

    if not h5z.filter_avail(number):
        raise CodecMissing(f"the HDF5 library of h5py has no filter {number} ({codec.id})")
    decoded: Elements = np.empty(stage.count, f"u{stage.item_size}")
    shape, dtype = decoded.shape, h5t.py_create(decoded.dtype)
    access = h5p.create(h5p.FILE_ACCESS)
    access.set_fapl_core(1 << 16, False)
    access.set_libver_bounds(h5f.LIBVER_EARLIEST, h5f.LIBVER_LATEST)  # headers without checksums
    file = h5f.create(b"memory", h5f.ACC_TRUNC, fapl=access)
    creation = h5p.create(h5p.DATASET_CREATE)
    creation.set_chunk(shape)
    creation.set_filter(number, 0, parameters)
    dataset = h5d.create(file, b"chunk", dtype, h5s.create_simple(shape), creation)
    computed = dataset.get_create_plist().get_filter(0)[2]
    h5f.flush(file)
    header = file.get_file_image()
    ours, theirs = (struct.pack(f"<{len(p)}I", *p) for p in (parameters, computed))
    if header.count(theirs) != 1:
        raise ValueError("the parameters of the filter are not in the file")
    file = h5f.open_file_image(header.replace(theirs, ours), h5f.ACC_RDWR)
    dataset = h5d.open(file, b"chunk")
    dataset.write_direct_chunk((0,), data)
    dataset.read(h5s.ALL, h5s.ALL, decoded)
    return decoded


CODECS = (Szip(),)
