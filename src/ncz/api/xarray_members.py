"""Names of xarray on open datasets and variables; xarray provides the ones that ncz lacks.

The results are xarray's: values are unpacked and masked, and times are dates.
"""

from __future__ import annotations

_BOTH = """
all any argmax argmin argsort as_numpy assign_attrs assign_coords astype bfill broadcast_equals
broadcast_like chunk chunksizes clip coarsen combine_first compute convert_calendar coords count
cumprod cumsum cumulative cumulative_integrate curvefit diff differentiate drop_attrs
drop_duplicates drop_encoding drop_indexes drop_isel drop_sel drop_vars dropna encoding equals
expand_dims ffill fillna get_index groupby groupby_bins head identical idxmax idxmin indexes
integrate interp interp_calendar interp_like interpolate_na isin isnull load load_async loc
map_blocks max mean median min notnull pad persist pipe plot polyfit prod quantile query rank
reduce reindex reindex_like rename reorder_levels resample reset_coords reset_encoding
reset_index roll rolling rolling_exp round set_index set_xindex shift sortby squeeze stack std
sum swap_dims tail thin to_dask_dataframe to_dataframe to_dict to_netcdf to_pandas to_zarr
transpose unify_chunks unstack var weighted where xindexes
"""
_DATASETS = """
apply assign chunks copy data_vars drop_dims dtypes eval filter_by_attrs map merge nbytes
rename_dims rename_vars set_coords to_array to_dataarray to_stacked_array
"""
_ARRAYS = """
T conj data dot dt get_axis_num imag isel item real searchsorted sel str to_dataset to_index
to_masked_array to_numpy to_series to_unstacked_dataset values variable
"""

OF_DATASETS = frozenset((_BOTH + _DATASETS).split())
"""Names of `xarray.Dataset`."""

OF_ARRAYS = frozenset((_BOTH + _ARRAYS).split())
"""Names of `xarray.DataArray`."""
