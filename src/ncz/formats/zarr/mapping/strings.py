"""The bytes of a string variable, because Zarr V2 stores strings with a fixed length.

Source: the NCZarr document, Appendix D. netcdf-c truncates longer strings; ncz never does.
"""

from __future__ import annotations

from collections.abc import Iterable

from ncz.errors import LossError
from ncz.formats.zarr.mapping.attributes import DEFAULT_STRING_LENGTH
from ncz.model.data import ChunkSource
from ncz.model.tree import Attribute, base_name
from ncz.model.types import Value

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
    longest = _bytes_of(fill, fqn)
    if source is not None:
        for index in source.grid.indices():
            values = source.chunk(index)
            if values is not None:
                longest = max(longest, max((_bytes_of(s, fqn) for s in values.flat), default=0))
    if declared is None:
        return max(longest, DEFAULT_STRING_LENGTH)
    if longest > declared:
        raise LossError(
            f"{fqn} has a string of {longest} bytes, but {declared} are declared",
            hint=f"set {base_name(fqn)}:{MAXIMUM} = {longest}, or omit the declaration",
        )
    return declared


def _bytes_of(text: Value, fqn: str) -> int:
    if not isinstance(text, str):
        return 0
    if "\0" in text:
        raise LossError(
            f"{fqn} has a string with a NUL byte, at which a stored string ends",
            hint="replace the NUL, or make the variable char",
        )
    return len(text.encode("utf-8", "surrogateescape"))
