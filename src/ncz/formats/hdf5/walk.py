"""The groups, datasets and types of an HDF5 file in the order of netCDF-C.

That is the order of creation where the file notes it, and otherwise the order of names. Links into
other files are not followed: a file that somebody else made must not open files of the reader.
"""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import Notice, Notify
from ncz.formats.hdf5.array_types import without_arrays
from ncz.formats.hdf5.metadata.datatype import Datatype
from ncz.formats.hdf5.metadata.faults import UnreadableError
from ncz.formats.hdf5.metadata.links import Hdf5Link
from ncz.formats.hdf5.metadata.objects import Hdf5Object, Objects
from ncz.formats.hdf5.metadata.storage import Layout
from ncz.formats.hdf5.types import text_of
from ncz.model.tree import join
from ncz.record import record


class Hdf5Dataset:
    """A dataset, at the first path that leads to it.

    Attributes
    ----------
    name, fqn
        Its name, and its path.
    object
        The object.
    datatype, space
        The type and the shape of its values; elements that are arrays add axes.
    layout, chunks
        Its layout, and the shape of its chunks, with these axes.
    """

    __slots__ = ("chunks", "datatype", "fqn", "layout", "name", "object", "space")

    def __init__(self, name: str, fqn: str, found: Hdf5Object) -> None:
        assert found.datatype is not None
        assert found.space is not None
        assert found.layout is not None
        self.name, self.fqn, self.object = name, fqn, found
        self.layout: Layout = found.layout
        self.datatype, self.space = without_arrays(found.datatype, found.space)
        self.chunks = (*self.layout.chunks[:-1], *self.space.shape[len(found.space.shape) :])

    @property
    def extent(self) -> list[tuple[int, bool]]:
        """The length of each axis, and whether it is unlimited."""
        pairs = zip(self.space.shape, self.space.largest, strict=True)
        return [(length, most is None) for length, most in pairs]


@record
class Hdf5Group:
    """A group with its datasets, groups and committed datatypes."""

    name: str
    fqn: str
    object: Hdf5Object
    datasets: tuple[Hdf5Dataset, ...]
    groups: tuple[Hdf5Group, ...]
    types: tuple[tuple[str, Datatype], ...]
    """Paths and datatypes."""

    def walk(self) -> Iterator[Hdf5Group]:
        """Yield this group and all below it, parents first."""
        yield self
        for child in self.groups:
            yield from child.walk()


def walk_file(objects: Objects, url: str, notify: Notify) -> Hdf5Group:
    """Return the root group of a file, with everything below it.

    Notifies of objects that are left out. Raises `UnreadableError` if the root cannot be read.
    """
    root = objects.root
    _prepare(objects, root)
    return _Walk(objects, url, notify).group(root, "", "")


def _prepare(objects: Objects, root: Hdf5Object) -> None:
    """Read the objects of a file on a server: all objects of one level at the same time."""
    if not objects.source.blocks.is_remote:
        return
    level, seen = [root], {root.address}
    for _ in range(_DEEPEST):
        addresses = []
        for group in level:
            for link in group.links:
                if link.kind == "hard" and link.address is not None and link.address not in seen:
                    seen.add(link.address)
                    addresses.append(link.address)
        if not addresses:
            return
        objects.prepare(addresses)
        found = (objects.known_object(address) for address in addresses)
        level = [each for each in found if each is not None and each.kind == "group"]


_DEEPEST = 256
"""Number of groups that may be within each other."""

_MOST_LINKS = 16
"""Largest number of consecutive soft links, as in HDF5."""

_OUTSIDE = "it is a link into another file"
_BROKEN = "it is a broken link"
_AGAIN = "it is linked a second time, or too deep"


class _Walk:
    """The walk through one file. A group is listed once, at the first hard link to it."""

    def __init__(self, objects: Objects, url: str, notify: Notify) -> None:
        self._objects = objects
        self._url = url
        self._notify = notify
        self._visited: set[int] = set()
        self._by_name: dict[int, dict[bytes, Hdf5Link]] = {}

    def group(self, group: Hdf5Object, name: str, fqn: str) -> Hdf5Group:
        """Return a group; datasets come before groups."""
        self._visited.add(group.address)
        datasets: list[Hdf5Dataset] = []
        children: list[tuple[str, str, Hdf5Object]] = []
        types: list[tuple[str, Datatype]] = []
        for link in group.links:
            label = text_of(link.name)
            path = join(fqn, label)
            child = self._open(group, link, path)
            if child is None:
                continue
            if child.kind == "dataset":
                datasets.append(Hdf5Dataset(label, path, child))
            elif child.kind == "group" and link.kind == "soft":
                self._leave_out(path, _AGAIN)  # each group has a hard link, which has its name
            elif child.kind == "group":
                children.append((label, path, child))
            elif child.datatype is not None:
                types.append((path, child.datatype))
        groups = []
        for label, path, child in children:
            if child.address in self._visited or path.count("/") > _DEEPEST:
                self._leave_out(path, _AGAIN)
                continue
            groups.append(self.group(child, label, path))
        return Hdf5Group(name, fqn, group, tuple(datasets), tuple(groups), tuple(types))

    def _open(self, group: Hdf5Object, link: Hdf5Link, path: str) -> Hdf5Object | None:
        """Return the object of a link; None, with a notice, if it cannot be read."""
        try:
            found = self._follow(group, link, _MOST_LINKS)
        except UnreadableError as error:
            found = str(error)
        if isinstance(found, Hdf5Object):
            return found
        self._leave_out(path, found)
        return None

    def _follow(self, group: Hdf5Object, link: Hdf5Link, left: int) -> Hdf5Object | str:
        """Return the object of a link, or a short reason why it is missing."""
        if link.kind == "hard":
            return self._objects.find(link.address)
        if link.kind == "external":
            return _OUTSIDE
        if not left:
            return _BROKEN
        at = self._objects.root if link.path.startswith(b"/") else group
        for part in link.path.split(b"/"):
            if part in (b"", b"."):
                continue
            inner = self._links_of(at).get(part)
            found = _BROKEN if inner is None else self._follow(at, inner, left - 1)
            if isinstance(found, str):
                return found
            at = found
        return at

    def _links_of(self, group: Hdf5Object) -> dict[bytes, Hdf5Link]:
        if group.address not in self._by_name:
            self._by_name[group.address] = {link.name: link for link in group.links}
        return self._by_name[group.address]

    def _leave_out(self, path: str, reason: str) -> None:
        """Report that an object is left out."""
        message = f"this object of HDF5 is left out: {reason}"
        self._notify(Notice("object-left-out", message, f"{self._url}: {path}", lost=True))
