"""The dataset that a DMR of DAP4 describes.

Groups, dimensions, enums and structures are as in netCDF-4. Sequences, opaque values and
structures with texts, whose values have no fixed size, are left out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import quote

from ncz.errors import FormatError, NczError, Notice, Notify
from ncz.formats.dap.attributes import chunk_sizes, fit_attributes, without_those_of_servers
from ncz.formats.dap.chunked_answers import values_of
from ncz.formats.dap.das import ATOMIC, number_of, text_attribute
from ncz.formats.dap.groups import Groups
from ncz.formats.dap.projection import Projection
from ncz.formats.dap.scanner import DEEPEST
from ncz.formats.dap.server import DapServer
from ncz.formats.dap.source import LARGEST_ANSWER, DapArray, request_chunks
from ncz.model.data import Values
from ncz.model.grid import Box
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Provenance,
    Variable,
    base_name,
    join,
    mask_of,
    parent,
)
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Compound, Enumeration, Field, NcType
from ncz.record import replace

if TYPE_CHECKING:
    from xml.etree.ElementTree import Element

_OF_DMR = 1 << 20
"""The most bytes of the DMR that comes before values."""

_OF_CHUNKS = 1 << 16
"""The most bytes of headers of chunks, and of the checksum."""

_TYPES: Mapping[str, Atomic] = {**ATOMIC, "char": Atomic.CHAR, "uri": Atomic.STRING}
_NOT_READ = {
    "sequence": "it is a sequence, which ncz cannot read",
    "opaque": "it is opaque, which ncz cannot read from a server",
}
_ENCODING = re.compile(rb"""<\?xml[^>]*encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_UNLIMITED = "_edu.ucar.isunlimited"
_SAFE = "%,:&=~!*'\"-._()/@"


def dataset_of(
    dmr: bytes, server: DapServer, name: str, projection: Projection, notify: Notify
) -> Dataset:
    """Return the dataset that a server describes by a DMR, with the variables that are chosen.

    Raises `FormatError` if it is not valid. `notify` receives a notice of each variable that is
    left out.
    """
    described = _DmrReader(server, projection, notify)
    described.group(_parse(dmr, server), "", 0)
    projection.check(described.names, lambda text, hint: server.error(text, hint=hint))
    return Dataset(name=name, root=described.groups.root(), provenance=Provenance(protocol="DAP4"))


def _parse(dmr: bytes, server: DapServer) -> Element:
    """Return the root of a DMR, which must not declare entities: they could be of any size."""
    from xml.etree import ElementTree

    found = _ENCODING.match(dmr[:200].lstrip())
    try:
        text = dmr.decode(found[1].decode() if found else "utf-8").lstrip("\ufeff \r\n\t")
    except (UnicodeDecodeError, LookupError):
        raise server.error("the server's DMR is not text") from None
    if "<!" in re.sub(r"(?s)<!--.*?-->|<!\[CDATA\[.*?\]\]>", "", text):
        raise server.error("the server's DMR has a declaration, which ncz does not read")
    try:
        root = ElementTree.fromstring(re.sub(r"\A<\?xml[^>]*\?>", "", text))
    except ElementTree.ParseError as error:
        raise server.error(f"the server's DMR is not valid: {error}") from error
    if _tag(root) != "dataset":
        raise server.error(
            "the server's DMR is not valid: it does not begin with Dataset",
            hint="check the URL, or use #mode=dap2",
        )
    return root


def _tag(element: Element) -> str:
    """Return the name of an element without its namespace, in lower case."""
    return element.tag.rpartition("}")[2].lower()


