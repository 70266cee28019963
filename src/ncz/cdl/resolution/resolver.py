"""Convert a syntax tree to a dataset: resolve each name, and build each group."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from ncz.cdl.items import Item, parse_items
from ncz.cdl.json_text import JSON, as_json
from ncz.cdl.resolution.attributes import make_attribute, make_fill_value
from ncz.cdl.resolution.builder import Builder
from ncz.cdl.resolution.declarations import declare_type, parse_integer
from ncz.cdl.resolution.scopes import OpenDimension, OpenGroup, OpenVariable
from ncz.cdl.resolution.symbols import SymbolTable
from ncz.cdl.resolution.variable_data import index_variable
from ncz.cdl.special import DATASET_ATTRIBUTES, VARIABLE_ATTRIBUTES, read_dataset_attribute
from ncz.cdl.syntax_tree import (
    PRIMITIVES,
    AssignmentSyntax,
    AttributeSyntax,
    DimensionSyntax,
    GroupSyntax,
    VariableSyntax,
)
from ncz.errors import Notice, Notify
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.model.tree import Attribute, Dataset, Provenance, join
from ncz.model.types import Atomic, NcType
from ncz.record import field, record
from ncz.text.source import SourceText

_MAX_DEPTH = 100
"""Groups nested deeper are a mistake, and would exhaust the stack."""


def resolve(source: SourceText, tree: GroupSyntax, notify: Notify, jobs: int = 1) -> Dataset:
    """Return the dataset that a syntax tree declares.

    Parameters
    ----------
    jobs
        Largest number of processes that parse the data of a variable.

    Raises
    ------
    CdlError
        A declaration is wrong, or a data list does not fit its variable.
    """
    root = OpenGroup("", "", None)
    resolver = _Resolver(source, notify, SymbolTable(source, root))
    resolver.declare_group(root, tree, 0)
    for scope in list(root.downward()):
        for variable in scope.variables.values():
            index_variable(source, variable)
    return Dataset(
        name=tree.name.name,
        root=Builder(source, notify, jobs, root).group(root),
        provenance=Provenance(asked_kind=resolver.kinds[-1] if resolver.kinds else None),
    )


@record
class _Resolver:
    source: SourceText
    notify: Notify
    names: SymbolTable
    kinds: list[NetcdfKind] = field(default_factory=list)
    """The kinds of file in ``_Format``; the last one counts."""

    def declare_group(self, scope: OpenGroup, tree: GroupSyntax, depth: int) -> None:
        if depth > _MAX_DEPTH:
            raise self.source.error(
                tree.name.at, f"groups are nested more than {_MAX_DEPTH} levels deep"
            )
        for statement in tree.statements:
            match statement:
                case AttributeSyntax():
                    self.set_attribute(scope, statement)
                case DimensionSyntax():
                    self.declare_dimension(scope, statement)
                case VariableSyntax():
                    self.declare_variable(scope, statement)
                case AssignmentSyntax():
                    self.assign_data(scope, statement)
                case GroupSyntax():
                    name = self.names.check_new(statement.name, scope.groups, "group")
                    scope.groups[name] = OpenGroup(name, join(scope.fqn, name), scope)
                    self.declare_group(scope.groups[name], statement, depth + 1)
                case _:
                    declare_type(self.names, scope, statement)

    def declare_dimension(self, scope: OpenGroup, syntax: DimensionSyntax) -> None:
        name = self.names.check_new(syntax.name, scope.dimensions, "dimension")
        size = parse_integer(self.source, syntax.size, 0, "a length") if syntax.size else 0
        fqn = join(scope.fqn, name)
        scope.dimensions[name] = OpenDimension(name, fqn, size, syntax.size is None)

    def declare_variable(self, scope: OpenGroup, syntax: VariableSyntax) -> None:
        name = self.names.check_new(syntax.name, scope.variables, "variable")
        nc_type = self.names.type(scope, syntax.type)
        dimensions = tuple(self.names.dimension(scope, word) for word in syntax.dimensions)
        fqn = join(scope.fqn, name)
        scope.variables[name] = OpenVariable(name, fqn, syntax.name.at, nc_type, dimensions)

    def assign_data(self, scope: OpenGroup, syntax: AssignmentSyntax) -> None:
        variable = self.names.variable(scope, syntax.variable)
        if variable.assignment is not None:
            self.notify(
                Notice(
                    "duplicate-values",
                    f"variable {variable.fqn} has two data lists; the last one is used",
                    self.source.location(syntax.variable.at),
                )
            )
        variable.assignment = syntax

    def set_attribute(self, scope: OpenGroup, syntax: AttributeSyntax) -> None:
        variable, nc_type = self._owner_and_type(scope, syntax)
        name, at = syntax.name.name, syntax.name.at
        items = parse_items(self.source, syntax.data.start, syntax.data.stop)
        if variable is None:
            if name in DATASET_ATTRIBUTES:
                kind = read_dataset_attribute(self.source, syntax, self.notify)
                if kind is not None:
                    self.kinds.append(kind)
                return
            if name in VARIABLE_ATTRIBUTES:
                raise self.source.error(
                    at, f"{name} is an attribute of variables", f"write VARIABLE:{name} = ..."
                )
            attribute = self._make_attribute(name, at, nc_type, items)
            self._add(scope.attributes, attribute, at, scope.fqn)
        elif name in VARIABLE_ATTRIBUTES:
            if name in variable.special:
                self._notify_repeat(name, at, variable.fqn)
            variable.special[name] = syntax
        elif name == "_FillValue":
            attribute, variable.fill = make_fill_value(self.source, at, variable.type, items)
            self._add(variable.attributes, attribute, at, variable.fqn)
        else:
            attribute = self._make_attribute(name, at, nc_type, items)
            self._add(variable.attributes, attribute, at, variable.fqn)

    def _make_attribute(
        self, name: str, at: int, nc_type: NcType | Literal["json"] | None, items: Sequence[Item]
    ) -> Attribute:
        if nc_type != "json":
            return make_attribute(self.source, name, at, nc_type, items)
        text = make_attribute(self.source, name, at, Atomic.CHAR, items)
        return as_json(self.source, text, items[0].at if items else at)

    def _owner_and_type(
        self, scope: OpenGroup, syntax: AttributeSyntax
    ) -> tuple[OpenVariable | None, NcType | Literal["json"] | None]:
        """Return the variable that owns an attribute, None for the group, and the type if given."""
        first, owner = syntax.type, syntax.owner
        if first is None:
            return None, None
        is_json = first.text == JSON and self.names.user_type(scope, first) is None
        if owner is not None:
            variable = self.names.variable(scope, owner)
            return variable, JSON if is_json else self.names.type(scope, first)
        named = self.names.variable_or_none(scope, first)
        if first.text in PRIMITIVES or is_json:
            # `string:a` is an attribute of a variable of that name, if it exists; `string :a`, as
            # ncdump writes it, is an attribute of the group.
            end = first.at + len(first.text)
            if named is None or self.source.buffer[end : end + 1] != b":":
                return None, JSON if is_json else PRIMITIVES[first.text]
        if named is not None:
            return named, None
        user_type = self.names.user_type(scope, first)
        if user_type is None:
            raise self.names.undeclared_error(first, "variable", scope.variables)
        return None, user_type

    def _add(
        self, attributes: dict[str, Attribute], attribute: Attribute, at: int, owner: str
    ) -> None:
        if attribute.name in attributes:
            self._notify_repeat(attribute.name, at, owner)
        attributes[attribute.name] = attribute

    def _notify_repeat(self, name: str, at: int, owner: str) -> None:
        self.notify(
            Notice(
                "duplicate-attribute",
                f"attribute {name} of {owner or '/'} is given twice; the last one is used",
                self.source.location(at),
            )
        )
