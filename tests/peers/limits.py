"""Limits of the peers, by pair, case and part, with the reason.

The matrix asserts each row for each of its cases: the part must differ, or the store must fail to
open (`STORE`). So no row can become outdated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

STORE = "(the store)"


@dataclass(frozen=True)
class Limit:
    """A limit of one pair, and its reason.

    `cases` are names in cdl_examples; `parts` are paths as in `tests.peers.view`, where ``*``
    stands for any characters, or `STORE`.
    """

    who: str
    cases: str
    parts: tuple[str, ...]
    reason: str

    def covers(self, path: str) -> bool:
        """Return whether the limit explains a difference at `path`."""
        return any(_matches(path, part) for part in self.parts)


def _matches(path: str, part: str) -> bool:
    return path == part or ("*" in part and fnmatchcase(path, part))


LIMITS: tuple[Limit, ...] = (
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
    Limit(
        "zarr reads NCZarr V3",
        "names",
        ("/back\\slash",),
        "zarr-python treats a backslash as a slash",
    ),
    Limit(
        "zarr reads Zarr V3",
        "names",
        ("/back\\slash",),
        "zarr-python treats a backslash as a slash",
    ),
    Limit(
        "xarray reads NCZarr V3",
        "names",
        ("/back\\slash",),
        "zarr-python treats a backslash as a slash",
    ),
    Limit(
        "xarray reads Zarr V3",
        "names",
        ("/back\\slash",),
        "zarr-python treats a backslash as a slash",
    ),
    Limit(
        "zarr reads NCZarr V3",
        "not_numbers",
        ("/single@valid_range", "/twofold@limits"),
        "NCZarr V3 writes NaN and infinity in attributes as text",
    ),
    Limit(
        "xarray reads NCZarr V3",
        "not_numbers",
        ("/single@valid_range", "/twofold@limits"),
        "NCZarr V3 writes NaN and infinity in attributes as text",
    ),
    Limit(
        "xarray reads NCZarr V3",
        "fills strings",
        (STORE,),
        "xarray cannot decode the _FillValue of a string in Zarr V3",
    ),
    Limit(
        "xarray reads Zarr V3",
        "fills strings",
        (STORE,),
        "xarray cannot decode the _FillValue of a string in Zarr V3",
    ),
    Limit(
        "xarray reads NCZarr V3",
        "groups",
        (STORE,),
        "xarray rejects two lengths for one dimension name in a group",
    ),
    Limit(
        "xarray reads Zarr V3",
        "groups",
        (STORE,),
        "xarray rejects two lengths for one dimension name in a group",
    ),
    Limit(
        "ncz reads zarr's V3",
        "groups",
        ("/ocean/exchange",),
        "V3 has dimension names, not references, so the second dimension is anonymous",
    ),
    Limit(
        "ncz reads zarr's V3",
        "names",
        ("/back\\slash", "/back/slash"),
        "zarr-python treats a backslash as a slash",
    ),
    Limit(
        "ncz reads xarray's V3",
        "fills",
        (STORE,),
        "xarray cannot write the _FillValue of a char in Zarr V3",
    ),
    Limit(
        "ncz reads xarray's V3",
        "groups",
        (STORE,),
        "xarray rejects two lengths for one dimension name in a group",
    ),
    Limit(
        "ncz reads xarray's V3",
        "names",
        ("/back\\slash", "/back/slash"),
        "zarr-python treats a backslash as a slash",
    ),
)


def check(who: str, case: str, wrong: Mapping[str, str]) -> None:
    """Fail for a difference without a limit, and for a part of a limit without a difference."""
    limits = [limit for limit in LIMITS if limit.who == who and case in limit.cases.split()]
    surprises = {p: text for p, text in wrong.items() if not any(li.covers(p) for li in limits)}
    assert not surprises, f"{who}, {case}:\n" + "\n".join(
        f"  {p} {t}" for p, t in surprises.items()
    )
    idle = [
        part
        for limit in limits
        for part in limit.parts
        if not any(_matches(p, part) for p in wrong)
    ]
    assert not idle, f"{who}, {case}: a limit is gone, take it from the table: {idle}"
