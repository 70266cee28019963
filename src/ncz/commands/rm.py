"""rm: remove datasets that ncz recognises, and nothing else."""

from __future__ import annotations

import contextlib
import os
import re
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ncz.commands.arguments import several
from ncz.commands.functions import Listener, callbacks_of, speaks_python, warn
from ncz.commands.option_error import OptionError
from ncz.errors import Notice, Notify, StoreMissing, ZmapError, list_names, option
from ncz.record import record, replace
from ncz.zmap.fragment import unquote
from ncz.zmap.location import Location, Path, location_of, parse_location

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
class _Request:
    """The dataset to remove; `older_than` are seconds without any change."""

    stores: tuple[Location, ...]
    recursive: bool
    pieces: bool
    older_than: float | None


@speaks_python
def rm(
    store: Path | Sequence[Path],
    *,
    recursive: bool = False,
    pieces: bool = False,
    older_than: str | None = None,
    dry_run: bool = False,
    on_plan: Callable[[list[Removable]], bool] | None = None,
    notify: Listener = warn,
) -> list[Removable]:
    """Remove datasets that ncz recognises, and nothing else.

    A Zarr store in a directory, a zip file or on a server, a reference set and a netCDF file are
    removed. Links and references are not followed. If the process is killed, the same
    call removes the rest.

    Parameters
    ----------
    store
        A path or a URL, or several.
    recursive
        Remove the stores in the folder or prefix `store`, and leave the rest.
    pieces
        Remove the pieces in the folder of an aggregation too.
    older_than
        Leave stores that changed later, such as "7d" or "12h" ago.
    dry_run
        Remove nothing.
    on_plan
        Called with the dataset that will be removed; nothing is removed if it returns False.
    notify
        Receives notices.

    Returns
    -------
    list of Removable
        The locations that were removed, or would be: the `location` and `kind` of each, the number
        of its `objects`, their `size` in bytes, and when the last of them was `modified`.

    Raises
    ------
    NczError
        If nothing or something else than a store is at a location. Nothing is removed then.

    Examples
    --------
    >>> [removed.objects for removed in ncz.rm("weather.zarr")]
    [24]
    """
    from ncz.zmap.removal import remove

    callbacks = callbacks_of(notify)
    request = _Request(
        stores=tuple(location_of(each) for each in several(store)),
        recursive=recursive,
        pieces=pieces,
        older_than=None if older_than is None else age_of(older_than),
    )
    found = [
        each
        for each in _removables(request, callbacks.notify)
        if _is_old(each, request, callbacks.notify)
    ]
    if dry_run:
        return found
    if not found or (on_plan is not None and not on_plan(found)):
        return []
    callbacks.progress.expect(len(found), "stores")
    for each in found:
        remove(each, force=request.older_than is not None)
        callbacks.progress.advance(each.location.display, 1, each.size)
        if each.is_piece and each.location.kind != "remote":
            with contextlib.suppress(OSError):  # it is not the last one
                os.rmdir(os.path.dirname(os.path.abspath(each.location.path)))
    return found


def _removables(request: _Request, notify: Notify) -> Iterator[Removable]:
    from ncz.zmap.removable import examine
    from ncz.zmap.stores_below import stores_below

    for location in request.stores:
        if not request.recursive:
            yield from _with_pieces(examine(location), request, notify)
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
            yield from _with_pieces(found, request, notify)
        if remaining:
            notify(
                Notice(
                    "not-removed",
                    f"not stores: {list_names(remaining, whole=True)}",
                    location.display,
                )
            )


def _is_old(found: Removable, request: _Request, notify: Notify) -> bool:
    if request.older_than is None:
        return True
    if found.modified is None:
        raise ZmapError(
            "the server does not say when the store changed", found.location.display,
            f"leave out {option('older_than')}",
        )  # fmt: skip
    is_old = time.time() - found.modified > request.older_than
    if not is_old:
        notify(Notice("not-removed", "it changed later", found.location.display))
    return is_old


def _with_pieces(found: Removable, request: _Request, notify: Notify) -> Iterator[Removable]:
    """Yield the master and, if they are removed too, the pieces that it owns.

    The master comes last, so that it still names them if the process is killed.
    """
    if request.pieces:
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
    """Return the pieces that are in the folder of a master, and the other ones."""
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
                for index in variable.data.defined_partitions():
                    places.update(dict.fromkeys(variable.data.places(index)))
    address = location.address if location.kind == "remote" else os.path.abspath(location.path)
    above = f"{address.replace(os.sep, '/').rpartition('/')[0]}/"
    names = {each: each.replace(os.sep, "/").removeprefix(above) for each in places}
    plain = unquote if location.kind == "remote" else str
    own = [each for each, name in names.items() if masters().is_own(plain(name), location)]
    return own, [each for each in places if each not in set(own)]
