"""Element types of Zarr: dtypes, elements and fill values, as types and values of netCDF and back.

May import: model, errors, and `json` and `json_numbers` next to this package.
"""
