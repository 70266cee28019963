"""Change the place of the files of virtual chunks, by changing the containers of relative chunks.

The library does not report the place of a chunk in its file, so that absolute locations cannot
change.
"""

from __future__ import annotations

import contextlib

from ncz.errors import ZmapError
from ncz.zmap.fragment import unquote
from ncz.zmap.icechunk.containers import Container, container_config, url_of
from ncz.zmap.icechunk.transaction import Transaction
from ncz.zmap.location import Location
from ncz.zmap.moved_sources import Move, Moved


def move_containers(location: Location, move: Move, dry_run: bool) -> list[Moved]:
    """Let the files of a repository be elsewhere; see `Opener.move_sources`.

    Raises `ZmapError` for files of chunks that are not relative to a container.
    """
    transaction = Transaction(location, must_exist=True)
    with contextlib.closing(transaction):
        found: dict[str, Container] = {}
        for prefix, name in transaction.prefixes.items():
            folder = unquote(prefix, errors="surrogateescape").removeprefix("file://").rstrip("/")
            new = move.new_name(folder)
            if new is None:
                continue
            if name is None:
                raise ZmapError(
                    f"the virtual chunks name the files below {prefix} by absolute URLs, which"
                    " Icechunk cannot change", location.address,
                    "make the repository again with #reference.relative_to=ref",
                )  # fmt: skip
            found[prefix] = Container(url_of(new).rstrip("/") + "/", name)
        if found and not dry_run:
            transaction.replace_containers(
                {
                    prefix: container_config(transaction.library, one, location)
                    for prefix, one in found.items()
                }
            )
        return [(prefix, one.prefix) for prefix, one in found.items()]
