"""rm: remove stores, and nothing that does not look like one."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from ncz.commands import fields
from ncz.commands.option_error import OptionError
from ncz.errors import (
    NO_CALLBACKS,
    Callbacks,
    Notice,
    Notify,
    StoreMissing,
    ZmapError,
    list_names,
    option,
)
from ncz.record import record, replace
from ncz.zmap.location import Location, parse_location, unquote

if TYPE_CHECKING:
    from ncz.zmap.removable import Removable

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 7 * 86400}


def age_of(text: str) -> float:
    """Return an age such as ``7d`` or ``12h`` in seconds. Raises `OptionError`."""
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([smhdw])", text.strip())
    if found is None:
        raise OptionError(
            f"{text!r} is not an age", option("older_than"), "write a number and s, m, h, d or w"
        )
    return float(found[1]) * _UNITS[found[2]]


@record(kw_only=True)
class RmOptions:
    """What to remove."""

    stores: tuple[Location, ...]
    recursive: bool = fields.option(
        "-r",
        "--recursive",
        default=False,
        section="Selection",
        common=True,
        help="Remove the stores in the folder or prefix STORE, and leave the rest.",
        python="Whether `store` is a folder, or a prefix on a server, with many stores. What is"
        " not a store is left.",
    )
    pieces: bool = fields.option(
        "--pieces",
        default=False,
        section="Selection",
        common=True,
        help="Remove the pieces in the folder of an aggregation too.",
        python="Whether to remove the pieces of an aggregation too, which lie in the folder of its"
        " name.",
    )
    older_than: float | None = fields.option(
        "--older-than",
        default=None,
        metavar="AGE",
        section="Selection",
        parse=lambda text, _: age_of(text),
        common=True,
        help="Leave stores that changed later, such as 7d or 12h ago.",
        python='An age such as "7d" or "12h"; stores that changed later are left.',
        type="str | None",
    )
    """Seconds for which nothing in a store may have changed; others are left."""
    dry_run: bool = fields.option(
        "--dry-run",
        default=False,
        section="Output",
        common=True,
        help="Print what would be removed. Remove nothing.",
        python="Whether to remove nothing.",
    )


def rm(
    options: RmOptions,
    callbacks: Callbacks = NO_CALLBACKS,
    on_plan: Callable[[list[Removable]], bool] = lambda _: True,
) -> list[Removable]:
    """Remove stores. All are looked at before the first one is removed.

    Parameters
    ----------
    options
        What to remove.
    callbacks
        Receives a notice of what is left, and each store that was removed.
    on_plan
        Called with what is to be removed; nothing is if it returns False.

    Returns
    -------
    list of Removable
        What was removed, or would be.

    Raises
    ------
    StoreMissing
        If nothing is at a location.
    NczError
        If something else than a store is at a location, or a store cannot be removed.
    """
    from ncz.zmap.removal import remove

    found = [
        each
        for each in _removables(options, callbacks.notify)
        if _is_old(each, options, callbacks.notify)
    ]
    if options.dry_run or not found or not on_plan(found):
        return found if options.dry_run else []
    callbacks.progress.expect(len(found), "stores")
    for each in found:
        remove(each, force=options.older_than is not None)
        callbacks.progress.advance(each.location.display, 1, each.size)
        if each.is_piece and each.location.kind != "remote":
            with contextlib.suppress(OSError):  # it is not the last one
                os.rmdir(os.path.dirname(os.path.abspath(each.location.path)))
    return found


def _removables(options: RmOptions, notify: Notify) -> Iterator[Removable]:
    from ncz.zmap.removable import examine
    from ncz.zmap.stores_below import stores_below

    for location in options.stores:
        if not options.recursive:
            yield from _with_pieces(examine(location), options, notify)
            continue
        remaining: list[str] = []
        for below in stores_below(location, remaining.append):
            try:
                found = examine(below)
            except StoreMissing:
                raise
            except ZmapError as error:
                if error.__cause__ is not None:
                    raise
                remaining.append(error.location or below.display)
                continue
            yield from _with_pieces(found, options, notify)
        if remaining:
            notify(
                Notice(
                    "not-removed",
                    f"not stores: {list_names(remaining, whole=True)}",
                    location.display,
                )
            )


def _is_old(found: Removable, options: RmOptions, notify: Notify) -> bool:
    if options.older_than is None:
        return True
    if found.modified is None:
        raise ZmapError(
            "the server does not say when the store changed", found.location.display,
            f"leave out {option('older_than')}",
        )  # fmt: skip
    is_old = time.time() - found.modified > options.older_than
    if not is_old:
        notify(Notice("not-removed", "it changed later", found.location.display))
    return is_old


def _with_pieces(found: Removable, options: RmOptions, notify: Notify) -> Iterator[Removable]:
    """Yield the pieces that a master owns, if they are to be removed, and the master.

    The master comes last, so that it still names them if the process is killed.
    """
    if options.pieces:
        from ncz.zmap.removable import examine

        own, others = _pieces(found.location)
        if others:
            text = f"pieces elsewhere: {list_names(others)}"
            notify(Notice("not-removed", text, found.location.display))
        for place in own:
            piece = parse_location(place)
            if piece.kind == "remote":
                modes = piece.modes | found.location.modes
                piece = replace(piece, options=found.location.options, modes=modes)
            try:
                yield replace(examine(piece), is_piece=True)
            except StoreMissing:
                continue  # an interrupted removal deleted it
    yield found


def _pieces(location: Location) -> tuple[list[str], list[str]]:
    """Return the pieces that lie in the folder of a master, and the other ones."""
    from ncz.formats.opening import masters, open_dataset
    from ncz.model.data import PartitionedSource
    from ncz.model.tree import variables_by_fqn

    with open_dataset(location) as opened:
        if opened.dataset.provenance.aggregation is None:
            raise OptionError(
                "it is not an aggregation", location.display, f"leave out {option('pieces')}"
            )
        places: dict[str, None] = {}
        for _, variable in variables_by_fqn(opened.dataset.root):
            if isinstance(variable.data, PartitionedSource):
                for index in variable.data.defined():
                    places.update(dict.fromkeys(variable.data.places(index)))
    address = location.address if location.kind == "remote" else os.path.abspath(location.path)
    above = f"{address.replace(os.sep, '/').rpartition('/')[0]}/"
    names = {each: each.replace(os.sep, "/").removeprefix(above) for each in places}
    plain = unquote if location.kind == "remote" else str
    own = [each for each, name in names.items() if masters().is_own(plain(name), location)]
    return own, [each for each in places if each not in set(own)]
