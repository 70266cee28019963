"""Apply a chain of codecs to a chunk, and undo it.

A chain is the `filters` and the `compressor` of a Zarr V2 array: configurations of numcodecs, in
the order in which they are applied on writing. The compressors of the standard library and shuffle
are implemented here, with a bounded output and without the interpreter's lock. All others come
from numcodecs, which is imported when a chunk needs it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ncz.codec import bounded, gates
from ncz.codec.catalogue.lookup import Configuration, codec_id, find
from ncz.codec.checksum import with_checksum, without_checksum
from ncz.codec.gates import Stage
from ncz.codec.narrowing import check_fits, narrows
from ncz.codec.stages import stage_limits
from ncz.errors import CodecError, CodecMissing

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Elements = NDArray[Any]


def decode(
    chain: Sequence[Configuration], data: bytes, *, count: int, item_size: int, location: str
) -> bytes | Elements:
    """Undo `chain` on a stored chunk of `count` elements.

    `item_size` is the size of an element in bytes; it is 0 for objects, which are returned as an
    array. Raises `CodecError`, with `location` (URL and key), if the data are not a whole chunk.
    """
    size = count * item_size if item_size else None
    value = _decode(chain, data, stage_limits(chain, count, item_size, len(data)), count, item_size,
                    location)  # fmt: skip
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


def decode_bytes(
    chain: Sequence[Configuration], data: bytes, *, limit: int, location: str
) -> bytes:
    """Undo `chain` on bytes whose number is not known, but at most `limit`."""
    limits = stage_limits(chain, limit, 1, len(data))
    result = _to_bytes(_decode(chain, data, limits, limit, 1, location))
    if len(result) > limit:
        raise CodecError(f"it decodes to more than {limit} bytes", location)
    return result


def _decode(
    chain: Sequence[Configuration],
    data: bytes,
    limits: Sequence[int],
    count: int,
    item_size: int,
    location: str,
) -> bytes | Elements:
    value: bytes | Elements = data
    for configuration, limit in zip(reversed(chain), reversed(limits), strict=True):
        name = codec_id(configuration)
        try:
            value = _decode_one(name, Stage(configuration, limit, count), value, item_size)
        except CodecError as error:
            raise type(error)(error.message, location, error.hint) from error.__cause__
        except Exception as error:  # a library may raise anything
            reason = str(error) or type(error).__name__
            raise CodecError(
                f"the chunk cannot be decoded by {name}: {reason}",
                location,
                "it is damaged; restore it from a copy",
            ) from error
    return value


def encode(
    chain: Sequence[Configuration], values: Elements, *, item_size: int, location: str
) -> bytes:
    """Apply `chain` to the elements of a chunk: a flat array of the stored dtype."""
    # A flat view of part of an array may have gaps.
    value: bytes | Elements = values if values.flags.c_contiguous else values.copy()
    del values  # a copy that the caller made is freed by the first codec
    shuffled = 1  # the size of the elements that were shuffled just before
    for configuration in chain:
        name = codec_id(configuration)
        try:
            value = _encode_one(name, configuration, value, item_size, shuffled)
        except CodecError as error:
            raise type(error)(error.message, location, error.hint) from error.__cause__
        except Exception as error:  # a library may raise anything
            reason = str(error) or type(error).__name__
            raise CodecError(
                f"the chunk cannot be encoded by {name}: {reason}", location
            ) from error
        shuffled = _element_size(configuration, item_size) if name == "shuffle" else 1
    return _to_bytes(value)


def _decode_one(
    name: str, stage: Stage, value: bytes | Elements, item_size: int
) -> bytes | Elements:
    configuration, limit = stage.configuration, stage.limit
    data = _to_bytes(value)
    gates.check(name, data, stage)
    match name:
        case "zlib":
            return bounded.inflate(data, limit, 15)
        case "gzip":
            return bounded.inflate(data, limit, 31)
        case "bz2":
            return bounded.bunzip2(data, limit)
        case "lzma":
            return bounded.unlzma(data, limit, dict(configuration))
        case "zstd":
            from ncz.codec.zstd_frames import decompress

            def decode_frame(frame: bytes) -> bytes:
                return _to_bytes(_numcodec(name, configuration).decode(frame))

            return decompress(data, limit, decode_frame)
        case "crc32c" if configuration.get("location") == "end":
            return without_checksum(data)
        case "shuffle":
            return _unshuffle(data, _element_size(configuration, item_size))
        case "zfpy" | "pcodec" | "json2" | "msgpack2":
            return _decode_unbounded(name, stage, data)
        case _:
            decoded: bytes | Elements = _numcodec(name, configuration).decode(value)
            return decoded


def _decode_unbounded(name: str, stage: Stage, data: bytes) -> Elements:
    """Decode with a library that has no limit of its own."""
    from ncz.codec import native

    codec = _numcodec(name, stage.configuration)  # raises if it is not installed
    match name:
        case "zfpy":
            return native.decode_zfp(data, stage, codec)
        case "pcodec":
            return native.decode_pcodec(data, stage)
        case "json2":
            return native.decode_json(data, stage)
        case _:
            return native.decode_msgpack(data, stage)


def _encode_one(
    name: str,
    configuration: Configuration,
    value: bytes | Elements,
    item_size: int,
    shuffled: int,
) -> bytes | Elements:
    match name:
        case "zlib":
            return _deflate(value, configuration, 15, shuffled)
        case "gzip":
            return _deflate(value, configuration, 31, shuffled)
        case "crc32c" if configuration.get("location") == "end":
            return with_checksum(_to_bytes(value))
        case "shuffle":
            return _shuffle(_view(value), _element_size(configuration, item_size))
        case _:
            codec = _numcodec(name, configuration)
            if narrows(configuration) and not isinstance(value, bytes):
                check_fits(configuration, value)
            encoded: bytes | Elements = codec.encode(value)
            return encoded


def _element_size(shuffle: Configuration, item_size: int) -> int:
    size: int = shuffle.get("elementsize") or item_size
    return size


def _deflate(
    value: bytes | Elements, configuration: Configuration, window: int, shuffled: int
) -> bytes:
    data, level = _view(value), configuration.get("level", 1)
    if shuffled > 1:
        from ncz.codec.planes import deflate_planes

        return deflate_planes(data, level, window, len(data) // shuffled)
    from ncz.codec.deflate import deflate

    return deflate(data, level, window)


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
        raise CodecMissing(f"the codec {name!r} is not available", hint=hint) from error


def _shuffle(data: memoryview, item_size: int) -> bytes:
    """Gather the first bytes of all elements, then the second, ...; keep a rest at the end."""
    return _transpose(data, item_size, inverse=False)


def _unshuffle(data: bytes, item_size: int) -> bytes:
    return _transpose(memoryview(data), item_size, inverse=True)


def _transpose(data: memoryview, item_size: int, *, inverse: bool) -> bytes:
    import numpy as np

    count = len(data) // item_size if item_size > 0 else 0
    if item_size < 2 or count < 2:
        return bytes(data)
    matrix = np.frombuffer(data, "u1", count * item_size)
    matrix = matrix.reshape((item_size, count) if inverse else (count, item_size))
    transposed: bytes = matrix.T.tobytes()
    rest = data[count * item_size :]
    return transposed + bytes(rest) if rest else transposed


def _view(value: bytes | Elements) -> memoryview:
    """Return the bytes of a value without a copy if it is contiguous in memory."""
    flags = getattr(value, "flags", None)  # arrays, but no other buffers
    if isinstance(value, bytes) or flags is None or not flags.c_contiguous or value.dtype.hasobject:
        return memoryview(_to_bytes(value))
    return value.reshape(-1).view("u1").data


def _to_bytes(value: bytes | Elements) -> bytes:
    if isinstance(value, bytes):
        return value
    tobytes = getattr(value, "tobytes", None)  # arrays, with or without elements, and memoryviews
    return bytes(value) if tobytes is None else tobytes()
