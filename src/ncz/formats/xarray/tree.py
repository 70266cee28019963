"""The groups and variables of xarray as a dataset."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import xarray

from ncz.errors import LossError, Notify, UrlError, ignore_notice
from ncz.formats.kinds import GivenDataset
from ncz.formats.xarray.attributes import attributes_of
from ncz.formats.xarray.coders import encoded_variables
from ncz.formats.xarray.variable import VariableReader
from ncz.model.tree import Dataset, Dimension, Group, Provenance, join, text_of, variables_by_fqn
from ncz.model.types import Atomic, Compound, Enumeration, UserType
from ncz.zmap.location import Location, parse_location


def given_dataset(source: xarray.Dataset | xarray.DataTree | xarray.DataArray) -> GivenDataset:
    """Return an object of xarray as the source of a command.

    Parameters
    ----------
    source
        The object, which must not change until the command has ended.
    """
    tree = _tree_of(source)

    @contextlib.contextmanager
    def open_tree(like: Dataset | None, notify: Notify) -> Iterator[Dataset]:
        yield read_xarray(tree if like is None else _encoded_like(tree, like), notify)

    name = f"xarray.{type(source).__name__}"
    return GivenDataset(name=name, open=open_tree, locations=tuple(_locations(tree)))


def _tree_of(source: xarray.Dataset | xarray.DataTree | xarray.DataArray) -> xarray.DataTree:
    if isinstance(source, xarray.DataTree):
        return source
    if isinstance(source, xarray.DataArray):  # named as `DataArray.to_netcdf` does
        named = source.name is not None and source.name not in (*source.coords, *source.dims)
        source = source.to_dataset(name=source.name if named else "__xarray_dataarray_variable__")
    return xarray.DataTree(source)


_PACKING = ("units", "calendar", "scale_factor", "add_offset", "_FillValue", "_Unsigned")
"""Attributes that describe the encoding of numbers and times."""


def _encoded_like(tree: xarray.DataTree, like: Dataset) -> xarray.DataTree:
    """Return the tree with encodings that turn its numbers and times into the dataset's."""
    known = dict(variables_by_fqn(like.root))
    tree = tree.copy()
    for node in tree.subtree:
        for name, variable in node.to_dataset(inherit=False).variables.items():
            stored = known.get(f"{node.path.rstrip('/')}/{name}")
            if stored is None or not isinstance(stored.type, Atomic) or stored.type.kind in "OS":
                continue
            encoding = {
                each.name: text_of(each) or each.values[0]
                for each in stored.attributes
                if each.name in _PACKING and each.values
            }
            if variable.dtype.kind not in "mMO":  # the units of numbers are an attribute
                encoding.pop("units", None)
                encoding.pop("calendar", None)
            encoding_left = {k: v for k, v in variable.encoding.items() if k not in _PACKING}
            encoding.setdefault("_FillValue", None)
            encoding["dtype"] = np.dtype(stored.type.dtype)
            node[name].variable.encoding = {**encoding_left, **encoding}
    return tree


def _locations(tree: xarray.DataTree) -> Iterator[Location]:
    """Yield the places where values may still have to be read."""
    found = set()
    for node in tree.subtree:
        for owner in (node, *node.variables.values()):
            source = owner.encoding.get("source")
            if isinstance(source, str):
                found.add(source)
    for source in sorted(found):
        with contextlib.suppress(UrlError):
            yield parse_location(source)


def read_xarray(tree: xarray.DataTree, notify: Notify = ignore_notice) -> Dataset:
    """Return a tree of xarray as a dataset.

    Notifies of chunks of Dask that differ from the dataset's.

    Raises
    ------
    LossError
        If a variable or an attribute cannot be stored.
    """
    return Dataset(
        name="xarray",
        root=_TreeReader(notify).group(tree, "", {}),
        provenance=Provenance(is_object=True),
    )


class _TreeReader:
    """The conversion of one tree; it collects the types that its variables have."""

    def __init__(self, notify: Notify) -> None:
        self._notify = notify

    def group(self, node: xarray.DataTree, path: str, above: Mapping[str, str]) -> Group:
        """Return a group with its subgroups; `above` has the FQNs of inherited dimensions."""
        dataset = node.to_dataset(inherit=not path)
        _check_names(dataset.variables, path, "variable")
        _check_names(dataset.sizes, path, "dimension")
        unlimited = dataset.encoding.get("unlimited_dims") or ()
        unlimited = {unlimited} if isinstance(unlimited, str) else set(unlimited)
        dimensions = {
            str(name): Dimension(name=str(name), size=size, unlimited=name in unlimited)
            for name, size in dataset.sizes.items()
            if name not in above
        }
        known = {**above, **{name: join(path, name) for name in dimensions}}
        types: dict[str, UserType] = {}
        encoded, attributes = encoded_variables(dataset, path)
        variables = []
        for name, one in encoded.items():
            reading = VariableReader(one, join(path, name), path, known, dimensions, self._notify)
            variables.append(reading.variable())
            if isinstance(reading.type, Enumeration | Compound):
                _declare(types, reading.type, reading.fqn)
        return Group(
            name=path.rpartition("/")[2],
            types=tuple(types.values()),
            dimensions=tuple(dimensions.values()),
            variables=tuple(variables),
            attributes=attributes_of(attributes, path or "/"),
            groups=tuple(
                self.group(child, join(path, name), known) for name, child in node.children.items()
            ),
        )


def _check_names(names: Mapping[Any, object], path: str, what: str) -> None:
    for name in names:
        if not isinstance(name, str) or not name:
            raise LossError(
                f"the name of a {what} must be a text that is not empty, not {name!r}",
                path or "/",
                "rename it with Dataset.rename",
            )


def _declare(types: dict[str, UserType], found: UserType, fqn: str) -> None:
    if types.setdefault(found.name, found) != found:
        raise LossError(
            f"another variable has an enum of the name {found.name} with other members",
            fqn,
            "choose another name in encoding['dtype'].metadata['enum_name']",
        )
