"""Read a dataset from CDL text.

The buffer must stay open: data lists are indexed at once, so that lengths are known and too many
values are reported, but parsed when their chunks are read. Pass a memory map for a large file, so
that memory is bounded; write a pipe to a file first.
"""

from __future__ import annotations

import contextlib
import difflib
import itertools
import math
import mmap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from dataclasses import field as mutable_field
from functools import cache, partial
from typing import TYPE_CHECKING, Literal

from ncz.cdl.constants import (
    Constant,
    Item,
    Kind,
    convert_constant,
    convert_item,
    decode_text,
    default_fill,
    join_chars,
    parse_constant,
    parse_items,
)
from ncz.cdl.json_text import JSON, as_json
from ncz.cdl.parse_data import BlockIndex, CdlArray, Dates, ListShape, index_data
from ncz.cdl.special import (
    DATASET_ATTRIBUTES,
    VARIABLE_ATTRIBUTES,
    read_dataset_attribute,
    read_quantize,
    read_storage,
)
from ncz.cdl.syntax import (
    PRIMITIVES,
    AssignmentSyntax,
    AttributeSyntax,
    CompoundSyntax,
    DimensionSyntax,
    EnumSyntax,
    GroupSyntax,
    OpaqueSyntax,
    TypeSyntax,
    VariableSyntax,
    VlenSyntax,
    Word,
    parse_syntax,
)
from ncz.errors import NO_CALLBACKS, Callbacks, CdlError, Notice, Notify, shorten
from ncz.model.grid import ChunkGrid
from ncz.model.sources import row_chunks
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    NetcdfKind,
    Provenance,
    Storage,
    Variable,
    join,
)
from ncz.model.types import (
    Atomic,
    Compound,
    Enumeration,
    Field,
    NcType,
    Opaque,
    UserType,
    Value,
    Vlen,
)
from ncz.model.user_types import TypeLimits
from ncz.parallel.processes import can_fork, in_order
from ncz.record import field, record
from ncz.text.names import escape_name
from ncz.text.source import SourceText

if TYPE_CHECKING:
    from ncz.text.times import Times


# Groups, dimensions and variables while they are being resolved.


@dataclass(slots=True)
class OpenDimension:
    """A declared dimension; the `size` of an unlimited one grows with the data."""

    name: str
    fqn: str
    size: int
    unlimited: bool


@dataclass(slots=True)
class OpenVariable:
    """A declared variable; its attributes and data follow."""

    name: str
    fqn: str
    at: int
    type: NcType
    dimensions: tuple[OpenDimension, ...]
    attributes: dict[str, Attribute] = mutable_field(default_factory=dict)
    special: dict[str, AttributeSyntax] = mutable_field(default_factory=dict)
    fill: Value = None
    assignment: AssignmentSyntax | None = None
    index: tuple[ListShape, BlockIndex] | None = None

    @property
    def levels(self) -> list[tuple[OpenDimension, ...]]:
        """The dimensions, split before each unlimited one except the first dimension."""
        cuts = [i for i, d in enumerate(self.dimensions) if i and d.unlimited]
        edges = [0, *cuts, len(self.dimensions)]
        return [self.dimensions[a:b] for a, b in itertools.pairwise(edges)]


@dataclass(slots=True)
class OpenGroup:
    """A group; the root's `fqn` is ""."""

    name: str
    fqn: str
    parent: OpenGroup | None
    types: dict[str, UserType] = mutable_field(default_factory=dict)
    dimensions: dict[str, OpenDimension] = mutable_field(default_factory=dict)
    variables: dict[str, OpenVariable] = mutable_field(default_factory=dict)
    attributes: dict[str, Attribute] = mutable_field(default_factory=dict)
    groups: dict[str, OpenGroup] = mutable_field(default_factory=dict)

    def upward(self) -> Iterator[OpenGroup]:
        """Yield this scope and its ancestors."""
        scope: OpenGroup | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def downward(self) -> Iterator[OpenGroup]:
        """Yield this scope and its descendants."""
        yield self
        for group in self.groups.values():
            yield from group.downward()


# What a name refers to.
#
# The rules are ncgen's: a dimension is searched for in the group and its ancestors, a type there
# and then in the whole tree, a variable in its own group only; a path names anything. Everything is
# declared before it is used.

