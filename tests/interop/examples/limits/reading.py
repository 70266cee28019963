"""Limits of peers that read stores of ncz, in Zarr V2."""

from __future__ import annotations

from tests.interop.examples.limits.limit import STORE, Limit

READING: tuple[Limit, ...] = (
    Limit(
        "ncz reads its Zarr",
        "groups",
        ("/ocean/exchange",),
        "pure Zarr cannot have two dimensions of one name in one group; the values are equal",
    ),
    Limit(
        "ncz reads its Zarr V3",
        "groups",
        ("/ocean/exchange",),
        "pure Zarr cannot have two dimensions of one name in one group; the values are equal",
    ),
    Limit(
        "netCDF4 reads NCZarr",
        "codecs",
        (
            "/gzip",
            "/lzma",
            "/lz4",
            "/delta",
            "/scaled",
            "/summed",
        ),
        "netCDF4 from PyPI has no plugin for this codec",
    ),
    Limit(
        "netCDF4 reads NCZarr",
        "groups",
        ("/ocean/exchange",),
        "netCDF4-python looks up dimensions by their short names",
    ),
    Limit(
        "netCDF4 reads NCZarr",
        "harder_names",
        (STORE,),
        "netCDF-C rejects names that begin with a special character",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "attributes",
        (
            "/anchor",
            "/anchor@*",
        ),
        "netCDF-C 4.10.1 omits arrays of shape [] in pure Zarr",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "harder_names",
        (
            "/(bracketed)",
            "/int64",
            "/string",
        ),
        "netCDF-C 4.10.1 omits arrays of shape [] in pure Zarr",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "mesh",
        (
            "/mesh",
            "/mesh@*",
        ),
        "netCDF-C 4.10.1 omits arrays of shape [] in pure Zarr",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "names",
        (
            "/s[t]u^v`w{x|y}z~",
            "/back\\slash",
            '/quote"mark',
            "/_hidden",
            "/variable",
        ),
        "netCDF-C 4.10.1 omits arrays of shape [] in pure Zarr",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "scalars",
        (
            "/crs",
            "/crs@*",
            "/reference_time",
            "/reference_time@*",
            "/height",
            "/height@*",
            "/quality",
            "/serial",
            "/institution",
            "/never_given",
            "/not_measured",
        ),
        "netCDF-C 4.10.1 omits arrays of shape [] in pure Zarr",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "scalars station_names",
        ("/grade",),
        "netCDF-C 4.10.1 omits arrays of shape [] in pure Zarr",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "strings",
        ("/one",),
        "netCDF-C 4.10.1 omits arrays of shape [] in pure Zarr",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "codecs",
        (
            "/gzip",
            "/lzma",
            "/lz4",
            "/delta",
            "/scaled",
            "/summed",
        ),
        "netCDF4 from PyPI has no plugin for this codec",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "groups",
        (STORE,),
        "netCDF-C rejects two lengths for one name in _ARRAY_DIMENSIONS",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "strings",
        ("@authors",),
        "netCDF-C reads a JSON list of strings as one string",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "unicode",
        ("/ort@mots",),
        "netCDF-C reads a JSON list of strings as one string",
    ),
    Limit(
        "zarr reads NCZarr",
        "attributes",
        ("/anchor",),
        "NCZarr stores a scalar as an array of shape [1]",
    ),
    Limit(
        "zarr reads NCZarr",
        "harder_names",
        (
            "/(bracketed)",
            "/int64",
            "/string",
        ),
        "NCZarr stores a scalar as an array of shape [1]",
    ),
    Limit(
        "zarr reads NCZarr", "mesh", ("/mesh",), "NCZarr stores a scalar as an array of shape [1]"
    ),
    Limit(
        "zarr reads NCZarr",
        "fills no_data notation records scalars station_names types",
        (STORE,),
        "zarr-python 3 does not support >S1, NCZarr's dtype for char",
    ),
    Limit("zarr reads NCZarr", "names", (STORE,), "zarr-python treats a backslash as a slash"),
    Limit(
        "zarr reads NCZarr",
        "not_numbers",
        ("/endless@_FillValue", "/single@_FillValue"),
        "a _FillValue that is NaN or infinite is text beside fill_value",
    ),
    Limit(
        "zarr reads NCZarr",
        "strings",
        (STORE,),
        "zarr-python reads the fill_value of a string as base64, NCZarr as plain text",
    ),
    Limit("zarr reads Zarr", "names", (STORE,), "zarr-python treats a backslash as a slash"),
    Limit("zarr reads zip", "names", (STORE,), "zarr-python treats a backslash as a slash"),
    Limit(
        "xarray reads NCZarr",
        "attributes",
        ("/anchor",),
        "NCZarr stores a scalar as an array of shape [1]",
    ),
    Limit(
        "xarray reads NCZarr",
        "harder_names",
        (
            "/(bracketed)",
            "/int64",
            "/string",
        ),
        "NCZarr stores a scalar as an array of shape [1]",
    ),
    Limit(
        "xarray reads NCZarr", "mesh", ("/mesh",), "NCZarr stores a scalar as an array of shape [1]"
    ),
    Limit(
        "xarray reads NCZarr",
        "names",
        (
            "/s[t]u^v`w{x|y}z~",
            '/quote"mark',
            "/_hidden",
            "/variable",
        ),
        "NCZarr stores a scalar as an array of shape [1]",
    ),
    Limit(
        "xarray reads NCZarr",
        "fills no_data notation records scalars station_names types",
        (STORE,),
        "zarr-python 3 does not support >S1, NCZarr's dtype for char",
    ),
    Limit(
        "xarray reads NCZarr",
        "groups",
        (STORE,),
        "xarray rejects two lengths for one dimension name in a group",
    ),
    Limit(
        "xarray reads NCZarr",
        "names",
        ("/back\\slash",),
        "zarr-python treats a backslash as a slash",
    ),
    Limit(
        "xarray reads NCZarr",
        "strings",
        (STORE,),
        "zarr-python reads the fill_value of a string as base64, NCZarr as plain text",
    ),
    Limit(
        "xarray reads Zarr",
        "groups",
        (STORE,),
        "xarray rejects two lengths for one dimension name in a group",
    ),
    Limit(
        "xarray reads Zarr", "names", ("/back\\slash",), "zarr-python treats a backslash as a slash"
    ),
    Limit(
        "ncgen makes HDF5", "filters quantize", (STORE,), "Debian's ncgen does not have this filter"
    ),
    Limit(
        "ncgen makes HDF5",
        "fixed_zero",
        ("#storm",),
        "ncgen makes dimensions of length 0 unlimited",
    ),
    Limit(
        "ncgen makes HDF5",
        "groups",
        ("/ocean/exchange",),
        "netCDF4-python looks up dimensions by their short names",
    ),
    Limit(
        "ncgen makes HDF5",
        "harder_names",
        (STORE,),
        "ncgen cannot read names that begin with a special character",
    ),
    Limit("ncgen makes HDF5", "not_numbers", ("/zeros",), "ncgen reads -0 as the integer 0"),
)
