"""How many bytes a string variable needs, for Zarr V2 stores strings with a fixed length.

Source: the NCZarr document, Appendix D. netcdf-c cuts what is longer; ncz never does.
"""

from __future__ import annotations

from collections.abc import Iterable

from ncz.errors import LossError
from ncz.formats.zarr.mapping.attributes import DEFAULT_STRING_LENGTH
from ncz.model.data import ChunkSource
from ncz.model.tree import Attribute, base_name
from ncz.model.types import Value

MAXIMUM, DEFAULT_MAXIMUM = "_nczarr_maxstrlen", "_nczarr_default_maxstrlen"
"""Attributes that declare the bytes of a string: of one variable, and at the root of all."""

LONGEST = 2**31 - 1
"""Bytes of the longest string that a dtype can declare."""


def declared_length(attributes: Iterable[Attribute], name: str) -> int | None:
    """The length that the attribute `name` declares; None if there is none."""
    attribute = next((a for a in attributes if a.name == name), None)
    if attribute is None or len(attribute.values) != 1:
        return None
    length = attribute.values[0]
    return length if isinstance(length, int) and 0 < length <= LONGEST else None


def string_length(fqn: str, source: ChunkSource | None, fill: Value, declared: int | None) -> int:
    """The bytes of one element: what is declared, or else 128, or more if the data needs it.

    Raises `LossError` for a string longer than declared, or with a NUL, which ends a string.
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
            f"{fqn} has a string of {longest} bytes, and {declared} are declared",
            hint=f"set {base_name(fqn)}:{MAXIMUM} = {longest}, or leave the declaration out",
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
