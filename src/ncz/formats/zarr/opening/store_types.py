"""The user-defined types of a store: types that NCZarr records, and types implied by dtypes.

Source: docs/reference/user-types.md.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping

from ncz.errors import NczError, Notice, Notify
from ncz.formats.zarr.documents.hierarchy import GroupNode, Metadata
from ncz.model.tree import join, parent
from ncz.model.types import Atomic, Compound, NcType, UserType, Vlen
from ncz.zmap.key import join_key


def implied_types(nc_type: NcType, noted: Container[str]) -> Iterator[UserType]:
    """Yield the unrecorded types in `nc_type`, each after the types that it contains."""
    if isinstance(nc_type, Atomic) or nc_type.name in noted:
        return
    if isinstance(nc_type, Compound):
        for field in nc_type.fields:
            yield from implied_types(field.type, noted)
    elif isinstance(nc_type, Vlen):
        yield from implied_types(nc_type.base, noted)
    yield nc_type


def read_types(root: GroupNode, metadata: Metadata, notify: Notify) -> Mapping[str, UserType]:
    """Return the types that a store records by FQN, without invalid ones."""
    from ncz.model.type_declarations import read_declarations

    def report(fqn: str, error: NczError) -> None:
        location = metadata.attributes_location(join_key(parent(fqn)))
        text = f"type {fqn}: {error.message}; the type is left out"
        notify(Notice("type-left-out", text, location, lost=True))

    declared = {
        join(group.fqn, name): declaration
        for group in root.walk()
        for name, declaration in (group.note.types.items() if group.note else ())
    }
    return read_declarations(declared, report)
