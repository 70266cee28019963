"""Find out, without decoding, whether an encoded chunk may be damaged.

A chunk whose codecs keep its size has a known length. Compressors write headers, and some of them
trailers, with sizes that can be compared with the chunk; checksums can be verified. A chunk that
passes can still be damaged. A chunk that fails needs a closer look: decoding it tells whether it is
damaged, and why. So these checks may be strict where decoders are not.

Sources: RFC 1950 (zlib), RFC 1952 (gzip), RFC 8878 (zstd), c-blosc's README_HEADER, and the formats
of bzip2 and xz.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ncz.codec import chain
from ncz.codec.catalogue.lookup import Configuration, codec_id, codec_of
from ncz.codec.probe.encoded import Encoded
from ncz.codec.zstd_frames import frames
from ncz.errors import CodecError, CodecMissing

Probe = Callable[[Encoded], bool]
"""Returns whether an encoded chunk looks undamaged."""


def probe_for(configurations: Sequence[Configuration], count: int, item_size: int) -> Probe:
    """Return the check of the chunks of an array.

    Parameters
    ----------
    configurations
        The codecs of the chunks, in the order in which they are applied on writing.
    count, item_size
        The number of elements, and the size of each in bytes, or 0 for objects.
    """
    sizes = _sizes(configurations, count * item_size or None)
    codecs = [codec_of(configuration) for configuration in configurations]

    def looks_whole(data: Encoded) -> bool:
        for at in reversed(range(len(configurations))):
            codec = codecs[at]
            if sizes[at + 1] not in (None, len(data)):
                return False
            if codec is None or codec.kind != "checksum":
                return _matches(configurations[at], data, sizes[at], count)
            try:
                data = chain.decode_bytes(
                    [configurations[at]], data[:], limit=len(data), location=""
                )
            except CodecMissing:
                return True
            except CodecError:
                return False
        return sizes[0] in (None, len(data))

    return looks_whole


def encoded_size(configurations: Sequence[Configuration], size: int) -> int | None:
    """Return the encoded size of `size` bytes, or None if it depends on the data."""
    return _sizes(configurations, size or None)[-1]


def _sizes(configurations: Sequence[Configuration], size: int | None) -> list[int | None]:
    """Return the bytes of the elements and after each codec; None for what depends on the data."""
    sizes = [size]
    for configuration in configurations:
        codec = codec_of(configuration)
        keeps = size is not None and codec is not None and codec.keeps_size
        size = size + (codec.added_bytes or 0) if keeps else None  # type: ignore[operator, union-attr]
        sizes.append(size)
    return sizes


def _matches(configuration: Configuration, data: Encoded, size: int | None, count: int) -> bool:
    """Return whether the header of a codec agrees with the encoded bytes."""
    match codec_id(configuration):
        case "blosc":
            return _is_blosc(data, size)
        case "bz2":
            return _is_bz2(data)
        case "gzip":
            return _is_gzip(data, size)
        case "lz4":
            return len(data) > 4 and size in (None, int.from_bytes(data[:4], "little"))
        case "lzma" if configuration.get("format", 1) == 1:
            return len(data) >= 32 and data[:6] == b"\xfd7zXZ\0" and data[-2:] == b"YZ"
        case "vlen-utf8" | "vlen-bytes" | "vlen-array":
            return int.from_bytes(data[:4], "little") == count and len(data) >= 4 + 4 * count
        case "zlib":
            return _is_zlib(data)
        case "zstd":
            return _is_zstd(data, size)
        case _:
            return True


def _is_blosc(data: Encoded, size: int | None) -> bool:
    head = data[:16]
    return (
        len(head) == 16
        and int.from_bytes(head[12:], "little") == len(data)
        and size in (None, int.from_bytes(head[4:8], "little"))
    )


def _is_zlib(data: Encoded) -> bool:
    head = data[:2]
    return len(data) > 6 and head[0] & 15 == 8 and int.from_bytes(head, "big") % 31 == 0


def _is_gzip(data: Encoded, size: int | None) -> bool:
    """Compare the size in the trailer, which is that of the last member."""
    return (
        len(data) >= 18
        and data[:3] == b"\x1f\x8b\x08"
        and (size is None or int.from_bytes(data[-4:], "little") == size % 2**32)
    )


_BZ2_END = 0x177245385090  # these 48 bits, the checksum, and up to 7 bits of padding


def _is_bz2(data: Encoded) -> bool:
    if len(data) < 14 or data[:3] != b"BZh":
        return False
    tail = int.from_bytes(data[-11:], "big")
    return any(tail >> 32 + bits & 2**48 - 1 == _BZ2_END for bits in range(8))


def _is_zstd(data: Encoded, size: int | None) -> bool:
    try:
        found = list(frames(data))
    except ValueError:
        return False
    most = sum(frame.most for frame in found)
    if size is None:
        return True
    return most == size if all(frame.is_exact for frame in found) else most >= size
