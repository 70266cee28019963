"""Compressors: bz2, lzma, zstd, lz4, snappy, blosc, zfpy, pcodec and szip.

bz2 and lzma are those of the standard library, which stop at a limit. numcodecs decodes zstd frame
by frame, none of which can give more than it may. A frame says in its header how much it holds, or
it does not; a chunk may have several frames, and frames that hold nothing ("skippable"). The
headers of a frame's blocks tell where it ends, and how much it can hold at most, without
decompressing anything.

Sources: RFC 8878, section 3.1, for zstd; the formats of bzip2 and xz; numcodecs for lz4; c-blosc's
README_HEADER and README_CHUNK_FORMAT; zfp's ``zfp.c`` for the header and the mode of a stream;
netcdf-c's NCZhdf5filters.c for the working parameters of szip; the HDF5 file format specification,
version 3.0, "Filter Pipeline Message" and the description of szip.
"""

from __future__ import annotations

import math
import struct
import threading
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NoReturn

from ncz.codec import (
    LARGEST,
    LEVEL,
    Bytes,
    Codec,
    Configuration,
    Encoded,
    Hdf5Parameter,
    Hdf5Spelling,
    Parameter,
    Stage,
    TooLong,
    V3Parameter,
    V3Spelling,
    by_numcodecs,
    choice,
    flag,
    integer,
    to_bytes,
    view,
)
from ncz.errors import CodecMissing
from ncz.record import record

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_BZ2_END = 0x177245385090  # these 48 bits, the checksum, and up to 7 bits of padding


class Bz2(Codec):
    """The codec bz2: bzip2."""

    id = "bz2"
    kind = "compressor"
    parameters = (integer("level", 1, 1, 9),)
    effort = ("level",)
    hdf5 = Hdf5Spelling(307, LEVEL)
    v3 = by_numcodecs("bz2")
    short = (("level", 5),)

    def decode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Decompress at most `stage.limit` bytes."""
        import bz2

        return _stream(bz2.BZ2Decompressor(), to_bytes(value), stage.limit)

    def looks_whole(
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Check the first bytes and the last bits."""
        if len(data) < 14 or data[:3] != b"BZh":
            return False
        tail = int.from_bytes(data[-11:], "big")
        return any(tail >> 32 + bits & 2**48 - 1 == _BZ2_END for bits in range(8))


_XZ_EXTREME = 2**31
_XZ_PRESETS = (*range(10), *(_XZ_EXTREME | preset for preset in range(10)))
_DICTIONARY = 256 << 20  # bytes of memory that lzma may take beside its output


class Lzma(Codec):
    """The codec lzma: xz, lzma, or raw data of lzma's filters."""

    id = "lzma"
    kind = "compressor"
    parameters = (
        choice("format", 1, 1, 2, 3),
        choice("check", -1, -1, 0, 1, 4, 10),
        choice("preset", None, *_XZ_PRESETS),
        Parameter("filters"),
    )
    v3 = by_numcodecs("lzma")
    short = (("preset", 6),)

    def decode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Decompress at most `stage.limit` bytes, in the container format that is configured."""
        import lzma

        container = stage.configuration.get("format", 1)
        if container == lzma.FORMAT_RAW:
            filters = stage.configuration.get("filters")
            stream = lzma.LZMADecompressor(container, filters=filters)
        else:
            stream = lzma.LZMADecompressor(lzma.FORMAT_AUTO, memlimit=_DICTIONARY)
        return _stream(stream, to_bytes(value), stage.limit)

    def looks_whole(
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Check the first and last bytes of xz."""
        if configuration.get("format", 1) != 1:
            return True
        return len(data) >= 32 and data[:6] == b"\xfd7zXZ\0" and data[-2:] == b"YZ"


def _stream(stream: Any, data: bytes, limit: int) -> bytes:
    result: bytes = stream.decompress(data, limit + 1)
    if len(result) > limit:
        raise TooLong(limit)
    if not stream.eof:
        # A raw lzma stream may have no end marker; then only the size can be checked.
        more: bytes = b"" if stream.needs_input else stream.decompress(b"", limit + 1 - len(result))
        result += more
        if len(result) > limit:
            raise TooLong(limit)
        if not stream.eof and stream.needs_input and not result:
            raise ValueError("the compressed data ends too early")
    return result


