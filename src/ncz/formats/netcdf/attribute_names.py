"""Names of attributes in a netCDF file: netCDF-C looks them up in Unicode's form NFC.

It writes all names in this form, and opens no variable that has an attribute with another name.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from ncz.model.tree import Attribute, Dataset, Group, attributes_of, each_group
from ncz.record import replace


def with_normal_attributes(dataset: Dataset) -> Dataset:
    """Return a dataset whose attributes have the names that netCDF-C gives them."""

    def change(_: str, group: Group) -> Group:
        variables = [replace(v, attributes=_normal(v.attributes)) for v in group.variables]
        return replace(group, attributes=_normal(group.attributes), variables=tuple(variables))

    is_normal = all(
        unicodedata.is_normalized("NFC", attribute.name)
        for _, attribute in attributes_of(dataset.root)
    )
    return dataset if is_normal else each_group(dataset, change)


def _normal(attributes: Iterable[Attribute]) -> tuple[Attribute, ...]:
    return tuple(
        replace(attribute, name=unicodedata.normalize("NFC", attribute.name))
        for attribute in attributes
    )
