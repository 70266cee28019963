"""Type declarations and the whole numbers in declarations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ncz.cdl.constants import Kind, parse_constant
from ncz.cdl.conversion import convert_constant
from ncz.cdl.syntax_tree import (
    PRIMITIVES,
    CompoundSyntax,
    EnumSyntax,
    OpaqueSyntax,
    TypeSyntax,
    VlenSyntax,
    Word,
)
from ncz.errors import shorten
from ncz.model.tree import join
from ncz.model.types import Atomic, Compound, Enumeration, Field, Opaque, UserType, Vlen
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from ncz.cdl.resolution.scopes import OpenGroup
    from ncz.cdl.resolution.symbols import SymbolTable


def declare_type(names: SymbolTable, scope: OpenGroup, syntax: TypeSyntax) -> None:
    """Add a type to a scope. Raise CdlError if the declaration is wrong."""
    source = names.source
    name = names.check_new(syntax.name, scope.types, "type")
    fqn = join(scope.fqn, name)
    user_type: UserType
    match syntax:
        case EnumSyntax():
            user_type = _make_enumeration(names, fqn, syntax)
        case OpaqueSyntax():
            user_type = Opaque(name=fqn, size=parse_integer(source, syntax.size, 1, "a size"))
        case VlenSyntax():
            user_type = Vlen(name=fqn, base=names.type(scope, syntax.base))
        case CompoundSyntax():
            user_type = _make_compound(names, scope, fqn, syntax)
    if fault := names.limits.fault(user_type):
        raise source.error(syntax.name.at, fault)
    scope.types[name] = user_type


def parse_integer(source: SourceText, word: Word, least: int, what: str) -> int:
    """Parse a whole number of at least `least`; `what` names it in errors."""
    constant = parse_constant(source, word.text.encode(), word.at)
    if constant.kind is not Kind.INTEGER:
        raise source.error(word.at, f"{what} must be a whole number", "write it in digits")
    value = int(constant.value)
    if not least <= value <= Atomic.INT64.limits[1]:
        raise source.error(word.at, f"{what} cannot be {shorten(word.text)}")
    return value


def _make_enumeration(names: SymbolTable, fqn: str, syntax: EnumSyntax) -> Enumeration:
    base = PRIMITIVES[syntax.base.text]
    if not base.is_integer:
        raise names.source.error(
            syntax.base.at,
            f"the base type of an enum cannot be {base.word}",
            "use an integer type",
        )
    members: dict[str, int] = {}
    for label, number in syntax.members:
        name = names.check_new(label, members, "member")
        constant = parse_constant(names.source, number.text.encode(), number.at)
        members[name] = convert_constant(names.source, constant, base)
    return Enumeration(name=fqn, base=base, members=tuple(members.items()))


def _make_compound(
    names: SymbolTable, scope: OpenGroup, fqn: str, syntax: CompoundSyntax
) -> Compound:
    fields: dict[str, Field] = {}
    for part in syntax.fields:
        name = names.check_new(part.name, fields, "field")
        shape = tuple(parse_integer(names.source, word, 1, "a size") for word in part.shape)
        nc_type = names.type(scope, part.type)
        fields[name] = Field(name=name, type=nc_type, shape=shape)
    return Compound(name=fqn, fields=tuple(fields.values()))
