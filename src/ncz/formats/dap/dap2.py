"""The dataset that a DDS and a DAS of DAP2 describe.

As in netCDF-C, the array of a grid has the name of the grid, each map is a separate variable unless
one of that name exists, and the parts of structures are variables such as ``s.part``. Unlike in
netCDF-C, unsigned integers and texts keep their types, and a slash in a name separates groups.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial
from urllib.parse import quote

from ncz.errors import Notice, Notify
from ncz.formats.dap.attributes import (
    chunk_sizes,
    fit_attributes,
    with_signed_bytes,
    without_those_of_servers,
)
from ncz.formats.dap.das import ATOMIC, NOTHING, Container
from ncz.formats.dap.dds import Declaration, DeclaredAxis
from ncz.formats.dap.groups import Groups
from ncz.formats.dap.projection import Projection
from ncz.formats.dap.server import DapServer
from ncz.formats.dap.source import LARGEST_ANSWER, DapArray, request_chunks
from ncz.formats.dap.xdr import TEXTS, WIRE, values_of
from ncz.model.data import Values
from ncz.model.grid import Box
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Provenance,
    Storage,
    Variable,
    base_name,
    join,
    mask_of,
    parent,
)
from ncz.model.types import Atomic
from ncz.record import record, replace

_OF_DDS = 1 << 20
"""The most bytes of the DDS that comes before values."""

_SAFE = "%,:[]&=~!*'\"-._()/@"


@record
class _Leaf:
    """A variable with values.

    `name` is its name in the dataset. `path` has the declarations that lead to it, with its own as
    the last. `attributes` are its attributes, including the attributes of its grid.
    """

    name: str
    path: tuple[Declaration, ...]
    attributes: Container
    is_map: bool = False

    @property
    def declaration(self) -> Declaration:
        return self.path[-1]

    @property
    def axes(self) -> tuple[DeclaredAxis, ...]:
        """The dimensions; dimensions of structures come first."""
        return tuple(axis for declared in self.path for axis in declared.axes)


def dataset_of(
    declared: Sequence[Declaration],
    das: Container,
    server: DapServer,
    name: str,
    projection: Projection,
    notify: Notify,
) -> Dataset:
    """Return the dataset that a server describes.

    Parameters
    ----------
    declared
        The declarations of its DDS.
    das
        The attributes of its DAS.
    server
        Sends the values.
    name
        The name of the dataset.
    projection
        The variables that are chosen.
    notify
        Receives a notice of each variable that is left out.
    """
    groups = Groups()
    leaves = [
        _with_flat(leaf, das)
        for one in declared
        for leaf in _leaves(one, (), "", das, server, notify)
    ]
    projection.check(
        {one for leaf in leaves for one in _names(leaf)},
        lambda text, hint: server.error(text, hint=hint),
    )
    own = {_flat_name(leaf) for leaf in leaves}
    leaves = [leaf for leaf in leaves if projection.has(_names(leaf))]
    unlimited = (das.find("DODS_EXTRA") or NOTHING).text("Unlimited_Dimension")
    dimensions = _Dimensions(groups, unlimited)
    for leaf in sorted(leaves, key=lambda leaf: leaf.is_map):
        # All grids have maps, mostly the same ones, and some maps are variables too.
        if leaf.is_map and groups.has_variable(join("", leaf.name)):
            continue
        group, variable = _variable(leaf, dimensions, server)
        if not groups.add_variable(group, variable):
            _leave_out(leaf.name, "another variable has the same name", server, notify)
    groups.add_attributes("", without_those_of_servers(_global(das, declared, own)))
    return Dataset(name=name, root=groups.root(), provenance=Provenance(protocol="DAP2"))


def _leaves(
    declared: Declaration,
    above: tuple[Declaration, ...],
    prefix: str,
    das: Container,
    server: DapServer,
    notify: Notify,
) -> Iterator[_Leaf]:
    """Yield the variables of a declaration. `das` has the attributes around it."""
    name = f"{prefix}{declared.name}"
    path = (*above, declared)
    own = das.find(declared.name) or das.find(declared.written) or NOTHING
    if declared.kind == "sequence":
        _leave_out(name, "it is a sequence, which ncz cannot read", server, notify)
    elif declared.kind == "structure":
        for part in declared.parts:
            yield from _leaves(part, path, f"{name}.", own, server, notify)
    elif declared.kind == "grid":
        yield from _of_grid(declared, above, name, own, das, prefix)
    elif declared.type in WIRE or declared.type in TEXTS:
        yield _Leaf(name, path, own)
    else:
        what = f"it has the type {declared.type!r}, which DAP2 does not have"
        _leave_out(name, what, server, notify)


def _of_grid(
    declared: Declaration,
    above: tuple[Declaration, ...],
    name: str,
    own: Container,
    das: Container,
    prefix: str,
) -> Iterator[_Leaf]:
    """Yield the array of a grid, and its maps."""
    path = (*above, declared)
    for number, part in enumerate(declared.parts):
        inner = own.find(part.name) or NOTHING
        if number == 0:
            known = {attribute.name for attribute in own.attributes}
            more = tuple(a for a in inner.attributes if a.name not in known)
            names = {one.name for one in declared.parts}
            inside = tuple(c for c in own.containers if c[0] not in names)
            found = Container((*own.attributes, *more), (*inside, *inner.containers))
            yield _Leaf(name, (*path, part), found)
        else:
            attributes = inner if inner.attributes else das.find(part.name) or NOTHING
            yield _Leaf(f"{prefix}{part.name}", (*path, part), attributes, is_map=True)


def _names(leaf: _Leaf) -> Iterator[str]:
    """Yield the names of a variable in a projection: its own, and the names of its containers."""
    yield leaf.name
    for depth in range(1, len(leaf.path) + 1):
        yield ".".join(declared.name for declared in leaf.path[:depth])


def _flat_name(leaf: _Leaf) -> str:
    return ".".join(declared.name for declared in leaf.path)


def _with_flat(leaf: _Leaf, das: Container) -> _Leaf:
    """Return a variable with the attributes of a container such as ``structure.part``.

    Some servers write the attributes of parts in this way.
    """
    flat = das.find(_flat_name(leaf)) if len(leaf.path) > 1 else None
    if flat is None:
        return leaf
    own = leaf.attributes
    known = {attribute.name for attribute in own.attributes}
    more = tuple(a for a in flat.attributes if a.name not in known)
    containers = (*own.containers, *flat.containers)
    return replace(leaf, attributes=Container((*own.attributes, *more), containers))


def _leave_out(name: str, reason: str, server: DapServer, notify: Notify) -> None:
    text = f"{reason}; the variable is left out"
    notify(Notice("variable-left-out", text, f"{server.url}: {join('', name)}", lost=True))


class _Dimensions:
    """The dimensions of the dataset, which variables share by name and length."""

    def __init__(self, groups: Groups, unlimited: str) -> None:
        self._groups = groups
        self._unlimited = unlimited

    def fqn(self, axis: DeclaredAxis, number: int, variable: str) -> str:
        """Return the FQN of an axis. One without a name is named after the variable."""
        name = axis.name or f"{base_name(variable)}_{number}"
        fqn = join("", name)
        group, plain = parent(fqn), base_name(fqn)
        dimensions = self._groups.dimensions(group)
        unique, attempt = plain, 0
        while unique in dimensions and dimensions[unique].size != axis.size:
            attempt += 1
            unique = f"{plain}_{attempt}"
        is_unlimited = axis.size == 0 or name == self._unlimited
        dimensions.setdefault(
            unique, Dimension(name=unique, size=axis.size, unlimited=is_unlimited)
        )
        return join(group, unique)


def _variable(leaf: _Leaf, dimensions: _Dimensions, server: DapServer) -> tuple[str, Variable]:
    """Return the group and the description of a variable."""
    declared, shape = leaf.declaration, tuple(axis.size for axis in leaf.axes)
    given = _with_nested(leaf)
    nc_type = ATOMIC[declared.type]
    if declared.type == "byte" and leaf.attributes.text("_Unsigned").strip().lower() == "false":
        nc_type, given = Atomic.BYTE, tuple(with_signed_bytes(given))
    attributes = fit_attributes(without_those_of_servers(given), nc_type)
    fqn = join("", leaf.name)
    item_size = int(WIRE[declared.type][-1]) if declared.type in WIRE else 0
    data = DapArray(
        shape=shape,
        chunks=request_chunks(shape, item_size),
        type=nc_type,
        fill=mask_of(attributes, nc_type),
        item_size=item_size,
        fetch=partial(_fetch, server, leaf, nc_type, fqn),
        natural=chunk_sizes(given, shape),
    )
    return parent(fqn), Variable(
        name=base_name(fqn),
        type=nc_type,
        dimensions=tuple(dimensions.fqn(a, n, leaf.name) for n, a in enumerate(leaf.axes)),
        attributes=attributes,
        storage=Storage(no_fill=True),
        data=data,
    )


def _with_nested(leaf: _Leaf) -> tuple[Attribute, ...]:
    """Return the attributes of a variable, and the attributes in its containers with both names."""
    found = {attribute.name: attribute for attribute in leaf.attributes.attributes}
    for name, container in leaf.attributes.containers:
        if name != "DODS":  # the length of texts, which netCDF-C needs
            for attribute in _flat(container, name):
                found.setdefault(attribute.name, attribute)
    return tuple(found.values())


def _flat(container: Container, prefix: str) -> Iterator[Attribute]:
    """Yield the attributes of a container and of its containers, with names such as ``a.b``."""
    for attribute in container.attributes:
        yield replace(attribute, name=f"{prefix}.{attribute.name}")
    for name, inner in container.containers:
        yield from _flat(inner, f"{prefix}.{name}")


def _global(das: Container, declared: Sequence[Declaration], flat: set[str]) -> Iterator[Attribute]:
    """Yield the attributes of the dataset.

    They are in containers such as ``NC_GLOBAL``. Attributes of other containers, which name no
    variable, have both names. `flat` has the names of parts of variables with dots.
    """
    of_variables = {one.name for one in declared} | {one.written for one in declared} | flat
    of_variables |= {part.name for one in declared if one.kind == "grid" for part in one.parts}
    yield from das.attributes
    for name, container in das.containers:
        if name in of_variables or name == "DODS_EXTRA":
            continue
        if name.upper().endswith("GLOBAL"):
            yield from container.attributes
            for inner_name, inner in container.containers:
                yield from _flat(inner, inner_name)
        else:
            yield from _flat(container, name)


def _fetch(server: DapServer, leaf: _Leaf, nc_type: Atomic, fqn: str, box: Box) -> Values:
    """Request the values of a box."""
    size = int(WIRE[leaf.declaration.type][-1]) if leaf.declaration.type in WIRE else 0
    # An array of structures says the lengths of each of them, and a single byte has four.
    count = math.prod(box.shape)
    lengths = 8 * (1 + math.prod(n for n in box.shape))
    limit = _OF_DDS + lengths + count * max(size, 4) if size else LARGEST_ANSWER
    where = f"{server.url}: {fqn}"
    body = server.read(".dods", _constraint(leaf, box), limit, fqn)
    path = tuple(declared.written for declared in leaf.path)
    values = values_of(body, path, lambda text: server.error(text, fqn), where)
    if values.shape != box.shape:
        raise server.error("the server sends another part of the array than requested", fqn)
    return values.astype(nc_type.dtype, copy=False)


def _constraint(leaf: _Leaf, box: Box) -> str:
    """Return the constraint expression of a box."""
    words = []
    axis = 0
    for declared in leaf.path:
        ends = zip(box.start[axis:], box.stop[axis:], declared.axes, strict=False)
        words.append(declared.written + "".join(f"[{a}:1:{b - 1}]" for a, b, _ in ends))
        axis += len(declared.axes)
    return quote(".".join(words), safe=_SAFE).replace("[", "%5B").replace("]", "%5D")
