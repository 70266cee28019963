"""Names of netCDF4, zarr-python and h5py that are missing on open datasets and variables."""

from __future__ import annotations

from collections.abc import Mapping

_MADE = (
    "new variables are made in a new dataset, ncz.create('x.zarr'), or in xarray,"
    " ncz.copy(xarray.Dataset({'t': (('x', 'y'), array)}), 'x.zarr'); ncz.copy([store, 'x.zarr'],"
    " 'both.zarr') has the variables of both"
)
_DATES = (
    "ncz.num2date(t[:], t.units, t.attrs.get('calendar')) returns dates for a variable t, and"
    " to_xarray() decodes them"
)
_AS_STORED = "values are as stored; ncz.open(..., unpack=True) unpacks and masks them"

_ROWS: Mapping[str, str] = {
    "value": "use [...]",
    "metadata": "use .record, or .metadata of a variable",
    "serializer quantization": "use .codecs and .encoding",
    "summary": "print it",
    "createCompoundType createEnumType createVLType create_hierarchy create_dataset_like"
    " create_virtual_dataset build_virtual_dataset require_groups"
    " empty_like full_like ones_like zeros_like": _MADE,
    "mask scale always_mask": _AS_STORED,
    "to_datetime to_pydatetime to_datetimeindex dates datetimes": _DATES,
}  # fmt: skip
"""Names with the same meaning, and their replacements."""

OTHERS: Mapping[str, str] = {name: hint for names, hint in _ROWS.items() for name in names.split()}
"""Each name, and its replacement."""
