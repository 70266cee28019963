"""The most bytes that a chunk has after each codec of a chain."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.codec import BYTES_OF_OBJECT, WIDEST, Configuration
from ncz.codec.catalogue import codec_of

_STORED_OBJECTS = 256 << 20


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


def encoded_size(chain: Sequence[Configuration], size: int) -> int | None:
    """Return the encoded size of `size` bytes, or None if it depends on the data."""
    return encoded_sizes(chain, size or None)[-1]


def encoded_sizes(chain: Sequence[Configuration], size: int | None) -> list[int | None]:
    """Return the bytes of the elements and after each codec; None for what depends on the data."""
    sizes = [size]
    for codec in map(codec_of, chain):
        size = size + (codec.added_bytes or 0) if size is not None and codec.keeps_size else None
        sizes.append(size)
    return sizes
