"""Parts of a dataset that a Zarr store cannot represent, and attributes that readers change.

Two lists: faults, which refuse the dataset together; and metadata that readers of pure Zarr do not
get back, with one notice for each kind.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Iterable, Iterator

from ncz.errors import Notice, named_notice
from ncz.formats.zarr.documents.attributes import (
    RESERVED_IN_HDF5,
    infer,
    is_annotation,
    write_attribute,
)
from ncz.formats.zarr.documents.dimensions import is_invented
from ncz.formats.zarr.documents.document_v2 import ZARRAY
from ncz.formats.zarr.documents.notes import PROPERTIES
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    parent,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic
from ncz.zmap.key import ROOT_DOCUMENTS, fault, join_key

_OBJECTS = frozenset({*ROOT_DOCUMENTS, ZARRAY, ".nczarray", ".nczattr"})


def faults(dataset: Dataset, *, pure: bool, kept: Container[str] = ()) -> Iterator[str]:
    """All reasons why the dataset cannot be written, each in a few words.

    `kept` are the FQNs of variables that keep the dtypes they have in a store, which need not be
    of netCDF.
    """
    sizes = dimensions_by_fqn(dataset.root)
    types = {t.name for _, group in walk(dataset.root) for t in group.types}
    for fqn, group in walk(dataset.root):
        yield from _group_faults(fqn, group, pure=pure)
        for variable in group.variables:
            name = join(fqn, variable.name)
            place = f"variable {name}"
            if not isinstance(variable.type, Atomic) and variable.type.name not in types:
                yield f"{place} of the type {variable.type.name}, which is not declared"
            for dimension in variable.dimensions:
                if dimension not in sizes:
                    yield f"{place} over the dimension {dimension}, which is not defined"
            # The mask of a complex number is written as its fill value is.
            is_kept = name in kept and variable.mask is not None
            attributes = variable.attributes
            if is_kept:
                attributes = tuple(a for a in attributes if a.name != "_FillValue")
            yield from _attribute_faults(f"{place}: ", attributes)


def _group_faults(fqn: str, group: Group, *, pure: bool) -> Iterator[str]:
    yield from _attribute_faults(f"group {fqn}: " if fqn else "", group.attributes)
    for dimension in group.dimensions:
        if not dimension.name or "/" in dimension.name:
            yield f"the dimension name {dimension.name!r} in {fqn or '/'}"
    children = [*(v.name for v in group.variables), *(g.name for g in group.groups)]
    for name in children:
        reason = name_fault(name, fqn, pure=pure)
        if reason:
            yield f"{join(fqn, name)!r}: {reason}"
    for name, count in Counter(children).items():
        if count > 1:
            yield f"{join(fqn, name)}: a group or variable of that name already exists"


def name_fault(name: str, group: str, *, pure: bool) -> str | None:
    """Return the reason that `name` is not allowed for a group or variable, or None."""
    if not name:
        return "a name cannot be empty"
    if "/" in name:
        return "a name cannot have a slash"
    if name in _OBJECTS:
        return "this is the name of a metadata object"
    if pure and name.startswith("."):
        return "readers of pure Zarr skip names that begin with a dot"
    return fault(join_key(group, name, ZARRAY))


def _attribute_faults(place: str, attributes: Iterable[Attribute]) -> Iterator[str]:
    for attribute in attributes:
        if is_annotation(attribute.name):
            yield f"{place}attribute {attribute.name}, whose name is reserved for the format"
    names = [attribute.name for attribute in attributes]
    if len({*names}) < len(names):
        for name, count in Counter(names).items():
            if count > 1:
                yield f"{place}attribute {name}, which is given {count} times"


def hidden_attributes(dataset: Dataset) -> Iterator[Notice]:
    """Attributes that are written, but that netcdf-c and ncz do not show."""
    names = [
        name
        for name, _, attribute in _all_attributes(dataset)
        if attribute.name in RESERVED_IN_HDF5
    ]
    yield from named_notice(
        "attribute-hidden",
        "attributes with names of HDF5's own, which no reader of netCDF shows",
        names,
    )
    if any(attribute.name == PROPERTIES for attribute in dataset.root.attributes):
        yield Notice(
            "provenance-replaced", f"attribute {PROPERTIES} is replaced by the properties of ncz"
        )


def pure_losses(
    dataset: Dataset, options: WriteOptions, kept: Container[str] = ()
) -> Iterator[Notice]:
    """Losses for a reader of the pure Zarr store: one notice for each kind.

    With annotations, only losses for other programs than ncz remain.
    """
    nczarr = "write NCZarr (mode=nczarr) to keep it"
    dimensions = dimensions_by_fqn(dataset.root).items()
    declared = [(fqn, d) for fqn, d in dimensions if not is_invented(fqn)]
    used = Counter(
        (dimension, fqn)
        for fqn, group in walk(dataset.root)
        for variable in group.variables
        for dimension in variable.dimensions
        if not is_invented(dimension)
    )
    if options.has_annotations:
        yield from _conflicts(declared, used)
        return
    yield from named_notice(
        "unlimited-fixed",
        "unlimited dimensions become fixed in pure Zarr",
        [fqn for fqn, d in declared if d.unlimited and d.size],
        nczarr,
    )
    yield from _dimension_losses(declared, used, xarray=options.xarray)
    variables = list(variables_by_fqn(dataset.root))
    yield from named_notice(
        "char-as-string",
        "char variables are |S1 in pure Zarr, and read as strings of one byte",
        [fqn for fqn, v in variables if v.type is Atomic.CHAR],
        nczarr,
    )
    lost = [v.type for fqn, v in variables if fqn not in kept]
    yield from named_notice(
        "user-types-lost",
        "pure Zarr does not record user-defined types, and readers see the stored types",
        list(dict.fromkeys(t.name for t in lost if not isinstance(t, Atomic))),
        nczarr,
    )
    yield from named_notice(
        "attribute-type-lost",
        "pure Zarr does not record the type of attributes, which readers will infer",
        [n for n, v, a in _all_attributes(dataset) if not _keeps_type(v, a, options.strict)],
        nczarr,
    )


def _dimension_losses(
    declared: list[tuple[str, Dimension]], used: Counter[tuple[str, str]], *, xarray: bool
) -> Iterator[Notice]:
    if not xarray:
        yield from named_notice(
            "dimension-names-lost",
            "names of dimensions are not written (noxarray)",
            [fqn for fqn, _ in declared],
        )
        return
    referenced = {dimension for dimension, _ in used}
    yield from named_notice(
        "dimension-unused",
        "pure Zarr has no place for dimensions that no variable uses",
        [fqn for fqn, _ in declared if fqn not in referenced],
        "write NCZarr (mode=nczarr) to keep them",
    )
    yield from named_notice(
        "dimension-repeated",
        "pure Zarr repeats dimensions of an outer group in each group that uses them",
        sorted({dimension for dimension, group in used if parent(dimension) != group}),
    )
    yield from _conflicts(declared, used)


def _conflicts(
    declared: list[tuple[str, Dimension]], used: Counter[tuple[str, str]]
) -> Iterator[Notice]:
    lengths = {fqn: d.size for fqn, d in declared}
    in_groups: dict[tuple[str, str], set[int]] = {}
    for dimension, group in used:
        name = (group, base_name(dimension))
        in_groups.setdefault(name, set()).add(lengths[dimension])
    hint = "rename one of the dimensions"
    yield from named_notice(
        "dimension-conflict",
        "dimensions with one name and several lengths in a group, which readers refuse",
        [join(*name) for name, several in in_groups.items() if len(several) > 1],
        hint,
    )


def _keeps_type(place: Variable | None, attribute: Attribute, strict: bool) -> bool:
    """Return whether the attribute read without its type is the same; see `write_attribute`."""
    if attribute.name == "_FillValue" and place is not None and attribute.type is place.type:
        return True
    return infer(write_attribute(attribute, typed=False, strict=strict))[0] is attribute.type


def _all_attributes(dataset: Dataset) -> Iterator[tuple[str, Variable | None, Attribute]]:
    """Yield the name of each attribute in CDL, its variable, and the attribute."""
    for fqn, group in walk(dataset.root):
        for attribute in group.attributes:
            yield f"{fqn}/:{attribute.name}" if fqn else f":{attribute.name}", None, attribute
        for variable in group.variables:
            place = join(fqn, variable.name) if fqn else variable.name
            for attribute in variable.attributes:
                yield f"{place}:{attribute.name}", variable, attribute
