"""Turn zlib into gzip and back without compressing again.

Both contain the same deflate stream, between a header and a checksum of the decoded bytes. The
stream is decoded for the checksum, which costs a fraction of compressing. Sources: RFC 1950 and RFC
1952.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence

from ncz.codec import ArraySpec, Configuration
from ncz.codec.bounds import stages
from ncz.codec.catalogue import codec_of, with_defaults
from ncz.codec.deflate_streams import GZIP, ZLIB, header, trailer

_PLAIN_GZIP = b"\x1f\x8b\x08\x00"
"""The first bytes of a gzip header of ten bytes: compressed by deflate, without a name."""

_NO_HEADER = -15
"""The window of a deflate stream without header and checksum."""


def can_rewrap(
    ours: Sequence[Configuration], theirs: Sequence[Configuration], item_size: int
) -> bool:
    """Return whether two chains differ only in how the last codec wraps a deflate stream.

    `item_size` is the size of an element in bytes; it is 0 for objects, which are compressed again.
    """
    if not ours or not item_size or len(ours) != len(theirs):
        return False
    windows = {codec_of(chain[-1]).deflate_window for chain in (ours, theirs)}
    return (
        len(windows) == 2
        and None not in windows
        and [with_defaults(c, item_size) for c in ours[:-1]]
        == [with_defaults(c, item_size) for c in theirs[:-1]]
        and with_defaults(ours[-1], 0).get("level") == with_defaults(theirs[-1], 0).get("level")
    )


def rewrap(
    ours: Sequence[Configuration], data: bytes, *, count: int, item_size: int
) -> bytes | None:
    """Return a chunk that is encoded by `ours` in the other wrapper.

    The result equals the other codec's for the elements at the same level.

    Parameters
    ----------
    ours
        The chain of the source; `can_rewrap` is true for it.
    data
        The chunk as stored.
    count, item_size
        The number of elements, and the size of each in bytes, which limit the decoded size.

    Returns
    -------
    bytes or None
        None if it is not one plain stream of a size that fits, because it is damaged, or a gzip
        file with several members or an extended header. Decoding it gives the reason.
    """
    is_gzip = codec_of(ours[-1]).deflate_window == GZIP
    if not (data.startswith(_PLAIN_GZIP) if is_gzip else _is_zlib(data)):
        return None
    start = 10 if is_gzip else 2
    limit = stages(ours, ArraySpec((count,), item_size), len(data))[-1].limit
    stream = zlib.decompressobj(_NO_HEADER)
    try:
        decoded = stream.decompress(data[start:], limit + 1)
    except zlib.error:
        return None
    rest = stream.unused_data
    has_size = len(decoded) == limit if _keeps_size(ours[:-1]) else len(decoded) <= limit
    if not stream.eof or not has_size or rest != trailer(decoded, GZIP if is_gzip else ZLIB):
        return None
    deflated = data[start : len(data) - len(rest)]
    level, window = with_defaults(ours[-1], 0)["level"], ZLIB if is_gzip else GZIP
    return header(level, window) + deflated + trailer(decoded, window)


def _keeps_size(chain: Sequence[Configuration]) -> bool:
    """Return whether the size of each codec's output follows from the size of its input."""
    return all(codec.keeps_size for codec in map(codec_of, chain))


def _is_zlib(data: bytes) -> bool:
    """Return whether a zlib header without a preset dictionary comes first."""
    return (
        len(data) > 2
        and data[0] & 15 == 8
        and not data[1] & 32
        and int.from_bytes(data[:2], "big") % 31 == 0
    )