class _DmrReader:
    """The state of a dataset while its DMR is read."""

    def __init__(self, server: DapServer, projection: Projection, notify: Notify) -> None:
        self.groups = Groups()
        self.names: set[str] = set()
        self._server = server
        self._projection = projection
        self._notify = notify
        self._sizes: dict[str, int] = {}
        self._enums: dict[str, Enumeration] = {}

    def error(self, text: str) -> FormatError:
        return self._server.error(f"the server's DMR is not valid: {text}")

    def group(self, element: Element, fqn: str, depth: int) -> None:
        """Add a group and its groups."""
        if depth > DEEPEST:
            raise self.error("it is nested too deeply")
        self.groups.add(fqn)
        for child in element:
            if _tag(child) == "dimension":
                self._dimension(child, fqn)
            elif _tag(child) == "enumeration":
                self._enumeration(child, fqn)
        self.groups.add_attributes(fqn, without_those_of_servers(self._attributes(element, fqn)))
        for child in element:
            if _tag(child) == "group":
                self.group(child, join(fqn, self._name(child)), depth + 1)
            elif _tag(child) not in ("dimension", "enumeration", "attribute"):
                self._variable(child, fqn)

    def _name(self, element: Element) -> str:
        name = element.get("name")
        if not name:
            raise self.error(f"an element {_tag(element)} has no name")
        return _plain(name).replace("/", "%2F")

    def _path(self, element: Element, group: str) -> str:
        """Return the FQN of an element in a group, whose name may be a path in it."""
        return group + (_fqn(element.get("name") or "") or f"/{self._name(element)}")

    def _number(self, element: Element, name: str) -> int:
        text = element.get(name) or ""
        if not re.fullmatch(r"-?\d{1,19}", text):
            raise self.error(f"the {name} of an element {_tag(element)} is not a number")
        return int(text)

    def _dimension(self, element: Element, group: str) -> None:
        fqn, size = self._path(element, group), self._number(element, "size")
        if size < 0:
            raise self.error(f"the dimension {fqn} has a length below 0")
        is_unlimited = size == 0 or any(child.get("name") == _UNLIMITED for child in element)
        dimension = Dimension(name=base_name(fqn), size=size, unlimited=is_unlimited)
        self.groups.dimensions(parent(fqn))[dimension.name] = dimension
        self._sizes[fqn] = size

    def _enumeration(self, element: Element, group: str) -> None:
        base = _TYPES.get((element.get("basetype") or "").lower(), Atomic.STRING)
        if not base.is_integer:
            raise self.error(f"the enumeration {self._name(element)} has no type of integers")
        members = tuple(
            (self._name(one), self._number(one, "value"))
            for one in element
            if _tag(one) == "enumconst"
        )
        fqn = join(group, self._name(element))
        self._enums[fqn] = Enumeration(name=fqn, base=base, members=members)
        self.groups.add_type(group, self._enums[fqn])

    def _variable(self, element: Element, group: str) -> None:
        fqn = self._path(element, group)
        group, name = parent(fqn), base_name(fqn)
        parts = fqn.strip("/").split("/")
        names = {"/".join(parts[:depth]) for depth in range(1, len(parts) + 1)}
        self.names |= names
        if not self._projection.has(names):
            return
        try:
            nc_type = self._type(element, f"{fqn}_t")
        except _NotReadError as error:
            text = f"{error.message}; the variable is left out"
            self._notify(Notice("variable-left-out", text, self._server.where(fqn), lost=True))
            return
        if isinstance(nc_type, Compound):
            self.groups.add_type(group, nc_type)
        dimensions = tuple(self._axes(element, fqn))
        shape = tuple(self._sizes[one] for one in dimensions)
        given = tuple(self._attributes(element, fqn))
        attributes = fit_attributes(without_those_of_servers(given), nc_type)
        data = DapArray(
            shape=shape,
            chunks=request_chunks(shape, fixed_size(nc_type)),
            type=nc_type,
            fill=mask_of(attributes, nc_type),
            item_size=fixed_size(nc_type),
            fetch=partial(_fetch, self._server, fqn, nc_type),
            natural=chunk_sizes(given, shape),
        )
        variable = Variable(
            name=name, type=nc_type, dimensions=dimensions, attributes=attributes, data=data
        )
        if not self.groups.add_variable(group, variable):
            raise self.error(f"two variables are named {fqn}")

    def _type(self, element: Element, name: str) -> NcType:
        """Return the type of a variable. Raises `_NotReadError` for one that cannot be read."""
        tag = _tag(element)
        if tag == "enum":
            known = self._enums.get(_fqn(element.get("enum") or ""))
            if known is None:
                raise self.error(f"the enumeration of {self._name(element)} is not declared")
            return known
        if tag == "structure":
            fields = tuple(self._fields(element))
            found = Compound(name=name, fields=fields)
            if not fields or not fixed_size(found):
                raise _NotReadError("it is a structure whose values have no fixed size")
            return found
        if tag not in _TYPES:
            raise _NotReadError(_NOT_READ.get(tag, f"it has the type {tag!r}, which is not known"))
        return _TYPES[tag]

    def _fields(self, element: Element) -> Iterator[Field]:
        for child in element:
            if _tag(child) in ("dim", "attribute", "map"):
                continue
            if _tag(child) == "structure":
                raise _NotReadError("it is a structure of structures, which ncz cannot read")
            shape = tuple(
                self._number(axis, "size") if axis.get("size") else self._sizes_of(axis)
                for axis in child
                if _tag(axis) == "dim"
            )
            yield Field(name=self._name(child), type=self._type(child, ""), shape=shape)

    def _sizes_of(self, axis: Element) -> int:
        fqn = _fqn(axis.get("name") or "")
        if fqn not in self._sizes:
            raise self.error(f"the dimension {fqn} is not declared")
        return self._sizes[fqn]

    def _axes(self, element: Element, variable: str) -> Iterator[str]:
        """Yield the FQN of each dimension. One without a name is named after the variable."""
        axes = (axis for axis in element if _tag(axis) == "dim")
        for number, axis in enumerate(axes):
            if axis.get("name"):
                self._sizes_of(axis)
                yield _fqn(axis.get("name") or "")
                continue
            size = self._number(axis, "size")
            group, name = parent(variable), f"{base_name(variable)}_{number}"
            while self.groups.dimensions(group).get(name, axis) is not axis and (
                self._sizes[join(group, name)] != size
            ):
                name += "_"
            self.groups.dimensions(group).setdefault(
                name, Dimension(name=name, size=size, unlimited=size == 0)
            )
            self._sizes[join(group, name)] = size
            yield join(group, name)

    def _attributes(self, element: Element, fqn: str) -> Iterator[Attribute]:
        """Yield the attributes of an element; attributes in containers have both names."""
        for child in element:
            if _tag(child) == "attribute":
                yield from self._attribute(child, "", fqn, 0)

    def _attribute(
        self, element: Element, prefix: str, fqn: str, depth: int
    ) -> Iterator[Attribute]:
        if depth > DEEPEST:
            raise self.error("it is nested too deeply")
        name = f"{prefix}{self._name(element)}"
        inner = [child for child in element if _tag(child) == "attribute"]
        kind = (element.get("type") or "").lower()
        if inner or kind == "container":
            is_global = not prefix and not fqn and name.upper().endswith("GLOBAL")
            for child in inner:
                yield from self._attribute(child, "" if is_global else f"{name}.", fqn, depth + 1)
            return
        nc_type = _TYPES.get(kind, Atomic.STRING)
        texts = tuple(_values(element))
        if nc_type in (Atomic.STRING, Atomic.CHAR):
            yield replace(text_attribute(name, texts))
            return
        convert = number_of(nc_type)
        try:
            yield Attribute(
                name=name, type=nc_type, values=tuple(convert(text.strip()) for text in texts)
            )
        except ValueError:
            raise self.error(
                f"the attribute {name} of {fqn or '/'} is not of type {kind}"
            ) from None


