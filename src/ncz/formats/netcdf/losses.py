"""The part of a dataset that each kind of netCDF file can represent, found before writing.

Faults are reasons to refuse the dataset, all in one error. `adapt` returns the dataset that a file
can contain, and a notice for each kind of information that it loses.

Source: the netCDF User's Guide, "The Classic Model" and "The Enhanced Data Model"; limits of the
HDF5 library.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from ncz.errors import Notice, NoticeCode, list_names, named_notice, option
from ncz.model.netcdf_kinds import NetcdfKind, is_hdf5
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_dimension,
    each_group,
    join,
    variables_by_fqn,
    walk,
)
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic
from ncz.record import replace


def loss_notice(code: NoticeCode, what: str, kind: NetcdfKind, names: Sequence[str]) -> Notice:
    """Return the notice about these attributes, dimensions or variables."""
    return Notice(
        code,
        f"{what} in a file of kind {kind!r}: {list_names(names)}",
        hint=f"write netCDF-4 ({option('kind', 'netCDF-4')}) to keep it",
    )


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
_LARGEST_FILE = 2**62
"""Bytes of a variable: HDF5 fails for some more, and no file system has such files."""

_MOST_HDF5_AXES = 32


def is_classic(kind: NetcdfKind) -> bool:
    """Return whether files of the kind have the classic data model."""
    return kind != "netCDF-4"


def natural_kind(dataset: Dataset) -> NetcdfKind:
    """Return the kind of file that contains all of a dataset: classic, or netCDF-4 if it must be.

    As in ncgen, it is also netCDF-4 for a dataset that requires chunks or filters.
    """
    special = any(_is_special(variable) for _, variable in variables_by_fqn(dataset.root))
    if special or next(faults(dataset, "classic"), None) is not None:
        return "netCDF-4"
    return "netCDF-4" if adapt(dataset, "classic")[1] else "classic"


def _is_special(variable: Variable) -> bool:
    storage = variable.storage
    return bool(
        storage.filters
        or storage.chunks
        or storage.storage_class not in (None, "contiguous")
        or storage.endianness
    )


def faults(dataset: Dataset, kind: NetcdfKind) -> Iterator[str]:
    """Yield every reason, in a few words, why a file of the kind cannot represent the dataset."""
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
            size = _size(variable, dimensions)
            if size > _LARGEST_FILE:
                yield f"{place} of {size} bytes"
            if is_hdf5(kind) and len(variable.dimensions) > _MOST_HDF5_AXES:
                yield f"{place} with more than {_MOST_HDF5_AXES} dimensions"
    if not is_hdf5(kind):
        record = record_dimension(dataset)
        for fqn, declared in dimensions.items():
            if declared.size == 0 and fqn != record:
                yield f"dimension {fqn} of length 0, which is not the record dimension"


def _size(variable: Variable, dimensions: Mapping[str, Dimension]) -> int:
    """Return the least number of bytes of the values of a variable."""
    sizes = [dimensions[fqn].size for fqn in variable.dimensions if fqn in dimensions]
    return math.prod(sizes) * (fixed_size(variable.type) or 1)


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
    """Return whether the classic model can contain a string attribute as char."""
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
                yield f"{what} {join(fqn, name)} next to a {other} of the same name"
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


def unnamed_attributes(dataset: Dataset) -> Iterator[str]:
    """Yield the CDL names of attributes that no netCDF file can contain."""
    for _, group in walk(dataset.root):
        for owner, attributes in (
            *((variable.name, variable.attributes) for variable in group.variables),
            ("", group.attributes),
        ):
            yield from (f"{owner}:{a.name}" for a in attributes if _name_fault(a.name))


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


def adapt(dataset: Dataset, kind: NetcdfKind) -> tuple[Dataset, tuple[Notice, ...]]:
    """Return the part of a dataset that a file of the kind can contain, and the losses.

    In the classic model, one dimension can be unlimited, and text is char. Attributes with names
    that netcdf-c reserves are left out; no reader of netCDF shows them. Attributes with names that
    no netCDF file can contain, such as a/b, are left out too.
    """
    losses: list[Notice] = []
    record = record_dimension(dataset)
    fixed: list[str] = []
    unnamed: list[str] = []
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
        "attribute-left-out",
        "netCDF cannot represent the names of these attributes",
        unnamed,
    )
    if texts:
        losses.append(
            loss_notice("attribute-type-lost", "string attributes become char", kind, texts)
        )
    return dataset, tuple(losses)
