"""A store that is served."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from ncz.record import record
from ncz.transfer.planned_zmap import PlannedZmap

if TYPE_CHECKING:
    from ncz.transfer.netcdf_face import NetcdfFace


@record(kw_only=True)
class ServedStore:
    """A store, and the check of whether its source has changed since it was opened.

    `face` is the same dataset as a netCDF file, if it is served as one, too. `state` changes if the
    files of the source do; None if that is not known.
    """

    zmap: PlannedZmap
    summary: str
    check: Callable[[], None]
    face: NetcdfFace | None = None
    state: str | None = None
