"""What keys mean: metadata documents to and from the model, and chunks in their place.

Zarr V2 (zarr-specs, "Zarr Storage Specification 2"), NCZarr's four generations on top of it (the
NCZarr documents of 2023 and 2024), and the `_ARRAY_DIMENSIONS` convention of xarray. This folder
knows no text: it neither reads nor prints CDL.
"""