_SECTIONS = ("types", "dimensions", "variables", "data")


@record
class SymbolTable:
    """Finds what has been declared so far in the tree below `root`."""

    source: SourceText
    root: OpenGroup
    limits: TypeLimits = field(default_factory=TypeLimits)

    def check_new(self, word: Word, declared: Iterable[str], what: str) -> str:
        """Return the name that `word` declares; raise CdlError if it is taken or has a slash."""
        name = word.name
        if name in declared:
            raise self.source.error(word.at, f"{what} `{word.text}` is declared twice")
        if "/" in name:
            raise self.source.error(word.at, f"the name of a {what} cannot contain a slash")
        return name

    def dimension(self, scope: OpenGroup, word: Word) -> OpenDimension:
        """Return a dimension; raise CdlError if it is not declared."""
        path = self._resolve_path(word, "dimension")
        places = [path[0]] if path else list(scope.upward())
        name = path[1] if path else word.name
        for place in places:
            if name in place.dimensions:
                return place.dimensions[name]
        names = [n for place in places for n in place.dimensions]
        raise self.undeclared_error(word, "dimension", names)

    def type(self, scope: OpenGroup, word: Word) -> NcType:
        """Return an atomic or user-defined type; raise CdlError if it is not declared."""
        if word.text in PRIMITIVES:
            return PRIMITIVES[word.text]
        user_type = self.user_type(scope, word)
        if user_type is None:
            names = [n for place in scope.upward() for n in place.types]
            raise self.undeclared_error(word, "type", [*names, *PRIMITIVES])
        return user_type

    def user_type(self, scope: OpenGroup, word: Word) -> UserType | None:
        """Return a user-defined type, or None."""
        path = self._resolve_path(word, "type")
        if path:
            return path[0].types.get(path[1])
        name = word.name
        for place in scope.upward():
            if name in place.types:
                return place.types[name]
        anywhere = [s.types[name] for s in self.root.downward() if name in s.types]
        return anywhere[0] if len(anywhere) == 1 else None

    def variable_or_none(self, scope: OpenGroup, word: Word) -> OpenVariable | None:
        """Return a variable, or None."""
        path = self._resolve_path(word, "variable")
        place, name = path or (scope, word.name)
        return place.variables.get(name)

    def variable(self, scope: OpenGroup, word: Word) -> OpenVariable:
        """Return a variable; raise CdlError if it is not declared."""
        variable = self.variable_or_none(scope, word)
        if variable is None:
            raise self.undeclared_error(word, "variable", scope.variables)
        return variable

    def undeclared_error(self, word: Word, what: str, names: Iterable[str]) -> Exception:
        """Return the error for a name that is not declared, with the closest name in `names`."""
        if what == "variable" and word.name in _SECTIONS:
            return self.source.error(
                word.at,
                f"unexpected `{word.name}:`",
                f"the order of sections is {': '.join(_SECTIONS)}: and then groups",
            )
        return self.source.error(
            word.at,
            f"{what} `{word.text}` is not declared so far",
            _suggest(word.name, names) or f"declare each {what} before it is used",
        )

    def _resolve_path(self, word: Word, what: str) -> tuple[OpenGroup, str] | None:
        """Return the group that a path leads to and the last name; None if `word` is one name."""
        parts = word.parts
        if len(parts) < 2:
            return None
        if parts[0]:
            raise self.source.error(
                word.at,
                f"`{word.text}` is not a valid path of a {what}",
                "a path begins with a slash",
            )
        here = self.root
        for part in parts[1:-1]:
            if part not in here.groups:
                raise self.source.error(
                    word.at,
                    f"`{word.text}`: group `{escape_name(part)}` is not declared so far",
                    _suggest(part, here.groups),
                )
            here = here.groups[part]
        return here, parts[-1]


def _suggest(name: str, names: Iterable[str]) -> str | None:
    close = difflib.get_close_matches(name[:200], list(itertools.islice(names, 1000)), n=1)
    return f"did you mean `{escape_name(close[0])}`?" if close else None


# Type declarations and the whole numbers in declarations.


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


# Attributes of CDL: their values, and the type of an attribute without a type keyword.
#
# The rules are ncgen's, except that a value that ncgen would wrap or truncate is an error.


