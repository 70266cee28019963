"""edit: change attributes and names of an existing store."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.commands.changes import open_to_change
from ncz.commands.edit.outdated_names import outdated_names
from ncz.commands.edit.request import parse_delete, parse_remove, parse_rename, parse_set
from ncz.commands.fields import option
from ncz.errors import NO_CALLBACKS, Callbacks, note_if_interrupted
from ncz.formats.edits import Change, Edit, Request
from ncz.formats.opening import maintenance
from ncz.record import record
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
        draft = maintenance().draft(store.zmap, location, is_structural)
        changes = [change for request in requests for change in draft.edit(request)]
        for notice in outdated_names(draft.nodes, changes, store.zmap.url):
            callbacks.notify(notice)
        plan = draft.changes(is_structural=is_structural)
        if not options.dry_run:
            store.apply(plan, pure=draft.is_pure, progress=callbacks.progress)
    return changes
