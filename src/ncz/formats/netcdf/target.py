"""What each kind of netCDF file can hold, and the plan by which a dataset is written to one."""

from __future__ import annotations

import contextlib
import os
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any

from ncz.codec.catalogue import codec_id, writing_fault
from ncz.codec.chain import encoding_fault
from ncz.codec.rewrap import can_rewrap
from ncz.errors import (
    NO_PROGRESS,
    LossError,
    NczError,
    Notice,
    NoticeCode,
    Notify,
    Progress,
    UrlError,
    list_names,
    named_notice,
    option,
    storage_error,
)
from ncz.formats.chunks import values_to_write, write_boxes, write_chunks
from ncz.formats.hdf5.plan import load_h5py, notify_of_plugins
from ncz.formats.hdf5.plan import plan_arrays as plan_hdf5
from ncz.formats.hdf5.trial import with_usable_filters
from ncz.formats.hdf5.write import create_hdf5
from ncz.formats.kinds import (
    CreateOptions,
    Requested,
    StorageChange,
    WriteArray,
    WritePlan,
    refuse_codecs,
    refuse_to_resume,
)
from ncz.formats.nanoseconds import with_nanoseconds
from ncz.formats.netcdf.classic import VERSIONS, create_classic, plan_file
from ncz.formats.netcdf.classic import plan_arrays as plan_classic
from ncz.formats.netcdf.names import kind_asked
from ncz.formats.signatures import CLASSIC, HDF5
from ncz.model.chunks import ChunkLayout
from ncz.model.data import ChunkSource, Values
from ncz.model.encoded import (
    ArrayStore,
    EncodedSource,
    EncodedTarget,
    TargetArray,
    takes_chunks,
    takes_values,
)
from ncz.model.grid import ChunkGrid, Grid, Index, IrregularGrid
from ncz.model.slabs import chunks_of
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    NetcdfKind,
    Provenance,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_dimension,
    each_group,
    each_variable,
    is_hdf5,
    join,
    json_attributes,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic, Value
from ncz.model.user_types import numpy_dtype
from ncz.record import record, replace
from ncz.zmap.local.creation import create_file
from ncz.zmap.local.locks import held
from ncz.zmap.location import Location
from ncz.zmap.opening import Claim

# What a netCDF file does not keep of how its source is stored.


def changes_of(
    source: Provenance, kind: NetcdfKind, arrays: Sequence[TargetArray], requested: Requested
) -> Iterator[StorageChange]:
    """Yield what a file of the kind does not keep of how the source is stored."""
    if source.zarr_format is not None:
        yield StorageChange(f"Zarr V{source.zarr_format} becomes {kind}", True)
    elif source.kind_of_file not in (None, kind):
        yield StorageChange(f"{source.kind_of_file} becomes {kind}", True)
    found: dict[str, list[str]] = {}
    for array in arrays:
        data = array.variable.data
        if array.encoded is None or not isinstance(data, EncodedSource):
            continue
        ours, theirs = _codecs(data.layout), _codecs(array.layout)
        if _codec_names(ours) != _codec_names(theirs) and not can_rewrap(
            ours, theirs, array.item_size
        ):
            message = f"codecs {_codec_names(ours)} become {_codec_names(theirs)}"
            found.setdefault(message, []).append(array.fqn)
    for message, fqns in found.items():
        yield StorageChange(f"{message} ({list_names(fqns)})", requested.codecs)


def _codecs(layout: ChunkLayout) -> list[dict[str, Any]]:
    return [codec.to_json() for codec in layout.inner_codecs]


def _codec_names(codecs: Sequence[dict[str, Any]]) -> str:
    return "+".join(codec_id(codec) for codec in codecs) or "none"


# Notices about what a kind of netCDF file does not keep of a dataset.


def loss_notice(code: NoticeCode, what: str, kind: NetcdfKind, names: Sequence[str]) -> Notice:
    """Return the notice about these attributes, dimensions or variables."""
    return Notice(
        code,
        f"{what} in a file of kind {kind!r}: {list_names(names)}",
        hint=f"write netCDF-4 ({option('kind', 'netCDF-4')}) to keep it",
    )


# What each kind of netCDF file can hold of a dataset, found before anything is written.
#
# Faults are reasons to refuse the dataset, all at once. `adapted` returns the dataset that a file
# can hold, and a notice for each kind of information that it loses.
#
# Source: the netCDF User's Guide, "The Classic Model" and "The Enhanced Data Model"; limits of the
# HDF5 library.

