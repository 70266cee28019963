"""Read a dataset from the JSON that `ncz.views.json.writer` writes. Source: docs/reference/json.md.

An unknown member is an error, as it may be a misspelled one. Data are parsed when their chunks are
read, so the buffer must stay open; it may be a memory map of any size.
"""

from __future__ import annotations

import mmap
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ncz.errors import DUMP_AS_JSON, CdlError, Notify, ignore_notice, shorten
from ncz.model.flat_blocks import row_chunks
from ncz.model.grid import ChunkGrid
from ncz.model.json_decoding import decode_chars, decode_value
from ncz.model.json_text import is_strict, print_json
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Storage, Variable, join
from ncz.model.types import Atomic, NcType
from ncz.text.source import SourceText
from ncz.views.json.array import read_data
from ncz.views.json.members import Members
from ncz.views.json.storage import read_storage
from ncz.views.json.tree import parse_node, scan
from ncz.views.json.types import Types
from ncz.views.json.writer import FORMAT, VERSION

if TYPE_CHECKING:
    from ncz.views.json.array import JsonArray
    from ncz.views.json.tree import Node, Object


def looks_like_json(text: bytes | mmap.mmap) -> bool:
    """Return whether the text of a dataset is JSON, not CDL: it begins with a brace."""
    head = text[: 1 << 12]
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def read_json(text: bytes | mmap.mmap, *, source: str, notify: Notify = ignore_notice) -> Dataset:
    """Read the dataset that a JSON text describes.

    Parameters
    ----------
    text
        UTF-8. Must stay open as long as data are read from the dataset.
    source
        Name of the text in error messages.
    notify
        Unused; for the same signature as `ncz.cdl.reader.read_cdl`.

    Raises
    ------
    CdlError
        The text is not valid; `location` is ``source:line:column``. A wrong value in the data of a
        variable raises it later, when its chunk is read.
    """
    del notify
    document = SourceText(text, source)
    members = Members(document)
    try:
        return _Reader(document, members, Types(document, members)).dataset(scan(document))
    except (RecursionError, MemoryError) as error:
        raise CdlError("the text is nested too deeply or too large for memory", source) from error


