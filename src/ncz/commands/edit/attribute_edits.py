"""Attributes of one variable or group that a program sets and deletes, as one change."""

from __future__ import annotations

from collections.abc import Sequence

from ncz.commands.edit.command import make_changes
from ncz.commands.edit.request import check_name
from ncz.commands.functions import notice_in_python, translate
from ncz.errors import Callbacks, NczError, Notify
from ncz.formats.edits import Edit
from ncz.model.tree import Attribute
from ncz.zmap.location import Location


def edit_attributes(
    location: Location,
    path: str,
    attributes: Sequence[Attribute],
    deleted: Sequence[str],
    notify: Notify,
) -> None:
    """Set attributes of a variable or a group, and delete others: all of them, or none.

    Parameters
    ----------
    location
        The dataset.
    path
        The variable or group; "" or "/" is the root.
    attributes
        The attributes that are created or replaced.
    deleted
        The names of attributes that are deleted first.
    notify
        Receives notices.

    Raises
    ------
    NczError
        If the dataset cannot be changed.
    """
    node = path.strip("/")
    edits = [Edit(action="delete", node=node, name=name) for name in deleted]
    edits += [Edit(action="set", node=node, name=each.name, attribute=each) for each in attributes]
    try:
        for edit in edits:
            check_name(edit.name, location.display)
        callbacks = Callbacks(lambda notice: notify(notice_in_python(notice)))
        make_changes(location, edits, callbacks, dry_run=False)
    except NczError as error:
        translate(error)
        raise
