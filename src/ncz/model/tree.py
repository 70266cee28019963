"""Attributes, dimensions, variables and groups of a netCDF dataset.

All are frozen values: sequences are tuples, there are no references to parents, and objects refer
to each other by fully qualified names (FQN: ``/group/name``). So ``==`` compares two datasets,
except for the data of variables: they are a `ChunkSource`, which is read on demand.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Literal

from ncz.model.json_text import is_strict
from ncz.model.types import Atomic, NcType, UserType, Value
from ncz.record import field, record, replace

if TYPE_CHECKING:
    from ncz.model.data import ChunkSource
    from ncz.model.filters import Filter, Hdf5Filter
    from ncz.model.netcdf_kinds import NetcdfKind
    from ncz.model.quantization import Quantization


StorageClass = Literal["chunked", "contiguous", "compact"]
"""The storage classes of HDF5; Zarr arrays are always chunked."""

Endianness = Literal["little", "big"]


@record(kw_only=True)
class Attribute:
    """A named, typed list of values.

    `values` contains plain Python values (see `ncz.model.types.Value`). A char attribute has its
    whole text as one `str`; a zero-length attribute of any type has ``()``.
    """

    name: str
    type: NcType
    values: tuple[Value, ...]
    original: tuple[Any] | None = field(default=None, compare=False, repr=False)
    """The JSON value that it was read from, as bool and other types do not exist in netCDF."""

    @property
    def kept_original(self) -> tuple[Any] | None:
        """`original`, if copies keep it: each version of Zarr has its own JSON for no values."""
        is_typed = not self.values and self.type is not Atomic.CHAR
        return None if is_typed else self.original

    @property
    def holds_json(self) -> bool:
        """Whether its text is JSON for an object or a list, which netCDF does not have."""
        if self.type is not Atomic.CHAR or self.original is None or not self.values:
            return False
        (original,) = self.original
        return isinstance(original, dict | list) and is_strict(original)

    @property
    def text(self) -> str:
        """The text of a char attribute, without the terminating NULs of C.

        The NUL of a ``_FillValue`` is a value.
        """
        text = "".join(self.values)
        return text if self.name == "_FillValue" else text.rstrip("\0")


@record(kw_only=True)
class Dimension:
    """A named length that variables share. `size` is the current length when unlimited."""

    name: str
    size: int
    unlimited: bool = False


@record(kw_only=True)
class Storage:
    """The storage of a variable, as ``ncdump -s`` shows it. None means unspecified."""

    storage_class: StorageClass | None = None
    chunks: tuple[int, ...] | None = None
    """Elements of one chunk along each dimension."""
    shards: tuple[int, ...] | None = None
    """Elements of one shard along each dimension, if chunks are stored in shards."""
    endianness: Endianness | None = None
    filters: tuple[Filter, ...] | None = None
    """In the order of encoding; the last may be a Zarr compressor."""
    fill: Value = None
    """The value of elements in missing chunks. It marks no missing data; `Variable.mask` does."""
    no_fill: bool = False
    """No fill value is stored (Zarr's ``fill_value: null``). Unwritten elements are undefined,
    unless `fill` has the value for their type, which is NaT for times."""
    string_length: int | None = None
    """Bytes per element of a string variable that is stored with a fixed length."""
    quantize: Quantization | None = None
    hdf5_filters: tuple[Hdf5Filter, ...] | None = field(default=None, compare=False)
    """The filters of an HDF5 file, including ones that `filters` cannot express; None if the
    variable is not from an HDF5 file."""


@record(kw_only=True)
class Variable:
    """A typed array. `dimensions` has the FQNs of its dimensions in order; () for a scalar."""

    name: str
    type: NcType
    dimensions: tuple[str, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    storage: Storage = Storage()
    axis_names: tuple[str | None, ...] | None = field(default=None, compare=False)
    """The names of its axes as its store gives them, None for an axis without a name. They differ
    from `dimensions` where a name has several lengths. None if the dataset is not from a store."""
    is_unnamed: bool = field(default=False, compare=False)
    """Whether its store gives no names for its axes. `axis_names` of a scalar cannot show this."""
    data: ChunkSource | None = field(default=None, compare=False)
    """None if no value was ever written: all elements are fill."""

    def attribute(self, name: str) -> Attribute | None:
        """Return the attribute with a name, or None."""
        return next((a for a in self.attributes if a.name == name), None)

    def text(self, name: str) -> str:
        """Return the text of an attribute; "" if it is missing or not text. See `text_of`."""
        return text_of(self.attribute(name))

    @property
    def mask(self) -> Value:
        """The value that marks missing data; None if none does. See `mask_of`."""
        return mask_of(self.attributes, self.type)

    @property
    def has_numbers(self) -> bool:
        """Whether its values are integers or floating-point numbers."""
        return isinstance(self.type, Atomic) and self.type.kind in "iuf"

    @property
    def holds_bytes(self) -> bool:
        """Whether its strings are stored as one byte each: in pure Zarr, letters of a text."""
        return self.type is Atomic.STRING and self.storage.string_length == 1


@record(kw_only=True)
class Group:
    """A scope of names. The root group's name is ''."""

    name: str = ""
    types: tuple[UserType, ...] = ()
    dimensions: tuple[Dimension, ...] = ()
    variables: tuple[Variable, ...] = ()
    attributes: tuple[Attribute, ...] = ()
    groups: tuple[Group, ...] = ()


@record(kw_only=True)
class Provenance:
    """The provenance of a store; shown by ``-s``, not part of the data."""

    properties: str | None = None
    """The text of ``_NCProperties``."""
    superblock: int = 0
    """The NCZarr major version; 0 for pure Zarr."""
    zarr_format: int | None = None
    """The version of Zarr; None for a dataset that is not from a store."""
    consolidated: bool = False
    """Whether the store has consolidated metadata."""
    annotated: bool = False
    """Whether a store of pure Zarr has annotations of facts that it cannot express."""
    netcdf_kind: NetcdfKind = "netCDF-4"
    """The kind of the netCDF file; a dataset that is not from such a file corresponds to
    netCDF-4."""
    hdf5_superblock: int | None = None
    """The version of the superblock of an HDF5 file; None for other datasets."""
    is_netcdf4: bool = True
    """Whether an HDF5 file has marks of the netCDF library."""
    aggregation: str | None = None
    """The convention that stores its values in other datasets, such as "CF-1.13"; None if its
    values are in this dataset."""
    is_object: bool = False
    """Whether the dataset is an object of a program, such as one of xarray."""
    protocol: str | None = None
    """The protocol of its server, such as "DAP2"; None for other datasets."""
    asked_kind: NetcdfKind | None = None
    """The kind of netCDF file that a text requests, by its attribute ``_Format``."""
    is_copied: bool = False
    """Whether the values are read from a temporary copy, such as of a compressed file."""

    @property
    def is_pure_zarr(self) -> bool:
        """Whether the dataset is from pure Zarr, also with annotations."""
        return self.zarr_format is not None and not self.superblock

    @property
    def is_unannotated_zarr(self) -> bool:
        """Whether the dataset is from pure Zarr without annotations."""
        return self.is_pure_zarr and not self.annotated

    @property
    def is_netcdf_file(self) -> bool:
        """Whether the dataset is from a netCDF or HDF5 file."""
        return self.hdf5_superblock is not None or self.is_classic_file

    @property
    def is_file(self) -> bool:
        """Whether the dataset is from a netCDF file, an aggregation, a program or a server.

        Then it is neither from a store nor from a text.
        """
        is_sent = self.is_object or self.protocol is not None
        return self.is_netcdf_file or self.aggregation is not None or is_sent

    @property
    def is_text(self) -> bool:
        """Whether the dataset is from a text, such as CDL, or was made in memory."""
        is_sent = self.is_object or self.protocol is not None
        return self.zarr_format is None and not (self.is_netcdf_file or is_sent)

    @property
    def is_classic_file(self) -> bool:
        """Whether the dataset is from a file of a classic format, which has no storage settings."""
        return self.netcdf_kind in ("classic", "64-bit offset", "cdf5")

    @property
    def has_classic_model(self) -> bool:
        """Whether the dataset is from a netCDF file that is limited to the classic data model."""
        return self.netcdf_kind != "netCDF-4"

    @property
    def kind_of_file(self) -> NetcdfKind | None:
        """The kind of the netCDF file that the dataset is from; None if it is not from one."""
        return self.netcdf_kind if self.is_netcdf_file else None


@record(kw_only=True)
class Dataset:
    """A dataset: a name and the root group."""

    name: str
    root: Group
    provenance: Provenance = field(default=Provenance(), compare=False)


def text_of(attribute: Attribute | None) -> str:
    """Return the text of an attribute, such as a name or units; "" if it is not text.

    It may be of char or of string; several strings are joined by blanks. NULs and blanks that
    programs add as padding are removed.
    """
    if attribute is None or attribute.type not in (Atomic.CHAR, Atomic.STRING):
        return ""
    return " ".join((value or "").rstrip(_PADDING) for value in attribute.values).strip(_PADDING)


_PADDING = "\0 \t\r\n"
"""Characters around a text that programs write into a field of a fixed length."""


def mask_of(attributes: Sequence[Attribute], nc_type: NcType) -> Value:
    """Return the mask: the attribute ``_FillValue`` if it is one value of `nc_type`, else None."""
    for attribute in attributes:
        if attribute.name == "_FillValue" and attribute.type == nc_type:
            if nc_type is Atomic.CHAR:
                text = "".join(attribute.values)
                if "\udc80" <= text <= "\udcff":  # a byte that is not UTF-8, as in data
                    text = chr(ord(text) & 0xFF)
                return text if len(text) == 1 else None
            return attribute.values[0] if len(attribute.values) == 1 else None
    return None


def join(group: str, name: str) -> str:
    """Return the FQN of `name` in the group with FQN `group` ("" or "/" for the root)."""
    return f"{group.rstrip('/')}/{name}"


def parent(fqn: str) -> str:
    """Return the FQN of the group that contains `fqn`; "" for the root."""
    return fqn.rpartition("/")[0]


def base_name(fqn: str) -> str:
    """Return the last part of an FQN."""
    return fqn.rpartition("/")[2]


def walk(group: Group, fqn: str = "") -> Iterator[tuple[str, Group]]:
    """Yield (FQN, group) for `group` and all below it, parents first. The root's FQN is ""."""
    yield fqn, group
    for child in group.groups:
        yield from walk(child, join(fqn, child.name))


def dimensions_by_fqn(root: Group) -> dict[str, Dimension]:
    """Return every dimension of the dataset by its FQN, in the order of `walk`."""
    return {join(fqn, d.name): d for fqn, group in walk(root) for d in group.dimensions}


def shape_of(variable: Variable, dimensions: dict[str, Dimension]) -> tuple[int, ...]:
    """Return the current shape of `variable`. Raise KeyError for an undeclared dimension."""
    return tuple(dimensions[fqn].size for fqn in variable.dimensions)


def attributes_of(root: Group) -> Iterator[tuple[str, Attribute]]:
    """Yield all attributes but ``_FillValue``, each after the FQN of its variable or group."""
    for fqn, group in walk(root):
        yield from ((fqn, attribute) for attribute in group.attributes)
        for variable in group.variables:
            for attribute in variable.attributes:
                if attribute.name != "_FillValue":
                    yield join(fqn, variable.name), attribute


def json_attributes(root: Group) -> list[str]:
    """Return the CDL names of attributes that mean JSON."""
    return [f"{n.removeprefix('/')}:{a.name}" for n, a in attributes_of(root) if a.holds_json]


def is_not_finite(attribute: Attribute) -> bool:
    """Return whether one of the attribute's values is NaN or infinite."""
    return any(isinstance(v, float) and not math.isfinite(v) for v in attribute.values)


def variables_by_fqn(root: Group) -> Iterator[tuple[str, Variable]]:
    """Yield every variable with its FQN."""
    for fqn, group in walk(root):
        for variable in group.variables:
            yield join(fqn, variable.name), variable


def each_group(dataset: Dataset, change: Callable[[str, Group], Group]) -> Dataset:
    """Return a dataset with changed groups; outer groups are changed before inner ones."""

    def change_group(path: str, group: Group) -> Group:
        result = change(path, group)
        groups = tuple(change_group(join(path, g.name), g) for g in result.groups)
        return replace(result, groups=groups)

    return replace(dataset, root=change_group("", dataset.root))


def each_variable(dataset: Dataset, change: Callable[[str, Variable], Variable]) -> Dataset:
    """Return a dataset with changed variables."""

    def change_group(path: str, group: Group) -> Group:
        variables = tuple(change(join(path, v.name), v) for v in group.variables)
        return replace(group, variables=variables)

    return each_group(dataset, change_group)


def each_dimension(dataset: Dataset, change: Callable[[str, Dimension], Dimension]) -> Dataset:
    """Return a dataset with changed dimensions."""

    def change_group(path: str, group: Group) -> Group:
        dimensions = tuple(change(join(path, d.name), d) for d in group.dimensions)
        return replace(group, dimensions=dimensions)

    return each_group(dataset, change_group)


def missing_fill(variable: Variable) -> Value:
    """Return the value of missing chunks; None if the variable is not filled."""
    if variable.storage.fill is not None:
        return variable.storage.fill
    if variable.storage.no_fill:
        return None
    if variable.mask is not None:
        return variable.mask
    return variable.type.default_fill if isinstance(variable.type, Atomic) else None
