"""The dimensions of variables in an HDF5 file, found as netCDF-C finds them.

A dimension is a dataset that is a dimension scale, and has the name of the first link to it in a
group; other links are variables along that dimension. A variable names its dimensions by their ids,
in the attribute ``_Netcdf4Coordinates``, or by references to their scales. For an axis without a
scale of its length, a dimension is invented: ``phony_dim_N``.

Source: HDF5 Dimension Scale Specification; netCDF-C's hdf5open.c.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable

from ncz.errors import Notice, Notify
from ncz.formats.hdf5.attributes import AttributeReader
from ncz.formats.hdf5.known_types import depth
from ncz.formats.hdf5.metadata.datatype import Padding, TypeClass
from ncz.formats.hdf5.metadata.faults import DamageError
from ncz.formats.hdf5.metadata.objects import Hdf5Object
from ncz.formats.hdf5.names import COORDINATES, DIMENSION_ID, DIMENSION_LIST
from ncz.formats.hdf5.walk import Hdf5Dataset, Hdf5Group
from ncz.model.tree import Dimension, join

_NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"
_SCALE = b"DIMENSION_SCALE\0"


class ScaleDimension:
    """A dimension of one group."""

    def __init__(self, number: int, name: str, group: str, size: int, unlimited: bool) -> None:
        self.number = number
        self.name = name
        self.group = group
        self.size = size
        self.unlimited = unlimited

    @property
    def fqn(self) -> str:
        """The dimension's fully qualified name."""
        return join(self.group, self.name)


