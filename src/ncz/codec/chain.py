"""Apply a chain of codecs to a chunk, and undo it.

A chain is one list of codecs, for any format. Each codec maps the specification of an
array to the next (`ArraySpec`), so a codec may change the dtype or the shape, and be before or
within a shard. Codecs that take arrays get them in the shape and dtype of their specification;
others get a flat array, or bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.codec import ArraySpec, Configuration, Stage, to_bytes, view
from ncz.codec.bounds import of_bytes, stages
from ncz.codec.catalogue import codec_of, is_object_codec, writing_fault
from ncz.codec.element_types import numpy_type
from ncz.errors import CodecError, CodecMissing, quantity
from ncz.failed_imports import failed_import
from ncz.late import numpy as np

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
    """Undo `chain` on a stored chunk of `count` elements, by codecs that do not take arrays.

    `item_size` is the size of an element in bytes; it is 0 for objects, which are returned as an
    array. Some codecs need the byte order of elements, and `row`, the length of the last axis of
    the array. Raises `CodecError`, with `location` (URL and key), if the data are not a whole
    chunk.
    """
    array = ArraySpec((count,), item_size, order=order)
    value = _decode(_stages(chain, array, len(data), row, location), data, location)
    if not item_size:
        return view(value) if isinstance(value, (bytes, bytearray, memoryview)) else value
    return _of_size(view(value).toreadonly(), count * item_size, location)


def decode_array(
    chain: Sequence[Configuration],
    data: Bytes,
    array: ArraySpec,
    *,
    location: str,
    row: int = 0,
) -> Elements:
    """Undo `chain` on a stored chunk, and return its elements.

    Parameters
    ----------
    chain
        The codecs, in the order of writing.
    data
        The chunk as stored.
    array
        The shape and dtype of the elements. Shards need the fill value too.
    location
        URL and key, for messages.
    row
        The length of the last axis of the whole array, which some codecs need.

    Raises
    ------
    CodecError
        If the data are not a whole chunk.
    """
    value = _decode(_stages(chain, array, len(data), row, location), data, location)
    return _as_array(value, array, location)


def _stages(
    chain: Sequence[Configuration], array: ArraySpec, encoded_size: int, row: int, location: str
) -> list[Stage]:
    """Return the stages of decoding. Raises `CodecError` for a chain that does not fit."""
    try:
        return stages(chain, array, encoded_size, row)
    except Exception as error:  # parameters of a damaged document
        raise _error(error, "decoded", location) from error


def _as_array(value: Bytes | Elements, array: ArraySpec, location: str) -> Elements:
    """Return elements in the shape and the dtype of an array."""
    if array.item_size:
        if isinstance(value, np.ndarray) and _is_of(value, array):
            return value
        data = _of_size(view(value).toreadonly(), array.size, location)
        return np.frombuffer(data, numpy_type(array.dtype)).reshape(array.shape)
    if not isinstance(value, np.ndarray):
        raise CodecError("the chunk has bytes, but no codec makes objects of them", location)
    if value.size != array.count:
        raise CodecError(
            f"{value.size} objects in the chunk do not fit shape {array.shape}", location, _DAMAGED
        )
    return value.reshape(array.shape)


def _is_of(value: Elements, array: ArraySpec) -> bool:
    return bool(value.shape == array.shape and value.dtype == numpy_type(array.dtype))


def _of_size(decoded: memoryview, size: int, location: str) -> memoryview:
    if len(decoded) != size:
        raise CodecError(
            f"the decoded chunk has {quantity(len(decoded), 'byte')}, not {size}",
            location,
            _DAMAGED,
        )
    return decoded


def decode_many(
    chain: Sequence[Configuration], chunks: Iterable[bytes], array: ArraySpec, *, row: int
) -> Iterator[memoryview]:
    """Undo `chain` on stored chunks of elements of a fixed size, by codecs that take no arrays.

    Parameters
    ----------
    chain
        The codecs, in the order of writing.
    chunks
        The chunks. An error does not name the damaged one.
    array, row
        As for `decode_array`.
    """
    steps = _stages(chain, array, 0, row, "")
    for data in chunks:
        decoded = view(_decode(steps, data, "") if chain else data)
        yield _of_size(decoded, array.size, "")


def decode_bytes(
    chain: Sequence[Configuration], data: bytes, *, limit: int, location: str
) -> bytes:
    """Undo `chain` on bytes whose number is not known, but at most `limit`."""
    result = to_bytes(
        _decode(_stages(chain, of_bytes(limit), len(data), 0, location), data, location)
    )
    if len(result) > limit:
        raise CodecError(f"it decodes to more than {limit} bytes", location)
    return result


def _decode(steps: Sequence[Stage], data: Bytes, location: str) -> Bytes | Elements:
    value: Bytes | Elements = data
    for stage in reversed(steps):
        codec = codec_of(stage.configuration)
        try:
            if codec.takes_arrays and not codec.makes_bytes:
                assert stage.after is not None
                value = codec.decode(_as_array(value, stage.after, location), stage)
            else:
                codec.check(view(value), stage)
                value = codec.decode(value, stage)
        except Exception as error:  # a library may raise anything
            raise _error(error, f"decoded by {codec.id}", location, _DAMAGED) from error
    return value


def encode(
    chain: Sequence[Configuration], values: Elements, *, item_size: int, location: str
) -> bytes:
    """Apply `chain` to the elements of a chunk, in the stored dtype.

    Raises `CodecError` if they cannot be encoded.
    """
    array = ArraySpec(values.shape, item_size, values.dtype)
    encoded = encode_array(chain, values, array, location=location)
    assert encoded is not None  # only shards with only fill values are not stored
    return encoded


def encode_array(
    chain: Sequence[Configuration], values: Elements, array: ArraySpec, *, location: str
) -> bytes | None:
    """Apply `chain` to the elements of a chunk, which `array` specifies; see `encode`.

    Chunks within shards that contain only ``array.fill`` are left out. None is returned for a shard
    without any chunk, which is not stored.
    """
    value: Any = values
    del values  # a copy that the caller made is freed by the first codec
    shuffled = 1
    for configuration in chain:
        codec = codec_of(configuration)
        stage = Stage(configuration, array, shuffled=shuffled)
        try:
            if not codec.takes_arrays:
                value = _flat(value)
            array = codec.result(array, configuration)
            value = codec.encode(value, stage)
        except Exception as error:  # a library may raise anything
            raise _error(error, f"encoded by {codec.id}", location) from error
        if value is None:
            return None
        shuffled = codec.shuffled_size(stage)
    return to_bytes(value)


def _flat(value: Any) -> Any:
    """Return the elements of an array in one dimension, without gaps; bytes unchanged."""
    if isinstance(value, (bytes, bytearray, memoryview)):
        return value
    flat = value.reshape(-1)
    return flat if flat.flags.c_contiguous else flat.copy()


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
    """Return the reason that the chain cannot encode elements of `dtype`; None if it can.

    One element is encoded, by the codecs after the last that takes arrays. This finds a codec that
    is not installed, and parameters that are valid each but not together, or not for this dtype. No
    object exists that every object codec accepts, so such a codec is only loaded, and the codecs
    after it encode a byte.
    """
    for configuration in chain:
        fault = writing_fault(configuration)
        if fault is not None:
            return fault
    if not chain:
        return None

    objects = [c for c in chain if is_object_codec(c)]
    others = [c for c in chain if c not in objects]
    array = ArraySpec((1,), item_size or 1, dtype if item_size else "u1")
    try:
        for configuration in objects:
            codec_of(configuration).load(configuration)
        while any(codec_of(each).takes_arrays for each in others):  # which may refuse a sample
            array = codec_of(others[0]).result(array, others.pop(0))
        sample = np.zeros(1, numpy_type(array.dtype))
        encode(others, sample, item_size=array.item_size, location="")
    except CodecError as error:
        reason = error.message.removeprefix("the chunk cannot be encoded by ")
        return f"{reason} ({error.hint})" if error.hint else reason
    return None
