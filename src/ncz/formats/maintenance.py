"""What a format provides so that its stores can be checked, mended and consolidated."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ncz.errors import Progress
from ncz.formats.findings import CheckReport, CheckRequest
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.journal import Changes
from ncz.zmap.location import Location


@record(kw_only=True)
class Maintenance:
    """How the stores of a format are looked after.

    Attributes
    ----------
    check
        Returns what is wrong or suspicious in the store at a location.
    check_readers
        Raises `OptionError` if a name is not that of a program that reads such stores.
    is_pure
        Returns whether a store is pure Zarr, and not NCZarr.
    consolidate
        Returns how many documents a store has, and the change that puts them into one.
    """

    check: Callable[[Location, CheckRequest, Progress], CheckReport]
    check_readers: Callable[[Sequence[str]], object]
    is_pure: Callable[[Zmap, Location], bool]
    consolidate: Callable[[Zmap, Progress], tuple[int, Changes]]
