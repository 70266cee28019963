"""Declarations of a group as lines of CDL: types, dimensions, variables, attributes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.cdl.print.special import dataset_specials, variable_specials
from ncz.model.tree import Attribute, Dimension, Group, Provenance, Variable, base_name, join
from ncz.model.types import Atomic, Compound, Enumeration, NcType, Opaque, UserType, Vlen
from ncz.record import field, record
from ncz.text.format_values import Precision, attribute_values
from ncz.text.names import escape_name

if TYPE_CHECKING:
    from ncz.text.times import Times

NO_TIMES: Mapping[str, Times] = {}

SECTION_WORDS = frozenset({"variables", "dimensions", "data", "group", "types"})
"""Names after which a colon would end a section's word; a space stands between."""


@record
class HeaderStyle:
    """What of the options bears on the header."""

    precision: Precision = Precision()
    special: bool = False
    fold_filters: bool = False
    properties: bool = True
    typed_fill: bool = False
    line_length: int = 80


@record
class Scope:
    """The names of types and dimensions that a group sees without a path: FQN by name."""

    types: Mapping[str, str] = field(default_factory=dict)
    dimensions: Mapping[str, str] = field(default_factory=dict)

    def within(self, group: Group, fqn: str) -> Scope:
        """The scope of `group`, whose names hide those outside."""
        return Scope(
            {**self.types, **{base_name(t.name): t.name for t in group.types}},
            {**self.dimensions, **{d.name: join(fqn, d.name) for d in group.dimensions}},
        )

    def references(self) -> References:
        """The inverse: how each thing in scope is written."""
        return References(
            {fqn: escape_name(name) for name, fqn in self.types.items()},
            {fqn: escape_name(name) for name, fqn in self.dimensions.items()},
        )


@record
class References:
    """CDL text by FQN, for what can be written without its path."""

    types: Mapping[str, str]
    dimensions: Mapping[str, str]

    def type(self, nc_type: NcType) -> str:
        """A type's word or name; its path where another type hides it."""
        if isinstance(nc_type, Atomic):
            return nc_type.word
        return self.types.get(nc_type.name) or escape_name(nc_type.name)

    def dimension(self, fqn: str) -> str:
        """A dimension's name; its path where another hides it or it is no ancestor's."""
        return self.dimensions.get(fqn) or escape_name(fqn)


def declare_group(
    group: Group,
    references: References,
    style: HeaderStyle,
    provenance: Provenance | None,
    times: Mapping[str, Times] = NO_TIMES,
) -> Iterator[str]:
    """The lines of a group's header, without its indentation. `provenance` only for the root.

    `times` are those of its variables, by name, whose numeric attributes then get dates.
    """
    if group.types:
        yield "types:"
        for user_type in group.types:
            yield from declare_type(user_type, references)
    if group.dimensions:
        yield "dimensions:"
        yield from map(declare_dimension, group.dimensions)
    if group.variables:
        yield "variables:"
        for variable in group.variables:
            yield from declare_variable(variable, references, style, times.get(variable.name))
    if group.attributes or style.special:
        yield ""
        yield f"// {'group' if provenance is None else 'global'} attributes:"
        for attribute in group.attributes:
            yield attribute_line("", attribute, references, style.precision)
        if provenance is not None and style.special:
            for name, text in dataset_specials(provenance, properties=style.properties):
                yield f"\t\t:{name} = {text} ;"


def declare_type(user_type: UserType, references: References) -> Iterator[str]:
    """The lines that define a type."""
    name = escape_name(base_name(user_type.name))
    match user_type:
        case Opaque(size=size):
            yield f"  opaque({size}) {name} ;"
        case Vlen(base=base):
            yield f"  {references.type(base)}(*) {name} ;"
        case Enumeration(base=base, members=members):
            labels = ", ".join(f"{escape_name(label)} = {value}" for label, value in members)
            yield f"  {base.word} enum {name} {{{labels}}} ;"
        case Compound(fields=fields):
            yield f"  compound {name} {{"
            for part in fields:
                shape = f"({', '.join(map(str, part.shape))})" if part.shape else ""
                yield f"    {references.type(part.type)} {escape_name(part.name)}{shape} ;"
            yield f"  }}; // {name}"


def declare_dimension(dimension: Dimension) -> str:
    """The line that defines a dimension."""
    name = escape_name(dimension.name)
    if dimension.unlimited:
        return f"\t{name} = UNLIMITED ; // ({dimension.size} currently)"
    return f"\t{name} = {dimension.size} ;"


def declare_variable(
    variable: Variable, references: References, style: HeaderStyle, times: Times | None = None
) -> Iterator[str]:
    """The lines that define a variable and its attributes."""
    name = escape_name(variable.name)
    shape = ", ".join(map(references.dimension, variable.dimensions))
    yield f"\t{references.type(variable.type)} {name}{f'({shape})' if shape else ''} ;"
    owner = f"{name} " if variable.name in SECTION_WORDS else name
    for attribute in variable.attributes:
        line = attribute_line(owner, attribute, references, style.precision)
        if style.typed_fill and attribute.name == "_FillValue" and _is_untyped(attribute.type):
            line = f"\t\t{references.type(variable.type)} {line.lstrip()}"
        yield from [line] if times is None else _dated(line, attribute, times, style)
    if style.special:
        for special, text in variable_specials(variable, fold=style.fold_filters):
            yield f"\t\t{owner}:{special} = {text} ;"


def _dated(line: str, attribute: Attribute, times: Times, style: HeaderStyle) -> Iterator[str]:
    from ncz.text.times import attribute_comment

    behind, below = attribute_comment(attribute, times, style.line_length)
    yield line + behind
    yield from below


def attribute_line(
    owner: str, attribute: Attribute, references: References, precision: Precision
) -> str:
    """One attribute of the variable `owner`, or of the group if that is empty."""
    typed = attribute.values and not _is_untyped(attribute.type)
    prefix = f"{references.type(attribute.type)} " if typed else ""
    values = attribute_values(attribute.type, attribute.values, precision)
    return f"\t\t{prefix}{owner}:{escape_name(attribute.name)} = {values} ;"


def _is_untyped(nc_type: NcType) -> bool:
    """Whether the spelling of its values tells the type of an attribute."""
    return isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING
