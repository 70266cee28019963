"""The bytes of a string variable, because Zarr V2 stores strings with a fixed length.

Source: the NCZarr document, Appendix D. netcdf-c truncates longer strings silently, at any byte.
ncz refuses them, or truncates them on request, between two characters.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING

from ncz.errors import LossError, Notice, Notify, ignore_notice
from ncz.formats.zarr.mapping.attributes import DEFAULT_STRING_LENGTH
from ncz.model.data import ChunkSource
from ncz.model.grid import Box
from ncz.model.sources.mapped import MappedSource
from ncz.model.sources.sparse import chunks_of
from ncz.model.tree import Attribute, base_name
from ncz.model.types import Value

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


def string_length(
    fqn: str, source: ChunkSource | None, fill: Value, declared: int | None, notify: Notify
) -> int:
    """Return the bytes of one element.

    Parameters
    ----------
    fqn
        The variable, for messages.
    source, fill
        The values of the variable.
    declared
        The declared length. If None, it is 128, or that of the longest string.
    notify
        Receives a notice if the variable has both empty strings and NIL.

    Raises
    ------
    LossError
        If a string is longer than declared, or has a NUL, at which a stored string ends.
    """
    longest = max(_bytes_of(fill, fqn), longest_string(fqn, source, notify))
    if declared is None:
        return max(longest, DEFAULT_STRING_LENGTH)
    if longest > declared:
        raise LossError(
            f"{fqn} has a string of {longest} bytes, but {declared} are declared",
            hint=f"set {base_name(fqn)}:{MAXIMUM} = {longest}, omit the declaration, or use"
            " --truncate-strings",
        )
    return declared


def longest_string(fqn: str, source: ChunkSource | None, notify: Notify = ignore_notice) -> int:
    """Return the bytes of the longest string, 0 if there is none; see `string_length`."""
    longest = 0
    for values in _with_notice(fqn, source, notify):
        longest = max(longest, max((_bytes_of(s, fqn) for s in values.flat), default=0))
    return longest


def check_nil(fqn: str, source: ChunkSource | None, notify: Notify) -> None:
    """Notify if a variable has both empty strings and NIL, which Zarr does not tell apart."""
    for _ in _with_notice(fqn, source, notify):
        pass


def _with_notice(fqn: str, source: ChunkSource | None, notify: Notify) -> Iterator[Values]:
    """Yield the stored strings of a variable, and notify as `check_nil` does."""
    has_nil = has_empty = False
    for values in () if source is None else chunks_of(source):
        yield values
        has_nil = has_nil or any(text is None for text in values.flat)
        has_empty = has_empty or any(text == "" for text in values.flat)
    if has_nil and has_empty:
        message = "empty strings and NIL are both stored as empty strings, and read as NIL"
        notify(Notice("string-nil", message, fqn))


def truncated(source: ChunkSource, length: int) -> ChunkSource:
    """Return a source of the same strings, each of which has at most `length` bytes."""
    return MappedSource(source, partial(_truncated, length=length))


def _truncated(values: Values, _: Box, *, length: int) -> Values:
    import numpy as np

    cut = [truncate(text, length) for text in values.flat]
    return np.fromiter(cut, "O", len(cut)).reshape(values.shape)


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
