"""Rename and remove variables and groups of an open dataset."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal

from ncz.api.attributes import refuse
from ncz.model.tree import join

if TYPE_CHECKING:
    from ncz.formats.edits import Request

Kind = Literal["variable", "dimension", "group"]


def rename_method(kind: Kind | None) -> Callable[[Any], Callable[[str, str], None]]:
    """Return the method of a group that renames something in it."""

    def method(group: Any) -> Callable[[str, str], None]:
        def rename(old: str, new: str) -> None:
            from ncz.formats.edits import Rename

            path = join(group._path, old).lstrip("/")
            new = new.strip("/").rpartition("/")[2]
            _change(group, Rename(path=path, new=new, kind=kind))

        return rename

    return method


def attribute_rename_method(member: Any) -> Callable[[str, str], None]:
    """Return the method that renames an attribute of a variable or a group."""

    def rename(old: str, new: str) -> None:
        from ncz.formats.edits import Edit

        member.getncattr(old)
        node = member._path.strip("/")
        _change(member, Edit(action="rename", node=node, name=old, new=new))

    return rename


def remove(group: Any, path: str) -> None:
    """Remove a variable or a group below a group. Raises `NczError` if it cannot be removed."""
    from ncz.formats.edits import Removal

    _change(group, Removal(path=path.strip("/")))


def _change(member: Any, request: Request) -> None:
    """Make one change. Raises `NczError` if the dataset cannot be changed so."""
    from ncz.commands.edit.command import make_changes
    from ncz.commands.functions import notice_in_python, translate
    from ncz.errors import Callbacks, NczError

    handle = member._handle
    handle.check_open()
    if not handle.is_writable:
        refuse({}, ())
    try:
        callbacks = Callbacks(lambda notice: handle.notify(notice_in_python(notice)))
        make_changes(handle.location, [request], callbacks, dry_run=False)
    except NczError as error:
        translate(error)
        raise
    handle.reopen()
    member._forget()
