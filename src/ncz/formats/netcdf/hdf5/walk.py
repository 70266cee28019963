"""The groups and datasets of an HDF5 file, in the order in which netCDF-C lists them.

That is the order of creation where the file notes it, and otherwise the order of names. Links into
other files are not followed: a file that somebody else made must not open files of the reader.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.errors import Notice, Notify
from ncz.formats.netcdf.hdf5.file import Hdf5File, address_of, hdf5_errors
from ncz.formats.netcdf.hdf5.types import text_of
from ncz.model.tree import join
from ncz.record import record

if TYPE_CHECKING:
    from h5py.h5d import DatasetID
    from h5py.h5g import GroupID
    from h5py.h5t import TypeID


@record
class DatasetNode:
    """A dataset of HDF5. `address` identifies it in the file."""

    name: str
    fqn: str
    id: DatasetID
    address: int


@record
class TypeNode:
    """A committed datatype of HDF5."""

    fqn: str
    id: TypeID


@record
class GroupNode:
    """A group of HDF5, with its datasets, groups and committed datatypes."""

    name: str
    fqn: str
    id: GroupID
    datasets: tuple[DatasetNode, ...]
    groups: tuple[GroupNode, ...]
    types: tuple[TypeNode, ...] = ()

    def walk(self) -> Iterator[GroupNode]:
        """Yield this group and all below it, parents first."""
        yield self
        for child in self.groups:
            yield from child.walk()


def walk_file(file: Hdf5File, notify: Notify) -> GroupNode:
    """Return the root group of a file, with everything below it."""
    from h5py import h5g

    with hdf5_errors(file.url):
        return _Walk(file, notify).group(h5g.open(file.id, b"/"), "", "", frozenset())


_DEEPEST = 256
"""Number of groups that may lie within each other."""


class _Walk:
    """The walk through one file. A group is listed once, whatever links lead to it."""

    def __init__(self, file: Hdf5File, notify: Notify) -> None:
        self.file = file
        self.notify = notify
        self.visited: set[int] = set()

    def group(self, group: GroupID, name: str, fqn: str, above: frozenset[int]) -> GroupNode:
        """Return a group; datasets come before groups."""
        from h5py import h5i

        self.visited.add(address_of(group))
        datasets: list[DatasetNode] = []
        children: list[tuple[str, GroupID]] = []
        types: list[TypeNode] = []
        for link in self.links(group):
            label = text_of(link)
            found = self.open(group, link, join(fqn, label))
            if found is None:
                continue
            kind = h5i.get_type(found)
            if kind == h5i.DATASET:
                path = join(fqn, label)
                datasets.append(DatasetNode(label, path, found, address_of(found)))
            elif kind == h5i.GROUP:
                children.append((label, found))
            elif kind == h5i.DATATYPE:
                types.append(TypeNode(join(fqn, label), found))
        groups = []
        for label, child in children:
            path = join(fqn, label)
            if address_of(child) in self.visited or path.count("/") > _DEEPEST:
                self.leave_out(path, "it is linked a second time, or too deep")
                continue
            groups.append(self.group(child, label, path, above))
        return GroupNode(name, fqn, group, tuple(datasets), tuple(groups), tuple(types))

    def links(self, group: GroupID) -> list[bytes]:
        """Return the names of the links of a group, in order."""
        from h5py import h5, h5p

        order = group.get_create_plist().get_link_creation_order()
        by = h5.INDEX_CRT_ORDER if order & h5p.CRT_ORDER_TRACKED else h5.INDEX_NAME
        names: list[bytes] = []
        group.links.iterate(names.append, idx_type=by, order=h5.ITER_INC)
        return names

    def open(self, group: GroupID, link: bytes, path: str) -> GroupID | None:
        """Open what a link leads to; return None, with a notice, if that is not in this file."""
        from h5py import h5l, h5o

        kind = group.links.get_info(link).type
        if kind == h5l.TYPE_SOFT and not _stays_inside(group, group.links.get_val(link)):
            kind = h5l.TYPE_EXTERNAL
        if kind not in (h5l.TYPE_HARD, h5l.TYPE_SOFT):
            self.leave_out(path, "it is a link into another file")
            return None
        try:
            return h5o.open(group, link)
        except (KeyError, RuntimeError) as error:
            if kind == h5l.TYPE_HARD:
                raise
            self.leave_out(path, f"it is a broken link ({error})")
            return None

    def leave_out(self, path: str, reason: str) -> None:
        """Say that an object is left out."""
        location = f"{self.file.url}: {path}"
        message = f"this object of HDF5 is left out: {reason}"
        self.notify(Notice("object-left-out", message, location, lost=True))


def _stays_inside(group: GroupID, path: bytes, depth: int = 0) -> bool:
    """Return whether HDF5 follows no link into another file on a path, which may be broken."""
    from h5py import h5g, h5i, h5l, h5o

    at = h5g.open(group, b"/") if path.startswith(b"/") else group
    for name in path.split(b"/"):
        if name in (b"", b"."):
            continue
        try:
            kind = at.links.get_info(name).type
            if kind == h5l.TYPE_SOFT:
                target = at.links.get_val(name)
                if depth < _MOST_LINKS and not _stays_inside(at, target, depth + 1):
                    return False
            elif kind != h5l.TYPE_HARD:
                return False
            at = h5o.open(at, name)
        except (KeyError, RuntimeError):
            return True  # it is broken
        if h5i.get_type(at) != h5i.GROUP:
            return True  # the rest of the path, if any, is broken
    return True


_MOST_LINKS = 16
"""Number of soft links that may lead to each other; HDF5 follows no more."""