def make_attribute(
    source: SourceText, name: str, at: int, nc_type: NcType | None, items: Sequence[Item]
) -> Attribute:
    """Make an attribute from the items of its data list.

    Parameters
    ----------
    at
        Byte offset of the name, for error messages.
    nc_type
        The declared type; None to infer it from the items.

    Raises
    ------
    CdlError
        An item is not a value of the type, or the type cannot be inferred.
    """
    for item in items:
        if isinstance(item, Constant) and item.kind is Kind.FILL:
            raise source.error(item.at, f"attribute {name} cannot contain `_`", "write the value")
    nc_type = nc_type or _infer_type(source, items)
    if nc_type is Atomic.CHAR:
        text = decode_text(join_chars(source, items, b"\0"))
        return Attribute(name=name, type=nc_type, values=(text,) if text else ())
    if not items:
        word = nc_type.word if isinstance(nc_type, Atomic) else nc_type.name
        raise source.error(at, f"attribute {name} of type {word} has no value", "write a value")
    values = tuple(convert_item(source, item, nc_type, None) for item in items)
    return Attribute(name=name, type=nc_type, values=values)


def make_fill_value(
    source: SourceText, at: int, nc_type: NcType, items: Sequence[Item]
) -> tuple[Attribute, Value]:
    """Make the ``_FillValue`` of a variable.

    Returns
    -------
    attribute : Attribute
        The attribute, of type `nc_type`.
    fill : Value
        Its value as an element of the data.

    Raises
    ------
    CdlError
        The data list is not exactly one value of the type.
    """
    name = "_FillValue"
    if nc_type is Atomic.CHAR:
        byte = join_chars(source, items, b"\0")
        if not byte and len(items) == 1:
            byte = b"\0"  # ncdump prints a NUL as an empty text
        if len(byte) == 1:
            attribute = Attribute(name=name, type=nc_type, values=(decode_text(byte),))
            return attribute, byte.decode("latin-1")
    elif len(items) == 1:
        attribute = make_attribute(source, name, at, nc_type, items)
        return attribute, attribute.values[0]
    at = items[0].at if items else at
    kind = "char" if nc_type is Atomic.CHAR else "value"
    raise source.error(at, f"_FillValue needs exactly one {kind}")


def _infer_type(source: SourceText, items: Sequence[Item]) -> Atomic:
    kinds = set()
    for item in items:
        if not isinstance(item, Constant):
            raise source.error(
                item.at,
                "values in braces need a type",
                "write the type before the attribute: TYPE v:name",
            )
        if item.kind in (Kind.HEX, Kind.LABEL, Kind.NIL):
            printed = f"`{item.value}`" if item.kind is Kind.LABEL else item.kind.value
            raise source.error(
                item.at,
                f"cannot infer a type from {printed}",
                "write the type before the attribute, or put text in quotes",
            )
        kinds.add(item.kind)
    if kinds <= {Kind.STRING}:
        return Atomic.CHAR
    if Kind.STRING in kinds:
        raise source.error(
            items[0].at,
            "an attribute cannot mix text and numbers",
            "write `string` or `char` before the attribute, or make two attributes",
        )
    numbers = [item for item in items if isinstance(item, Constant)]
    types = [number.type for number in numbers]
    for atomic in (Atomic.DOUBLE, Atomic.FLOAT):
        if atomic in types:
            return atomic
    widest = Atomic.BYTE
    for number in numbers:
        if number.type is None:
            raise source.error(number.at, f"{shorten(number.value)} does not fit 64 bits")
        if number.value > Atomic.INT64.limits[1]:
            return Atomic.UINT64
        if number.type.size >= widest.size:  # of two types of the same width, the last
            widest = number.type
    return widest


# The data of variables: index each list, and set the lengths of unlimited dimensions.
#
# All data lists are indexed before any chunk source is made, as several variables may extend the
# same unlimited dimension.


