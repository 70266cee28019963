"""The most bytes that each step of decoding may give.

An array's document says how many elements a chunk has, and so how many bytes each codec was given
when the chunk was written. A step that gives more is stopped: the chunk is damaged, or made to fill
the memory of who reads it.

Objects have no size. Their chunk may decode to `object_budget` bytes.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.codec.catalogue.lookup import Configuration, codec_id, codec_of

_LEAST_OBJECTS = 16 << 20
_LEAST_DOCUMENTS = 1 << 20  # JSON and MessagePack grow when they are parsed
_STORED_OBJECTS = 256 << 20
_BYTES_OF_OBJECT = 256
_WIDEST = 16  # bytes of an element after any filter: complex128


def object_budget(stored: int, count: int, codec: str | None = None) -> int:
    """Return the most bytes that a chunk of objects may decode to.

    Parameters
    ----------
    stored
        The size of the stored chunk in bytes.
    count
        The number of its objects.
    codec
        The id of the codec of the objects.

    Returns
    -------
    int
        The largest of 16 MiB, 16 times the stored size, and 256 bytes for each object. For JSON and
        MessagePack the first two are 1 MiB and 4 times.
    """
    if codec in ("json2", "msgpack2"):
        return max(_LEAST_DOCUMENTS, 4 * stored, _BYTES_OF_OBJECT * count)
    return max(_LEAST_OBJECTS, 16 * stored, _BYTES_OF_OBJECT * count)


def stage_limits(
    chain: Sequence[Configuration], count: int, item_size: int, stored: int
) -> list[int]:
    """Return, for each codec of a chain, the most bytes that undoing it may give.

    Parameters
    ----------
    chain
        The codecs in the order in which they are applied on writing.
    count, item_size
        The number of elements, and the size of each in bytes, or 0 for objects.
    stored
        The size of the stored chunk in bytes.
    """
    if not item_size:
        first = codec_id(chain[0]) if chain else None
        return [object_budget(stored, count, first)] * len(chain)
    return _all_limits(chain, count, item_size)[:-1]


def most_stored(chain: Sequence[Configuration], count: int, item_size: int) -> int:
    """Return the most bytes that a stored chunk may have; see `stage_limits`.

    For objects, these are the larger of 256 MiB and 1,024 bytes for each.
    """
    if not item_size:
        return max(_STORED_OBJECTS, 4 * _BYTES_OF_OBJECT * count)
    if not chain:
        return count * item_size
    return _all_limits(chain, count, item_size)[-1]


def _all_limits(chain: Sequence[Configuration], count: int, item_size: int) -> list[int]:
    """Return the most bytes of the elements, and of what each codec encodes them to."""
    size = count * item_size
    # Repeated filters must not multiply: each limit is bounded by the elements' own bytes too.
    most = max(2 * size, _WIDEST * count) + 4096 * (1 + len(chain))
    limits = [size]
    for configuration in chain:
        limits.append(min(_most_encoded(configuration, limits[-1], count, most), most))
    return limits


def _most_encoded(configuration: Configuration, size: int, count: int, most: int) -> int:
    """Return the most bytes to which a codec encodes `size` bytes."""
    codec = codec_of(configuration)
    if codec is None:  # a plug-in of numcodecs
        return most
    if codec.keeps_size:
        return size + (codec.added_bytes or 0)
    if codec.id == "packbits":
        return size // 8 + 2
    if codec.kind == "array filter":
        return max(size, _WIDEST * count)
    if codec.id == "base64":
        return -(-size // 3) * 4
    return size + size // 16 + 4096  # a compressor, of data that cannot be compressed
