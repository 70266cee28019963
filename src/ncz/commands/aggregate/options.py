"""The options of aggregate."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from ncz.commands.joining.options import JoinOptions
from ncz.formats.masters import MasterKind
from ncz.formats.opening import masters
from ncz.record import record
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.model.netcdf_kinds import NetcdfKind


@record(kw_only=True)
class AggregateOptions:
    """The datasets to aggregate; `how` decides about differences between the files."""

    target: Location
    sources: tuple[Location, ...]
    axis: str | None = None
    mode: Literal["cfa", "cfa0.5", "cfa0.4", "cf"] = "cfa"
    rebuild: bool = False
    how: JoinOptions = JoinOptions()
    overwrite: bool = False
    allow_loss: bool = False
    kind: NetcdfKind | None = None

    @property
    def form(self) -> MasterKind:
        """The form of the master."""
        return masters().kinds[self.mode]
