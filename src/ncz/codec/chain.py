"""Apply a chain of codecs to a chunk, and undo it.

A chain is the `filters` and the `compressor` of a Zarr V2 array: configurations of numcodecs, in
the order in which they are applied on writing. The compressors of the standard library and shuffle
are implemented here, with a bounded output and without the interpreter's lock. All others come
from numcodecs, which is imported when a chunk needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.codec import bounded
from ncz.codec.checksum import with_checksum, without_checksum
from ncz.codec.lookup import Configuration, codec_id, codec_of, find
from ncz.errors import CodecError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Elements = NDArray[Any]

LARGEST = 2**34
"""Bytes of the largest chunk that is read or written; no common codec supports more."""


def decode(
    chain: Sequence[Configuration], data: bytes, *, count: int, item_size: int, location: str
) -> bytes | Elements:
    """Undo `chain` on a stored chunk of `count` elements.

    `item_size` is the size of an element in bytes; it is 0 for objects, which are returned as an
    array. Raises `CodecError`, with `location` (URL and key), if the data are not a whole chunk.
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
        except Exception as error:  # a library may raise anything
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
            f"the decoded chunk has {len(result)} bytes, not {size}",
            location,
            "it is damaged; restore it from a copy",
        )
    return result


def encode(
    chain: Sequence[Configuration], values: Elements, *, item_size: int, location: str
) -> bytes:
    """Apply `chain` to the elements of a chunk: a flat array of the stored dtype."""
    # A flat view of part of an array may have gaps.
    value: bytes | Elements = values if values.flags.c_contiguous else values.copy()
    for configuration in chain:
        name = codec_id(configuration)
        try:
            value = _encode_one(name, configuration, value, item_size)
        except CodecError as error:
            raise CodecError(error.message, location, error.hint) from error.__cause__
        except Exception as error:  # a library may raise anything
            reason = str(error) or type(error).__name__
            raise CodecError(
                f"the chunk cannot be encoded by {name}: {reason}", location
            ) from error
    return _to_bytes(value)


def _limit(chain: Sequence[Configuration], size: int | None) -> int:
    """Return the most bytes that any stage of decoding may produce."""
    if size is None:
        return LARGEST
    before_compression = [codec_of(c) for c in chain[:-1]]
    if all(codec is not None and codec.keeps_size for codec in before_compression):
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
            codec = find(name)
            counted = codec is not None and codec.counts_objects
            if counted and int.from_bytes(head[:4], "little") != count:
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


def load(configuration: Configuration) -> None:
    """Load the codec from numcodecs. Raises `CodecError` if ncz does not use or find it."""
    _numcodec(codec_id(configuration), configuration)


def _numcodec(name: str, configuration: Configuration) -> Any:
    if name == "pickle":
        raise CodecError(
            "ncz does not use pickle: reading a pickled chunk would run code from its writer",
            hint="write the array with another codec, such as vlen-utf8",
        )
    import numcodecs

    try:
        return numcodecs.get_codec({**configuration, "id": name})
    except (ValueError, ImportError) as error:  # numcodecs' UnknownCodecError is a ValueError
        if "codec not available" not in str(error) and not isinstance(error, ImportError):
            raise
        known = find(name)
        if known is not None and not known.implemented:
            hint = "neither ncz nor numcodecs implements it"
        else:
            install = known.install if known is not None else None
            hint = install or "install the package that provides it to numcodecs"
        raise CodecError(f"the codec {name!r} is not available", hint=hint) from error


def _shuffle(data: bytes, item_size: int) -> bytes:
    """Gather the first bytes of all elements, then the second, ...; keep a rest at the end."""
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
