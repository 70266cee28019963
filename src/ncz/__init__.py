"""ncz: netCDF's text tools, native to Zarr."""

from __future__ import annotations

__version__ = "0.1.0"
