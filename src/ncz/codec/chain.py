"""A chain of codecs: what `filters` and `compressor` of a Zarr V2 array do to a chunk.

Configurations are numcodecs', in the order in which they are applied on writing. The compressors of
the standard library and shuffle are done here (bounded, and outside the interpreter's lock); all
others by numcodecs, imported when a chunk needs it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.codec import bounded
from ncz.codec.checksum import with_checksum, without_checksum
from ncz.errors import CodecError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Elements = NDArray[Any]

Configuration = Mapping[str, Any]

LARGEST = 2**34
"""Bytes of the largest chunk that is read or written; no codec of the field goes beyond."""

_CHECKSUMS = frozenset({"crc32", "crc32c", "adler32", "fletcher32", "jenkins_lookup3"})
_SAME_SIZE = frozenset({"shuffle", "bitround", *_CHECKSUMS})
_COUNTED = frozenset({"vlen-utf8", "vlen-bytes", "vlen-array"})  # four bytes of it come first
_OBJECTS = frozenset(
    {"vlen-utf8", "vlen-bytes", "vlen-array", "json2", "json", "msgpack2", "msgpack", "pickle"}
)

_INSTALL = {
    "zfpy": "pip install zfpy",
    "pcodec": "pip install pcodec",
    "msgpack2": "pip install 'numcodecs[msgpack]'",
    "crc32c": "pip install 'numcodecs[crc32c]'",
}


def codec_id(configuration: Configuration) -> str:
    """The codec's id, without the prefix that zarr-python 3 puts before it."""
    return str(configuration.get("id")).removeprefix("numcodecs.")


def is_object_codec(configuration: Configuration) -> bool:
    """True if the codec turns objects, of no fixed size, to bytes."""
    return codec_id(configuration) in _OBJECTS


def decode(
    chain: Sequence[Configuration], data: bytes, *, count: int, item_size: int, location: str
) -> bytes | Elements:
    """Undo `chain` on a stored chunk of `count` elements.

    `item_size` is the bytes of an element, 0 for objects, which come back as an array. Raises
    `CodecError`, naming `location` (URL and key), for anything that is not a whole chunk.
    """
    size = count * item_size if item_size else None
    limit = _limit(chain, size)
    value: bytes | Elements = data
    for configuration in reversed(chain):
        name = codec_id(configuration)
        try:
            value = _decode_one(name, configuration, value, limit, count, item_size)
        except CodecError as error:
            raise CodecError(error.message, location, error.hint) from error.__cause__
        except Exception as error:  # whatever a codec's library lets out
            reason = str(error) or type(error).__name__
            raise CodecError(
                f"the chunk cannot be decoded by {name}: {reason}",
                location,
                "it is damaged; restore it from a copy",
            ) from error
    if size is None:
        return value
    result = _to_bytes(value)
    if len(result) != size:
        raise CodecError(
            f"the chunk has {len(result)} bytes decoded, not {size}",
            location,
            "it is damaged; restore it from a copy",
        )
    return result


def encode(
    chain: Sequence[Configuration], values: Elements, *, item_size: int, location: str
) -> bytes:
    """Apply `chain` to the elements of a chunk, which come flat and in the dtype that is stored."""
    # A view of part of an array may be flat and yet have gaps.
    value: bytes | Elements = values if values.flags.c_contiguous else values.copy()
    for configuration in chain:
        name = codec_id(configuration)
        try:
            value = _encode_one(name, configuration, value, item_size)
        except CodecError as error:
            raise CodecError(error.message, location, error.hint) from error.__cause__
        except Exception as error:  # whatever a codec's library lets out
            reason = str(error) or type(error).__name__
            raise CodecError(
                f"the chunk cannot be encoded by {name}: {reason}", location
            ) from error
    return _to_bytes(value)


