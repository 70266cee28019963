"""Where the bytes of an object are, so that they can be read without the store that holds them."""

from __future__ import annotations

from ncz.record import record


@record
class ByteRange:
    """A part of a file, or of an object on a server.

    Attributes
    ----------
    url
        The path or URL of the file.
    offset
        The first byte.
    length
        The number of bytes; None for all bytes of the file, in which case `offset` is 0.
    """

    url: str
    offset: int = 0
    length: int | None = None