def index_variable(source: SourceText, variable: OpenVariable) -> None:
    """Index the data list of a variable, and extend its unlimited dimensions to fit.

    Raises
    ------
    CdlError
        The list is not well formed, is empty, or has too many values.
    """
    if variable.assignment is None:
        return
    at = variable.assignment.variable.at
    levels = variable.levels
    list_shape = _list_shape(variable)
    index = index_data(source, variable.assignment.data, list_shape)
    for level, longest in zip(levels, index.longest, strict=True):
        if not level or not level[0].unlimited:
            continue
        row = math.prod(d.size for d in level[1:])
        if longest and not row:
            raise source.error(at, f"too many values: a dimension of {variable.fqn} has length 0")
        level[0].size = max(level[0].size, -(-longest // row) if row else 0)
    if list_shape.limit and not index.longest[0] and not list_shape.text:
        raise source.error(
            at,
            f"the data list of {variable.fqn} is empty",
            "write values, or remove the statement to fill the variable",
        )
    variable.index = list_shape, index


def make_array(
    source: SourceText, variable: OpenVariable, storage: Storage, jobs: int, dates: Dates
) -> CdlArray | None:
    """Return the chunk source of an indexed variable; None if it has no data list."""
    if variable.index is None:
        return None
    list_shape, index = variable.index
    shape = tuple(d.size for d in variable.dimensions)
    sizes = [math.prod(d.size for d in level) for level in variable.levels]
    bases = []
    for number, within in enumerate(index.firsts):
        base = 0
        for column, size in zip(index.paths, sizes[1:], strict=True):
            base = (base + column[number]) * size
        bases.append(base + within)
    return CdlArray(
        source=source,
        blocks=index,
        list_shape=list_shape,
        grid=ChunkGrid(shape, storage.chunks or row_chunks(shape)),
        type=variable.type,
        fill=storage.fill,
        mark=fill_value(variable),
        bases=bases,
        jobs=jobs,
        dates=dates,
    )


def _times_of(scope: OpenGroup, name: str) -> Times | None:
    """Return what converts the dates of a variable; None if its units are not those of a time."""
    from ncz.text.time_variables import find_times

    variables = tuple(
        Variable(name=v.name, type=v.type, attributes=tuple(v.attributes.values()))
        for v in scope.variables.values()
    )
    return find_times(Group(variables=variables), " ").get(name)


def fill_value(variable: OpenVariable) -> Value:
    """Return the fill value of a variable: its ``_FillValue``, or the default of its type."""
    declared = "_FillValue" in variable.attributes
    return variable.fill if declared else default_fill(variable.type)


def _list_shape(variable: OpenVariable) -> ListShape:
    dimensions, levels = variable.dimensions, variable.levels
    is_text = variable.type is Atomic.CHAR
    has_fixed_rows = is_text and bool(dimensions) and not dimensions[-1].unlimited
    row = dimensions[-1].size if len(dimensions) > 1 else 1
    first = levels[0]
    grows = bool(first) and first[0].unlimited
    return ListShape(
        levels=len(levels),
        limit=None if grows else math.prod(d.size for d in first),
        what=variable.fqn,
        text=is_text,
        width=row if has_fixed_rows else 0,
    )


# Resolved scopes to the groups and variables of a dataset.

_MAX_STRING = "_nczarr_maxstrlen"
_MAX_STRING_DEFAULT = "_nczarr_default_maxstrlen"


@record
class Builder:
    """Makes the model's groups below `root`; arrays parse their blocks in `jobs` processes."""

    source: SourceText
    notify: Notify
    jobs: int
    root: OpenGroup

    def group(self, scope: OpenGroup) -> Group:
        """Make a group and all below it."""
        return Group(
            name=scope.name,
            types=tuple(scope.types.values()),
            dimensions=tuple(
                Dimension(name=d.name, size=d.size, unlimited=d.unlimited)
                for d in scope.dimensions.values()
            ),
            variables=tuple(self.variable(v, scope) for v in scope.variables.values()),
            attributes=tuple(scope.attributes.values()),
            groups=tuple(self.group(g) for g in scope.groups.values()),
        )

    def variable(self, variable: OpenVariable, scope: OpenGroup) -> Variable:
        """Make a variable of a group."""
        storage = self.storage(variable)
        dates = cache(partial(_times_of, scope, variable.name))
        return Variable(
            name=variable.name,
            type=variable.type,
            dimensions=tuple(d.fqn for d in variable.dimensions),
            attributes=tuple(variable.attributes.values()),
            storage=storage,
            data=make_array(self.source, variable, storage, self.jobs, dates),
        )

    def storage(self, variable: OpenVariable) -> Storage:
        """Make the storage properties that a variable's attributes ask for."""
        source, notify = self.source, self.notify
        rank, nc_type = len(variable.dimensions), variable.type
        read = read_storage(source, variable.special, nc_type, rank, notify)
        return Storage(
            storage_class=read.storage_class,
            chunks=read.chunks,
            shards=read.shards,
            endianness=read.endianness,
            filters=read.filters,
            fill=None if read.no_fill else fill_value(variable),
            no_fill=read.no_fill,
            string_length=self._string_length(variable),
            quantize=read_quantize(source, variable.attributes, variable.at, nc_type, notify),
        )

    def _string_length(self, variable: OpenVariable) -> int | None:
        if variable.type is not Atomic.STRING:
            return None
        own = variable.attributes.get(_MAX_STRING)
        attribute = own or self.root.attributes.get(_MAX_STRING_DEFAULT)
        if attribute is None or len(attribute.values) != 1:
            return None
        value = attribute.values[0]
        return value if isinstance(value, int) and value > 0 else None


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
    """The kinds of file that ``_Format`` asks for; the last one counts."""

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
            attribute = self._made(name, at, nc_type, items)
            self._add(scope.attributes, attribute, at, scope.fqn)
        elif name in VARIABLE_ATTRIBUTES:
            if name in variable.special:
                self._notify_repeated(name, at, variable.fqn)
            variable.special[name] = syntax
        elif name == "_FillValue":
            attribute, variable.fill = make_fill_value(self.source, at, variable.type, items)
            self._add(variable.attributes, attribute, at, variable.fqn)
        else:
            attribute = self._made(name, at, nc_type, items)
            self._add(variable.attributes, attribute, at, variable.fqn)

    def _made(
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
            self._notify_repeated(attribute.name, at, owner)
        attributes[attribute.name] = attribute

    def _notify_repeated(self, name: str, at: int, owner: str) -> None:
        self.notify(
            Notice(
                "duplicate-attribute",
                f"attribute {name} of {owner or '/'} is given twice; the last one is used",
                self.source.location(at),
            )
        )


_LARGE = 16 << 20
"""Least bytes of a text whose declarations another process parses; starting it takes some time."""


def read_cdl(
    text: bytes | mmap.mmap,
    *,
    source: str,
    callbacks: Callbacks = NO_CALLBACKS,
    jobs: int = 1,
) -> Dataset:
    """Read the dataset that a CDL text declares.

    Parameters
    ----------
    text
        UTF-8. Must stay open as long as data are read from the dataset.
    source
        Name of the text in error messages.
    callbacks
        Receives notices, and the bytes of data lists that are searched for their ends, and then
        indexed.
    jobs
        Largest number of processes that parse the data of a long list in advance.

    Returns
    -------
    Dataset
        With data that are parsed when their chunks are read.

    Raises
    ------
    CdlError
        The text is not valid CDL; `location` is ``source:line:column``. A wrong constant in the
        data of a variable raises it later, when its chunk is read.
    """
    document = SourceText(text, source, callbacks.progress)
    try:
        callbacks.progress.expect(len(text), "bytes")
        if jobs > 1 and len(text) >= _LARGE and can_fork():
            syntax = _parse_elsewhere(document)
        else:
            syntax = parse_syntax(document)
        callbacks.progress.expect(len(text), "bytes")
        return resolve(document, syntax, callbacks.notify, jobs)
    except (RecursionError, MemoryError) as error:
        raise CdlError("the text is nested too deeply or too large for memory", source) from error


def _parse_elsewhere(source: SourceText) -> GroupSyntax:
    """Parse in another process, which imports lark while this one imports numpy for the data."""
    import pickle

    def parse(text: SourceText) -> Iterator[bytes]:
        yield b""  # the process has started
        yield pickle.dumps(parse_syntax(text))

    quiet = SourceText(source.buffer, source.name)
    with contextlib.closing(in_order([quiet], parse, 1)) as results:
        next(results)
        import numpy as np  # noqa: F401

        syntax: GroupSyntax = pickle.loads(next(results))
    source.progress.advance(source.name, len(source.buffer), 0)
    return syntax
