"""The user-defined types of a store: those that NCZarr notes, and those that dtypes imply.

Source: docs/user-types.md.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.errors import FormatError, NczError, Notice, Notify
from ncz.formats.zarr.attributes import read_attribute, read_user_attribute
from ncz.formats.zarr.hierarchy import GroupNode, Metadata
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.notes import UserTypeName
from ncz.formats.zarr.user_types import as_noted
from ncz.model.tree import Attribute, join, parent
from ncz.model.types import Atomic, Compound, NcType, UserType, Vlen
from ncz.model.user_types import read_declarations

if TYPE_CHECKING:
    from ncz.formats.zarr.dtypes import Encoding
    from ncz.model.filters import Filter


def types_of_group(
    fqn: str, noted: Mapping[str, UserType], used: Iterable[NcType]
) -> tuple[UserType, ...]:
    """Return the types of a group: noted ones, and those that only dtypes imply.

    `noted` are those of the store, by FQN; `used` are the types of the group's variables.
    """
    own = [t for t in noted.values() if parent(t.name) == fqn]
    return (*own, *(t for nc_type in used for t in _implied(nc_type, noted)))


def _implied(nc_type: NcType, noted: Container[str]) -> Iterator[UserType]:
    """Yield the types in `nc_type` that are not noted, each after those in it."""
    if isinstance(nc_type, Atomic) or nc_type.name in noted:
        return
    if isinstance(nc_type, Compound):
        for field in nc_type.fields:
            yield from _implied(field.type, noted)
    elif isinstance(nc_type, Vlen):
        yield from _implied(nc_type.base, noted)
    yield nc_type


def noted_encoding(
    plain: Encoding, name: str, types: Mapping[str, UserType], codecs: tuple[Filter, ...]
) -> Encoding:
    """Return the encoding of an array whose type is noted.

    `plain` is the encoding by the dtype alone. Raises `FormatError` if the type is not declared, or
    the dtype holds other values.
    """
    if name not in types:
        raise FormatError(f"its type {name} is not declared")
    return as_noted(plain, types[name], codecs)


def noted_attribute(
    name: str,
    value: Json,
    noted: UserTypeName,
    types: Mapping[str, UserType],
    location: str,
    notify: Notify,
) -> Attribute:
    """Return an attribute of a noted type. If it does not fit, its type is inferred."""
    nc_type = types.get(noted.fqn)
    attribute = None if nc_type is None else read_user_attribute(name, value, nc_type)
    if attribute is not None:
        return attribute
    fault = "is not declared" if nc_type is None else "does not fit"
    text = f"attribute {name}: its type {noted.fqn} {fault}; a type is inferred"
    notify(Notice("attribute-type-inferred", text, location, lost=True))
    return read_attribute(name, value, location=location, notify=notify)


def read_types(root: GroupNode, metadata: Metadata, notify: Notify) -> Mapping[str, UserType]:
    """Return the types that a store notes by FQN, without those that are declared wrongly."""
    noted = {fqn: (key, declaration) for fqn, key, declaration in _declarations(root, "")}

    def report(fqn: str, error: NczError) -> None:
        location = metadata.attributes_location(noted[fqn][0])
        text = f"type {fqn}: {error.message}; the type is left out"
        notify(Notice("type-left-out", text, location, lost=True))

    declared = {fqn: declaration for fqn, (_, declaration) in noted.items()}
    return read_declarations(declared, report)


def _declarations(node: GroupNode, fqn: str) -> Iterator[tuple[str, str, Json]]:
    """Yield the FQN of every noted type, the key of its group, and its declaration."""
    for name, declaration in node.note.types.items() if node.note else ():
        yield join(fqn, name), node.key, declaration
    for child in node.groups:
        yield from _declarations(child, join(fqn, child.name))
