"""Syntax tree -> dataset: what each name means, and how long each unlimited dimension is.

Scopes are ncgen's: a dimension is looked for in the group and its ancestors, a type there and then
in the whole tree, a variable in its own group only; a path names anything. Everything is
declared before it is used. Data lists are indexed here, so that lengths are known, and read later.
"""

from __future__ import annotations

import difflib
import itertools
import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ncz.cdl.parse.attributes import make_attribute, make_fill_value
from ncz.cdl.parse.constants import Kind, convert, parse_constant
from ncz.cdl.parse.data_index import BlockIndex, ListShape, index_blocks
from ncz.cdl.parse.items import read_items
from ncz.cdl.parse.literal import LiteralSource
from ncz.cdl.parse.special import (
    OF_DATASETS,
    OF_VARIABLES,
    read_dataset_special,
    read_quantize,
    read_storage,
)
from ncz.cdl.parse.syntax import (
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
)
from ncz.cdl.parse.values import default_fill
from ncz.errors import Notice, Notify
from ncz.model.flat import row_chunks
from ncz.model.grid import ChunkGrid
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Storage, Variable, join
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
from ncz.text.names import escape_name
from ncz.text.source import Source

_SECTIONS = ("types", "dimensions", "variables", "data")
_DEEPEST = 100
"""Groups within groups, and types within types: more is a mistake, and would exhaust the stack."""
_LARGEST_TYPE = 1 << 24
"""Bytes of an opaque value, or elements of a compound's array field."""
_MAX_STRING = "_nczarr_maxstrlen"
_MAX_STRING_DEFAULT = "_nczarr_default_maxstrlen"


@dataclass(slots=True)
class _Dimension:
    """A dimension being resolved; `size` of an unlimited one grows with the data."""

    name: str
    fqn: str
    size: int
    unlimited: bool


@dataclass(slots=True)
class _Variable:
    """A variable being resolved."""

    name: str
    fqn: str
    at: int
    type: NcType
    dimensions: tuple[_Dimension, ...]
    attributes: dict[str, Attribute] = field(default_factory=dict)
    special: dict[str, AttributeSyntax] = field(default_factory=dict)
    fill: Value = None
    assignment: AssignmentSyntax | None = None
    indexed: tuple[ListShape, BlockIndex] | None = None

    @property
    def levels(self) -> list[tuple[_Dimension, ...]]:
        """The dimensions, parted before each unlimited one but the first."""
        cuts = [i for i, d in enumerate(self.dimensions) if i and d.unlimited]
        edges = [0, *cuts, len(self.dimensions)]
        return [self.dimensions[a:b] for a, b in itertools.pairwise(edges)]


@dataclass(slots=True)
class _Scope:
    """A group being resolved. The root's `fqn` is ""."""

    name: str
    fqn: str
    parent: _Scope | None
    types: dict[str, UserType] = field(default_factory=dict)
    dimensions: dict[str, _Dimension] = field(default_factory=dict)
    variables: dict[str, _Variable] = field(default_factory=dict)
    attributes: dict[str, Attribute] = field(default_factory=dict)
    groups: dict[str, _Scope] = field(default_factory=dict)

    def upward(self) -> Iterator[_Scope]:
        """This scope and those around it."""
        scope: _Scope | None = self
        while scope is not None:
            yield scope
            scope = scope.parent

    def downward(self) -> Iterator[_Scope]:
        """This scope and all within it."""
        yield self
        for group in self.groups.values():
            yield from group.downward()


def resolve(source: Source, tree: GroupSyntax, notify: Notify, jobs: int = 1) -> Dataset:
    """The dataset that a syntax tree declares. Raises CdlError for what makes no sense."""
    return _Resolver(source, notify, jobs).dataset(tree)


