"""Carry out edits of attributes."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Mapping

from ncz.commands.edit.attributes import NOTES, edited
from ncz.commands.edit.request import Edit, parse_delete, parse_rename, parse_set
from ncz.commands.rewriting import rewrite
from ncz.errors import FormatError, ignore_notice
from ncz.formats.zarr.document.v2 import ATTRIBUTES, CONSOLIDATED
from ncz.formats.zarr.hierarchy.nodes import GroupNode, Metadata
from ncz.formats.zarr.hierarchy.versions import find_root
from ncz.formats.zarr.json import Json, parse_document, print_document, print_json
from ncz.record import record
from ncz.zmap import Zmap, can_list, location_of
from ncz.zmap.key import ZARR_JSON, join_key
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap


@record(kw_only=True)
class EditOptions:
    """What to change: texts as the options of the command line have them.

    Attributes are deleted first, then renamed, then set, each in the order in which they are given.
    """

    source: str
    delete: tuple[str, ...] = ()
    rename: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    dry_run: bool = False


@record(kw_only=True)
class Change:
    """A change of one attribute: the key of its node, its name, and its JSON before and after.

    The JSON is None if the attribute does not exist.
    """

    node: str
    name: str
    before: str | None
    after: str | None


def edit(options: EditOptions) -> list[Change]:
    """Change attributes of a store, all of them or none.

    Returns
    -------
    list of Change
        What has changed, or would change.

    Raises
    ------
    NczError
        If an edit is not valid, or the store cannot be changed. Nothing is changed then.
    """
    edits = [
        *map(parse_delete, options.delete),
        *map(parse_rename, options.rename),
        *map(parse_set, options.set),
    ]
    location = parse_location(options.source)
    with contextlib.closing(open_zmap(location)) as zmap:
        consolidated = False if can_list(zmap) else None
        root = find_root(zmap, location.modes, consolidated, ignore_notice)
        if root is None:
            raise FormatError("no Zarr store exists here", zmap.url, "give the root of a store")
        if root.superblock == 1:
            raise FormatError(
                "NCZarr of version 1 cannot be edited", zmap.url, "write a copy with ncz copy"
            )
        version = root.metadata.zarr_format
        nodes = set(_nodes(root.metadata.load("", root.superblock, ignore_notice)))
        notes = NOTES[version] if root.superblock else None
        changes: list[Change] = []
        documents: dict[str, dict[str, Json]] = {}
        for node in dict.fromkeys(e.node for e in edits):
            if node not in nodes:
                raise FormatError(f"no variable or group /{node}", zmap.url, "see 'ncz dump -h'")
            key, document, members = _attributes(zmap, node, version)
            location_ = location_of(zmap, key)
            new = edited(members, [e for e in edits if e.node == node], notes, location_)
            changes.extend(_changes(node, members, new, edits))
            documents[key] = new if version == 2 else {**document, "attributes": new}
        _consolidate(zmap, documents, version, root.metadata)
        if not options.dry_run:
            ordered = sorted(documents, key=lambda key: (-key.count("/"), key))
            rewrite(
                zmap,
                location,
                {key: print_document(documents[key]) for key in ordered},
                pure=not root.superblock,
            )
    return changes


def _nodes(group: GroupNode) -> Iterator[str]:
    yield group.key
    for array in group.arrays:
        yield array.key
    for child in group.groups:
        yield from _nodes(child)


def _attributes(
    zmap: Zmap, node: str, version: int
) -> tuple[str, dict[str, Json], dict[str, Json]]:
    """Return the key of the document that has a node's attributes, the document, and them."""
    key = join_key(node, ATTRIBUTES if version == 2 else ZARR_JSON)
    data = zmap.get(key)
    document = {} if data is None else parse_document(data, location_of(zmap, key))
    return key, document, document if version == 2 else document.get("attributes") or {}


def _changes(
    node: str, before: Mapping[str, Json], after: Mapping[str, Json], edits: list[Edit]
) -> Iterator[Change]:
    names = [n for e in edits if e.node == node for n in (e.name, e.new) if n is not None]
    for name in dict.fromkeys(names):
        old = print_json(before[name]) if name in before else None
        new = print_json(after[name]) if name in after else None
        yield Change(node=node, name=name, before=old, after=new)


def _consolidate(
    zmap: Zmap, documents: dict[str, dict[str, Json]], version: int, metadata: Metadata
) -> None:
    """Add the document with consolidated metadata to the changed ones, if the store has them."""
    if not metadata.has_consolidated or not documents:
        return
    if version == 2:
        data = zmap.get(CONSOLIDATED)
        assert data is not None
        whole = parse_document(data, location_of(zmap, CONSOLIDATED))
        if isinstance(whole.get("metadata"), dict):
            documents[CONSOLIDATED] = {**whole, "metadata": {**whole["metadata"], **documents}}
        return
    root = documents.get(ZARR_JSON)
    if root is None:
        root = _attributes(zmap, "", version)[1]
    found = root["consolidated_metadata"]
    copies = dict(found["metadata"])
    for key, document in documents.items():
        if key != ZARR_JSON:
            copies[key.removesuffix(f"/{ZARR_JSON}")] = document
    documents[ZARR_JSON] = {**root, "consolidated_metadata": {**found, "metadata": copies}}
