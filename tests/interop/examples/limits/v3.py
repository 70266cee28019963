"""Limits of Zarr V3, in both directions."""

from __future__ import annotations

from tests.interop.examples.limits.limit import STORE, Limit

V3: tuple[Limit, ...] = (
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
