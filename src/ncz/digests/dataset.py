"""The digest of a dataset: of its groups, down to the types, attributes and values of variables."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from hashlib import blake2b
from typing import Any

from ncz.digests.sums import Sums, sums_text
from ncz.digests.words import bytes_of_text, encoder_of
from ncz.model.packing import MASKS, PACKING, Packing, packing_of
from ncz.model.tree import Attribute, Dimension, Group, Variable, join, shape_of
from ncz.model.types import Atomic, Compound, Enumeration, NcType, Opaque, Vlen

_PROVENANCE = frozenset({"_NCProperties"})
"""Attributes that a writer sets itself."""

VERSION = 1
"""The version of the specification."""

NUMBER = "number"
"""The type of variables whose values are decoded."""


def digest_of(description: object) -> str:
    """Return the digest of a description: of its JSON without spaces, in ASCII."""
    text = json.dumps(description, separators=(",", ":"), ensure_ascii=True)
    return blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def described_type(nc_type: NcType) -> Any:
    """Return the identity of a type as JSON."""
    match nc_type:
        case Atomic():
            return nc_type.word
        case Opaque(name=name, size=size):
            return ["opaque", name, size]
        case Enumeration(name=name, base=base, members=members):
            return ["enum", name, base.word, [list(member) for member in members]]
        case Vlen(name=name, base=base):
            return ["vlen", name, described_type(base)]
        case Compound(name=name, fields=fields):
            listed = [[f.name, described_type(f.type), list(f.shape)] for f in fields]
            return ["compound", name, listed]


def described_attributes(attributes: Iterable[Attribute]) -> list[Any]:
    """Return the names, types and bytes of attributes, in the order of their names."""
    named = {a.name: a for a in attributes if a.name not in _PROVENANCE}
    return [
        [name, described_type(attribute.type), _bytes_of(attribute).hex()]
        for name, attribute in in_order(named)
    ]


def _bytes_of(attribute: Attribute) -> bytes:
    """Return the bytes of the values of an attribute."""
    if attribute.type is Atomic.CHAR:
        return bytes_of_text(attribute.text)
    values = attribute.values
    if attribute.type is Atomic.STRING and not values:
        values = ("",)  # Zarr does not distinguish the two
    return b"".join(map(encoder_of(attribute.type), values))


def in_order(named: Mapping[str, Any]) -> list[tuple[str, Any]]:
    """Return the items of a mapping in the order of the bytes of their names."""
    return sorted(named.items(), key=lambda item: bytes_of_text(item[0]))


def is_decoded(variable: Variable) -> bool:
    """Return whether the values of a variable differ from its stored ones, as xarray sees them."""
    if not variable.has_numbers:
        return False
    assert isinstance(variable.type, Atomic)
    packing = packing_of(variable)
    return variable.type.is_floating or packing != Packing(factor_type=packing.factor_type)


def variable_digest(
    variable: Variable, shape: tuple[int, ...], sums: Sums, *, decoded: bool = False
) -> str:
    """Return the digest of a variable.

    Parameters
    ----------
    variable
        The variable.
    shape
        Its shape.
    sums
        The sums of its values.
    decoded
        Whether the values were decoded, so that the attributes for decoding do not count.
    """
    nc_type, attributes = described_type(variable.type), variable.attributes
    if decoded and is_decoded(variable):
        nc_type = NUMBER
        attributes = tuple(a for a in attributes if a.name not in (*MASKS, *PACKING))
    return digest_of(
        [
            "variable",
            nc_type,
            [[fqn, size] for fqn, size in zip(variable.dimensions, shape, strict=True)],
            described_attributes(attributes),
            sums_text(sums),
        ]
    )


def group_digest(group: Group, variables: Mapping[str, str], groups: Mapping[str, str]) -> str:
    """Return the digest of a group, given the digests of its variables and groups by name."""
    sizes = {dimension.name: dimension.size for dimension in group.dimensions}
    return digest_of(
        [
            "group",
            [list(item) for item in in_order(sizes)],
            described_attributes(group.attributes),
            [list(item) for item in in_order(variables)],
            [list(item) for item in in_order(groups)],
        ]
    )


def dataset_digests(
    root: Group,
    lengths: dict[str, Dimension],
    sums_of: Callable[[str, Variable], Sums],
    *,
    decoded: bool = False,
) -> tuple[dict[str, str], dict[str, str]]:
    """Return the digests of all groups and of all variables, by FQN; the root is "/".

    Parameters
    ----------
    root
        The root group.
    lengths
        Its dimensions by FQN.
    sums_of
        Returns the sums of the values of a variable.
    decoded
        Whether these are the sums of decoded values.
    """
    groups: dict[str, str] = {}
    variables: dict[str, str] = {}

    def enter(path: str, group: Group) -> str:
        own = {}
        groups[path or "/"] = ""  # the order of the dataset
        for variable in group.variables:
            fqn = join(path, variable.name)
            sums, shape = sums_of(fqn, variable), shape_of(variable, lengths)
            own[variable.name] = variable_digest(variable, shape, sums, decoded=decoded)
            variables[fqn] = own[variable.name]
        below = {child.name: enter(join(path, child.name), child) for child in group.groups}
        groups[path or "/"] = group_digest(group, own, below)
        return groups[path or "/"]

    enter("", root)
    return groups, variables