CLASSIC_TYPES = frozenset(
    {Atomic.BYTE, Atomic.CHAR, Atomic.SHORT, Atomic.INT, Atomic.FLOAT, Atomic.DOUBLE}
)
"""The types of the classic data model."""

_TYPES: dict[NetcdfKind, frozenset[Atomic]] = {
    "classic": CLASSIC_TYPES,
    "64-bit offset": CLASSIC_TYPES,
    "netCDF-4 classic model": CLASSIC_TYPES,
    "cdf5": frozenset(Atomic) - {Atomic.STRING},
    "netCDF-4": frozenset(Atomic),
}

RESERVED = frozenset(
    {
        *("CLASS", "DIMENSION_LIST", "NAME", "REFERENCE_LIST", "_Netcdf4Coordinates"),
        *("_Netcdf4Dimid", "_NCProperties", "_nc3_strict"),
    }
)
"""Names of attributes that HDF5's dimension scales and netcdf-c use in netCDF-4 files."""

_LONGEST_NAME = 256
_MOST_HDF5_AXES = 32


def is_classic(kind: NetcdfKind) -> bool:
    """Return whether files of the kind have the classic data model."""
    return kind != "netCDF-4"


def natural_kind(dataset: Dataset) -> NetcdfKind:
    """Return the kind of file that holds all of a dataset: classic, or netCDF-4 if it must be.

    As ncgen does, it chooses netCDF-4 for a dataset that asks for chunks or filters, too.
    """
    special = any(_is_special(variable) for _, variable in variables_by_fqn(dataset.root))
    if special or next(faults(dataset, "classic"), None) is not None:
        return "netCDF-4"
    return "netCDF-4" if adapted(dataset, "classic")[1] else "classic"


def _is_special(variable: Variable) -> bool:
    storage = variable.storage
    return bool(
        storage.filters
        or storage.chunks
        or storage.storage_class not in (None, "contiguous")
        or storage.endianness
    )


def faults(dataset: Dataset, kind: NetcdfKind) -> Iterator[str]:
    """Yield every reason for which a file of the kind cannot hold the dataset, in a few words."""
    dimensions = dimensions_by_fqn(dataset.root)
    for fqn, group in walk(dataset.root):
        for user_type in group.types if kind != "netCDF-4" else ():
            yield f"the user-defined type {user_type.name}"
        for child in group.groups if is_classic(kind) else ():
            yield f"group {join(fqn, child.name)}"
        yield from _names(fqn, group)
        yield from _attributes(f"group {fqn}: " if fqn else "", group.attributes, kind)
        for variable in group.variables:
            place = f"variable {join(fqn, variable.name)}"
            yield from _type(place, variable, kind)
            yield from _attributes(f"{place}: ", variable.attributes, kind)
            for dimension in variable.dimensions:
                if dimension not in dimensions:
                    yield f"{place} over the dimension {dimension}, which is not defined"
            if is_hdf5(kind) and len(variable.dimensions) > _MOST_HDF5_AXES:
                yield f"{place} with more than {_MOST_HDF5_AXES} dimensions"
    if not is_hdf5(kind):
        record = record_dimension(dataset)
        for fqn, declared in dimensions.items():
            if declared.size == 0 and fqn != record:
                yield f"dimension {fqn} of length 0, which is not the record dimension"


def _type(place: str, variable: Variable, kind: NetcdfKind) -> Iterator[str]:
    if not isinstance(variable.type, Atomic):
        if kind != "netCDF-4":
            yield f"{place} of the user-defined type {variable.type.name}"
    elif variable.type not in _TYPES[kind]:
        yield f"{place} of the type {variable.type.word}"


def _attributes(place: str, attributes: tuple[Attribute, ...], kind: NetcdfKind) -> Iterator[str]:
    for attribute in attributes:
        if not isinstance(attribute.type, Atomic):
            if kind != "netCDF-4":
                yield f"{place}attribute {attribute.name} of the type {attribute.type.name}"
        elif attribute.type not in _TYPES[kind] and not _becomes_text(attribute):
            yield f"{place}attribute {attribute.name} of the type {attribute.type.word}"
    for name, count in Counter(a.name for a in attributes).items():
        if count > 1:
            yield f"{place}attribute {name}, which is given {count} times"