class Lz4(Codec):
    """The codec lz4: one block, after its decoded size."""

    id = "lz4"
    kind = "compressor"
    # The library takes 0 for 1, and larger numbers for 65537.
    parameters = (integer("acceleration", 1, 0, 65537),)
    effort = ("acceleration",)
    v3 = by_numcodecs("lz4")
    short = (("acceleration", 1),)

    def check(self, data: Bytes, stage: Stage) -> None:
        """Compare the decoded size with the data, of which a byte stands for 255 at most."""
        size = int.from_bytes(data[:4], "little")
        stage.refuse_longer(size)
        if len(data) < 5 or size > 255 * len(data):
            raise ValueError(f"its {len(data)} bytes cannot hold the {size} that it declares")

    def looks_whole(
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Compare the decoded size."""
        return len(data) > 4 and size in (None, int.from_bytes(data[:4], "little"))


class Snappy(Codec):
    """The codec snappy, which old stores name."""

    id = "snappy"
    kind = "compressor"
    can_encode = False


# zstd.

_MAGIC = b"\x28\xb5\x2f\xfd"
_LARGEST_BLOCK = 128 << 10
_SLACK = 64 << 20  # blocks of a frame without a size may be small; see `decompress_zstd`

_RAW, _REPEATED, _COMPRESSED = range(3)


@record
class Frame:
    """A frame: its place in the data, and the most bytes that it holds.

    The number of bytes is exact if `is_exact`; otherwise its blocks may hold less.
    """

    start: int
    end: int
    most: int
    is_exact: bool


class Zstd(Codec):
    """The codec zstd: frames of Zstandard."""

    id = "zstd"
    kind = "compressor"
    parameters = (
        Parameter("level", "integer", 0, -131072, 22, wraps=True),
        flag("checksum", False, is_recent=True),
    )
    effort = ("level", "checksum")
    hdf5 = Hdf5Spelling(32015, (Hdf5Parameter("level", 0, signed=True),))
    v3 = V3Spelling("zstd", (V3Parameter("level", 0), V3Parameter("checksum", False)))
    short = (("level", 3),)

    def decode(self, value: Bytes | Elements, stage: Stage) -> bytes:
        """Decompress frames that hold at most `stage.limit` bytes together."""

        def decode_frame(frame: bytes) -> bytes:
            return to_bytes(self.load(stage.configuration).decode(frame))

        return decompress_zstd(to_bytes(value), stage.limit, decode_frame)

    def looks_whole(
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
    ) -> bool:
        """Compare the sizes of all frames."""
        try:
            parts = list(frames(data))
        except ValueError:
            return False
        most = sum(frame.most for frame in parts)
        if size is None:
            return True
        return most == size if all(frame.is_exact for frame in parts) else most >= size


def decompress_zstd(data: bytes, limit: int, decode: Callable[[bytes], bytes]) -> bytes:
    """Decompress all frames; `decode` decompresses one.

    A frame without a size is refused if its blocks can hold 64 MiB more than `limit`. Writers fill
    all blocks but the last, so no ordinary frame is concerned.
    """
    parts = []
    length = 0
    for frame in frames(data):
        if length + frame.most > limit + (0 if frame.is_exact else _SLACK):
            raise TooLong(limit)
        if frame.most == 0:
            continue  # numcodecs takes an empty frame for a damaged one
        whole = frame.start == 0 and frame.end == len(data)
        part = decode(data if whole else data[frame.start : frame.end])
        length += len(part)
        if length > limit:
            raise TooLong(limit)
        parts.append(part)
    return parts[0] if len(parts) == 1 else b"".join(parts)


def frames(data: Encoded) -> Iterator[Frame]:
    """Iterate over the frames, without those to skip. Raises `ValueError` if the data end early."""
    at = 0
    if not data:
        raise ValueError("the compressed data is empty")
    while at < len(data):
        if data[at + 1 : at + 4] == b"\x2a\x4d\x18" and data[at] >> 4 == 5:
            at += 8 + int.from_bytes(data[at + 4 : at + 8], "little")
        elif data[at : at + 4] == _MAGIC:
            frame = _frame(data, at)
            yield frame
            at = frame.end
        else:
            raise ValueError("this is not a zstd frame")
    if at > len(data):
        raise ValueError("the compressed data ends too early")


def _frame(data: Encoded, start: int) -> Frame:
    descriptor = data[start + 4] if start + 4 < len(data) else 0
    is_single = bool(descriptor & 0x20)
    at = start + 5
    block = _LARGEST_BLOCK
    if not is_single:
        window = data[at] if at < len(data) else 0
        log = 10 + (window >> 3)
        block = min(block, (1 << log) + (1 << log >> 3) * (window & 7))
        at += 1
    at += (0, 1, 2, 4)[descriptor & 3]  # the number of a dictionary
    width = (1 if is_single else 0, 2, 4, 8)[descriptor >> 6]
    declared = int.from_bytes(data[at : at + width], "little") + (256 if width == 2 else 0)
    at += width
    most = 0
    is_last = False
    while not is_last:
        header = int.from_bytes(data[at : at + 3], "little")
        if at + 3 > len(data):
            raise ValueError("the compressed data ends too early")
        is_last, kind, size = bool(header & 1), header >> 1 & 3, header >> 3
        at += 3 + (1 if kind == _REPEATED else size)
        most += block if kind == _COMPRESSED else size
    at += 4 if descriptor & 4 else 0  # a checksum
    if at > len(data):
        raise ValueError("the compressed data ends too early")
    if width and declared > most:
        raise ValueError(
            f"its header declares {declared} bytes, but its blocks hold at most {most}"
        )
    return Frame(start, at, declared if width else most, bool(width))


# Blosc: blocks that one of several compressors encodes, after an optional shuffle.

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
        if flags & 2:  # the elements follow as they are
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
        self, data: Encoded, size: int | None, count: int, configuration: Configuration
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
    import numpy as np

    places = np.frombuffer(starts, "<i4")
    if places.size and not (int(places.min()) >= first and int(places.max()) <= end - 4):
        raise ValueError("its table of blocks points outside of it")


# Compressors of arrays: zfpy and pcodec. Neither has a parameter for how much it may give.
#
# zfp does not check where its data end; pcodec allocates what the data ask for. They are called in
# a way that bounds them.


class Zfpy(Codec):
    """The codec zfpy."""

    id = "zfpy"
    kind = "compressor"
    parameters = (
        Parameter("mode"),
        Parameter("tolerance", "number", -1),
        Parameter("rate", "number", -1),
        Parameter("precision", "number", -1),
        Parameter("compression_kwargs"),
    )
    v3 = by_numcodecs("zfpy")
    needs_array = True
    install = "pip install zfpy"

    def check(self, data: Bytes, stage: Stage) -> None:
        """Check the shape in the header."""
        size, shape = _zfp_shape(data)
        stage.refuse_longer(size * math.prod(shape))

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Decode from a buffer with padding, because zfp may read beyond its data."""
        codec = self.load(stage.configuration)
        data = to_bytes(value)
        size = zfp_padding(data)
        if size > 4 * stage.limit + (64 << 20):
            raise TooLong(stage.limit)
        decoded: Elements = codec.decode(data.ljust(size + 64, b"\0"))
        return decoded


_ZFP_SIZES = (4, 8, 4, 8)  # of int32, int64, float32 and float64
_ZFP_BITS = {1: 48, 2: 24, 3: 16, 4: 12}  # of the length of each axis, by the number of axes


def _zfp_shape(data: Bytes) -> tuple[int, tuple[int, ...]]:
    """Return the size of an element in bytes, and the shape, that the header of zfp declares."""
    if data[:3] != b"zfp" or len(data) < 12:
        raise ValueError("it does not start with the header of zfp")
    meta = int.from_bytes(data[4:11], "little")
    size, axes = _ZFP_SIZES[meta & 3], (meta >> 2 & 3) + 1
    bits = _ZFP_BITS[axes]
    shape = tuple((meta >> 4 + bits * axis & (1 << bits) - 1) + 1 for axis in range(axes))
    return size, shape


def zfp_padding(data: bytes) -> int:
    """Return the number of bytes that zfp may read in all; it does not check its data's end."""
    size, shape = _zfp_shape(data)
    blocks = math.prod(-(-length // 4) for length in shape)
    # Each of a block's values takes its own bits, and less than as many to tell them apart.
    bits: int = 16 * size * 4 ** len(shape) + 128
    mode = int.from_bytes(data[:20], "little") >> 84
    if mode & 0xFFF == 0xFFF:
        bits = max((mode >> 12 & 0x7FFF) + 1, min((mode >> 27 & 0x7FFF) + 1, bits))
    elif mode & 0xFFF < 2048:
        bits = (mode & 0xFFF) + 1
    return 64 + -(-blocks * bits // 8)


_DTYPES = ("f4", "f8", "i4", "i8", "u4", "u8", "i2", "u2", "f2", "i1", "u1")


class PCodec(Codec):
    """The codec pcodec."""

    id = "pcodec"
    kind = "compressor"
    parameters = (
        integer("level", 8, 0, 12),
        Parameter("mode_spec", "text", "auto"),
        Parameter("delta_spec", "text", "auto"),
        Parameter("paging_spec", "text", "equal_pages_up_to"),
        integer("delta_encoding_order", None, 0, 7),
        integer("equal_pages_up_to", 2**18, 1, LARGEST),
    )
    v3 = by_numcodecs("pcodec")
    needs_array = True
    install = "pip install pcodec"

    def decode(self, value: Bytes | Elements, stage: Stage) -> Elements:
        """Decode into a buffer of the largest size that is allowed."""
        self.load(stage.configuration)  # raises if it is not installed
        import numpy as np
        from pcodec import standalone

        data = to_bytes(value)
        reason: Exception | None = None
        for dtype in _DTYPES:  # the library refuses all but the dtype of the data
            out = np.empty(stage.limit // np.dtype(dtype).itemsize + 1, dtype)
            try:
                progress = standalone.simple_decompress_into(data, out)
            except Exception as error:
                reason = error if reason is None or "type" in str(reason) else reason
                continue
            if not progress.finished or progress.n_processed == out.size:
                raise TooLong(stage.limit)
            return out[: progress.n_processed]
        raise ValueError(str(reason))


# A compressor of HDF5 that Zarr names and numcodecs does not have: szip.
#
# It is decoded by the HDF5 library of h5py, from a file in memory.

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


CODECS = (Zstd(), Lz4(), Bz2(), Lzma(), Snappy(), Blosc(), Zfpy(), PCodec(), Szip())
