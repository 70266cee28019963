"""The arrays between the codecs of a chain, and the largest size of a chunk after each."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.codec import BYTES_OF_OBJECT, WIDEST, ArraySpec, Configuration, Stage
from ncz.codec.catalogue import codec_of, is_object_codec

_STORED_OBJECTS = 256 << 20


def arrays_between(chain: Sequence[Configuration], array: ArraySpec) -> list[ArraySpec]:
    """Return the array that each codec of a chain encodes, and the last one.

    Raises `CodecError` for an array that a codec cannot encode.
    """
    arrays = [array]
    for configuration in chain:
        arrays.append(codec_of(configuration).result(arrays[-1], configuration))
    return arrays


def stages(
    chain: Sequence[Configuration], array: ArraySpec, encoded_size: int, row: int = 0
) -> list[Stage]:
    """Return the stages of decoding a chunk, each with the most bytes that it may give.

    Parameters
    ----------
    chain
        The codecs, in the order of writing.
    array
        The array that the first of them encodes.
    encoded_size
        The size of the stored chunk in bytes.
    row
        The length of the last axis of the whole array; 0 if it is not known.
    """
    if not chain:
        return []
    arrays, limits = _forward(chain, array)
    if not array.item_size:
        limits = _object_limits(chain, array, encoded_size)
    return [
        Stage(configuration, arrays[n], limits[n], 1, row, arrays[n + 1])
        for n, configuration in enumerate(chain)
    ]


def max_stored_size(chain: Sequence[Configuration], array: ArraySpec) -> int:
    """Return the most bytes that a stored chunk may have; see `stages`.

    For objects, these are the larger of 256 MiB and 1,024 bytes for each, and more for shards.
    """
    if not array.item_size:
        most = max(_STORED_OBJECTS, 4 * BYTES_OF_OBJECT * array.count)
        return max(most, _object_limits(chain, array, most)[-1]) if _has_shards(chain) else most
    return _forward(chain, array)[1][-1] if chain else array.size


def _has_shards(chain: Sequence[Configuration]) -> bool:
    return any(codec_of(configuration).holds_chunks for configuration in chain)


def _object_limits(
    chain: Sequence[Configuration], array: ArraySpec, encoded_size: int
) -> list[int]:
    """Return the most bytes of objects, which depend on the stored bytes."""
    encoder = next(filter(is_object_codec, chain), chain[0])
    limits = [codec_of(encoder).object_budget(encoded_size, array.count)]
    for configuration in chain:
        codec = codec_of(configuration)
        size = limits[-1]
        limits.append(
            codec.max_encoded_size(size, array, configuration, size) if codec.holds_chunks else size
        )
    return limits


def _forward(chain: Sequence[Configuration], array: ArraySpec) -> tuple[list[ArraySpec], list[int]]:
    """Return the arrays between codecs, and the most bytes of the elements and after each codec."""
    size, count = array.size, array.count
    # Repeated filters must not multiply: each limit is bounded by the elements' own bytes too.
    most = max(2 * size, WIDEST * count) + 4096 * (1 + len(chain))
    arrays, limits = [array], [size]
    for configuration in chain:
        codec = codec_of(configuration)
        size = codec.max_encoded_size(size, array, configuration, most)
        if codec.holds_chunks:  # each may have a separate header
            most = max(most, 2 * size)
        size = min(size, most)
        array = codec.result(array, configuration)
        arrays.append(array)
        limits.append(size)
    return arrays, limits


def encoded_size(chain: Sequence[Configuration], array: ArraySpec) -> int | None:
    """Return the encoded size of an array, or None if it depends on the data."""
    return encoded_sizes(chain, array)[-1]


def encoded_sizes(chain: Sequence[Configuration], array: ArraySpec) -> list[int | None]:
    """Return the bytes of the elements and after each codec; None if they depend on the data."""
    sizes: list[int | None] = [array.size or None]
    for configuration in chain:
        codec, size = codec_of(configuration), sizes[-1]
        array = codec.result(array, configuration)
        if codec.takes_arrays and not codec.holds_chunks:
            sizes.append(array.size or None)
        else:
            is_fixed = size is not None and codec.keeps_size
            sizes.append(size + (codec.added_bytes or 0) if size and is_fixed else None)
    return sizes


def of_bytes(size: int) -> ArraySpec:
    """Return the specification of an array of bytes."""
    return ArraySpec((size,), 1, "u1")
