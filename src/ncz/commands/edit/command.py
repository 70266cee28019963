"""Carry out edits of a store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ncz.commands.changes import open_to_change
from ncz.commands.edit.attributes import ANNOTATED, NOTES, UNNOTED, TypeNotes, edit_attribute
from ncz.commands.edit.change import Change
from ncz.commands.edit.draft import Draft
from ncz.commands.edit.mentions import outdated_names
from ncz.commands.edit.request import (
    Edit,
    Removal,
    Renaming,
    Request,
    parse_delete,
    parse_remove,
    parse_rename,
    parse_set,
)
from ncz.commands.edit.revise import changes_of
from ncz.commands.edit.structure import remove, rename
from ncz.errors import FormatError, Notify, ignore_notice, note_if_interrupted
from ncz.formats.zarr.hierarchy.nodes import Root
from ncz.formats.zarr.hierarchy.versions import find_root
from ncz.formats.zarr.json import Json, print_json
from ncz.formats.zarr.reader import no_store, open_dataset
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import variables_by_fqn
from ncz.record import record
from ncz.zmap import Zmap, can_list
from ncz.zmap.location import Location, parse_location


@record(kw_only=True)
class EditOptions:
    """What to change: texts as the options of the command line have them.

    Variables and groups are removed first. Then attributes are deleted, then everything is renamed,
    then attributes are set, each in the order in which they are given and with the names that it
    has by then.
    """

    source: str
    remove: tuple[str, ...] = ()
    delete: tuple[str, ...] = ()
    rename: tuple[str, ...] = ()
    set: tuple[str, ...] = ()
    dry_run: bool = False


def edit(
    options: EditOptions,
    notify: Notify = ignore_notice,
    progress: Progress = NO_PROGRESS,
) -> list[Change]:
    """Change a store: all that is asked for, or nothing.

    Parameters
    ----------
    options
        What to change.
    notify
        Receives a notice of every attribute that names what is renamed or removed.
    progress
        Receives each object of a store that is written again.

    Returns
    -------
    list of Change
        What has changed, or would change.

    Raises
    ------
    NczError
        If an edit is not valid, or the store cannot be changed. Nothing is changed then.
    """
    requests: list[Request] = [
        *map(parse_remove, options.remove),
        *map(parse_delete, options.delete),
        *map(parse_rename, options.rename),
        *map(parse_set, options.set),
    ]
    is_structural = any(not isinstance(request, Edit) for request in requests)
    location = parse_location(options.source)
    with (
        note_if_interrupted(f"{location.display} was not changed"),
        open_to_change(location, dry_run=options.dry_run) as store,
    ):
        zmap = store.zmap
        root = editable_root(zmap, location)
        draft = _draft(zmap, root, location, has_axes=is_structural)
        pure = not root.superblock
        unnoted = ANNOTATED if draft.is_annotated else UNNOTED
        notes = unnoted if pure else NOTES[root.metadata.zarr_format]
        changes = [c for r in requests for c in _apply(draft, r, notes, zmap.url, pure)]
        for notice in outdated_names(draft, changes, zmap.url):
            notify(notice)
        plan = changes_of(zmap, draft, root, is_structural=is_structural)
        if not options.dry_run:
            store.apply(plan, pure=pure, progress=progress)
    return changes


def editable_root(zmap: Zmap, location: Location) -> Root:
    """Return the root of a store that can be changed. Raises `FormatError` or `ZmapError`."""
    root = find_root(zmap, location.modes, False if can_list(zmap) else None, ignore_notice)
    if root is None:
        raise no_store(zmap)
    if root.superblock == 1:
        raise FormatError(
            "NCZarr of version 1 cannot be edited", zmap.url, "write a copy with ncz copy"
        )
    return root


def _draft(zmap: Zmap, root: Root, location: Location, *, has_axes: bool) -> Draft:
    """Read the nodes of a store, and with `has_axes` the dimensions of its variables."""
    axes: dict[str, tuple[str, ...]] = {}
    if has_axes:
        dataset = open_dataset(zmap, name="", modes=location.modes - {"zarr"}, consolidated=False)
        axes = {fqn: variable.dimensions for fqn, variable in variables_by_fqn(dataset.root)}
    tree = root.metadata.load("", root.superblock, ignore_notice)
    return Draft(zmap, tree, root, axes)


def _apply(
    draft: Draft, request: Request, notes: TypeNotes, location: str, pure: bool
) -> Iterator[Change]:
    if isinstance(request, Removal):
        yield from remove(draft, request, location)
    elif isinstance(request, Renaming):
        yield from rename(draft, request, location, pure=pure)
    else:
        yield from _edit_attribute(draft, request, notes, location)


def _edit_attribute(
    draft: Draft, request: Edit, notes: TypeNotes, location: str
) -> Iterator[Change]:
    node = draft.nodes.get(request.node)
    if node is None:
        raise FormatError(f"no variable or group /{request.node}", location, "see 'ncz dump -h'")
    before = dict(node.attributes)
    edit_attribute(node, request, notes)
    after = node.attributes
    for name in (request.name, request.new):
        if name is not None:
            yield Change(
                node=node.key, name=name, before=_json(before, name), after=_json(after, name)
            )


def _json(members: Mapping[str, Json], name: str) -> str | None:
    return print_json(members[name]) if name in members else None
