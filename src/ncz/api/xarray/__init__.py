"""Datasets of ncz in xarray.

`store` shows an open group as one of xarray's data stores, with `encoding`; `engine` is the entry
point of ``xarray.open_dataset(url, engine="ncz")``. xarray decodes times, masks and scales itself,
as for its own engines. Only this package imports xarray.
"""
