"""The names and modes of locations that make a new dataset an aggregation.

They are checked for each new dataset, so that this module imports nothing that writes one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

from ncz.formats.create_options import CreateOptions
from ncz.zmap.location import Location

FormName = Literal["CFA-0.4", "CFA-0.5", "CF-1.13"]
"""The conventions of aggregations that ncz writes."""

FORM_OF_MODE: Mapping[str, FormName] = {
    "cfa": "CFA-0.5", "cfa0.5": "CFA-0.5", "cfa0.4": "CFA-0.4", "cf": "CF-1.13",
}  # fmt: skip
"""The form of a new master that a value of ``mode=`` selects."""

NETCDF_SUFFIXES = (".nca", ".nc", ".nc4", ".cdf")


def is_aggregation_name(location: Location, _: CreateOptions) -> bool:
    """Return whether a new dataset at a location is an aggregation, by its name and modes."""
    return bool(FORM_OF_MODE.keys() & location.modes) or location.path.lower().endswith(".nca")


def has_netcdf_pieces(location: Location, options: CreateOptions) -> bool:
    """Return whether the pieces of a new aggregation are netCDF files, as its master by default."""
    if options.pieces.format is not None:
        return options.pieces.format == "netcdf"
    return location.path.lower().endswith(NETCDF_SUFFIXES)
