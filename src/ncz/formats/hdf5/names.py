"""The names of attributes that netCDF-C uses itself in netCDF-4 files.

Source: netCDF Users Guide, "Appendix C. netCDF-4 format"; nc4internal.c of netCDF-C.
"""

from __future__ import annotations

CLASSIC_MODEL = "_nc3_strict"
PROPERTIES = "_NCProperties"
DIMENSION_ID = "_Netcdf4Dimid"
COORDINATES = "_Netcdf4Coordinates"
DIMENSION_LIST = "DIMENSION_LIST"

RESERVED = frozenset({
    "CLASS", DIMENSION_LIST, "NAME", "REFERENCE_LIST", "_ARRAY_DIMENSIONS", "_Codecs", "_Format",
    "_IsNetcdf4", PROPERTIES, COORDINATES, DIMENSION_ID, "_SuperblockVersion", CLASSIC_MODEL,
    "_nczarr_attr", "_nczarr_group", "_nczarr_array", "_nczarr_superblock",
})  # fmt: skip
"""The attributes that netCDF-C uses itself, and does not show."""
