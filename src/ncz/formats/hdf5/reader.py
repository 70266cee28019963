"""An HDF5 file to a dataset, with the names, dimensions and order that netCDF-C gives it.

Only metadata are read; values are read on demand.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from ncz.errors import Notice, Notify, list_names
from ncz.formats.hdf5.chunks import ChunkIndex, CompactBytes, ContiguousBytes, Hdf5Chunks
from ncz.formats.hdf5.elements import MEMORY, GlobalHeap, file_form, layout_of
from ncz.formats.hdf5.file import Hdf5File, address_of, hdf5_errors
from ncz.formats.hdf5.objects import (
    CLASSIC_MODEL,
    COORDINATES,
    DIMENSION_ID,
    PROPERTIES,
    RESERVED,
    DatasetNode,
    FileTypes,
    GroupNode,
    Hdf5Type,
    read_attributes,
    read_integers,
    read_text,
    read_type,
    read_types,
    type_name,
    walk_file,
)
from ncz.formats.hdf5.values import Hdf5Values, HeapValues, other_files, read_storage, zarr_codecs
from ncz.formats.netcdf.linear import LinearArray, block_shape, linear_layout
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.data import ChunkSource
from ncz.model.encoded import EncodedSource
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Provenance,
    Storage,
    Variable,
    join,
    parent,
)
from ncz.model.types import Atomic, Enumeration, NcType
from ncz.model.user_types import fixed_size, numpy_dtype, packed_layout
from ncz.record import record, replace

if TYPE_CHECKING:
    from h5py.h5t import TypeID

# The dimensions of variables in an HDF5 file, found as netCDF-C finds them.
#
# A dimension is a dataset that is a dimension scale. A variable names its dimensions by their ids,
# in the attribute ``_Netcdf4Coordinates``, or by references to their scales. For a dataset without
# scales, dimensions are invented: ``phony_dim_N``.

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
            shape = node.extent
            if not shape or "CLASS" not in node.attributes or not h5ds.is_scale(node.id):
                self.variables[group.fqn].append(node)
                continue
            numbers = read_integers(node, DIMENSION_ID)
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
        rank = len(node.extent)
        own = self._by_address.get(node.address)
        numbers = read_integers(node, COORDINATES)
        if numbers is not None and len(numbers) == rank:
            return [self._by_number.get(number) for number in numbers]
        if own is not None:
            return [own, *self._attached(node)[1:]]
        return self._attached(node)

    def _completed(
        self, node: DatasetNode, group: str, found: list[ScaleDimension | None]
    ) -> tuple[ScaleDimension, ...]:
        """Return all dimensions of a dataset, of which those without scales are invented."""
        chosen: list[ScaleDimension] = []
        for dimension, (size, unlimited) in zip(found, node.extent, strict=True):
            chosen.append(dimension or self._invented(group, size, unlimited, chosen))
        return tuple(chosen)

    def _attached(self, node: DatasetNode) -> list[ScaleDimension | None]:
        """Return the dimensions whose scales are attached to a dataset."""
        from h5py import h5ds

        dataset, rank = node.id, len(node.extent)
        if not rank or "DIMENSION_LIST" not in node.attributes:
            return [None] * rank
        found: list[ScaleDimension | None] = []
        for axis in range(rank):
            addresses: list[int] = []
            try:
                h5ds.iterate(
                    dataset, axis, lambda scale, into=addresses: into.append(address_of(scale))
                )
            except RuntimeError:  # also if the axis has no scale
                if h5ds.get_num_scales(dataset, axis) > 0:
                    raise
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
                for dimension, (size, _) in zip(self._of[id(node)], node.extent, strict=True):
                    longest[dimension.number] = max(longest.get(dimension.number, 0), size)
        for dimension in self._by_number.values():
            if dimension.unlimited:
                dimension.size = longest.get(dimension.number, 0)


def variable_name(node: DatasetNode) -> str:
    """Return the name of a variable: one with the name of a dimension has a prefix in HDF5."""
    name = node.name
    return name.removeprefix(_NOT_COORDINATE) if len(name) > len(_NOT_COORDINATE) else name


_SHOWN = 3
"""Number of other files that a message names."""

_REFERENCE = 16
"""Bytes of the reference by which a file stores a value of variable size."""


def read_hdf5(file: Hdf5File, name: str, notify: Notify) -> Dataset:
    """Read the dataset in an HDF5 file.

    Parameters
    ----------
    file
        The file, which must stay open as long as values are read.
    name
        The name of the dataset.
    notify
        Receives a notice of everything that ncz cannot read.

    Returns
    -------
    Dataset
        The dataset.

    Raises
    ------
    FormatError
        If the file is damaged.
    """
    with hdf5_errors(file.url):
        root = walk_file(file, notify)
        types = read_types(root, file.url, notify)
        dimensions = Dimensions(root, types.has)
        reading = _Reading(file, dimensions, types, notify)
        return Dataset(name=name, root=reading.group(root), provenance=_provenance(file, root))


def _provenance(file: Hdf5File, root: GroupNode) -> Provenance:
    names = root.attributes
    is_classic = CLASSIC_MODEL in names
    marks = (name for group in root.walk() for node in group.datasets
             for name in node.attributes if name in RESERVED)  # fmt: skip
    is_netcdf4 = is_classic or PROPERTIES in names or len(list(marks)) >= 2
    return Provenance(
        properties=read_text(root, PROPERTIES),
        netcdf_kind="netCDF-4 classic model" if is_classic else "netCDF-4",
        hdf5_superblock=file.superblock,
        is_netcdf4=is_netcdf4,
    )


@record
class _Reading:
    """Turns the objects of one file into groups and variables."""

    file: Hdf5File
    dimensions: Dimensions
    types: FileTypes
    notify: Notify

    def group(self, node: GroupNode) -> Group:
        """Return a group with everything below it."""
        found = [self.variable(child) for child in self.dimensions.variables[node.fqn]]
        attributes = self.attributes(node, node.fqn, f"{self.file.url}: {node.fqn}")
        return Group(
            name=node.name,
            types=self.types.of_group(node.fqn),  # with those that only attributes have
            dimensions=self.dimensions.of_group(node.fqn),
            variables=tuple(variable for variable in found if variable is not None),
            attributes=attributes,
            groups=tuple(self.group(child) for child in node.groups),
        )

    def variable(self, node: DatasetNode) -> Variable | None:
        """Return the variable of a dataset; None, with a notice, if it cannot be read."""
        where = f"{self.file.url}: {node.fqn}"
        hdf5_type = node.plain or self.user_type(node.type, parent(node.fqn))
        if node.is_null:
            self.leave_out(where, "it has no elements, not even one")
            return None
        if hdf5_type is None:
            self.leave_out(where, f"its type is {type_name(node.type)}")
            return None
        storage = read_storage(node.id, hdf5_type)
        if storage is None:
            names = [n if n.isprintable() else repr(n) for n in other_files(node.id)]
            files = list_names(names, _SHOWN, whole=True)
            self.leave_out(where, f"its data are in other files ({files})")
            return None
        attributes = self.attributes(node, parent(node.fqn), where)
        dimensions = self.dimensions.of_variable(node)
        shape = tuple(dimension.size for dimension in dimensions)
        data = self.data(node, hdf5_type, storage, shape, where)
        return Variable(
            name=variable_name(node),
            type=hdf5_type.type,
            dimensions=tuple(dimension.fqn for dimension in dimensions),
            attributes=attributes,
            storage=storage,
            data=data,
        )

    def attributes(
        self, node: GroupNode | DatasetNode, group: str, where: str
    ) -> tuple[Attribute, ...]:
        """Return the attributes of a group, or of a dataset in it."""
        find_type = partial(self.types.find_or_name, group=group)
        return read_attributes(node, where, find_type, self.notify)

    def user_type(self, datatype: TypeID, group: str) -> Hdf5Type | None:
        """Return the user-defined type of a datatype, or None. An enum is stored as its base."""
        found = self.types.find(datatype, group)
        if found is None:
            return None
        base = read_type(datatype.get_super()) if isinstance(found, Enumeration) else None
        if base is not None:
            return replace(base, type=found)
        packed = packed_layout(found, "<") if fixed_size(found) else None
        layout = layout_of(datatype, found, MEMORY)
        is_packed = packed and layout is not None and layout.dtype == numpy_dtype(packed)
        return Hdf5Type(found, packed if is_packed else None)

    def leave_out(self, where: str, reason: str) -> None:
        """Say that a variable is left out."""
        message = f"{reason}, which ncz cannot read; the variable is left out"
        self.notify(Notice("variable-left-out", message, where, lost=True))

    def data(
        self,
        node: DatasetNode,
        hdf5_type: Hdf5Type,
        storage: Storage,
        shape: tuple[int, ...],
        where: str,
    ) -> ChunkSource:
        """Return the values of a dataset."""
        nc_type, dtype = hdf5_type.type, hdf5_type.stored_dtype
        sizes = node.sizes
        is_string = nc_type is Atomic.STRING and hdf5_type.length is None
        item = sum(self.file.id.get_create_plist().get_sizes()[:1], 8) if is_string else 0
        elements = None
        if storage.chunks is not None or sizes == shape:
            if is_string and storage.storage_class != "compact":
                elements = self.stored(node, f"V{item}", item, nc_type, storage, shape, where)
            if dtype is not None:
                size = fixed_size(nc_type)
                elements = self.stored(node, dtype, size, nc_type, storage, shape, where)
            elif not isinstance(nc_type, Atomic):
                values = self.heap_values(node, nc_type, storage, shape, where)
                if values is not None:
                    return values
        if elements is not None and not is_string:
            return elements
        item = item or hdf5_type.length or fixed_size(nc_type) or _REFERENCE
        return Hdf5Values(
            file=self.file,
            dataset=node.id,
            shape=shape,
            extent=sizes,
            chunks=storage.chunks or block_shape(shape, item),
            type=nc_type,
            fill=storage.fill,
            where=where,
            length=hdf5_type.length,
            filters=storage.hdf5_filters or (),
            references=elements,
        )

    def heap_values(
        self,
        node: DatasetNode,
        nc_type: NcType,
        storage: Storage,
        shape: tuple[int, ...],
        where: str,
    ) -> ChunkSource | None:
        """Return the values of elements that are padded or refer to the file's heap.

        None if only HDF5 can decode them.
        """
        properties = self.file.id.get_create_plist()
        offset_size, length_size = properties.get_sizes()
        layout = layout_of(node.type, nc_type, file_form(offset_size))
        if layout is None or storage.storage_class == "compact":
            return None  # HDF5 gives compact data in the form of memory
        size = layout.dtype.itemsize
        elements = self.stored(node, layout.dtype, size, nc_type, storage, shape, where)
        if elements is None:
            return None
        base = properties.get_userblock()
        return HeapValues(
            stored=elements,
            value_layout=layout,
            heap=GlobalHeap(self.file.bytes, base, offset_size, length_size, where),
            extent=node.sizes,
            type=nc_type,
            fill=storage.fill,
        )

    def stored(
        self,
        node: DatasetNode,
        dtype: Any,
        item_size: int,
        nc_type: NcType,
        storage: Storage,
        shape: tuple[int, ...],
        where: str,
    ) -> EncodedSource | None:
        """Return the stored elements of a dataset; None if only HDF5 can decode them."""
        codecs = zarr_codecs(storage.hdf5_filters or (), item_size)
        if codecs is None:
            return None
        if storage.chunks is not None:
            layout = ChunkLayout(
                shape=shape, chunks=storage.chunks, order=in_order(len(shape)), codecs=codecs
            )
            return Hdf5Chunks(
                file=self.file,
                index=ChunkIndex(self.file, node.id, layout, where),
                layout=layout,
                type=nc_type,
                stored_dtype=dtype,
                item_size=item_size,
                fill=storage.fill,
                where=where,
            )
        contents = _contents(self.file, node, storage)
        return LinearArray(
            layout=linear_layout(shape, item_size),
            type=nc_type,
            stored_dtype=dtype,
            item_size=item_size,
            fill=storage.fill,
            read=None if contents is None else contents.read,
            find=contents.find if isinstance(contents, ContiguousBytes) else None,
            where=where,
        )


def _contents(
    file: Hdf5File, node: DatasetNode, storage: Storage
) -> ContiguousBytes | CompactBytes | None:
    """Return the bytes of a dataset without chunks; None if nothing was written."""
    if storage.storage_class == "compact":
        return CompactBytes(_compact_bytes(node))
    offset = node.id.get_offset()
    return None if offset is None else ContiguousBytes(file.bytes, offset)


def _compact_bytes(node: DatasetNode) -> bytes:
    """Return the data of a dataset in whose header they are stored."""
    import numpy as np
    from h5py import h5s

    values = np.empty(node.sizes, node.id.dtype)
    node.id.read(h5s.ALL, h5s.ALL, values, node.type)
    return values.tobytes()