def _becomes_text(attribute: Attribute) -> bool:
    """Return whether the classic model can hold a string attribute as char."""
    return attribute.type is Atomic.STRING and len(attribute.values) == 1


def _names(fqn: str, group: Group) -> Iterator[str]:
    kinds = (
        ("dimension", [d.name for d in group.dimensions]),
        ("variable", [v.name for v in group.variables]),
        ("group", [g.name for g in group.groups]),
        ("type", [base_name(t.name) for t in group.types]),
    )
    for what, names in kinds:
        for name in names:
            fault = _name_fault(name)
            if fault:
                yield f"{what} {join(fqn, name)!r}: {fault}"
    for other, other_names in kinds[2:]:
        for what, names in kinds[: 2 if other == "group" else 3]:
            for name in set(other_names).intersection(names):
                yield f"{what} {join(fqn, name)} beside a {other} of the same name"
    for what, names in kinds:
        for name, count in Counter(names).items():
            if count > 1:
                yield f"{what} {join(fqn, name)}, which is given {count} times"


def _name_fault(name: str) -> str | None:
    if not name:
        return "a name cannot be empty"
    if "/" in name or "\0" in name:
        return "a name cannot have a slash or a NUL"
    if name in (".", ".."):
        return "HDF5 has no such name"
    if len(name.encode("utf-8", "surrogateescape")) > _LONGEST_NAME:
        return f"a name cannot have more than {_LONGEST_NAME} bytes"
    return None


def record_dimension(dataset: Dataset) -> str | None:
    """Return the FQN of the one unlimited dimension of the classic model, or None.

    It is the first unlimited dimension of the root that no variable has but as its first.
    """
    inner = {
        dimension
        for _, variable in variables_by_fqn(dataset.root)
        for dimension in variable.dimensions[1:]
    }
    found = (join("", d.name) for d in dataset.root.dimensions if d.unlimited)
    return next((fqn for fqn in found if fqn not in inner), None)


def adapted(dataset: Dataset, kind: NetcdfKind) -> tuple[Dataset, tuple[Notice, ...]]:
    """Return what a file of the kind can hold of a dataset without faults, and what it loses.

    In the classic model, one dimension can be unlimited, and text is char. Attributes with names
    that netcdf-c reserves are left out; no reader of netCDF shows them. So are those with names
    that no netCDF file can hold, such as a/b.
    """
    unnamed: list[str] = []
    losses: list[Notice] = []
    record = record_dimension(dataset)
    fixed: list[str] = []
    texts: list[str] = []

    def dimension_of(fqn: str, dimension: Dimension) -> Dimension:
        if not is_classic(kind) or not dimension.unlimited or fqn == record:
            return dimension
        fixed.append(fqn)
        return replace(dimension, unlimited=False)

    def attributes_of(attributes: tuple[Attribute, ...], place: str) -> tuple[Attribute, ...]:
        kept = []
        for attribute in attributes:
            if is_hdf5(kind) and attribute.name in RESERVED:
                continue
            if _name_fault(attribute.name):
                unnamed.append(f"{place}:{attribute.name}")
                continue
            if is_classic(kind) and _becomes_text(attribute):
                texts.append(f"{place}:{attribute.name}")
                text = attribute.values[0] or ""
                attribute = replace(
                    attribute, type=Atomic.CHAR, values=(text,) if text else (), original=None
                )
            kept.append(attribute)
        return tuple(kept)

    def group_of(_: str, group: Group) -> Group:
        variables = tuple(
            replace(v, attributes=attributes_of(v.attributes, v.name)) for v in group.variables
        )
        attributes = attributes_of(group.attributes, "")
        return replace(group, variables=variables, attributes=attributes)

    dataset = each_group(each_dimension(dataset, dimension_of), group_of)
    if fixed:
        losses.append(
            loss_notice("unlimited-fixed", "unlimited dimensions become fixed", kind, fixed)
        )
    losses += named_notice(
        "attribute-left-out", "netCDF cannot hold the names of these attributes", unnamed
    )
    if texts:
        losses.append(
            loss_notice("attribute-type-lost", "string attributes become char", kind, texts)
        )
    return dataset, tuple(losses)


