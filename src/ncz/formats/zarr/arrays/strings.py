"""The bytes of a string variable, because Zarr V2 stores strings with a fixed length.

Source: the NCZarr document, Appendix D. netcdf-c truncates longer strings silently, at any byte.
ncz refuses them, or truncates them on request, between two characters.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from ncz.codec.catalogue import codec_of
from ncz.errors import LossError, option, quantity
from ncz.formats.zarr.documents.notes import DEFAULT_STRING_LENGTH
from ncz.late import numpy as np
from ncz.model.data import ChunkSource, Values
from ncz.model.grid import Box
from ncz.model.mapped_source import MappedSource
from ncz.model.sparse_source import chunks_of
from ncz.model.tree import Attribute, Variable, base_name
from ncz.model.types import Value
from ncz.record import record


def are_bytes(variable: Variable) -> bool:
    """Return whether a codec stores strings as bytes, whose fill value is base64."""
    filters = variable.storage.filters or ()
    return any(codec_of(codec.to_json()).objects == "bytes" for codec in filters)


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


@record
class Texts:
    """The kind of strings of a variable: the bytes of the longest, and whether some are special."""

    longest: int = 0
    has_nul: bool = False
    is_utf8: bool = True
    has_empty: bool = False
    has_nil: bool = False


def find_texts(source: ChunkSource | None) -> Texts:
    """Return the kind of strings of a variable."""
    longest, has_nul, is_utf8, has_empty, has_nil = 0, False, True, False, False
    for values in () if source is None else chunks_of(source):
        longest = max(longest, max(map(_bytes_of, values.flat), default=0))
        has_nul = has_nul or any(text is not None and "\0" in text for text in values.flat)
        is_utf8 = is_utf8 and all(map(is_utf8_text, values.flat))
        has_empty = has_empty or any(text == "" for text in values.flat)
        has_nil = has_nil or any(text is None for text in values.flat)
    return Texts(longest, has_nul, is_utf8, has_empty, has_nil)


def is_utf8_text(value: Value) -> bool:
    """Return False for text with bytes that are not UTF-8."""
    if not isinstance(value, str) or value.isascii():
        return True
    try:
        value.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def string_length(fqn: str, texts: Texts, fill: Value, declared: int | None) -> int:
    """Return the bytes of one element.

    Parameters
    ----------
    fqn
        The variable, for messages.
    texts, fill
        The values of the variable.
    declared
        The declared length. If None, it is 128, or the length of the longest string.

    Raises
    ------
    LossError
        If a string is longer than declared, or has a NUL, which ends a stored string.
    """
    if texts.has_nul or (isinstance(fill, str) and "\0" in fill):
        raise LossError(
            f"{fqn} has a string with a NUL byte, which ends a stored string",
            hint="replace the NUL, or make the variable char",
        )
    longest = max(_bytes_of(fill), texts.longest)
    if declared is None:
        return max(longest, DEFAULT_STRING_LENGTH)
    if longest > declared:
        raise LossError(
            f"{fqn} has a string of {quantity(longest, 'byte')}, but {declared} are declared",
            hint=f"set {base_name(fqn)}:{MAXIMUM} = {longest}, omit the declaration, or use"
            f" {option('truncate_strings', True)}",
        )
    return declared


def truncate_source(source: ChunkSource, length: int) -> ChunkSource:
    """Return a source of the same strings, in `length` bytes each at most."""
    return MappedSource(source, partial(_truncate_values, length=length))


def _truncate_values(values: Values, _: Box, *, length: int) -> Values:
    cut = [truncate(text, length) for text in values.flat]
    return np.fromiter(cut, "O", len(cut)).reshape(values.shape)


def truncate(text: str | None, length: int) -> str | None:
    """Return the first characters of `text`, as many as `length` bytes of UTF-8 can contain."""
    if text is None or len(text) * 4 <= length:
        return text
    encoded = text.encode("utf-8", "surrogateescape")
    if len(encoded) <= length:
        return text
    while length > 0 and encoded[length] & 0xC0 == 0x80:  # within a character
        length -= 1
    return encoded[:length].decode("utf-8", "surrogateescape")


def _bytes_of(text: Value) -> int:
    if not isinstance(text, str):
        return 0
    return len(text.encode("utf-8", "surrogateescape"))
