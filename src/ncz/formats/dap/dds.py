"""The DDS: the variables of a dataset of DAP2, as a tree of declarations."""

from __future__ import annotations

from typing import Literal

from ncz.formats.dap.scanner import DEEPEST, Tokens, decoded_name
from ncz.record import record

Kind = Literal["base", "grid", "structure", "sequence"]

_CONSTRUCTORS: dict[bytes, Kind] = {
    b"grid": "grid", b"structure": "structure", b"sequence": "sequence",
}  # fmt: skip

_LONGEST = 1 << 62
_MOST_AXES = 1024


@record
class DeclaredAxis:
    """A dimension of a declaration; the name is None if it is anonymous."""

    name: str | None
    size: int


@record
class Declaration:
    """A declaration.

    Attributes
    ----------
    kind
        The kind of the declaration.
    type
        The type of a base, in lower case, such as "float32"; "" for others.
    name
        The name.
    written
        The name as the server writes it, for constraints.
    axes
        The dimensions.
    parts
        The members of a structure or a sequence; of a grid, the array and then its maps.
    """

    kind: Kind
    type: str
    name: str
    written: str
    axes: tuple[DeclaredAxis, ...] = ()
    parts: tuple[Declaration, ...] = ()


def read_dds(text: bytes, location: str) -> tuple[Declaration, ...]:
    """Return the declarations of a dataset. Raises `FormatError` if the text is not a DDS."""
    scanner = Tokens(text, "DDS", location)
    if scanner.word().lower() != b"dataset":
        raise scanner.error("it does not begin with Dataset")
    found = _parts(scanner, 0)
    if not scanner.is_next(b";"):
        scanner.word()  # the name of the dataset
    return found


def _parts(scanner: Tokens, depth: int) -> tuple[Declaration, ...]:
    if depth > DEEPEST:
        raise scanner.error("it is nested too deeply")
    scanner.need(b"{")
    found = []
    while not scanner.skip(b"}"):
        found.append(_declaration(scanner, depth))
    return tuple(found)


def _declaration(scanner: Tokens, depth: int) -> Declaration:
    word = scanner.word().lower()
    is_label = bool(depth) and word.rstrip(b":") in (b"array", b"maps")  # of a part of a grid
    if is_label and (word.endswith(b":") or scanner.word() == b":"):
        word = scanner.word().lower()
    kind = _CONSTRUCTORS.get(word, "base")
    parts = () if kind == "base" else _parts(scanner, depth + 1)
    written = scanner.word()
    while not (scanner.is_next(b"[") or scanner.is_next(b";")):
        written += b" " + scanner.word()  # a name with blanks that the server does not encode
    axes = []
    while scanner.skip(b"["):
        axes.append(_axis(scanner))
    scanner.need(b";")
    if len(axes) > _MOST_AXES:
        raise scanner.error(f"a variable has {len(axes)} dimensions")
    return Declaration(
        kind=kind,
        type=word.decode("latin-1") if kind == "base" else "",
        name=decoded_name(written),
        written=written.decode("utf-8", "surrogateescape"),
        axes=tuple(axes),
        parts=parts,
    )


def _axis(scanner: Tokens) -> DeclaredAxis:
    first = scanner.word()
    name = None
    if scanner.skip(b"="):
        name, first = decoded_name(first), scanner.word()
    if not first.isdigit() or len(first) > 19 or int(first) > _LONGEST:
        raise scanner.error(f"{first[:20].decode('latin-1')!r} is not the length of a dimension")
    scanner.need(b"]")
    return DeclaredAxis(name, int(first))