# Variables of strings as char.
#
# In kinds of files without strings, a variable gets one more dimension, as long as its longest
# string in UTF-8, as xarray writes it. Texts of one byte, ``|S1`` in pure Zarr, are char in every
# kind of file: xarray writes them for char and reads them as char, joined along their last
# dimension.

_ENCODING = "_Encoding"
_MASK = "_FillValue"


def strings_as_chars(dataset: Dataset, kind: NetcdfKind) -> tuple[Dataset, tuple[Notice, ...]]:
    """Return a dataset without groups whose string variables are char, and what that loses.

    All strings are read, to find the longest of each variable.
    """
    root = dataset.root
    if not any(variable.type is Atomic.STRING for variable in root.variables):
        return dataset, ()
    dimensions = {dimension.name: dimension for dimension in root.dimensions}
    variables: list[Variable] = []
    changed: list[str] = []
    for variable in root.variables:
        if variable.type is Atomic.STRING:
            changed.append(join("", variable.name))
            length = 1 if variable.data is None else longest_text(variable.data)
            name = _name_of(length, dimensions)
            dimensions[name] = Dimension(name=name, size=length)
            variable = chars_of(variable, join("", name), length)
        variables.append(variable)
    new = replace(root, dimensions=tuple(dimensions.values()), variables=tuple(variables))
    return replace(dataset, root=new), (
        loss_notice("string-as-char", "strings become char", kind, changed),
    )


def bytes_as_chars(dataset: Dataset) -> Dataset:
    """Return a dataset whose texts of one byte in pure Zarr are char."""
    provenance = dataset.provenance
    if provenance.zarr_format is None or provenance.superblock:
        return dataset
    return each_variable(dataset, lambda _, v: _bytes_as_char(v) if v.holds_bytes else v)


def _bytes_as_char(variable: Variable) -> Variable:
    attributes = (
        replace(a, type=Atomic.CHAR, values=(_text(a.values[0]) or "\0",), original=None)
        if a.name == _MASK
        else a
        for a in variable.attributes
    )
    return replace(
        variable,
        type=Atomic.CHAR,
        attributes=tuple(attributes),
        data=None if variable.data is None else BytesAsChars(variable.data),
        storage=replace(variable.storage, fill=None, string_length=None),
    )


def _name_of(length: int, known: dict[str, Dimension]) -> str:
    """Return the name of a dimension of that length, which may exist."""
    name = f"string{length}"
    while name in known and (known[name].size != length or known[name].unlimited):
        name += "_"
    return name


def chars_of(variable: Variable, dimension: str, length: int) -> Variable:
    """Return a variable of strings as one of char, with one more dimension of that length."""
    storage = variable.storage
    attributes = [a for a in variable.attributes if a.name != _MASK]  # char has single bytes
    if all(attribute.name != _ENCODING for attribute in attributes):
        attributes.append(Attribute(name=_ENCODING, type=Atomic.CHAR, values=("utf-8",)))
    return replace(
        variable,
        type=Atomic.CHAR,
        dimensions=(*variable.dimensions, dimension),
        attributes=tuple(attributes),
        data=None if variable.data is None else StringsAsChars(variable.data, length),
        storage=replace(
            storage,
            chunks=None if storage.chunks is None else (*storage.chunks, length),
            shards=None,
            fill=None,
            string_length=None,
        ),
    )


def _encoded(values: Sequence[str | None]) -> list[bytes]:
    return [(value or "").encode("utf-8", "surrogateescape") for value in values]


def longest_text(source: ChunkSource) -> int:
    """Return the bytes of the longest string; at least 1."""
    longest = len(_encoded([_text(source.fill)])[0])
    for values in chunks_of(source):
        texts = _encoded(values.reshape(-1).tolist())
        longest = max(longest, max(map(len, texts), default=0))
    return max(1, longest)


def _text(value: Value) -> str:
    return value if isinstance(value, str) else ""


@record
class BytesAsChars(ChunkSource):
    """A `ncz.model.data.ChunkSource` of texts of one byte; an empty one is NUL."""

    source: ChunkSource

    type = Atomic.CHAR

    @property
    def grid(self) -> Grid:
        """The shape of the array and its chunks."""
        return self.source.grid

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return None

    def chunk(self, index: Index) -> Values:
        """Return the bytes of a chunk; where it is missing, the fill value."""
        import numpy as np

        shape = self.grid.box(index).shape
        values = self.source.chunk(index)
        if values is None:
            return np.full(shape, _encoded([_text(self.source.fill)])[0], "S1")
        return np.array(_encoded(values.reshape(-1).tolist()), "S1").reshape(shape)


