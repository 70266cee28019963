"""The syntax tree of CDL: one record for each kind of declaration.

Names are kept as written (see `ncz.text.names`), and every node knows its byte offset, which
`SourceText` converts to a line and a column. The tree contains neither the targets of names nor the
values of data lists.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from ncz.model.types import Atomic
from ncz.record import record
from ncz.text.names import unescape_name

_PATH_PART = re.compile(r"(?:[^/\\]|\\.)+|^(?=/)", re.DOTALL)


@record
class Word:
    """A name, a path or a number as written."""

    text: str
    at: int

    @property
    def name(self) -> str:
        """The name without its escapes."""
        return unescape_name(self.text)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names in a path, without escapes; the first is "" if the path is absolute."""
        return tuple(unescape_name(part) for part in _PATH_PART.findall(self.text))


@record
class DataList:
    """A data list: the bytes from `start` up to the semicolon at `stop`."""

    start: int
    stop: int


@record
class AttributeSyntax:
    """``type owner:name = data``; when `owner` is None, `type` may be the owner."""

    type: Word | None
    owner: Word | None
    name: Word
    data: DataList


@record
class EnumSyntax:
    """``base enum name {label = number, ...}``"""

    base: Word
    name: Word
    members: tuple[tuple[Word, Word], ...]


@record
class OpaqueSyntax:
    """``opaque(size) name``"""

    size: Word
    name: Word


@record
class VlenSyntax:
    """``base(*) name``"""

    base: Word
    name: Word


@record
class FieldSyntax:
    """``type name(size, ...)`` inside a compound."""

    type: Word
    name: Word
    shape: tuple[Word, ...]


@record
class CompoundSyntax:
    """``compound name {fields}``"""

    name: Word
    fields: tuple[FieldSyntax, ...]


TypeSyntax = EnumSyntax | OpaqueSyntax | VlenSyntax | CompoundSyntax


@record
class DimensionSyntax:
    """``name = size``; `size` is None for ``unlimited``."""

    name: Word
    size: Word | None


@record
class VariableSyntax:
    """``type name(dimension, ...)``"""

    type: Word
    name: Word
    dimensions: tuple[Word, ...]


@record
class AssignmentSyntax:
    """``variable = data`` in a data section."""

    variable: Word
    data: DataList


@record
class GroupSyntax:
    """A group (the root group, too): its statements in the order of the text."""

    name: Word
    statements: tuple[Statement, ...]


Statement = (
    AttributeSyntax
    | EnumSyntax
    | OpaqueSyntax
    | VlenSyntax
    | CompoundSyntax
    | DimensionSyntax
    | VariableSyntax
    | AssignmentSyntax
    | GroupSyntax
)

PRIMITIVES: Mapping[str, Atomic] = {
    **{atomic.word: atomic for atomic in Atomic},
    "real": Atomic.FLOAT,
    "long": Atomic.INT,  # 32 bits, as in classic netCDF
    "integer": Atomic.INT,
    "ulong": Atomic.UINT,
    "uinteger": Atomic.UINT,
}
"""The atomic type of each keyword in the grammar's rule `primitive`."""