class _NotReadError(NczError):
    """A variable of a type that cannot be read."""


def _values(element: Element) -> Iterable[str]:
    """Return the values of an attribute: of its members, or of itself."""
    if element.get("value") is not None:
        yield element.get("value") or ""
    for child in element:
        if _tag(child) == "value":
            yield child.get("value") or child.text or ""


def _plain(name: str) -> str:
    """Return a name without the backslashes that stand before some characters."""
    return re.sub(r"\\(.)", r"\1", name)


def _fqn(name: str) -> str:
    """Return the FQN that a DMR gives; its parts may have backslashes."""
    parts = re.findall(r"(?:\\.|[^/\\])+", name)
    return "".join("/" + _plain(part).replace("/", "%2F") for part in parts)


def _fetch(server: DapServer, fqn: str, nc_type: NcType, box: Box) -> Values:
    """Request the values of a box."""
    size = fixed_size(nc_type) * math.prod(box.shape)
    limit = _OF_DMR + _OF_CHUNKS + size + size // 64 if size else LARGEST_ANSWER
    ends = zip(box.start, box.stop, strict=True)
    constraint = fqn + "".join(f"[{a}:1:{b - 1}]" for a, b in ends)
    query = "dap4.ce=" + quote(constraint, safe=_SAFE) + "&dap4.checksum=true"
    body = server.read(".dap", query, limit, fqn)
    return values_of(
        body, nc_type, box.shape, lambda text: server.error(text, fqn), checks=server.checks
    )
