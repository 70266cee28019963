"""Functions that change or remove stores: `edit`, `consolidate` and `rm`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.api.arguments import Path, Words, location_of
from ncz.api.messages import speaks_python, warn
from ncz.api.selections import fields_from
from ncz.errors import Callbacks, Notify

if TYPE_CHECKING:
    from ncz.formats.edits import Change
    from ncz.zmap.removable import Removable


@speaks_python
def rm(
    store: Path | Sequence[Path],
    *,
    recursive: bool = False,
    pieces: bool = False,
    older_than: str | None = None,
    dry_run: bool = False,
    notify: Notify = warn,
) -> list[Removable]:
    """Remove stores, and nothing that does not look like one.

    A Zarr store in a directory, a zip file or on a server, a reference set and a netCDF file are
    removed. Links and what references lead to are not followed. If the process is killed, the same
    call removes the rest.

    Parameters
    ----------
    store
        A path or a URL, or several.
    recursive
        Whether `store` is a folder, or a prefix on a server, with many stores. What is not a store
        is left.
    pieces
        Whether to remove the pieces of an aggregation too, which lie in the folder of its name.
    older_than
        An age such as "7d" or "12h"; stores that changed later are left.
    dry_run
        Whether to remove nothing.
    notify
        Receives notices.

    Returns
    -------
    list of Removable
        What was removed, or would be: the `location` and `kind` of each, the number of its
        `objects`, their `size` in bytes, and when the last of them was `modified`.

    Raises
    ------
    NczError
        If nothing or something else than a store is at a location. Nothing is removed then.

    Examples
    --------
    >>> [removed.objects for removed in ncz.rm("weather.zarr")]
    [24]
    """
    from ncz.commands.rm import RmOptions, age_of
    from ncz.commands.rm import rm as carry_out

    stores = [store] if not isinstance(store, Sequence) or isinstance(store, str) else store
    fields = fields_from(RmOptions, locals())
    fields["older_than"] = None if older_than is None else age_of(older_than)
    options = RmOptions(stores=tuple(location_of(each) for each in stores), **fields)
    return carry_out(options, Callbacks(notify))


@speaks_python
def consolidate(store: Path) -> int:
    """Write consolidated metadata to an existing store, in place.

    Parameters
    ----------
    store
        A path or a URL.

    Returns
    -------
    int
        Number of documents that were consolidated.

    Raises
    ------
    NczError
        If the store cannot be read or changed. It is not changed then.

    Examples
    --------
    >>> ncz.consolidate("weather.zarr")
    14
    """
    from ncz.commands.consolidate import consolidate as carry_out

    return carry_out(location_of(store))


@speaks_python
def edit(
    store: Path,
    *,
    remove: Words = (),
    delete: Words = (),
    rename: Words = (),
    set: Words = (),
    dry_run: bool = False,
    notify: Notify = warn,
) -> list[Change]:
    """Change attributes and names of an existing store: all that is asked for, or nothing.

    What is removed and deleted comes first, then new names, then attributes; see
    docs/reference/edit.md.

    Parameters
    ----------
    store
        A path or a URL.
    remove
        Variables and groups to remove, such as ``"v"`` or ``"/g/v"``.
    delete
        Attributes to delete, such as ``"v:old"``.
    rename
        Attributes, variables, groups and dimensions to rename: ``"v:old=v:new"``, ``"v=w"``,
        ``"dimension x=lon"``.
    set
        Attributes to create or replace, written as in CDL: ``'v:units = "K"'``.
    dry_run
        Whether to change nothing.
    notify
        Receives notices.

    Returns
    -------
    list of Change
        What has changed, or would change.

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
    from ncz.commands.edit.command import EditOptions
    from ncz.commands.edit.command import edit as carry_out

    options = EditOptions(source=location_of(store), **fields_from(EditOptions, locals()))
    return carry_out(options, Callbacks(notify))