@dataclass(slots=True)
class _Resolver:
    source: Source
    notify: Notify
    jobs: int
    root: _Scope = field(default_factory=lambda: _Scope("", "", None))

    def dataset(self, tree: GroupSyntax) -> Dataset:
        self._group(self.root, tree, 0)
        variables = [v for scope in self.root.downward() for v in scope.variables.values()]
        for variable in variables:
            self._index(variable)
        return Dataset(name=tree.name.name, root=self._finish_group(self.root))

    # --- declarations ---------------------------------------------------------------------------

    def _group(self, scope: _Scope, tree: GroupSyntax, depth: int) -> None:
        if depth > _DEEPEST:
            raise self.source.error(tree.name.at, f"groups are nested more than {_DEEPEST} deep")
        for statement in tree.statements:
            match statement:
                case AttributeSyntax():
                    self._attribute(scope, statement)
                case DimensionSyntax():
                    self._dimension(scope, statement)
                case VariableSyntax():
                    self._variable(scope, statement)
                case AssignmentSyntax():
                    self._assignment(scope, statement)
                case GroupSyntax():
                    name = self._new_name(statement.name, scope.groups, "group")
                    scope.groups[name] = _Scope(name, join(scope.fqn, name), scope)
                    self._group(scope.groups[name], statement, depth + 1)
                case _:
                    self._type(scope, statement)

    def _new_name(self, word: Word, taken: Iterable[str], what: str) -> str:
        name = word.name
        if name in taken:
            raise self.source.error(word.at, f"{what} `{word.text}` is declared twice")
        if "/" in name:
            raise self.source.error(word.at, f"the name of a {what} cannot have a slash in it")
        return name

    def _dimension(self, scope: _Scope, syntax: DimensionSyntax) -> None:
        name = self._new_name(syntax.name, scope.dimensions, "dimension")
        size = self._integer(syntax.size, 0, "a length") if syntax.size else 0
        fqn = join(scope.fqn, name)
        scope.dimensions[name] = _Dimension(name, fqn, size, syntax.size is None)

    def _variable(self, scope: _Scope, syntax: VariableSyntax) -> None:
        name = self._new_name(syntax.name, scope.variables, "variable")
        nc_type = self._find_type(scope, syntax.type)
        dimensions = tuple(self._find_dimension(scope, word) for word in syntax.dimensions)
        fqn = join(scope.fqn, name)
        scope.variables[name] = _Variable(name, fqn, syntax.name.at, nc_type, dimensions)

    def _type(self, scope: _Scope, syntax: TypeSyntax) -> None:
        name = self._new_name(syntax.name, scope.types, "type")
        fqn = join(scope.fqn, name)
        made: UserType
        match syntax:
            case EnumSyntax():
                made = self._enumeration(fqn, syntax)
            case OpaqueSyntax():
                size = self._integer(syntax.size, 1, "a size")
                if size > _LARGEST_TYPE:
                    raise self.source.error(syntax.size.at, "this opaque type is too large")
                made = Opaque(name=fqn, size=size)
            case VlenSyntax():
                made = Vlen(name=fqn, base=self._find_type(scope, syntax.base))
            case CompoundSyntax():
                made = self._compound(scope, fqn, syntax)
        if _depth(made) > _DEEPEST // 2:
            raise self.source.error(syntax.name.at, "types are nested too deep")
        scope.types[name] = made

    def _enumeration(self, fqn: str, syntax: EnumSyntax) -> Enumeration:
        base = PRIMITIVES[syntax.base.text]
        if not base.is_integer:
            raise self.source.error(
                syntax.base.at, f"an enum cannot be {base.word}", "its base is an integer type"
            )
        members: dict[str, int] = {}
        for label, number in syntax.members:
            name = self._new_name(label, members, "member")
            constant = parse_constant(self.source, number.text.encode(), number.at)
            members[name] = convert(self.source, constant, base)
        return Enumeration(name=fqn, base=base, members=tuple(members.items()))

    def _compound(self, scope: _Scope, fqn: str, syntax: CompoundSyntax) -> Compound:
        fields: dict[str, Field] = {}
        total = 0
        for part in syntax.fields:
            name = self._new_name(part.name, fields, "field")
            shape = tuple(self._integer(word, 1, "a size") for word in part.shape)
            nc_type = self._find_type(scope, part.type)
            total += math.prod(shape) * _elements(nc_type)
            if total > _LARGEST_TYPE:
                raise self.source.error(part.name.at, "this compound type is too large")
            fields[name] = Field(name=name, type=nc_type, shape=shape)
        return Compound(name=fqn, fields=tuple(fields.values()))

    def _integer(self, word: Word, least: int, what: str) -> int:
        constant = parse_constant(self.source, word.text.encode(), word.at)
        if constant.kind is not Kind.INTEGER:
            raise self.source.error(word.at, f"{what} is a whole number", "write it in digits")
        value = int(constant.value)
        if not least <= value <= Atomic.INT64.limits[1]:
            raise self.source.error(word.at, f"{what} cannot be {word.text[:40]}")
        return value

    # --- names ----------------------------------------------------------------------------------

    def _scope_of(self, scope: _Scope, word: Word, what: str) -> tuple[_Scope, str] | None:
        """The group that a path leads to, and the last name; None if `word` is no path."""
        parts = word.parts
        if len(parts) < 2:
            return None
        if parts[0]:
            raise self.source.error(
                word.at, f"`{word.text}` is no path of a {what}", "a path begins with a slash"
            )
        here = self.root
        for part in parts[1:-1]:
            if part not in here.groups:
                raise self.source.error(
                    word.at,
                    f"`{word.text}`: there is no group `{escape_name(part)}` so far",
                    _nearest(part, here.groups),
                )
            here = here.groups[part]
        return here, parts[-1]

    def _find_dimension(self, scope: _Scope, word: Word) -> _Dimension:
        path = self._scope_of(scope, word, "dimension")
        places = [path[0]] if path else list(scope.upward())
        name = path[1] if path else word.name
        for place in places:
            if name in place.dimensions:
                return place.dimensions[name]
        known = [n for place in places for n in place.dimensions]
        raise self._undeclared(word, "dimension", known)

    def _find_type(self, scope: _Scope, word: Word) -> NcType:
        if word.text in PRIMITIVES:
            return PRIMITIVES[word.text]
        found = self._user_type(scope, word)
        if found is None:
            known = [n for place in scope.upward() for n in place.types]
            raise self._undeclared(word, "type", [*known, *PRIMITIVES])
        return found

    def _user_type(self, scope: _Scope, word: Word) -> UserType | None:
        path = self._scope_of(scope, word, "type")
        if path:
            return path[0].types.get(path[1])
        name = word.name
        for place in scope.upward():
            if name in place.types:
                return place.types[name]
        anywhere = [s.types[name] for s in self.root.downward() if name in s.types]
        return anywhere[0] if len(anywhere) == 1 else None

    def _variable_here(self, scope: _Scope, word: Word) -> _Variable | None:
        path = self._scope_of(scope, word, "variable")
        place, name = path or (scope, word.name)
        return place.variables.get(name)

    def _find_variable(self, scope: _Scope, word: Word) -> _Variable:
        found = self._variable_here(scope, word)
        if found is None:
            raise self._undeclared(word, "variable", scope.variables)
        return found

    def _undeclared(self, word: Word, what: str, known: Iterable[str]) -> Exception:
        if what == "variable" and word.name in _SECTIONS:
            return self.source.error(
                word.at,
                f"`{word.name}:` cannot stand here",
                f"sections come in the order {': '.join(_SECTIONS)}: and then groups",
            )
        return self.source.error(
            word.at,
            f"{what} `{word.text}` is not declared so far",
            _nearest(word.name, known) or f"declare each {what} before it is used",
        )

    # --- attributes -----------------------------------------------------------------------------

    def _attribute(self, scope: _Scope, syntax: AttributeSyntax) -> None:
        variable, typed = self._owner(scope, syntax)
        name = syntax.name.name
        items = read_items(self.source, syntax.data.start, syntax.data.stop)
        at = syntax.name.at
        if variable is None:
            if name in OF_DATASETS:
                read_dataset_special(self.source, syntax, self.notify)
                return
            if name in OF_VARIABLES:
                raise self.source.error(
                    at, f"{name} belongs to a variable", f"write VARIABLE:{name} = ..."
                )
            made = make_attribute(self.source, name, at, typed, items)
            self._set(scope.attributes, made, at, scope.fqn)
        elif name in OF_VARIABLES:
            if name in variable.special:
                self._notice_twice(name, at, variable.fqn)
            variable.special[name] = syntax
        elif name == "_FillValue":
            made, variable.fill = make_fill_value(self.source, at, variable.type, items)
            self._set(variable.attributes, made, at, variable.fqn)
        else:
            made = make_attribute(self.source, name, at, typed, items)
            self._set(variable.attributes, made, at, variable.fqn)

    def _owner(
        self, scope: _Scope, syntax: AttributeSyntax
    ) -> tuple[_Variable | None, NcType | None]:
        """The variable that an attribute belongs to, None for the group; and its type, if said."""
        first, owner = syntax.type, syntax.owner
        if first is None:
            return None, None
        if owner is not None:
            return self._find_variable(scope, owner), self._find_type(scope, first)
        variable = self._variable_here(scope, first)
        if first.text in PRIMITIVES:
            # `string:a` is an attribute of a variable of that name, if there is one; `string :a`,
            # as ncdump writes it, an attribute of the group.
            end = first.at + len(first.text)
            if variable is None or self.source.buffer[end : end + 1] != b":":
                return None, PRIMITIVES[first.text]
        if variable is not None:
            return variable, None
        nc_type = self._user_type(scope, first)
        if nc_type is None:
            raise self._undeclared(first, "variable", scope.variables)
        return None, nc_type

    def _set(self, attributes: dict[str, Attribute], made: Attribute, at: int, owner: str) -> None:
        if made.name in attributes:
            self._notice_twice(made.name, at, owner)
        attributes[made.name] = made

    def _notice_twice(self, name: str, at: int, owner: str) -> None:
        what = f"attribute {name} of {owner or '/'} is given twice; the last one counts"
        self.notify(Notice("duplicate-attribute", what, self.source.location(at)))

    # --- data -----------------------------------------------------------------------------------

    def _assignment(self, scope: _Scope, syntax: AssignmentSyntax) -> None:
        variable = self._find_variable(scope, syntax.variable)
        if variable.assignment is not None:
            what = f"variable {variable.fqn} is given values twice; the last ones count"
            self.notify(Notice("duplicate-values", what, self.source.location(syntax.variable.at)))
        variable.assignment = syntax

    def _index(self, variable: _Variable) -> None:
        """Find the blocks of a variable's data, and make its unlimited dimensions long enough."""
        if variable.assignment is None:
            return
        dimensions, levels = variable.dimensions, variable.levels
        is_text = variable.type is Atomic.CHAR
        fixed_rows = is_text and len(dimensions) > 1 and not dimensions[-1].unlimited
        first = levels[0]
        growing = bool(first) and first[0].unlimited
        list_shape = ListShape(
            levels=len(levels),
            limit=None if growing else math.prod(d.size for d in first),
            what=variable.fqn,
            text=is_text,
            width=dimensions[-1].size if fixed_rows else 0,
        )
        span = variable.assignment.data
        blocks = index_blocks(self.source, span, list_shape)
        for level, longest in zip(levels, blocks.longest, strict=True):
            if not level or not level[0].unlimited:
                continue
            row = math.prod(d.size for d in level[1:])
            if longest and not row:
                what = f"too many values: a dimension of {variable.fqn} has length 0"
                raise self.source.error(variable.assignment.variable.at, what)
            level[0].size = max(level[0].size, -(-longest // row) if row else 0)
        if list_shape.limit and not blocks.longest[0] and not is_text:
            what = f"no value is given to {variable.fqn}"
            hint = "give it one, or leave the statement out: all of it is fill then"
            raise self.source.error(variable.assignment.variable.at, what, hint)
        variable.indexed = list_shape, blocks

    # --- the model ------------------------------------------------------------------------------

    def _finish_group(self, scope: _Scope) -> Group:
        return Group(
            name=scope.name,
            types=tuple(scope.types.values()),
            dimensions=tuple(
                Dimension(name=d.name, size=d.size, unlimited=d.unlimited)
                for d in scope.dimensions.values()
            ),
            variables=tuple(self._finish_variable(v) for v in scope.variables.values()),
            attributes=tuple(scope.attributes.values()),
            groups=tuple(self._finish_group(g) for g in scope.groups.values()),
        )

    def _finish_variable(self, variable: _Variable) -> Variable:
        storage = self._storage(variable)
        return Variable(
            name=variable.name,
            type=variable.type,
            dimensions=tuple(d.fqn for d in variable.dimensions),
            attributes=tuple(variable.attributes.values()),
            storage=storage,
            data=self._data(variable, storage),
        )

    def _storage(self, variable: _Variable) -> Storage:
        source, notify = self.source, self.notify
        rank, nc_type = len(variable.dimensions), variable.type
        read = read_storage(source, variable.special, nc_type, rank, notify)
        return Storage(
            storage_class=read.storage_class,
            chunks=read.chunks,
            endianness=read.endianness,
            filters=read.filters,
            fill=None if read.no_fill else self._fill(variable),
            no_fill=read.no_fill,
            string_length=self._string_length(variable),
            quantize=read_quantize(source, variable.attributes, variable.at, nc_type, notify),
        )

    def _fill(self, variable: _Variable) -> Value:
        declared = "_FillValue" in variable.attributes
        return variable.fill if declared else default_fill(variable.type)

    def _string_length(self, variable: _Variable) -> int | None:
        if variable.type is not Atomic.STRING:
            return None
        own = variable.attributes.get(_MAX_STRING)
        attribute = own or self.root.attributes.get(_MAX_STRING_DEFAULT)
        if attribute is None or len(attribute.values) != 1:
            return None
        value = attribute.values[0]
        return value if isinstance(value, int) and value > 0 else None

    def _data(self, variable: _Variable, storage: Storage) -> LiteralSource | None:
        if variable.indexed is None:
            return None
        list_shape, blocks = variable.indexed
        shape = tuple(d.size for d in variable.dimensions)
        sizes = [math.prod(d.size for d in level) for level in variable.levels]
        bases = []
        for number, within in enumerate(blocks.firsts):
            base = 0
            for column, size in zip(blocks.paths, sizes[1:], strict=True):
                base = (base + column[number]) * size
            bases.append(base + within)
        return LiteralSource(
            source=self.source,
            blocks=blocks,
            list_shape=list_shape,
            grid=ChunkGrid(shape, storage.chunks or row_chunks(shape)),
            type=variable.type,
            fill=storage.fill,
            mark=self._fill(variable),
            bases=bases,
            jobs=self.jobs,
        )


def _nearest(name: str, known: Iterable[str]) -> str | None:
    close = difflib.get_close_matches(name[:200], list(itertools.islice(known, 1000)), n=1)
    return f"did you mean `{escape_name(close[0])}`?" if close else None


def _depth(nc_type: NcType) -> int:
    match nc_type:
        case Vlen(base=base):
            return 1 + _depth(base)
        case Compound(fields=fields):
            return 1 + max(_depth(f.type) for f in fields)
        case _:
            return 0


def _elements(nc_type: NcType) -> int:
    """How many values, or bytes, a default fill of the type holds."""
    match nc_type:
        case Opaque(size=size):
            return size
        case Compound(fields=fields):
            return sum(math.prod(f.shape) * _elements(f.type) for f in fields)
        case _:
            return 1
