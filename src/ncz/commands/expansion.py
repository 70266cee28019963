"""Print a reference set as JSON of version 0, with its templates and generated references."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.commands.key_patterns import LsOptions, select_keys
from ncz.commands.known_keys import open_for_listing
from ncz.errors import NO_CALLBACKS, Callbacks, ZmapError
from ncz.record import replace
from ncz.zmap.key import LARGEST_SET


def expand_set(options: LsOptions, callbacks: Callbacks = NO_CALLBACKS) -> Iterator[str]:
    """Yield the lines of a set of version 0 with the selected keys of another set.

    The set need not describe a Zarr store. Local targets have absolute paths.

    Raises
    ------
    ZmapError
        If the source is not a reference set.
    """
    from ncz.zmap.reference.json_writer import member
    from ncz.zmap.reference.reader import ReferenceZmap

    with open_for_listing(options.source, callbacks.notify) as zmap:
        if not isinstance(zmap, ReferenceZmap):
            raise ZmapError(
                "this is not a reference set", zmap.url, "make one with ncz copy X set.json"
            )
        line = "{"
        for key in select_keys(zmap, replace(options, recursive=True), callbacks.progress):
            found = zmap.target(key)
            place = zmap.get(key, LARGEST_SET) if found is None else found
            if place is not None:
                yield line if line == "{" else f"{line},"
                line = member(key, place)
        yield line
        yield "}"
