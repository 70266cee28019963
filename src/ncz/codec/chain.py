"""Apply a chain of codecs to a chunk, and undo it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.codec import Configuration, Stage, to_bytes, view
from ncz.codec.bounds import stage_limits
from ncz.codec.catalogue import codec_of, is_object_codec, writing_fault
from ncz.errors import CodecError, CodecMissing, counted, failed_import

if TYPE_CHECKING:
    from ncz.codec import Bytes, Elements

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
