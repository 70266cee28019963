"""edit: change attributes and names of an existing store."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ncz.commands.changes import open_to_change
from ncz.commands.edit.outdated_names import outdated_names
from ncz.commands.edit.request import parse_delete, parse_remove, parse_rename, parse_set
from ncz.commands.fields import option
from ncz.errors import (
    NO_CALLBACKS,
    SHOW_NAMES,
    Callbacks,
    FormatError,
    ignore_notice,
    note_if_interrupted,
)
from ncz.formats.edits import Change, Edit, Removal, Renaming, Request
from ncz.formats.zarr.edit.attribute_edits import (
    ANNOTATED,
    NOTES,
    UNNOTED,
    TypeNotes,
    edit_attribute,
)
from ncz.formats.zarr.edit.changed_documents import changes_of
from ncz.formats.zarr.edit.draft import Draft
from ncz.formats.zarr.edit.structure import remove, rename
from ncz.formats.zarr.hierarchy import Root
from ncz.formats.zarr.json import Json
from ncz.formats.zarr.part import part_of
from ncz.formats.zarr.reader import no_store, open_dataset
from ncz.formats.zarr.versions import find_root
from ncz.model.json_text import print_json
from ncz.model.tree import variables_by_fqn
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.location import Location


@record(kw_only=True)
class EditOptions:
    """What to change: texts as the options of the command line have them.

    `order` has the name of the field of each change, such as "set", in the order in which they are
    made. Without it, variables and groups are removed first. Then attributes are deleted, then
    everything is renamed, then attributes are set. A change names what it changes as it is named by
    then.
    """

    source: Location
    remove: tuple[str, ...] = option(
        "--remove",
        default=(),
        metavar="VAR",
        repeats=True,
        section="Changes",
        common=True,
        help="Remove a variable or group.",
        python='Variables and groups to remove, such as ``"v"`` or ``"/g/v"``.',
    )
    delete: tuple[str, ...] = option(
        "--delete",
        default=(),
        metavar="VAR:ATT",
        repeats=True,
        section="Changes",
        common=True,
        help="Delete an attribute.",
        python='Attributes to delete, such as ``"v:old"``.',
    )
    rename: tuple[str, ...] = option(
        "--rename",
        default=(),
        metavar="OLD=NEW",
        repeats=True,
        section="Changes",
        common=True,
        help="Rename an attribute (VAR:A=VAR:B), a variable and the dimension of its name, or a"
        " group; 'variable A=B' and 'dimension A=B' rename only one of the two.",
        python='Attributes, variables, groups and dimensions to rename: ``"v:old=v:new"``,'
        ' ``"v=w"``, ``"dimension x=lon"``.',
    )
    set: tuple[str, ...] = option(
        "--set",
        default=(),
        metavar="CDL",
        repeats=True,
        section="Changes",
        common=True,
        help="Create or replace an attribute, written as in CDL: [TYPE] VAR:ATT = VALUES.",
        python="Attributes to create or replace, written as in CDL: ``'v:units = \"K\"'``.",
    )
    order: tuple[str, ...] = ()
    dry_run: bool = option(
        "--dry-run",
        default=False,
        section="Output",
        common=True,
        help="Print what would change. Change nothing.",
        python="Whether to change nothing.",
    )


def edit(
    options: EditOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> list[Change]:
    """Change a store: all that is asked for, or nothing.

    Parameters
    ----------
    options
        What to change.
    callbacks
        Receives a notice of every attribute that names what is renamed or removed, and each object
        of a store that is written again.

    Returns
    -------
    list of Change
        What has changed, or would change.

    Raises
    ------
    NczError
        If an edit is not valid, or the store cannot be changed. Nothing is changed then.
    """
    waiting: dict[str, Iterator[Request]] = {
        "remove": map(parse_remove, options.remove),
        "delete": map(parse_delete, options.delete),
        "rename": map(parse_rename, options.rename),
        "set": map(parse_set, options.set),
    }
    requests = [next(waiting[name]) for name in options.order]
    for rest in waiting.values():
        requests += rest
    is_structural = any(not isinstance(request, Edit) for request in requests)
    location = options.source
    with (
        note_if_interrupted(f"{location.display} was not changed"),
        open_to_change(location, dry_run=options.dry_run) as store,
    ):
        zmap = store.zmap
        root = editable_root(zmap, location)
        draft = _draft(zmap, root, location, has_axes=is_structural)
        pure = not root.superblock
        notes = notes_of(draft, root)
        changes = [c for r in requests for c in _apply(draft, r, notes, zmap.url, pure)]
        for notice in outdated_names(draft, changes, zmap.url):
            callbacks.notify(notice)
        plan = changes_of(zmap, draft, root, is_structural=is_structural)
        if not options.dry_run:
            store.apply(plan, pure=pure, progress=callbacks.progress)
    return changes


def editable_root(zmap: Zmap, location: Location) -> Root:
    """Return the root of a store that can be changed. Raises `FormatError` or `ZmapError`."""
    root = find_root(zmap, location.modes, False if zmap.can_list else None, ignore_notice)
    if root is None:
        raise no_store(zmap)
    if root.superblock == 1:
        raise FormatError(
            "NCZarr of version 1 cannot be edited", zmap.url, "write a copy with ncz copy"
        )
    part = part_of(root, location)
    if part is not None:
        raise FormatError(
            f"this is /{part.key} of the store {part.store.display}, which has notes about it",
            zmap.url,
            "give the store; the names of what is in a group begin with those of its groups",
        )
    return root


def notes_of(draft: Draft, root: Root) -> TypeNotes:
    """Return where a store notes the types of attributes."""
    if root.superblock:
        return NOTES[root.metadata.zarr_format]
    return ANNOTATED if draft.is_annotated else UNNOTED


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
        raise FormatError(f"no variable or group /{request.node}", location, f"see {SHOW_NAMES}")
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