@record
class StringsAsChars(ChunkSource):
    """A `ncz.model.data.ChunkSource` of the bytes of strings, padded with NUL to `length`."""

    source: ChunkSource
    length: int

    type = Atomic.CHAR

    @property
    def grid(self) -> Grid:
        """The shape of the array and its chunks, with the bytes of a string as the last axis."""
        grid = self.source.grid
        if isinstance(grid, IrregularGrid):
            return IrregularGrid((*grid.borders, (0, self.length)))
        return ChunkGrid((*grid.shape, self.length), (*grid.chunks, self.length))

    @property
    def fill(self) -> Value:
        """The value of missing chunks."""
        return None

    def chunk(self, index: Index) -> Values:
        """Return the bytes of a chunk's strings; missing strings are the fill value."""
        import numpy as np

        shape = self.grid.box(index).shape
        values = self.source.chunk(index[:-1])
        if values is None:
            texts = _encoded([_text(self.source.fill)]) * int(np.prod(shape[:-1], dtype=np.int64))
        else:
            texts = _encoded(values.reshape(-1).tolist())
        return np.array(texts, f"S{self.length}").view("S1").reshape(shape)


_MAGIC = (*CLASSIC, HDF5)
"""The first bytes of the files that ``--overwrite`` may replace."""

Create = Callable[[str], AbstractContextManager[Mapping[str, ArrayStore]]]
"""Creates the file at a path, and gives what takes the values of each variable, by its FQN."""


