"""edit: change attributes and names of an existing store."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from ncz.commands.changes import OpenStore, open_to_change
from ncz.commands.edit.outdated_names import notices_of
from ncz.commands.edit.request import parse_delete, parse_remove, renames_and_values
from ncz.commands.edit.variable_types import in_types_of_variables
from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.commands.option_error import OptionError
from ncz.errors import Callbacks, Notice, ignore_notice, note_on_interrupt, option
from ncz.formats.edits import Change, Edit, Migration, Request
from ncz.formats.opening import edit_file, maintenance
from ncz.record import replace
from ncz.zmap.location import Location, Path, location_of


@speaks_python
def edit(
    store: Path,
    *,
    remove: Words = (),
    delete: Words = (),
    rename: Words | Mapping[str, str] = (),
    set: Words | Mapping[str, Any] = (),
    zarr_format: Literal[3] | None = None,
    move_sources: str | None = None,
    output: Path | None = None,
    overwrite: bool = False,
    dry_run: bool = False,
    notify: Listener = warn,
) -> list[Change]:
    """Change attributes and names of a store or a netCDF file: all that is asked, or nothing.

    Removals come first, then new names, then attributes; see
    docs/reference/edit.md.

    Parameters
    ----------
    store
        A path or a URL of a store, or the path of a netCDF file.
    remove
        Remove a variable or group, such as ``"v"`` or ``"/g/v"``.
    delete
        Delete an attribute, such as ``"v:old"``.
    rename
        Rename an attribute, ``"v:old=v:new"``, a variable and the dimension of its name, ``"v=w"``,
        or a group; ``"variable v=w"`` and ``"dimension x=lon"`` rename only one of the two.

        A mapping has new names: ``{"v": "w"}``.
    set
        Create or replace an attribute, written as in CDL: ``'v:units = "K"'``.

        A mapping has values: ``{"v:units": "K"}``.
    zarr_format
        Convert the documents of a Zarr V2 store to V3, and keep its chunks: 3. No other change is
        then possible.
    move_sources
        Let a reference set, an Icechunk repository with relative chunks or an aggregation refer to
        the new places of files: ``"/old/folder=/new/folder"``, or URLs. It is the only change then,
        and no file is moved.
    output
        Write a changed copy to this path or URL, and leave the store unchanged.
    overwrite
        Replace `output` if it exists.
    dry_run
        Change nothing.
    notify
        Receives notices.

    Returns
    -------
    list of Change
        The changes, or the planned ones of a dry run.

    Raises
    ------
    NczError
        If an edit is not valid, or the store cannot be changed. Nothing is changed then.

    Examples
    --------
    >>> changes = ncz.edit("weather.zarr", set='lat:note = "north first"')
    >>> ncz.open("weather.zarr")["lat"].attrs["note"]
    'north first'
    """
    if move_sources is not None:
        if output is not None:
            raise OptionError(
                f"{option('move_sources')} and {option('output')} cannot be used together"
            )
        return sources_elsewhere(
            location_of(store), move_sources, [remove, delete, rename, set, zarr_format],
            callbacks_of(notify), dry_run=dry_run,
        )  # fmt: skip
    requests: list[Request] = [
        *map(parse_remove, words(remove)),
        *map(parse_delete, words(delete)),
        *renames_and_values(rename, set),
    ]
    if zarr_format is not None:
        requests.append(Migration(zarr_format))
    callbacks = callbacks_of(notify)
    if output is not None:
        return changes_of_copy(
            location_of(store), location_of(output), requests, callbacks,
            overwrite=overwrite, dry_run=dry_run,
        )  # fmt: skip
    return make_changes(location_of(store), requests, callbacks, dry_run=dry_run)


def changes_of_copy(
    location: Location,
    target: Location,
    requests: Sequence[Request],
    callbacks: Callbacks,
    *,
    overwrite: bool,
    dry_run: bool,
) -> list[Change]:
    """Make changes in a copy of a dataset; see `edit`. Notices come from the dataset."""
    from ncz.commands.edit.edited_copy import changed_copy

    told: set[Notice] = set()

    def once(notice: Notice) -> None:
        if notice not in told:
            told.add(notice)
            notify(notice)

    notify, callbacks = callbacks.notify, replace(callbacks, notify=once)

    def change(place: Location, is_tried: bool) -> list[Change]:
        telling = callbacks if is_tried else replace(callbacks, notify=ignore_notice)
        return make_changes(place, requests, telling, in_place=not is_tried, dry_run=is_tried)

    return changed_copy(
        location, target, requests, change, callbacks, overwrite=overwrite, dry_run=dry_run
    )


def sources_elsewhere(
    location: Location,
    request: str,
    others: Sequence[object],
    callbacks: Callbacks,
    *,
    dry_run: bool,
) -> list[Change]:
    """Change the places of the files that a dataset refers to; see `edit`.

    Raises `OptionError` if `others`, the values of other options, are not empty.
    """
    from ncz.commands.edit.moved_sources import moved_sources

    if any(others):
        raise OptionError(
            f"{option('move_sources')} and other changes cannot be made together",
            hint="make the other changes first",
        )
    return moved_sources(location, request, callbacks, dry_run=dry_run)


def make_changes(
    location: Location,
    requests: Sequence[Request],
    callbacks: Callbacks,
    *,
    in_place: bool = True,
    dry_run: bool,
) -> list[Change]:
    """Make changes in an order, all of them or none; see `edit`.

    A dry run finds out whether they are possible, in a copy of a file unless they are `in_place`.
    `callbacks` receives a notice of every attribute that names a renamed or removed member, and
    each object of a store that is written again.
    """
    requests = in_types_of_variables(location, requests, callbacks.notify)
    is_migration = any(isinstance(request, Migration) for request in requests)
    if is_migration and len(requests) > 1:
        raise OptionError(
            f"{option('zarr_format')} and other changes cannot be made together",
            hint="change the version of Zarr first",
        )
    with note_on_interrupt(f"{location.display} was not changed"):
        edited = edit_file(location, requests, in_place=in_place, dry_run=dry_run)
    if edited is not None:
        for notice in notices_of(edited.nodes, edited.changes, location.display):
            callbacks.notify(notice)
        return [*edited.changes]
    is_structural = any(not isinstance(request, Edit) for request in requests)
    with (
        note_on_interrupt(f"{location.display} was not changed"),
        open_to_change(location, dry_run=dry_run) as store,
    ):
        if is_migration:
            return _migrate(store, callbacks, dry_run=dry_run)
        draft = maintenance().draft(store.zmap, location, is_structural)
        changes = [change for request in requests for change in draft.edit(request)]
        for notice in notices_of(draft.nodes, changes, store.zmap.url):
            callbacks.notify(notice)
        plan = draft.changes(is_structural=is_structural)
        if not dry_run:
            store.apply(plan, pure=draft.is_pure, progress=callbacks.progress)
    return changes


def _migrate(store: OpenStore, callbacks: Callbacks, *, dry_run: bool) -> list[Change]:
    """Turn a store of Zarr V2 into one of V3."""
    plan = maintenance().migrate(store.zmap, store.location, callbacks.notify)
    if plan is None:
        return []
    if not dry_run:
        pure = maintenance().is_pure(store.zmap, store.location)
        store.apply(plan, pure=pure, progress=callbacks.progress)
    return [Change(node="", name=None, before="2", after="3", kind="zarr_format")]