@dataclass(slots=True)
class _Reader:
    source: SourceText
    get: Members
    types: Types
    dimensions: dict[str, Dimension] = field(default_factory=dict)

    def dataset(self, node: Object) -> Dataset:
        members = ("format", "version", "name", *_GROUP)
        node = self.get.object(node, "the document", members)
        form = self.get.text(self.get.member(node, "format", "the document"), "the format")
        if form != FORMAT:
            raise self.source.error(
                node.members["format"].at,
                f'unknown format "{shorten(form)}"',
                f'"{DUMP_AS_JSON}" writes "{FORMAT}"',
            )
        version = self.get.whole(self.get.member(node, "version", "the document"), "the version")
        if version != VERSION:
            raise self.source.error(
                node.members["version"].at,
                f"version {version} is not supported; the supported version is {VERSION}",
                "use a newer ncz",
            )
        name = self.get.text(self.get.member(node, "name", "the document"), "the name")
        return Dataset(name=name, root=self.group(node, "", ""))

    def group(self, node: Object, name: str, fqn: str) -> Group:
        types = self.types.declare(node, fqn)
        own = []
        for dimension_name, child, _ in self.get.named_members(node, "dimensions", '"dimensions"'):
            dimension = self.dimension(child, dimension_name)
            self.dimensions[join(fqn, dimension_name)] = dimension
            own.append(dimension)
        variables = [
            self.variable(child, variable_name, join(fqn, variable_name))
            for variable_name, child, _ in self.get.named_members(node, "variables", '"variables"')
        ]
        groups = []
        for group_name, child, at in self.get.named_members(node, "groups", '"groups"'):
            if any(v.name == group_name for v in variables):
                raise self.source.error(at, f'"{group_name}" is already the name of a variable')
            inner = self.get.object(child, f"group {group_name}", _GROUP)
            groups.append(self.group(inner, group_name, join(fqn, group_name)))
        return Group(
            name=name,
            types=types,
            dimensions=tuple(own),
            variables=tuple(variables),
            attributes=self.attributes(node),
            groups=tuple(groups),
        )

    def dimension(self, node: Node, name: str) -> Dimension:
        node = self.get.object(node, f"dimension {name}", ("size", "unlimited"))
        size = self.get.whole(self.get.member(node, "size", f"dimension {name}"), "a size")
        unlimited = "unlimited" in node.members and self.get.flag(
            node.members["unlimited"], '"unlimited"'
        )
        return Dimension(name=name, size=size, unlimited=unlimited)

    def attributes(self, node: Object) -> tuple[Attribute, ...]:
        inner = self.get.object(node.members["attributes"], '"attributes"') if _has(node) else None
        members = inner.members if inner else {}
        return tuple(self.attribute(child, name) for name, child in members.items())

    def attribute(self, node: Node, name: str) -> Attribute:
        what = f"attribute {name}"
        node = self.get.object(node, what, ("type", "value"))
        declared = self.get.member(node, "type", what)
        value = self.get.member(node, "value", what)
        if parse_node(self.source, declared) == "json":
            return self.json_attribute(value, name)
        nc_type = self.types.find(declared)
        if nc_type is Atomic.CHAR:
            text = self.get.value(
                value, lambda v: decode_chars(v).decode("utf-8", "surrogateescape")
            )
            return Attribute(name=name, type=nc_type, values=(text,) if text else ())
        values = parse_node(self.source, value)
        if not isinstance(values, list):
            raise self.source.error(value.at, f"the value of {what} must be a list")
        if name == "_FillValue" and not values:
            raise self.source.error(value.at, "_FillValue needs exactly one value")
        return Attribute(
            name=name,
            type=nc_type,
            values=self.get.value(value, lambda v: tuple(decode_value(one, nc_type) for one in v)),
        )

    def json_attribute(self, node: Node, name: str) -> Attribute:
        """Return an attribute that Zarr has as an object or a list, and netCDF as its text."""
        value = parse_node(self.source, node)
        if not isinstance(value, dict | list) or not is_strict(value):
            raise self.source.error(
                node.at, f"attribute {name} of type json must be an object or a list"
            )
        text = print_json(value)
        return Attribute(name=name, type=Atomic.CHAR, values=(text,), original=(value,))

    def variable(self, node: Node, name: str, fqn: str) -> Variable:
        what = f"variable {fqn}"
        node = self.get.object(
            node, what, ("type", "dimensions", "shape", "attributes", "storage", "data")
        )
        nc_type = self.types.find(self.get.member(node, "type", what))
        at = self.get.member(node, "dimensions", what)
        dimensions = parse_node(self.source, at)
        if not isinstance(dimensions, list):
            raise self.source.error(at.at, "the dimensions must be a list of texts")
        for dimension in dimensions:
            if not isinstance(dimension, str) or dimension not in self.dimensions:
                raise self.source.error(
                    at.at,
                    f"unknown dimension {shorten(dimension)}",
                    "write its full path, such as /time",
                )
        shape = tuple(self.dimensions[d].size for d in dimensions)
        if "shape" in node.members and self.get.wholes(node.members["shape"], '"shape"') != shape:
            raise self.source.error(
                node.members["shape"].at,
                f"the shape differs from the lengths of the dimensions, {list(shape)}",
            )
        storage = read_storage(self.get, node, nc_type, len(shape))
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
    ) -> JsonArray | None:
        if "data" not in node.members:
            return None
        grid = ChunkGrid(shape, storage.chunks or row_chunks(shape))
        return read_data(self.source, node.members["data"], nc_type, grid, storage.fill, fqn)


_GROUP = ("types", "dimensions", "variables", "attributes", "groups")


def _has(node: Object) -> bool:
    return "attributes" in node.members