def plan_netcdf(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> NetcdfPlan:
    """Plan a netCDF file; see `ncz.formats.kinds.Plan`."""
    _check_location(location)
    if options.audience:
        raise UrlError(
            f"{option('audience')} chooses the form of a Zarr store, not of a netCDF file",
            location.display,
            f"omit {option('audience')}",
        )
    kind = _kind(dataset, location, options)
    given = dataset = with_nanoseconds(bytes_as_chars(dataset))
    strings: tuple[Notice, ...] = ()
    if is_classic(kind) and (options.allow_loss or not dataset.provenance.is_text):
        dataset, strings = strings_as_chars(dataset, kind)
    for notice in named_notice(
        "attribute-as-text",
        "attributes that are objects or lists of JSON are written as their text",
        json_attributes(dataset.root),
    ):
        notify(notice)
    found = list(faults(dataset, kind))
    if found:
        raise LossError(
            f"a file of kind {kind!r} cannot hold {'; '.join(found)}",
            hint=_hint(given, kind),
        )
    dataset, losses = adapted(dataset, kind)
    losses = (*strings, *losses)
    arrays: Sequence[TargetArray]
    create: Create
    if is_hdf5(kind):
        load_h5py()
        hdf5_arrays = arrays = with_usable_filters(plan_hdf5(dataset), notify)
        notify_of_plugins(hdf5_arrays, notify)
        strict = kind != "netCDF-4"

        def create(path: str) -> AbstractContextManager[Mapping[str, ArrayStore]]:
            return create_hdf5(path, dataset, hdf5_arrays, location.display, strict=strict)
    else:
        classic_arrays = arrays = plan_classic(dataset)
        header, layout = plan_file(dataset, classic_arrays, VERSIONS[kind])

        def create(path: str) -> AbstractContextManager[Mapping[str, ArrayStore]]:
            return create_classic(path, header, layout, classic_arrays, location.display)

    return NetcdfPlan(location=location, kind=kind, arrays=arrays, losses=losses, create=create)


@record(kw_only=True)
class NetcdfPlan(WritePlan):
    """How a dataset will be stored in a netCDF file."""

    location: Location
    kind: NetcdfKind
    arrays: Sequence[TargetArray]
    losses: tuple[Notice, ...]
    create: Create

    @property
    def form(self) -> str:
        """The kind of the file."""
        return self.kind

    @property
    def details(self) -> Mapping[str, Any]:
        """The kind of the file, for scripts."""
        return {"kind": self.kind}

    def changes(self, source: Provenance, requested: Requested) -> Iterable[StorageChange]:
        """Return what the file does not keep of how the source is stored."""
        return changes_of(source, self.kind, self.arrays, requested)

    def check_codecs(self, fqns: Collection[str]) -> None:
        """Raise `LossError` if chunks of one of these variables cannot be encoded."""
        targets = (array.encoded for array in self.arrays if array.fqn in fqns)
        refuse_codecs((each.fqn, _codec_fault(each)) for each in targets if each is not None)

    def write(
        self,
        write_array: WriteArray | None = None,
        *,
        overwrite: bool,
        claim: Claim | None = None,
        check: Callable[[], None] = lambda: None,
        progress: Progress = NO_PROGRESS,
    ) -> None:
        """Write the file; see `WritePlan.write`."""
        refuse_to_resume(claim, "a netCDF file", self.location)
        write_one = write_array or self.write_values
        with (
            _created_file(self.location, overwrite) as partial,
            _storage_errors(self.location.display),
            self.create(partial) as stores,
            held(partial),
        ):
            for array in self.arrays:
                write_one(array, stores[array.fqn])
            check()

    def write_values(self, array: TargetArray, store: ArrayStore) -> int:
        """Write the values of the variable's source; return the number of chunks."""
        source = values_to_write(array)
        if array.encoded is not None and takes_chunks(store):
            return 0 if source is None else write_chunks(store, source, array.encoded)
        assert takes_values(store)
        return write_boxes(store, source, array.layout.shape)


def _codec_fault(target: EncodedTarget) -> str | None:
    """Return why chunks of an array cannot be encoded, or None."""
    codecs = [codec.to_json() for codec in target.layout.codecs]
    if target.variable.data is None:
        return next(filter(None, map(writing_fault, codecs)), None)
    if not codecs:
        return None
    return encoding_fault(codecs, numpy_dtype(target.stored_dtype), target.item_size)


def _created_file(location: Location, overwrite: bool) -> AbstractContextManager[str]:
    """Yield a temporary path for a file that appears, complete, when the context ends."""
    if location.kind == "remote":
        from ncz.zmap.remote.opening import create_remote_file

        return create_remote_file(
            location, overwrite=overwrite, replaces=_is_replaced, first=len(_MAGIC[-1]),
            what="a netCDF file",
        )  # fmt: skip
    return create_file(location, overwrite=overwrite, replaces=_is_replaced)


def _is_replaced(first: bytes) -> bool:
    return first.startswith(_MAGIC)


_NUMBER = re.compile(r"errno = (\d+)")


@contextlib.contextmanager
def _storage_errors(location: str) -> Iterator[None]:
    """Turn errors of the operating system, also those that HDF5 reports, into a `ZmapError`."""
    try:
        yield
    except NczError:
        raise
    except (OSError, RuntimeError) as error:
        number = _NUMBER.search(str(error))
        if number is not None:
            reason = OSError(int(number[1]), os.strerror(int(number[1])))
            raise storage_error(reason, location, "write") from error
        if isinstance(error, OSError):
            raise storage_error(error, location, "write") from error
        raise


def _check_location(location: Location) -> None:
    """Raise `UrlError` for a location in memory."""
    if location.kind == "memory":
        raise UrlError(
            "a netCDF file cannot be written to memory", location.display, "write it to a path"
        )


def _kind(dataset: Dataset, location: Location, options: CreateOptions) -> NetcdfKind:
    """Return the kind of the file: as asked, as the source says, or one that holds the dataset."""
    asked = kind_asked(location, options.kind)
    source = dataset.provenance
    kind = source.asked_kind or source.kind_of_file
    if asked is not None:
        # A mode asks for any kind of classic file, or any of netCDF-4.
        is_same = options.kind is None and kind is not None and is_hdf5(kind) == is_hdf5(asked)
        return kind if is_same and kind is not None else asked
    if kind is not None:
        return kind
    if source.zarr_format is not None or source.is_object or location.path.lower().endswith(".nc4"):
        return "netCDF-4"
    return natural_kind(dataset)


def _hint(dataset: Dataset, kind: NetcdfKind) -> str:
    """Return what to do about faults: to choose another kind, if one has none."""
    others: tuple[NetcdfKind, ...] = ("cdf5", "netCDF-4")
    for other in others:
        if other != kind and next(faults(dataset, other), None) is None:
            return f"use {option('kind', other)} (nothing was written)"
    return "rename or convert what is listed (nothing was written)"
