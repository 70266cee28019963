"""The objects, chunks and bytes of the groups and arrays of a store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from operator import add

from ncz.commands.key_patterns import LsOptions, select_keys
from ncz.commands.known_keys import open_for_listing
from ncz.errors import NO_CALLBACKS, Callbacks, NczError
from ncz.formats.key_roles import Kind
from ncz.formats.opening import key_roles
from ncz.record import record, replace
from ncz.zmap.key import ancestors, display


@record
class Total:
    """The objects at and below a group or an array, the chunks among them, and all their bytes."""

    key: str
    kind: Kind
    objects: int = 0
    chunks: int = 0
    size: int = 0


def total(totals: Iterable[Total]) -> Total:
    """Return the sum of the groups and arrays that are below no other ones."""
    top: list[Total] = []
    for each in totals:
        above = top[-1].key.rstrip("/") if top else None
        if above is None or not each.key.startswith(f"{above}/"):
            top.append(each)
    return Total(
        key="/",
        kind="group",
        objects=sum(each.objects for each in top),
        chunks=sum(each.chunks for each in top),
        size=sum(each.size for each in top),
    )


def totals(
    options: LsOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> Iterator[Total]:
    """Yield the totals of every group and array of the selected objects, groups first.

    See `ncz.commands.ls.ls` for the parameters. Objects below a group count for it.
    """
    found: dict[str, tuple[Kind, list[int]] | None] = {}
    with open_for_listing(options.source, callbacks.notify) as zmap:
        roles = key_roles(zmap)

        def counts_of(folder: str) -> list[int]:
            if folder not in found:
                kind = roles.kind(folder, is_object=False)
                found[folder] = (kind, [0, 0, 0]) if kind in ("group", "array") else None
            node = found[folder]
            return node[1] if node else []

        for key in select_keys(zmap, replace(options, recursive=True), callbacks.progress):
            try:
                size = zmap.size(key) or 0
                is_chunk = roles.kind(key, is_object=True) == "chunk"
            except NczError as error:
                callbacks.on_error(error)
                continue
            for folder in ("", *reversed(list(ancestors(key)))):
                counts = counts_of(folder)
                counts[:] = map(add, counts, (1, is_chunk, size))
    for folder, node in found.items():
        if node is not None:
            yield Total(display(folder), node[0], *node[1])
