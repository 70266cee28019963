"""Notices of attributes that some readers of a store see otherwise, or that keep them from it.

JSON has no number for NaN and the infinities. NCZarr has them as text, as netcdf-c does; pure Zarr
has them as bare words, as zarr-python and xarray do.
"""

from __future__ import annotations

from collections.abc import Iterator

from ncz.errors import Notice
from ncz.formats.zarr.mapping.attributes import is_not_finite
from ncz.model.tree import Attribute, Dataset, join, walk


def attribute_notices(dataset: Dataset, *, pure: bool) -> Iterator[Notice]:
    """Yield one notice for each kind of attribute that readers do not see alike."""
    attributes = list(_attributes(dataset))
    not_finite = [(node, attribute) for node, attribute in attributes if is_not_finite(attribute)]
    if not_finite and pure:
        names = [f"{node}:{attribute.name}" for node, attribute in not_finite]
        yield Notice(
            "attribute-not-finite",
            "attributes that are NaN or infinite are not valid JSON: xarray and zarr-python read"
            f" them, tensorstore and zarrita refuse the arrays or groups: {', '.join(names)}",
        )
    elif not_finite:
        yield Notice(
            "attribute-not-finite",
            "attributes that are NaN or infinite are stored as text in NCZarr, and xarray and"
            f" zarr-python will see text: {_names(not_finite)}",
            hint="use mode=zarr if they are to see numbers",
        )
    empty = [(n, a) for n, a in attributes if a.original is not None and a.original[0] == []]
    if empty and not pure:
        yield Notice(
            "attribute-empty",
            f"attributes that are empty lists are stored as empty text: {_names(empty)}",
        )


def _attributes(dataset: Dataset) -> Iterator[tuple[str, Attribute]]:
    """Yield all attributes, each after the FQN of its variable or group.

    ``_FillValue`` is left out, because every reader finds it in another place.
    """
    for fqn, group in walk(dataset.root):
        yield from ((fqn, attribute) for attribute in group.attributes)
        for variable in group.variables:
            for attribute in variable.attributes:
                if attribute.name != "_FillValue":
                    yield join(fqn, variable.name), attribute


def _names(attributes: list[tuple[str, Attribute]]) -> str:
    return ", ".join(f"{node.removeprefix('/')}:{attribute.name}" for node, attribute in attributes)
