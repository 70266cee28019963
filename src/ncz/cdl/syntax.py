"""Parse CDL text to a syntax tree: the declarations, and the place of each data list.

The language is defined by the netCDF User's Guide ("CDL Guide") and ncgen. The docstring of each
function has its rule: ``[x]`` is optional, ``x*`` may be repeated, and ``x,..`` is a list with
commas.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from ncz.cdl.scanner import Scanner
from ncz.cdl.syntax_tree import (
    PRIMITIVES,
    AssignmentSyntax,
    AttributeSyntax,
    CompoundSyntax,
    DimensionSyntax,
    EnumSyntax,
    FieldSyntax,
    GroupSyntax,
    OpaqueSyntax,
    Statement,
    VariableSyntax,
    VlenSyntax,
    Word,
)
from ncz.text.source import SourceText

_T = TypeVar("_T")

_STATEMENT = "a declaration, an attribute or `}`"


def parse_syntax(source: SourceText) -> GroupSyntax:
    """Parse a whole text.

    ``netcdf NAME { statement* [types: ..] [dimensions: ..] [variables: ..] [data: ..] group* }``,
    and ``group: NAME { .. }`` alike. Attributes after a group belong to the group around it.

    Returns
    -------
    GroupSyntax
        The root group; its name is the dataset's.

    Raises
    ------
    CdlError
        The text does not follow the grammar.
    """
    scanner = Scanner(source)
    opened: list[tuple[Word, list[Statement]]] = [(scanner.header(), [])]
    section = b""
    while True:
        if keyword := scanner.section(_FOLLOWING[section]):
            section = keyword
            if section == b"group":
                opened.append((scanner.name(), []))
                scanner.expect(b"{")
                section = b""
        elif scanner.take(b"}"):
            name, statements = opened.pop()
            group = GroupSyntax(name, tuple(statements))
            if not opened:
                scanner.end()
                return group
            opened[-1][1].append(group)
            section = b"group"
        else:
            opened[-1][1].extend(_SECTIONS[section](scanner))


def _attribute(scanner: Scanner) -> list[Statement]:
    """``[type [owner]] : attribute``, where the type may be the owner."""
    if scanner.take(b":"):
        return [_value(scanner)]
    return [_typed_attribute(scanner, scanner.word(_STATEMENT))]


def _typed_attribute(scanner: Scanner, first: Word) -> AttributeSyntax:
    """``[owner] : attribute`` after a type."""
    if scanner.take(b":"):
        return _value(scanner, first)
    owner = scanner.word("a name or `:`")
    scanner.expect(b":")
    return _value(scanner, first, owner)


def _value(
    scanner: Scanner, kind: Word | None = None, owner: Word | None = None
) -> AttributeSyntax:
    """``NAME = data ;``"""
    return AttributeSyntax(kind, owner, scanner.word("a name"), scanner.data_list())


def _type(scanner: Scanner) -> list[Statement]:
    """``(opaque | compound | vlen | enumeration) [;]`` or an attribute."""
    if scanner.take(b":"):
        return [_value(scanner)]
    first = scanner.word(_STATEMENT)
    if first.text == "opaque":
        declared: Statement = _opaque(scanner)
    elif first.text in ("compound", "struct", "structure"):
        declared = _compound(scanner)
    elif scanner.take(b"("):
        declared = _vlen(scanner, first)
    elif scanner.take(b":"):
        return [_value(scanner, first)]
    else:
        second = scanner.word("a name, `(`, `:` or `enum`")
        if second.text != "enum" or first.text not in PRIMITIVES:
            scanner.expect(b":")
            return [_value(scanner, first, second)]
        declared = _enumeration(scanner, first)
    scanner.take(b";")
    return [declared]


def _opaque(scanner: Scanner) -> OpaqueSyntax:
    """``opaque ( NUMBER ) NAME``"""
    scanner.expect(b"(")
    size = scanner.number()
    scanner.expect(b")")
    return OpaqueSyntax(size, scanner.name())


def _vlen(scanner: Scanner, base: Word) -> VlenSyntax:
    """``type ( * ) NAME``"""
    scanner.expect(b"*")
    scanner.expect(b")")
    return VlenSyntax(base, scanner.name())


def _enumeration(scanner: Scanner, base: Word) -> EnumSyntax:
    """``primitive enum NAME { member,.. }``"""
    name = scanner.name()
    scanner.expect(b"{")
    members = _read_list(scanner, _member)
    scanner.expect(b"}", "`,` or `}`")
    return EnumSyntax(base, name, tuple(members))


def _member(scanner: Scanner) -> tuple[Word, Word]:
    """``NAME = NUMBER``"""
    name = scanner.name()
    scanner.expect(b"=")
    return name, scanner.number()


def _compound(scanner: Scanner) -> CompoundSyntax:
    """``compound NAME { fields fields* }``, where ``fields`` are ``type field,.. ;``"""
    name = scanner.name()
    scanner.expect(b"{")
    fields: list[FieldSyntax] = []
    while not (fields and scanner.take(b"}")):
        kind = scanner.word("a name, a type or `}`" if fields else "a name or a type")
        fields += [FieldSyntax(kind, *field) for field in _read_list(scanner, _field)]
        scanner.expect(b";", "`,` or `;`")
    return CompoundSyntax(name, tuple(fields))


def _field(scanner: Scanner) -> tuple[Word, tuple[Word, ...]]:
    """``NAME [( NUMBER,.. )]``"""
    return scanner.name(), _in_brackets(scanner, Scanner.number)


def _dimensions(scanner: Scanner) -> list[Statement]:
    """``dimension,.. ;`` or an attribute."""
    if scanner.take(b":"):
        return [_value(scanner)]
    first = scanner.word(_STATEMENT)
    if not scanner.take(b"="):
        return [_typed_attribute(scanner, first)]
    dimensions: list[Statement] = [DimensionSyntax(scanner.as_name(first), _length(scanner))]
    while scanner.take(b","):
        name = scanner.name()
        scanner.expect(b"=")
        dimensions.append(DimensionSyntax(name, _length(scanner)))
    scanner.expect(b";", "`,` or `;`")
    return dimensions


def _length(scanner: Scanner) -> Word | None:
    """``NUMBER | unlimited``"""
    expected = "a whole number, `UNLIMITED` or `unlimited`"
    if scanner.number_is_next():
        return scanner.number()
    start = scanner.at
    if scanner.word(expected).text not in ("unlimited", "UNLIMITED"):
        scanner.at = start
        raise scanner.unexpected_token_error(expected)
    return None


def _variables(scanner: Scanner) -> list[Statement]:
    """``type variable,.. ;`` or an attribute."""
    if scanner.take(b":"):
        return [_value(scanner)]
    kind = scanner.word(_STATEMENT)
    if scanner.take(b":"):
        return [_value(scanner, kind)]
    first = scanner.word("a name or `:`")
    if scanner.take(b":"):
        return [_value(scanner, kind, first)]
    variables: list[Statement] = [
        VariableSyntax(kind, scanner.as_name(first), _in_brackets(scanner, _reference))
    ]
    while scanner.take(b","):
        name = scanner.name()
        variables.append(VariableSyntax(kind, name, _in_brackets(scanner, _reference)))
    scanner.expect(b";", "`(`, `,`, `:` or `;`")
    return variables


def _reference(scanner: Scanner) -> Word:
    """``NAME | PATH``"""
    return scanner.word("a name")


def _data(scanner: Scanner) -> list[Statement]:
    """``reference = data ;``"""
    return [AssignmentSyntax(scanner.word("a name, `group:` or `}`"), scanner.data_list())]


def _read_list(scanner: Scanner, read: Callable[[Scanner], _T]) -> list[_T]:
    """``x,..``"""
    items = [read(scanner)]
    while scanner.take(b","):
        items.append(read(scanner))
    return items


def _in_brackets(scanner: Scanner, read: Callable[[Scanner], _T]) -> tuple[_T, ...]:
    """``[( x,.. )]``"""
    if not scanner.take(b"("):
        return ()
    items = _read_list(scanner, read)
    scanner.expect(b")", "`)` or `,`")
    return tuple(items)


_SECTIONS: dict[bytes, Callable[[Scanner], list[Statement]]] = {
    b"": _attribute,
    b"types": _type,
    b"dimensions": _dimensions,
    b"variables": _variables,
    b"data": _data,
    b"group": _attribute,
}
"""The function that reads a statement of each section, by its keyword, in order."""

_ORDER = tuple(_SECTIONS)
_FOLLOWING = {
    section: frozenset((*_ORDER[number + 1 :], b"group")) for number, section in enumerate(_ORDER)
}
"""The keywords that may come after the statements of a section."""
