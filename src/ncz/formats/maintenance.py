"""The interface of a format whose stores can be checked, repaired, consolidated and edited."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING

from ncz.errors import Notify, Progress
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.journal import Changes
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.formats.findings import CheckReport, CheckRequest
    from ncz.formats.key_roles import KeyRoles
    from ncz.formats.store_draft import StoreDraft


@record(kw_only=True)
class Maintenance:
    """Functions that look after the stores of a format.

    Attributes
    ----------
    check
        Returns the findings in the store at a location.
    readers
        Returns the names of the programs that read such stores.
    check_readers
        Raises `OptionError` if a name is not a program that reads such stores.
    is_pure
        Returns whether a store is pure Zarr, and not NCZarr.
    consolidate
        Returns the number of documents of a store, and the change that consolidates them.
    draft
        Returns a store with no edits yet. The last argument says whether names may change; the
        dimensions of variables are then read. Raises `FormatError` or `ZmapError` if the store
        cannot be changed.
    migrate
        Returns the change that turns a store of Zarr V2 into one of V3 with the same chunks; None
        for a store of V3. Raises `NczError` if that is not possible.
    roles
        Returns the roles of the keys of a store.
    describes_storage
        Returns whether an attribute describes how data are stored, so that it cannot be changed
        alone.
    """

    check: Callable[[Location, CheckRequest, Progress], CheckReport]
    readers: Callable[[], Iterable[str]]
    check_readers: Callable[[Sequence[str]], object]
    is_pure: Callable[[Zmap, Location], bool]
    consolidate: Callable[[Zmap, Progress], tuple[int, Changes]]
    draft: Callable[[Zmap, Location, bool], StoreDraft]
    migrate: Callable[[Zmap, Location, Notify], Changes | None]
    roles: Callable[[Zmap], KeyRoles]
    describes_storage: Callable[[str], bool]
