"""JSON in: a text becomes a dataset, as `ncz.views.json.writer` wrote it. See docs/json.md.

A member that is not known is an error, as it may be a known one misspelt. Data are read when their
chunks are asked for, so the text stays needed, and may be a memory map of any size.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ncz.codec.check import writing_fault
from ncz.errors import CdlError, Notify, ignore_notice
from ncz.model.filters import Filter
from ncz.model.flat import row_chunks
from ncz.model.grid import ChunkGrid
from ncz.model.quantize import ATTRIBUTES, Quantize
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
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
from ncz.text.source import Source
from ncz.views.json.data import JsonSource, read_data
from ncz.views.json.scan import Node, Object, read, scan
from ncz.views.json.values import WrongValue, to_chars, to_value
from ncz.views.json.writer import FORMAT, VERSION

_LARGEST = (1 << 63) - 1
_SHOWN = 40

Word = TypeVar("Word", bound=str)


def looks_like_json(text: bytes | mmap.mmap) -> bool:
    """Whether a text that describes a dataset is JSON, not CDL: it begins with a brace."""
    head = text[: 1 << 12]
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def read_json(text: bytes | mmap.mmap, *, source: str, notify: Notify = ignore_notice) -> Dataset:
    """The dataset that a JSON text describes; `source` is what errors call the text.

    Raises CdlError, with ``source:line:column``, for whatever is wrong in the text. A wrong value
    in a variable's data raises it when its chunk is read.
    """
    del notify
    location = Source(text, source)
    try:
        return _Reader(location).dataset(scan(location))
    except (RecursionError, MemoryError) as error:
        raise CdlError("the text nests too deep or declares too much to hold", source) from error


@dataclass(slots=True)
class _Reader:
    source: Source
    types: dict[str, UserType] = field(default_factory=dict)
    dimensions: dict[str, Dimension] = field(default_factory=dict)

    # --- members --------------------------------------------------------------------------------

    def object(self, node: Node, what: str, known: Iterable[str] | None = None) -> Object:
        """`node` as an object, whose members are among `known`."""
        if not isinstance(node, Object):
            raise self.source.error(node.at, f"{what} is an object, in braces")
        for key, at in node.keys.items() if known is not None else ():
            if known is not None and key not in known:
                told = ", ".join(known)
                raise self.source.error(
                    at, f'{what} has no member "{key[:_SHOWN]}"', f"its members are {told}"
                )
        return node

    def member(self, node: Object, key: str, what: str) -> Node:
        """A member that has to be there."""
        if key not in node.members:
            raise self.source.error(node.at, f'{what} needs a member "{key}"')
        return node.members[key]

    def named(self, node: Object, key: str, what: str) -> list[tuple[str, Node, int]]:
        """The members of the member `key`, each with its name and where that stands."""
        if key not in node.members:
            return []
        inner = self.object(node.members[key], what)
        for name, at in inner.keys.items():
            if not name or "/" in name:
                raise self.source.error(at, f'"{name[:_SHOWN]}" cannot be a name')
        return [(name, child, inner.keys[name]) for name, child in inner.members.items()]

    def text(self, node: Node, what: str) -> str:
        value = read(self.source, node)
        if not isinstance(value, str):
            raise self.source.error(node.at, f"{what} is a text")
        return value

    def whole(self, node: Node, what: str, least: int = 0) -> int:
        value = read(self.source, node)
        if type(value) is not int or not least <= value <= _LARGEST:
            raise self.source.error(node.at, f"{what} is a whole number, {least} or more")
        return value

    def wholes(self, node: Node, what: str, least: int = 0) -> tuple[int, ...]:
        values = read(self.source, node)
        if not isinstance(values, list) or not all(
            type(v) is int and least <= v <= _LARGEST for v in values
        ):
            raise self.source.error(node.at, f"{what} is a list of whole numbers")
        return tuple(values)

    def flag(self, node: Node, what: str) -> bool:
        value = read(self.source, node)
        if not isinstance(value, bool):
            raise self.source.error(node.at, f"{what} is true or false")
        return value

    def type(self, node: Node) -> NcType:
        """The type that a text names."""
        name = self.text(node, "a type")
        for atomic in Atomic:
            if atomic.word == name:
                return atomic
        if name not in self.types:
            words = ", ".join(atomic.word for atomic in Atomic)
            raise self.source.error(
                node.at, f'there is no type "{name[:_SHOWN]}"', f"known are {words}"
            )
        return self.types[name]

    def value(self, node: Node, convert: Callable[[Any], Value]) -> Value:
        """What `convert` makes of a value."""
        try:
            return convert(read(self.source, node))
        except WrongValue as error:
            raise self.source.error(node.at, str(error)) from None

    # --- the tree -------------------------------------------------------------------------------

    def dataset(self, node: Object) -> Dataset:
        known = ("format", "version", "name", *_GROUP)
        node = self.object(node, "the document", known)
        form = self.text(self.member(node, "format", "the document"), "the format")
        if form != FORMAT:
            raise self.source.error(
                node.members["format"].at,
                f'"{form[:_SHOWN]}" is not a format that can be read',
                f'"{FORMAT}" is what ncz dump --json writes',
            )
        version = self.whole(self.member(node, "version", "the document"), "the version")
        if version != VERSION:
            raise self.source.error(
                node.members["version"].at,
                f"this is version {version}, and only {VERSION} is known",
                "a newer ncz may read it",
            )
        name = self.text(self.member(node, "name", "the document"), "the name")
        return Dataset(name=name, root=self.group(node, "", ""))

    def group(self, node: Object, name: str, fqn: str) -> Group:
        for type_name, child, _ in self.named(node, "types", '"types"'):
            path = join(fqn, type_name)
            self.types[path] = self.user_type(child, path)
        own = []
        for dimension_name, child, _ in self.named(node, "dimensions", '"dimensions"'):
            dimension = self.dimension(child, dimension_name)
            self.dimensions[join(fqn, dimension_name)] = dimension
            own.append(dimension)
        variables = [
            self.variable(child, variable_name, join(fqn, variable_name))
            for variable_name, child, _ in self.named(node, "variables", '"variables"')
        ]
        groups = []
        for group_name, child, at in self.named(node, "groups", '"groups"'):
            if any(v.name == group_name for v in variables):
                raise self.source.error(at, f'a variable is named "{group_name}" already')
            inner = self.object(child, f"group {group_name}", _GROUP)
            groups.append(self.group(inner, group_name, join(fqn, group_name)))
        return Group(
            name=name,
            types=tuple(t for path, t in self.types.items() if path.rpartition("/")[0] == fqn),
            dimensions=tuple(own),
            variables=tuple(variables),
            attributes=self.attributes(node),
            groups=tuple(groups),
        )

    def dimension(self, node: Node, name: str) -> Dimension:
        node = self.object(node, f"dimension {name}", ("size", "unlimited"))
        size = self.whole(self.member(node, "size", f"dimension {name}"), "a size")
        unlimited = "unlimited" in node.members and self.flag(
            node.members["unlimited"], '"unlimited"'
        )
        return Dimension(name=name, size=size, unlimited=unlimited)

    def attributes(self, node: Object) -> tuple[Attribute, ...]:
        inner = self.object(node.members["attributes"], '"attributes"') if _has(node) else None
        members = inner.members if inner else {}
        return tuple(self.attribute(child, name) for name, child in members.items())

    def attribute(self, node: Node, name: str) -> Attribute:
        what = f"attribute {name}"
        node = self.object(node, what, ("type", "value"))
        nc_type = self.type(self.member(node, "type", what))
        given = self.member(node, "value", what)
        if nc_type is Atomic.CHAR:
            text = self.value(given, lambda v: to_chars(v).decode("utf-8", "surrogateescape"))
            return Attribute(name=name, type=nc_type, values=(text,) if text else ())
        values = read(self.source, given)
        if not isinstance(values, list):
            raise self.source.error(given.at, f"the value of {what} is a list")
        return Attribute(
            name=name,
            type=nc_type,
            values=self.value(given, lambda v: tuple(to_value(one, nc_type) for one in v)),
        )

    def variable(self, node: Node, name: str, fqn: str) -> Variable:
        what = f"variable {fqn}"
        node = self.object(
            node, what, ("type", "dimensions", "shape", "attributes", "storage", "data")
        )
        nc_type = self.type(self.member(node, "type", what))
        at = self.member(node, "dimensions", what)
        dimensions = read(self.source, at)
        if not isinstance(dimensions, list):
            raise self.source.error(at.at, "the dimensions are a list of texts")
        for dimension in dimensions:
            if dimension not in self.dimensions:
                raise self.source.error(
                    at.at,
                    f"there is no dimension {str(dimension)[:_SHOWN]}",
                    "name it by its path, such as /time",
                )
        shape = tuple(self.dimensions[d].size for d in dimensions)
        if "shape" in node.members and self.wholes(node.members["shape"], '"shape"') != shape:
            raise self.source.error(
                node.members["shape"].at, f"the dimensions have the lengths {list(shape)}"
            )
        storage = self.storage(node, nc_type, len(shape))
        return Variable(
            name=name,
            type=nc_type,
            dimensions=tuple(dimensions),
            attributes=self.attributes(node),
            storage=storage,
            data=self.data(node, nc_type, shape, storage, fqn),
        )

    def data(
        self, node: Object, nc_type: NcType, shape: tuple[int, ...], storage: Storage, fqn: str
    ) -> JsonSource | None:
        if "data" not in node.members:
            return None
        grid = ChunkGrid(shape, storage.chunks or row_chunks(shape))
        return read_data(self.source, node.members["data"], nc_type, grid, storage.fill, fqn)

    def storage(self, node: Object, nc_type: NcType, rank: int) -> Storage:
        if "storage" not in node.members:
            return Storage()
        given = self.object(node.members["storage"], '"storage"', _STORAGE).members
        lists = {}
        for key in ("chunks", "shards"):
            if key in given:
                lists[key] = self.wholes(given[key], f'"{key}"', least=1)
                if len(lists[key]) != rank:
                    raise self.source.error(given[key].at, f'"{key}" has {rank} numbers here')
        return Storage(
            storage_class=self.choice(given, "layout", ("chunked", "contiguous", "compact")),
            chunks=lists.get("chunks"),
            shards=lists.get("shards"),
            endianness=self.choice(given, "endianness", ("little", "big")),
            filters=self.codecs(given["codecs"]) if "codecs" in given else None,
            fill=self.value(given["fill"], lambda v: to_value(v, nc_type))
            if "fill" in given
            else None,
            no_fill="no_fill" in given and self.flag(given["no_fill"], '"no_fill"'),
            string_length=self.whole(given["string_length"], '"string_length"', 1)
            if "string_length" in given
            else None,
            quantize=self.quantize(given["quantize"]) if "quantize" in given else None,
        )

    def choice(self, given: Mapping[str, Node], key: str, words: tuple[Word, ...]) -> Word | None:
        return self.one_of(given[key], key, words) if key in given else None

    def one_of(self, node: Node, key: str, words: tuple[Word, ...]) -> Word:
        text = self.text(node, f'"{key}"')
        for word in words:
            if text == word:
                return word
        raise self.source.error(node.at, f'"{key}" is one of {", ".join(words)}')

    def codecs(self, node: Node) -> tuple[Filter, ...]:
        documents = read(self.source, node)
        if not isinstance(documents, list) or not all(
            isinstance(d, dict) and isinstance(d.get("id"), str) for d in documents
        ):
            raise self.source.error(node.at, 'each codec is an object with a member "id"')
        for document in documents:
            fault = writing_fault(document)
            if fault is not None:
                raise self.source.error(node.at, fault)
        return tuple(Filter.from_json(document) for document in documents)

    def quantize(self, node: Node) -> Quantize:
        node = self.object(node, '"quantize"', ("algorithm", "digits"))
        return Quantize(
            algorithm=self.one_of(
                self.member(node, "algorithm", '"quantize"'), "algorithm", tuple(ATTRIBUTES)
            ),
            digits=self.whole(self.member(node, "digits", '"quantize"'), '"digits"', 1),
        )

    # --- types ----------------------------------------------------------------------------------

    def user_type(self, node: Node, fqn: str) -> UserType:
        what = f"type {fqn}"
        node = self.object(node, what, ("kind", "size", "base", "members", "fields"))
        kind = self.choice(
            {"kind": self.member(node, "kind", what)},
            "kind",
            ("opaque", "vlen", "enum", "compound"),
        )
        if kind == "opaque":
            return Opaque(name=fqn, size=self.whole(self.member(node, "size", what), "a size", 1))
        if kind == "vlen":
            return Vlen(name=fqn, base=self.type(self.member(node, "base", what)))
        if kind == "enum":
            return self.enumeration(node, fqn)
        fields = read(self.source, self.member(node, "fields", what))
        parts = [self.field(part, node.members["fields"]) for part in _as_list(fields)]
        if not parts:
            raise self.source.error(node.at, f"{what} needs fields")
        return Compound(name=fqn, fields=tuple(parts))

    def enumeration(self, node: Object, fqn: str) -> Enumeration:
        base = self.type(self.member(node, "base", f"type {fqn}"))
        members = read(self.source, self.member(node, "members", f"type {fqn}"))
        if not isinstance(base, Atomic) or not base.is_integer:
            raise self.source.error(node.members["base"].at, "the base is a type of integers")
        if not isinstance(members, dict) or not members:
            raise self.source.error(node.members["members"].at, "members are named numbers")
        values = self.value(
            node.members["members"],
            lambda given: tuple((label, to_value(v, base)) for label, v in given.items()),
        )
        return Enumeration(name=fqn, base=base, members=values)

    def field(self, given: Any, node: Node) -> Field:
        if not isinstance(given, dict) or set(given) - {"name", "type", "shape"}:
            raise self.source.error(node.at, "a field has a name, a type and a shape")
        name, word, shape = given.get("name"), given.get("type"), given.get("shape", [])
        known: dict[Any, NcType] = {a.word: a for a in Atomic} | self.types
        is_shape = isinstance(shape, list) and all(type(n) is int and n > 0 for n in shape)
        if not isinstance(name, str) or word not in known or not is_shape:
            raise self.source.error(node.at, "a field has a name, a type that is known, a shape")
        return Field(name=name, type=known[word], shape=tuple(shape))


_GROUP = ("types", "dimensions", "variables", "attributes", "groups")
_STORAGE = (
    "layout",
    "chunks",
    "shards",
    "endianness",
    "codecs",
    "fill",
    "no_fill",
    "string_length",
    "quantize",
)


def _has(node: Object) -> bool:
    return "attributes" in node.members


def _as_list(given: Any) -> list[Any]:
    return given if isinstance(given, list) else []
