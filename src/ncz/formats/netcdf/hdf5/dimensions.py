"""The dimensions of variables in an HDF5 file, found as netCDF-C finds them.

A dimension is a dataset that is a dimension scale. A variable names its dimensions by their ids,
in the attribute ``_Netcdf4Coordinates``, or by references to their scales. For a dataset without
scales, dimensions are invented: ``phony_dim_N``.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ncz.formats.netcdf.hdf5.attributes import COORDINATES, DIMENSION_ID, read_integers
from ncz.formats.netcdf.hdf5.file import address_of
from ncz.formats.netcdf.hdf5.walk import DatasetNode, GroupNode
from ncz.model.tree import Dimension, join

if TYPE_CHECKING:
    from h5py.h5d import DatasetID

_NO_VARIABLE = b"This is a netCDF dimension but not a netCDF variable"
_NOT_COORDINATE = "_nc4_non_coord_"


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


class Dimensions:
    """The dimensions of all groups and variables of a file.

    Parameters
    ----------
    root
        The root group.
    is_readable
        Whether a dataset can be a variable. For others no dimensions are invented.

    Attributes
    ----------
    variables
        The datasets that are variables, by the FQN of their group; a dimension without a variable
        is not among them.
    """

    def __init__(self, root: GroupNode, is_readable: Callable[[DatasetNode], bool]) -> None:
        self._is_readable = is_readable
        self._next = 0
        self._by_group: dict[str, list[ScaleDimension]] = {}
        self._by_number: dict[int, ScaleDimension] = {}
        self._by_address: dict[int, ScaleDimension] = {}
        self._of: dict[int, tuple[ScaleDimension, ...]] = {}
        self.variables: dict[str, list[DatasetNode]] = {}
        for group in root.walk():
            self._find_scales(group)
        self._match(root, [])
        self._measure(root)

    def of_group(self, fqn: str) -> tuple[Dimension, ...]:
        """Return the dimensions of a group, in the order of their ids."""
        ordered = sorted(self._by_group[fqn], key=lambda d: d.number)
        return tuple(Dimension(name=d.name, size=d.size, unlimited=d.unlimited) for d in ordered)

    def of_variable(self, node: DatasetNode) -> tuple[ScaleDimension, ...]:
        """Return the dimensions of a variable."""
        return self._of[id(node)]

    def _find_scales(self, group: GroupNode) -> None:
        from h5py import h5ds

        self._by_group[group.fqn] = []
        self.variables[group.fqn] = []
        for node in group.datasets:
            shape = extent(node.id)
            if not h5ds.is_scale(node.id) or not shape:
                self.variables[group.fqn].append(node)
                continue
            numbers = read_integers(node.id, DIMENSION_ID)
            number = numbers[0] if numbers else self._next
            self._next = max(self._next, number + 1)
            self._add(group.fqn, node.name, number, *shape[0], node.address)
            if not (h5ds.get_scale_name(node.id) or b"").startswith(_NO_VARIABLE):
                self.variables[group.fqn].append(node)

    def _add(
        self, group: str, name: str, number: int, size: int, unlimited: bool, address: int | None
    ) -> ScaleDimension:
        dimension = ScaleDimension(number, name, group, size, unlimited)
        self._by_group[group].append(dimension)
        self._by_number[number] = dimension
        if address is not None:
            self._by_address[address] = dimension
        return dimension

    def _match(self, group: GroupNode, above: list[str]) -> None:
        """Find the dimensions of variables, of inner groups first."""
        for child in group.groups:
            self._match(child, [*above, group.fqn])
        for node in self.variables[group.fqn]:
            found = self._found(node)
            if all(found) or self._is_readable(node):
                self._of[id(node)] = self._completed(node, group.fqn, found)

    def _found(self, node: DatasetNode) -> list[ScaleDimension | None]:
        """Return the dimensions of a dataset that have scales."""
        rank = len(extent(node.id))
        own = self._by_address.get(node.address)
        numbers = read_integers(node.id, COORDINATES)
        if numbers is not None and len(numbers) == rank:
            return [self._by_number.get(number) for number in numbers]
        if own is not None:
            return [own, *self._attached(node.id, rank)[1:]]
        return self._attached(node.id, rank)

    def _completed(
        self, node: DatasetNode, group: str, found: list[ScaleDimension | None]
    ) -> tuple[ScaleDimension, ...]:
        """Return all dimensions of a dataset, of which those without scales are invented."""
        chosen: list[ScaleDimension] = []
        for dimension, (size, unlimited) in zip(found, extent(node.id), strict=True):
            chosen.append(dimension or self._invented(group, size, unlimited, chosen))
        return tuple(chosen)

    def _attached(self, dataset: DatasetID, rank: int) -> list[ScaleDimension | None]:
        """Return the dimensions whose scales are attached to a dataset."""
        from h5py import h5a, h5ds

        if not rank or not h5a.exists(dataset, b"DIMENSION_LIST"):
            return [None] * rank
        found: list[ScaleDimension | None] = []
        for axis in range(rank):
            addresses: list[int] = []
            if h5ds.get_num_scales(dataset, axis) > 0:
                h5ds.iterate(
                    dataset,
                    axis,
                    lambda scale, into=addresses: into.append(address_of(scale)),
                )
            found.append(self._by_address.get(addresses[-1]) if addresses else None)
        return found

    def _invented(
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

    def _measure(self, root: GroupNode) -> None:
        """Give each unlimited dimension the length of the longest variable along it."""
        longest: dict[int, int] = {}
        for group in root.walk():
            for node in self.variables[group.fqn]:
                if id(node) not in self._of:
                    continue
                for dimension, (size, _) in zip(self._of[id(node)], extent(node.id), strict=True):
                    longest[dimension.number] = max(longest.get(dimension.number, 0), size)
        for dimension in self._by_number.values():
            if dimension.unlimited:
                dimension.size = longest.get(dimension.number, 0)


def extent(dataset: DatasetID) -> tuple[tuple[int, bool], ...]:
    """Return the length of each axis of a dataset, and whether it is unlimited."""
    from h5py import h5s

    space = dataset.get_space()
    if space.get_simple_extent_type() != h5s.SIMPLE:
        return ()
    sizes, largest = space.get_simple_extent_dims(), space.get_simple_extent_dims(maxdims=True)
    return tuple((n, most == h5s.UNLIMITED) for n, most in zip(sizes, largest, strict=True))


def variable_name(node: DatasetNode) -> str:
    """Return the name of a variable: one with the name of a dimension has a prefix in HDF5."""
    name = node.name
    return name.removeprefix(_NOT_COORDINATE) if len(name) > len(_NOT_COORDINATE) else name
