"""What peers cannot do by their own limits: by pair, by case, by part, with the reason.

Each row is asserted by the matrix for each of its cases: the part really differs there, or the
store cannot be opened at all (`STORE`). So the table cannot rot.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase

STORE = "(the store)"


@dataclass(frozen=True)
class Limit:
    """Who cannot do what, and why.

    `cases` are names in cdl_examples; `parts` are paths as in `tests.peers.view`, where ``*``
    stands for any characters, or `STORE`.
    """

    who: str
    cases: str
    parts: tuple[str, ...]
    reason: str

    def covers(self, path: str) -> bool:
        """Whether the limit explains a difference at `path`."""
        return any(_matches(path, part) for part in self.parts)


def _matches(path: str, part: str) -> bool:
    return path == part or ("*" in part and fnmatchcase(path, part))


LIMITS: tuple[Limit, ...] = (
    Limit(
        "ncz reads its Zarr",
        "groups",
        ("/ocean/exchange",),
        "pure Zarr cannot say that a name has two lengths in one group; the values are the same",
    ),
    Limit(
        "ncz reads its Zarr V3",
        "groups",
        ("/ocean/exchange",),
        "pure Zarr cannot say that a name has two lengths in one group; the values are the same",
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
        "PyPI's netCDF4 brings no plugin for this codec",
    ),
    Limit(
        "netCDF4 reads NCZarr",
        "groups",
        ("/ocean/exchange",),
        "netCDF4-python looks dimensions up by their simple names",
    ),
    Limit(
        "netCDF4 reads NCZarr",
        "harder_names",
        (STORE,),
        "netcdf-c refuses names that begin with a special character",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "attributes",
        (
            "/anchor",
            "/anchor@*",
        ),
        "netcdf-c 4.10.1 does not show pure arrays of shape []",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "harder_names",
        (
            "/(bracketed)",
            "/int64",
            "/string",
        ),
        "netcdf-c 4.10.1 does not show pure arrays of shape []",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "mesh",
        (
            "/mesh",
            "/mesh@*",
        ),
        "netcdf-c 4.10.1 does not show pure arrays of shape []",
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
        "netcdf-c 4.10.1 does not show pure arrays of shape []",
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
        "netcdf-c 4.10.1 does not show pure arrays of shape []",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "scalars station_names",
        ("/grade",),
        "netcdf-c 4.10.1 does not show pure arrays of shape []",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "strings",
        ("/one",),
        "netcdf-c 4.10.1 does not show pure arrays of shape []",
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
        "PyPI's netCDF4 brings no plugin for this codec",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "groups",
        (STORE,),
        "netcdf-c refuses a name with two lengths in _ARRAY_DIMENSIONS",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "strings",
        ("@authors",),
        "netcdf-c shows a JSON list of texts as one text",
    ),
    Limit(
        "netCDF4 reads Zarr",
        "unicode",
        ("/ort@mots",),
        "netcdf-c shows a JSON list of texts as one text",
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
        "zarr-python 3 knows no >S1, which NCZarr wants for char",
    ),
    Limit("zarr reads NCZarr", "names", (STORE,), "zarr-python takes a backslash for a slash"),
    Limit(
        "zarr reads NCZarr",
        "not_numbers",
        ("/endless@_FillValue", "/single@_FillValue", "/single@valid_range", "/twofold@limits"),
        "NCZarr spells NaN and infinity in attributes as text",
    ),
    Limit(
        "zarr reads NCZarr",
        "strings",
        (STORE,),
        "zarr-python takes the fill_value of a string for base64, NCZarr for the text",
    ),
    Limit("zarr reads Zarr", "names", (STORE,), "zarr-python takes a backslash for a slash"),
    Limit("zarr reads zip", "names", (STORE,), "zarr-python takes a backslash for a slash"),
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
        "zarr-python 3 knows no >S1, which NCZarr wants for char",
    ),
    Limit(
        "xarray reads NCZarr",
        "groups",
        (STORE,),
        "xarray refuses a name with two lengths in one group",
    ),
    Limit(
        "xarray reads NCZarr",
        "names",
        ("/back\\slash",),
        "zarr-python takes a backslash for a slash",
    ),
    Limit(
        "xarray reads NCZarr",
        "not_numbers",
        ("/single@valid_range", "/twofold@limits"),
        "NCZarr spells NaN and infinity in attributes as text",
    ),
    Limit(
        "xarray reads NCZarr",
        "strings",
        (STORE,),
        "zarr-python takes the fill_value of a string for base64, NCZarr for the text",
    ),
    Limit(
        "xarray reads Zarr",
        "groups",
        (STORE,),
        "xarray refuses a name with two lengths in one group",
    ),
    Limit(
        "xarray reads Zarr", "names", ("/back\\slash",), "zarr-python takes a backslash for a slash"
    ),
    Limit("ncgen makes HDF5", "filters quantize", (STORE,), "Debian's ncgen has no such filter"),
    Limit(
        "ncgen makes HDF5",
        "fixed_zero",
        ("#storm",),
        "ncgen makes a dimension of length 0 unlimited",
    ),
    Limit(
        "ncgen makes HDF5",
        "groups",
        ("/ocean/exchange",),
        "netCDF4-python looks dimensions up by their simple names",
    ),
    Limit(
        "ncgen makes HDF5",
        "harder_names",
        (STORE,),
        "ncgen cannot read names that begin with a special character",
    ),
    Limit("ncgen makes HDF5", "not_numbers", ("/zeros",), "ncgen takes -0 for the integer 0"),
    Limit(
        "ncz reads ncgen's NCZarr",
        "attributes fills no_data scalars strings types unicode",
        (STORE,),
        "ncgen 4.9.0 makes no NCZarr with strings, and crashes",
    ),
    Limit(
        "ncz reads ncgen's NCZarr",
        "chunks ensemble fixed_zero ragged records two_unlimited weather zero_length",
        (STORE,),
        "ncgen 4.9.0 makes no NCZarr with an unlimited dimension or a length of 0",
    ),
    Limit(
        "ncz reads ncgen's NCZarr",
        "endianness",
        ("/big_*",),
        "ncgen 4.9.0 writes little-endian bytes and says they are big-endian",
    ),
    Limit(
        "ncz reads ncgen's NCZarr",
        "filters quantize",
        (STORE,),
        "Debian's ncgen has no such filter",
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
        "netcdf-c writes text that is JSON as JSON, with other blanks",
    ),
    Limit(
        "ncz reads ncgen's NCZarr", "not_numbers", ("/zeros",), "ncgen takes -0 for the integer 0"
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "attributes",
        ("/anchor@some_doubles", "/anchor@some_floats", "@earth_radius", "@omega"),
        "netcdf-c writes attributes with six digits",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "types",
        ("/single@valid_max", "/twofold@valid_max"),
        "netcdf-c writes attributes with six digits",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "fixed_zero",
        ("#storm",),
        "netCDF4-python makes a dimension of length 0 unlimited",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "groups",
        ("/ocean/exchange",),
        "netCDF4-python looks dimensions up by their simple names",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "harder_names",
        (STORE,),
        "netcdf-c refuses names that begin with a special character",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr",
        "json_attributes",
        ("/feature@geometry", "/feature@list", "/feature@properties", "@quoted"),
        "netcdf-c writes text that is JSON as JSON",
    ),
    Limit(
        "ncz reads netCDF4's NCZarr", "strings", ("/remark",), "netcdf-c cuts strings at 128 bytes"
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
        "netcdf-c writes attributes with six digits",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "types",
        ("/single@valid_max", "/twofold@valid_max"),
        "netcdf-c writes attributes with six digits",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "weather",
        ("/wind_speed@scale_factor",),
        "netcdf-c writes attributes with six digits",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "attributes",
        ("/anchor",),
        "netcdf-c stores a scalar of pure Zarr as an array of shape [1]",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "mesh",
        ("/mesh",),
        "netcdf-c stores a scalar of pure Zarr as an array of shape [1]",
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
        "netcdf-c stores a scalar of pure Zarr as an array of shape [1]",
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
        "netcdf-c stores a scalar of pure Zarr as an array of shape [1]",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "scalars station_names",
        ("/grade",),
        "netcdf-c stores a scalar of pure Zarr as an array of shape [1]",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "strings",
        ("/one",),
        "netcdf-c stores a scalar of pure Zarr as an array of shape [1]",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "groups",
        ("/ocean/salinity@units",),
        "netcdf-c writes text that is JSON as JSON",
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
        "netcdf-c writes text that is JSON as JSON",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "ocean_section",
        ("/salinity@units",),
        "netcdf-c writes text that is JSON as JSON",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "groups",
        ("/ocean/exchange",),
        "pure Zarr has no place for two dimensions of one name",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "harder_names",
        (STORE,),
        "netcdf-c refuses names that begin with a special character",
    ),
    Limit(
        "ncz reads netCDF4's Zarr",
        "not_numbers",
        ("/single@valid_range", "/twofold@limits"),
        "netcdf-c spells NaN and infinity in attributes as text",
    ),
    Limit(
        "ncz reads netCDF4's Zarr", "strings", ("/remark",), "netcdf-c cuts strings at 128 bytes"
    ),
    Limit(
        "ncz reads zarr's",
        "groups",
        ("/ocean/exchange",),
        "pure Zarr has no place for two dimensions of one name",
    ),
    Limit("ncz reads zarr's", "names", ("/back*",), "zarr-python takes a backslash for a slash"),
    Limit(
        "ncz reads xarray's",
        (
            "climatology endianness fills identifiers mesh no_data not_numbers ocean_section "
            "ragged strings swath weather"
        ),
        ("*@_FillValue",),
        "xarray keeps it in .zarray alone, which is no attribute to netcdf-c either",
    ),
    Limit(
        "ncz reads xarray's",
        "groups",
        (STORE,),
        "xarray refuses a name with two lengths in one group",
    ),
    Limit("ncz reads xarray's", "names", ("/back*",), "zarr-python takes a backslash for a slash"),
    Limit(
        "ncz reads xarray's",
        "scalars",
        ("*@_FillValue",),
        "of a pure scalar the fill_value is shown, as netcdf-c does",
    ),
    Limit(
        "zarr reads NCZarr V3",
        "names",
        ("/back\\slash",),
        "zarr-python takes a backslash for a slash",
    ),
    Limit(
        "zarr reads Zarr V3",
        "names",
        ("/back\\slash",),
        "zarr-python takes a backslash for a slash",
    ),
    Limit(
        "xarray reads NCZarr V3",
        "names",
        ("/back\\slash",),
        "zarr-python takes a backslash for a slash",
    ),
    Limit(
        "xarray reads Zarr V3",
        "names",
        ("/back\\slash",),
        "zarr-python takes a backslash for a slash",
    ),
    Limit(
        "zarr reads NCZarr V3",
        "not_numbers",
        ("/single@valid_range", "/twofold@limits"),
        "NCZarr spells NaN and infinity in attributes as text",
    ),
    Limit(
        "xarray reads NCZarr V3",
        "not_numbers",
        ("/single@valid_range", "/twofold@limits"),
        "NCZarr spells NaN and infinity in attributes as text",
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
        "xarray refuses a dimension name with two lengths in a group",
    ),
    Limit(
        "xarray reads Zarr V3",
        "groups",
        (STORE,),
        "xarray refuses a dimension name with two lengths in a group",
    ),
    Limit(
        "ncz reads zarr's V3",
        "groups",
        ("/ocean/exchange",),
        "V3 has names of dimensions and no references: the second length is anonymous",
    ),
    Limit(
        "ncz reads zarr's V3",
        "names",
        ("/back\\slash", "/back/slash"),
        "zarr-python takes a backslash for a slash",
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
        "xarray refuses a dimension name with two lengths in a group",
    ),
    Limit(
        "ncz reads xarray's V3",
        "names",
        ("/back\\slash", "/back/slash"),
        "zarr-python takes a backslash for a slash",
    ),
)


def check(who: str, case: str, wrong: Mapping[str, str]) -> None:
    """Fail for a difference that no limit explains, and for a part of one that explains none."""
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
