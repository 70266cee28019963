"""Write a master, and name its pieces in it."""

from __future__ import annotations

import os

from ncz.commands.aggregate.options import AggregateOptions
from ncz.commands.joining.error import JoinError
from ncz.errors import Notify, option
from ncz.formats.create_options import CreateOptions
from ncz.formats.opening import create_dataset, masters
from ncz.formats.piece_layout import PieceLayout
from ncz.model.tree import Dataset, Variable
from ncz.zmap.fragment import quote
from ncz.zmap.location import Location


def create_master(
    dataset: Dataset, layouts: dict[str, PieceLayout], options: AggregateOptions, notify: Notify
) -> None:
    """Write the master of a dataset."""
    target = options.target
    master = masters().master(dataset, layouts, options.form, target)
    is_store = target.path.rstrip("/").lower().endswith((".zarr", ".zip"))
    kind = options.kind or (None if is_store else "netCDF-4")
    create = CreateOptions(overwrite=options.overwrite, kind=kind, allow_loss=options.allow_loss)
    create_dataset(master, target, create, notify=notify)


def refuse_packed(fields: dict[str, Variable]) -> None:
    """Raise `JoinError` if a variable is packed: this form would pack its values again."""
    for fqn, variable in fields.items():
        if masters().is_packed(variable):
            raise JoinError(
                f"the form CF cannot refer to packed values: {fqn} has scale_factor or add_offset",
                hint=f"use {option('modes', 'cfa')}",
            )


def name_in_master(source: Location, target: Location, *, is_uri: bool) -> str:
    """Return a file as the master names it: from its own folder, if it is below that."""
    if source.kind == "remote":
        ours, theirs = source.target, target.address.rpartition("/")[0] + "/"
        if target.kind == "remote" and ours.startswith(theirs):
            return ours.removeprefix(theirs)
        return ours
    path = os.path.abspath(source.path)
    if target.kind != "remote":
        folder = os.path.join(os.path.dirname(os.path.abspath(target.path)), "")
        if path.startswith(folder):
            name = path.removeprefix(folder).replace(os.sep, "/")
            return quote(name) if is_uri else name
    return f"file://{quote(path)}" if is_uri else path
