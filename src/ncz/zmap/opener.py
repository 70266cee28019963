"""The functions that open and create the stores of one kind, loaded when they are first used."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING

from ncz.record import record
from ncz.zmap.kinds import KINDS, Kind

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from ncz.zmap import WritableZmap, Zmap
    from ncz.zmap.claim import Claim, Leftover
    from ncz.zmap.location import Location


@record
class Opener:
    """The functions that open and create the stores of one kind.

    `create` takes the location, whether to replace an existing store, and the claim of a resumable
    creation; see `ncz.zmap.opening.create_zmap`. `clean` takes the location, whether to change
    nothing, whether to clean up after other computers, and a function that receives the name of
    each local file that was found; see `ncz.zmap.opening.clean`.
    """

    open: Callable[[Location], Zmap]
    open_to_write: Callable[[Location], WritableZmap]
    create: Callable[[Location, bool, Claim | None], AbstractContextManager[WritableZmap]]
    clean: Callable[[Location, bool, bool, Callable[[str], object]], list[Leftover]] | None = None


def load_opener(kind: Kind) -> Opener:
    """Import and return the functions of a kind."""
    module, _, name = KINDS[kind].opener.partition(":")
    opener: Opener = getattr(import_module(module), name)
    return opener


def kind_of_location(location: Location) -> Kind | None:
    """Return the kind that a location says, such as by a mode of its URL; None if it does not."""
    if location.kind == "remote":
        modes = location.modes
        special = (kind for kind, entry in KINDS.items() if entry.on_servers)
        return next((kind for kind in special if not modes.isdisjoint(KINDS[kind].modes)), "remote")
    return location.kind


def is_reference_set(location: Location) -> bool:
    """Return whether a store that is created at a location is a reference set."""
    return location.kind == "reference" or "reference" in location.modes
