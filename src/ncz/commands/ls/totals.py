"""What the groups and arrays of a store take: objects, chunks and bytes."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from ncz.commands.ls.command import LsOptions, selected
from ncz.commands.ls.known import open_listed
from ncz.commands.ls.roles import Kind, Roles
from ncz.errors import NczError, Notify, OnError, ignore_notice, raise_error
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.record import replace
from ncz.zmap.key import ancestors, display


@dataclass
class Total:
    """The objects at and below a group or an array, the chunks among them, and all their bytes."""

    key: str
    kind: Kind
    objects: int = 0
    chunks: int = 0
    size: int = 0


def totals(
    options: LsOptions,
    on_error: OnError = raise_error,
    notify: Notify = ignore_notice,
    progress: Progress = NO_PROGRESS,
) -> Iterator[Total]:
    """Yield the totals of every group and array of the selected objects, groups first.

    The parameters are those of `ncz.commands.ls.command.ls`. What is below a group counts for it.
    """
    found: dict[str, Total | None] = {}
    with open_listed(options.source, notify) as zmap:
        roles = Roles(zmap)

        def total_at(folder: str) -> Total | None:
            if folder not in found:
                kind = roles.kind(folder, is_object=False)
                is_node = kind in ("group", "array")
                found[folder] = Total(display(folder), kind) if is_node else None
            return found[folder]

        for key in selected(zmap, replace(options, recursive=True), progress):
            try:
                size = zmap.size(key) or 0
                is_chunk = roles.kind(key, is_object=True) == "chunk"
            except NczError as error:
                on_error(error)
                continue
            for folder in ("", *reversed(list(ancestors(key)))):
                total = total_at(folder)
                if total is not None:
                    total.objects += 1
                    total.chunks += is_chunk
                    total.size += size
    yield from (total for total in found.values() if total is not None)
