"""Datasets, trees and arrays of xarray as datasets, whose values are computed when they are read.

The coders of xarray turn its objects into variables as the CF conventions describe them: times as
numbers, packed numbers, masks. Most of them need no value to find types and attributes, so that
values are computed and encoded a block at a time, whether they are in Dask or still in a file.

Entry point: `tree.given_dataset`.
"""