def _limit(chain: Sequence[Configuration], size: int | None) -> int:
    """Bytes that no stage of decoding may exceed."""
    if size is None:
        return LARGEST
    before_compression = [codec_id(c) for c in chain[:-1]]
    if all(name in _SAME_SIZE for name in before_compression):
        return size + 8 * len(before_compression)
    return 16 * size + 1024  # delta, astype and the like may widen elements, up to 16 bytes each


def _decode_one(
    name: str,
    configuration: Configuration,
    value: bytes | Elements,
    limit: int,
    count: int,
    item_size: int,
) -> bytes | Elements:
    match name:
        case "zlib":
            return bounded.inflate(_to_bytes(value), limit, 15)
        case "gzip":
            return bounded.inflate(_to_bytes(value), limit, 31)
        case "bz2":
            return bounded.bunzip2(_to_bytes(value), limit)
        case "lzma":
            return bounded.unlzma(_to_bytes(value), limit, dict(configuration))
        case "crc32c" if configuration.get("location") == "end":
            return without_checksum(_to_bytes(value))
        case "shuffle":
            return _unshuffle(_to_bytes(value), configuration.get("elementsize") or item_size)
        case _:
            head = _to_bytes(value)[:32]
            if name in _COUNTED and int.from_bytes(head[:4], "little") != count:
                raise ValueError(f"it does not hold {count} objects")
            declared = bounded.declared_size(name, head)
            if declared is not None and declared > limit:
                raise bounded.TooLong(limit)
            decoded: bytes | Elements = _numcodec(name, configuration).decode(value)
            return decoded


def _encode_one(
    name: str, configuration: Configuration, value: bytes | Elements, item_size: int
) -> bytes | Elements:
    match name:
        case "zlib":
            return _deflate(value, configuration, 15)
        case "gzip":
            return _deflate(value, configuration, 31)
        case "crc32c" if configuration.get("location") == "end":
            return with_checksum(_to_bytes(value))
        case "shuffle":
            return _shuffle(_to_bytes(value), configuration.get("elementsize") or item_size)
        case _:
            encoded: bytes | Elements = _numcodec(name, configuration).encode(value)
            return encoded


def _deflate(value: bytes | Elements, configuration: Configuration, window: int) -> bytes:
    from ncz.codec.deflate import deflate

    return deflate(_to_bytes(value), configuration.get("level", 1), window)


def _numcodec(name: str, configuration: Configuration) -> Any:
    if name == "pickle":
        raise CodecError(
            "the chunk is pickled, and to read it would run code of whoever wrote it",
            hint="write the array with another codec, such as vlen-utf8",
        )
    import numcodecs

    try:
        return numcodecs.get_codec({**configuration, "id": name})
    except (ValueError, ImportError) as error:  # numcodecs' UnknownCodecError is a ValueError
        if "codec not available" not in str(error) and not isinstance(error, ImportError):
            raise
        raise CodecError(
            f"there is no codec {name!r} here",
            hint=_INSTALL.get(name, "install the package that provides it to numcodecs"),
        ) from error


def _shuffle(data: bytes, item_size: int) -> bytes:
    """Gather the first bytes of all elements, then the second, ...; a rest is kept at the end."""
    return _transpose(data, item_size, inverse=False)


def _unshuffle(data: bytes, item_size: int) -> bytes:
    return _transpose(data, item_size, inverse=True)


def _transpose(data: bytes, item_size: int, *, inverse: bool) -> bytes:
    import numpy as np

    count = len(data) // item_size if item_size > 0 else 0
    if item_size < 2 or count < 2:
        return data
    matrix = np.frombuffer(data, "u1", count * item_size)
    matrix = matrix.reshape((item_size, count) if inverse else (count, item_size))
    return matrix.T.tobytes() + data[count * item_size :]


def _to_bytes(value: bytes | Elements) -> bytes:
    if isinstance(value, bytes):
        return value
    tobytes = getattr(value, "tobytes", None)  # arrays, with or without elements, and memoryviews
    return bytes(value) if tobytes is None else tobytes()
