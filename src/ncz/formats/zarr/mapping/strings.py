"""The bytes of a string variable, because Zarr V2 stores strings with a fixed length.

Source: the NCZarr document, Appendix D. netcdf-c truncates longer strings silently, at any byte.
ncz refuses them, or truncates them on request, between two characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from ncz.errors import LossError
from ncz.formats.zarr.mapping.attributes import DEFAULT_STRING_LENGTH
from ncz.model.data import ChunkSource, rechunk
from ncz.model.grid import Grid, Index
from ncz.model.tree import Attribute, base_name
from ncz.model.types import NcType, Value
from ncz.record import record

if TYPE_CHECKING:
    from ncz.model.data import Values

MAXIMUM, DEFAULT_MAXIMUM = "_nczarr_maxstrlen", "_nczarr_default_maxstrlen"
"""Attributes that declare the bytes of a string: of a variable, and at the root of all of them."""

LONGEST = 2**31 - 1
"""Most bytes of a string that a dtype can declare."""


def declared_length(attributes: Iterable[Attribute], name: str) -> int | None:
    """Return the length that the attribute `name` declares, or None."""
    attribute = next((a for a in attributes if a.name == name), None)
    if attribute is None or len(attribute.values) != 1:
        return None
    length = attribute.values[0]
    return length if isinstance(length, int) and 0 < length <= LONGEST else None


def string_length(fqn: str, source: ChunkSource | None, fill: Value, declared: int | None) -> int:
    """Return the bytes of one element.

    Parameters
    ----------
    fqn
        The variable, for messages.
    source, fill
        The values of the variable.
    declared
        The declared length. If None, it is 128, or that of the longest string.

    Raises
    ------
    LossError
        If a string is longer than declared, or has a NUL, at which a stored string ends.
    """
    longest = max(_bytes_of(fill, fqn), longest_string(fqn, source))
    if declared is None:
        return max(longest, DEFAULT_STRING_LENGTH)
    if longest > declared:
        raise LossError(
            f"{fqn} has a string of {longest} bytes, but {declared} are declared",
            hint=f"set {base_name(fqn)}:{MAXIMUM} = {longest}, omit the declaration, or use"
            " --truncate-strings",
        )
    return declared


def longest_string(fqn: str, source: ChunkSource | None) -> int:
    """Return the bytes of the longest string, 0 if there is none; see `string_length`."""
    longest = 0
    if source is not None:
        for index in source.grid.indices():
            values = source.chunk(index)
            if values is not None:
                longest = max(longest, max((_bytes_of(s, fqn) for s in values.flat), default=0))
    return longest


@record
class TruncatedStrings:
    """A `ChunkSource` of strings in which each has at most `length` bytes."""

    source: ChunkSource
    length: int

    @property
    def grid(self) -> Grid:
        """The shape of the array and its chunks."""
        return self.source.grid

    @property
    def type(self) -> NcType:
        """The type of the values, string."""
        return self.source.type

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return self.source.fill

    def chunk(self, index: Index) -> Values | None:
        """Return the truncated strings of a chunk; None if it is missing."""
        import numpy as np

        values = self.source.chunk(index)
        if values is None:
            return None
        cut = [truncate(text, self.length) for text in values.flat]
        return np.fromiter(cut, "O", len(cut)).reshape(values.shape)

    def rechunked(self, chunks: tuple[int, ...]) -> TruncatedStrings:
        """Return the same strings in chunks of that shape, if the source can serve them."""
        return TruncatedStrings(rechunk(self.source, chunks), self.length)


def truncate(text: str | None, length: int) -> str | None:
    """Return the first characters of `text`, as many as `length` bytes of UTF-8 can hold."""
    if text is None or len(text) * 4 <= length:
        return text
    encoded = text.encode("utf-8", "surrogateescape")
    if len(encoded) <= length:
        return text
    while length > 0 and encoded[length] & 0xC0 == 0x80:  # within a character
        length -= 1
    return encoded[:length].decode("utf-8", "surrogateescape")


def _bytes_of(text: Value, fqn: str) -> int:
    if not isinstance(text, str):
        return 0
    if "\0" in text:
        raise LossError(
            f"{fqn} has a string with a NUL byte, at which a stored string ends",
            hint="replace the NUL, or make the variable char",
        )
    return len(text.encode("utf-8", "surrogateescape"))
