"""Limits of ncz in reading stores of peers, in Zarr V2."""

from __future__ import annotations

from tests.interop.examples.limits.limit import STORE, Limit

WRITING: tuple[Limit, ...] = (
    Limit(
        "ncz reads ncgen's NCZarr",
        "attributes fills no_data scalars strings types unicode",
        (STORE,),
        "ncgen 4.9.0 crashes when it writes strings to NCZarr",
    ),
    Limit(
        "ncz reads ncgen's NCZarr",
        "chunks ensemble fixed_zero ragged records two_unlimited weather zero_length",
        (STORE,),
        "ncgen 4.9.0 cannot write unlimited dimensions or dimensions of length 0 to NCZarr",
    ),
    Limit(
        "ncz reads ncgen's NCZarr",
        "endianness",
        ("/big_*",),
        "ncgen 4.9.0 writes little-endian data with a big-endian dtype",
    ),
    Limit(
        "ncz reads ncgen's NCZarr",
        "filters quantize",
        (STORE,),
        "Debian's ncgen does not have this filter",
    ),
    Limit(
        "ncz reads ncgen's NCZarr",
        "harder_names",
        (STORE,),
        "ncgen cannot read names that begin with a special character",
    ),
    Limit(
        "ncz reads ncgen's NCZarr",
        "json_attributes",
        ("/feature@*",),
        "netCDF-C writes text that is valid JSON as JSON, with different spaces",
    ),
    Limit(
        "ncz reads ncgen's NCZarr", "not_numbers", ("/zeros",), "ncgen reads -0 as the integer 0"
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "attributes",
        ("/anchor@some_doubles", "/anchor@some_floats", "@earth_radius", "@omega"),
        "netCDF-C writes attributes with six digits",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "types",
        ("/single@valid_max", "/twofold@valid_max"),
        "netCDF-C writes attributes with six digits",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "fixed_zero",
        ("#storm",),
        "netCDF4-python makes dimensions of length 0 unlimited",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "groups",
        ("/ocean/exchange",),
        "netCDF4-python looks up dimensions by their short names",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "harder_names",
        (STORE,),
        "netCDF-C rejects names that begin with a special character",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "json_attributes",
        ("/feature@geometry", "/feature@list", "/feature@properties", "@quoted"),
        "netCDF-C writes text that is valid JSON as JSON",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "strings",
        ("/remark",),
        "netCDF-C truncates strings after 128 bytes",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "attributes",
        (
            "/anchor@a_float",
            "/anchor@some_doubles",
            "/anchor@some_floats",
            "@earth_radius",
            "@omega",
        ),
        "netCDF-C writes attributes with six digits",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "types",
        ("/single@valid_max", "/twofold@valid_max"),
        "netCDF-C writes attributes with six digits",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "weather",
        ("/wind_speed@scale_factor",),
        "netCDF-C writes attributes with six digits",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "attributes",
        ("/anchor",),
        "netCDF-C stores a scalar as an array of shape [1] in pure Zarr",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "mesh",
        ("/mesh",),
        "netCDF-C stores a scalar as an array of shape [1] in pure Zarr",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "names",
        (
            "/s[t]u^v`w{x|y}z~",
            "/back\\slash",
            '/quote"mark',
            "/_hidden",
            "/variable",
        ),
        "netCDF-C stores a scalar as an array of shape [1] in pure Zarr",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "scalars",
        (
            "/crs",
            "/reference_time",
            "/height",
            "/quality",
            "/serial",
            "/institution",
            "/never_given",
            "/not_measured",
        ),
        "netCDF-C stores a scalar as an array of shape [1] in pure Zarr",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "scalars station_names",
        ("/grade",),
        "netCDF-C stores a scalar as an array of shape [1] in pure Zarr",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "strings",
        ("/one",),
        "netCDF-C stores a scalar as an array of shape [1] in pure Zarr",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "groups",
        ("/ocean/salinity@units",),
        "netCDF-C writes text that is valid JSON as JSON",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "json_attributes",
        (
            "/feature@geometry",
            "/feature@list",
            "/feature@properties",
            "@approved",
            "@empty_list",
            "@missing",
            "@quoted",
            "@version",
        ),
        "netCDF-C writes text that is valid JSON as JSON",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "ocean_section",
        ("/salinity@units",),
        "netCDF-C writes text that is valid JSON as JSON",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "groups",
        ("/ocean/exchange",),
        "pure Zarr cannot have two dimensions of one name in one group",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "harder_names",
        (STORE,),
        "netCDF-C rejects names that begin with a special character",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "not_numbers",
        ("/single@valid_range", "/twofold@limits"),
        "netCDF-C writes NaN and infinity in attributes as strings",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "strings",
        ("/remark",),
        "netCDF-C truncates strings after 128 bytes",
    ),
    Limit(
        "ncz reads zarr's",
        "groups",
        ("/ocean/exchange",),
        "pure Zarr cannot have two dimensions of one name in one group",
    ),
    Limit("ncz reads zarr's", "names", ("/back*",), "zarr-python treats a backslash as a slash"),
    Limit(
        "ncz reads xarray's",
        "groups",
        (STORE,),
        "xarray rejects two lengths for one dimension name in a group",
    ),
    Limit("ncz reads xarray's", "names", ("/back*",), "zarr-python treats a backslash as a slash"),
)
