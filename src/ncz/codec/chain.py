"""Apply a chain of codecs to a chunk, undo it, and bound or check it without undoing it.

A chain is the `filters` and the `compressor` of a Zarr V2 array: configurations of numcodecs, in
the order in which they are applied on writing.

An array's document says how many elements a chunk has, and so how many bytes each codec was given
when the chunk was written. A step that gives more is stopped: the chunk is damaged, or made to fill
the memory of who reads it. Objects have no size; their chunk may decode to
`ncz.codec.Codec.object_budget` bytes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.codec import BYTES_OF_OBJECT, WIDEST, Configuration, Encoded, Stage, to_bytes, view
from ncz.codec.catalogue import codec_of, is_object_codec, writing_fault
from ncz.errors import CodecError, CodecMissing, counted, failed_import

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

_STORED_OBJECTS = 256 << 20
_DAMAGED = "it is damaged; restore it from a copy"


def decode(
    chain: Sequence[Configuration],
    data: bytes,
    *,
    count: int,
    item_size: int,
    location: str,
    order: str = "<",
    row: int = 0,
) -> memoryview | Elements:
    """Undo `chain` on a stored chunk of `count` elements.

    `item_size` is the size of an element in bytes; it is 0 for objects, which are returned as an
    array. Some codecs need the byte order of elements, and `row`, the length of the last axis of
    the array. Raises `CodecError`, with `location` (URL and key), if the data are not a whole
    chunk.
    """
    limits = stage_limits(chain, count, item_size, len(data))
    stages = [
        Stage(configuration, count, item_size, limit, order=order, row=row)
        for configuration, limit in zip(chain, limits, strict=True)
    ]
    value = _decode(stages, data, location)
    if not item_size:
        return view(value) if isinstance(value, (bytes, bytearray, memoryview)) else value
    return _of_size(view(value).toreadonly(), count * item_size, location)


def _of_size(decoded: memoryview, size: int, location: str) -> memoryview:
    if len(decoded) != size:
        raise CodecError(
            f"the decoded chunk has {counted(len(decoded), 'byte')}, not {size}", location, _DAMAGED
        )
    return decoded


def decode_many(
    chain: Sequence[Configuration],
    chunks: Iterable[bytes],
    *,
    count: int,
    item_size: int,
    order: str,
    row: int,
) -> Iterator[memoryview]:
    """Undo `chain` on stored chunks of elements of a fixed size; see `decode`.

    An error does not tell which chunk is damaged.
    """
    limits = stage_limits(chain, count, item_size, 0)
    stages = [
        Stage(configuration, count, item_size, limit, order=order, row=row)
        for configuration, limit in zip(chain, limits, strict=True)
    ]
    for data in chunks:
        decoded = view(_decode(stages, data, "") if chain else data)
        yield _of_size(decoded, count * item_size, "")


def decode_bytes(
    chain: Sequence[Configuration], data: bytes, *, limit: int, location: str
) -> bytes:
    """Undo `chain` on bytes whose number is not known, but at most `limit`."""
    limits = stage_limits(chain, limit, 1, len(data))
    stages = [Stage(each, limit, 1, most) for each, most in zip(chain, limits, strict=True)]
    result = to_bytes(_decode(stages, data, location))
    if len(result) > limit:
        raise CodecError(f"it decodes to more than {limit} bytes", location)
    return result


def _decode(stages: Sequence[Stage], data: bytes, location: str) -> Bytes | Elements:
    value: Bytes | Elements = data
    for stage in reversed(stages):
        codec = codec_of(stage.configuration)
        try:
            codec.check(view(value), stage)
            value = codec.decode(value, stage)
        except Exception as error:  # a library may raise anything
            raise _error(error, f"decoded by {codec.id}", location, _DAMAGED) from error
    return value


def encode(
    chain: Sequence[Configuration], values: Elements, *, item_size: int, location: str
) -> bytes:
    """Apply `chain` to the elements of a chunk: a flat array of the stored dtype."""
    # A flat view of part of an array may have gaps.
    value: Bytes | Elements = values if values.flags.c_contiguous else values.copy()
    count = values.size
    del values  # a copy that the caller made is freed by the first codec
    shuffled = 1
    for configuration in chain:
        codec = codec_of(configuration)
        stage = Stage(configuration, count, item_size, shuffled=shuffled)
        try:
            value = codec.encode(value, stage)
        except Exception as error:  # a library may raise anything
            raise _error(error, f"encoded by {codec.id}", location) from error
        shuffled = codec.shuffled_size(stage)
    return to_bytes(value)


def _error(error: Exception, action: str, location: str, hint: str | None = None) -> CodecError:
    """Return the error of a codec with the location of the chunk."""
    if isinstance(error, CodecError):
        return type(error)(error.message, location, error.hint)
    broken = failed_import(error)
    if broken is not None:
        return CodecMissing(broken.message, location, broken.hint)
    reason = str(error) or type(error).__name__
    return CodecError(f"the chunk cannot be {action}: {reason}", location, hint)


def encoding_fault(chain: Sequence[Configuration], dtype: Any, item_size: int) -> str | None:
    """Return why elements of `dtype` cannot be encoded with the chain; None if they can.

    One element is encoded. This finds a codec that is not installed, and parameters that are valid
    each but not together, or not for this dtype. No object exists that every object codec
    accepts, so such a codec is only loaded, and the codecs after it encode a byte.
    """
    for configuration in chain:
        fault = writing_fault(configuration)
        if fault is not None:
            return fault
    if not chain:
        return None
    import numpy as np

    objects = [c for c in chain if is_object_codec(c)]
    others = [c for c in chain if c not in objects]
    sample = np.zeros(1, dtype if item_size else "u1")
    try:
        for configuration in objects:
            codec_of(configuration).load(configuration)
        encode(others, sample, item_size=item_size or 1, location="")
    except CodecError as error:
        reason = error.message.removeprefix("the chunk cannot be encoded by ")
        return f"{reason} ({error.hint})" if error.hint else reason
    return None


# --- bounds ---------------------------------------------------------------------------------------


def stage_limits(
    chain: Sequence[Configuration], count: int, item_size: int, encoded_size: int
) -> list[int]:
    """Return, for each codec of a chain, the most bytes that undoing it may give.

    Parameters
    ----------
    chain
        The codecs in the order in which they are applied on writing.
    count, item_size
        The number of elements, and the size of each in bytes, or 0 for objects.
    encoded_size
        The size of the stored chunk in bytes.
    """
    if not chain:
        return []
    if not item_size:
        return [codec_of(chain[0]).object_budget(encoded_size, count)] * len(chain)
    return _all_limits(chain, count, item_size)[:-1]


def most_stored(chain: Sequence[Configuration], count: int, item_size: int) -> int:
    """Return the most bytes that a stored chunk may have; see `stage_limits`.

    For objects, these are the larger of 256 MiB and 1,024 bytes for each.
    """
    if not item_size:
        return max(_STORED_OBJECTS, 4 * BYTES_OF_OBJECT * count)
    if not chain:
        return count * item_size
    return _all_limits(chain, count, item_size)[-1]


def _all_limits(chain: Sequence[Configuration], count: int, item_size: int) -> list[int]:
    """Return the most bytes of the elements, and of what each codec encodes them to."""
    size = count * item_size
    # Repeated filters must not multiply: each limit is bounded by the elements' own bytes too.
    most = max(2 * size, WIDEST * count) + 4096 * (1 + len(chain))
    limits = [size]
    for configuration in chain:
        limits.append(min(codec_of(configuration).most_encoded(limits[-1], count, most), most))
    return limits


# --- checks without decoding ----------------------------------------------------------------------

Probe = Callable[[Encoded], bool]
"""Returns whether an encoded chunk looks undamaged.