class DimensionScales:
    """The dimensions of all groups and variables of a file.

    Parameters
    ----------
    root
        The root group.
    url
        The file's path or URL, for messages.
    attributes
        Reads attributes.
    is_readable
        Returns whether a dataset can be a variable. For others no dimensions are invented.
    notify
        Receives a notice of each variable whose scales cannot be read.

    Attributes
    ----------
    variables
        The datasets that are variables, by the FQN of their group; a dimension without a variable
        is not among them.
    """

    def __init__(
        self,
        root: Hdf5Group,
        url: str,
        attributes: AttributeReader,
        is_readable: Callable[[Hdf5Dataset], bool],
        notify: Notify,
    ) -> None:
        self._url = url
        self._attributes = attributes
        self._is_readable = is_readable
        self._notify = notify
        self._next = 0
        self._by_group: dict[str, list[ScaleDimension]] = {}
        self._by_number: dict[int, ScaleDimension] = {}
        self._by_address: dict[int, list[ScaleDimension]] = {}
        self._of: dict[int, tuple[ScaleDimension, ...]] = {}
        self.variables: dict[str, list[Hdf5Dataset]] = {}
        for group in root.walk():
            self._find_scales(group)
        self._match(root)
        self._measure(root)

    def of_group(self, fqn: str) -> tuple[Dimension, ...]:
        """Return the dimensions of a group, in the order of their ids."""
        ordered = sorted(self._by_group[fqn], key=lambda d: d.number)
        return tuple(Dimension(name=d.name, size=d.size, unlimited=d.unlimited) for d in ordered)

    def of_variable(self, node: Hdf5Dataset) -> tuple[ScaleDimension, ...]:
        """Return the dimensions of a variable."""
        return self._of[id(node)]

    def _find_scales(self, group: Hdf5Group) -> None:
        self._by_group[group.fqn] = []
        variables = self.variables[group.fqn] = []
        for node in group.datasets:
            if not node.space.shape or not _is_scale(node.object):
                variables.append(node)
                continue
            known = self._by_address.get(node.object.address, ())
            if all(dimension.group != group.fqn for dimension in known):
                self._add_scale(group.fqn, node)
            name = node.object.attributes.get(b"NAME")
            if name is None or not name.data.startswith(_NO_VARIABLE, name.at):
                variables.append(node)

    def _add_scale(self, group: str, node: Hdf5Dataset) -> None:
        numbers = self._integers(node, DIMENSION_ID)
        number = numbers[0] if numbers else self._next
        self._next = max(self._next, number + 1)
        length, is_unlimited = node.extent[0]
        self._add(group, node.name, number, length, is_unlimited, node.object.address)

    def _integers(self, node: Hdf5Dataset, name: str) -> list[int] | None:
        try:
            return self._attributes.integers(node.object, name)
        except DamageError as error:
            self._tell_damage(node, error)
            return None

    def _add(
        self, group: str, name: str, number: int, size: int, unlimited: bool, address: int | None
    ) -> ScaleDimension:
        dimension = ScaleDimension(number, name, group, size, unlimited)
        self._by_group[group].append(dimension)
        self._by_number.setdefault(number, dimension)
        if address is not None:
            self._by_address.setdefault(address, []).append(dimension)
        return dimension

    def _at(self, address: int, group: str) -> ScaleDimension | None:
        """Return the dimension of a scale: of its links, that in the nearest group around."""
        links = self._by_address.get(address)
        return None if links is None else max(links, key=lambda each: depth(each.group, group))

    def _match(self, group: Hdf5Group) -> None:
        """Find the dimensions of variables, of inner groups first."""
        for child in group.groups:
            self._match(child)
        for node in self.variables[group.fqn]:
            found = self._with_scales(node, group.fqn)
            if all(found) or self._is_readable(node):
                self._of[id(node)] = self._complete(node, group.fqn, found)

    def _with_scales(self, node: Hdf5Dataset, group: str) -> list[ScaleDimension | None]:
        """Return the dimensions of a dataset that have scales."""
        rank = len(node.space.shape)
        own = self._at(node.object.address, group)
        numbers = self._integers(node, COORDINATES)
        if numbers is not None and len(numbers) == rank:
            return [self._by_number.get(number) for number in numbers]
        if own is not None:
            return [own, *self._attached_dimensions(node, group)[1:]]
        return self._attached_dimensions(node, group)

    def _complete(
        self, node: Hdf5Dataset, group: str, found: list[ScaleDimension | None]
    ) -> tuple[ScaleDimension, ...]:
        """Return all dimensions of a dataset; those without scales of its lengths are invented."""
        dimensions: list[ScaleDimension] = []
        for dimension, (size, unlimited) in zip(found, node.extent, strict=True):
            if dimension is not None and not dimension.unlimited and dimension.size != size:
                scale = f"its dimension scale {dimension.fqn} has the length {dimension.size}"
                self._tell_loss(node, f"{scale} instead of {size}, and a dimension is invented")
                dimension = None
            dimensions.append(dimension or self._invent(group, size, unlimited, dimensions))
        return tuple(dimensions)

    def _attached_dimensions(self, node: Hdf5Dataset, group: str) -> list[ScaleDimension | None]:
        """Return the dimensions whose scales are attached to a dataset."""
        rank = len(node.space.shape)
        listed = node.object.attributes.get(DIMENSION_LIST.encode())
        if not rank or listed is None:
            return [None] * rank
        try:
            references = self._attributes.references(listed)
        except DamageError as error:
            self._tell_damage(node, error)
            return [None] * rank
        found = [self._at(each[-1], group) if each else None for each in references[:rank]]
        return found + [None] * (rank - len(found))

    def _tell_damage(self, node: Hdf5Dataset, error: DamageError) -> None:
        reason = "its dimension scales cannot be read, and dimensions are invented"
        self._tell_loss(node, f"{reason} ({error})")

    def _tell_loss(self, node: Hdf5Dataset, message: str) -> None:
        self._notify(Notice("dimension-names-lost", message, f"{self._url}: {node.fqn}"))

    def _invent(
        self, group: str, size: int, unlimited: bool, used: list[ScaleDimension]
    ) -> ScaleDimension:
        """Return a dimension of that size which the variable does not use yet, or a new one."""
        for dimension in self._by_group[group]:
            is_alike = (dimension.size, dimension.unlimited) == (size, unlimited)
            if is_alike and dimension not in used:
                return dimension
        number = self._next
        self._next += 1
        return self._add(group, f"phony_dim_{number}", number, size, unlimited, None)

    def _measure(self, root: Hdf5Group) -> None:
        """Give each unlimited dimension the length of the longest variable along it."""
        longest: dict[int, int] = {}
        for group in root.walk():
            for node in self.variables[group.fqn]:
                for dimension, size in zip(
                    self._of.get(id(node), ()), node.space.shape, strict=False
                ):
                    longest[id(dimension)] = max(longest.get(id(dimension), 0), size)
        for dimension in itertools.chain.from_iterable(self._by_group.values()):
            if dimension.unlimited:
                dimension.size = longest.get(id(dimension), 0)


def _is_scale(found: Hdf5Object) -> bool:
    """Return whether a dataset is a dimension scale, by the rule of HDF5's own library."""
    mark = found.attributes.get(b"CLASS")
    if mark is None:
        return False
    datatype = mark.datatype
    is_text = datatype.kind is TypeClass.STRING and datatype.padding == Padding.NULL_TERMINATED
    return is_text and datatype.size == len(_SCALE) and mark.data.startswith(_SCALE[:-1], mark.at)
