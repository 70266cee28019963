"""The places of the bytes of an object: ranges of files."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ncz.record import record

if TYPE_CHECKING:
    import numpy.typing as npt

    Values = npt.NDArray[Any]


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
        The number of bytes; None for all bytes of the file; `offset` is then 0.
    """

    url: str
    offset: int = 0
    length: int | None = None


@record
class ByteRanges:
    """The places of many objects in one file, as columns.

    Attributes
    ----------
    url
        The path or URL of the file.
    indices
        The numbers in the key of each object, of shape (objects, rank).
    offsets, lengths
        The first byte and the number of bytes of each object, of shape (objects,).
    keys
        Returns the keys of objects from rows of `indices`.
    """

    url: str
    indices: Values
    offsets: Values
    lengths: Values
    keys: Callable[[Values], list[str]]