A chunk whose codecs keep its size has a known length. Compressors write headers, and some of them
trailers, with sizes that can be compared with the chunk; checksums can be verified. A chunk that
passes can still be damaged. A chunk that fails needs a closer look: decoding it tells whether it is
damaged, and why. So these checks may be strict where decoders are not.
"""


def probe_for(chain: Sequence[Configuration], count: int, item_size: int) -> Probe:
    """Return the check of the chunks of an array.

    Parameters
    ----------
    chain
        The codecs of the chunks, in the order in which they are applied on writing.
    count, item_size
        The number of elements, and the size of each in bytes, or 0 for objects.
    """
    sizes = _sizes(chain, count * item_size or None)
    codecs = [codec_of(configuration) for configuration in chain]

    def looks_whole(data: Encoded) -> bool:
        for at in reversed(range(len(chain))):
            codec, configuration = codecs[at], chain[at]
            if sizes[at + 1] not in (None, len(data)):
                return False
            if codec.kind != "checksum":
                return codec.looks_whole(data, sizes[at], count, configuration)
            try:
                data = decode_bytes([configuration], data[:], limit=len(data), location="")
            except CodecMissing:
                return True
            except CodecError:
                return False
        return sizes[0] in (None, len(data))

    return looks_whole


def encoded_size(chain: Sequence[Configuration], size: int) -> int | None:
    """Return the encoded size of `size` bytes, or None if it depends on the data."""
    return _sizes(chain, size or None)[-1]


def _sizes(chain: Sequence[Configuration], size: int | None) -> list[int | None]:
    """Return the bytes of the elements and after each codec; None for what depends on the data."""
    sizes = [size]
    for codec in map(codec_of, chain):
        size = size + (codec.added_bytes or 0) if size is not None and codec.keeps_size else None
        sizes.append(size)
    return sizes
