"""The names of datasets in GDAL: ``NETCDF:"a.nc":variable`` and ``/vsis3/bucket/a.zarr``."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping

_NAME = re.compile(r'(?:NETCDF|HDF5|ZARR):(?:"([^"]+)"|(.+?))(?::/*([^:/"][^:"]*))?')
"""A dataset as GDAL names it: ``NETCDF:"a.nc":variable``."""


_SERVERS: Mapping[str, str] = {
    "/vsis3/": "s3://",
    "/vsigs/": "gs://",
    "/vsiaz/": "az://",
    "/vsicurl/": "",
    "/vsigzip/": "",
}
"""The prefixes of GDAL's paths that are not on a local disk, and their URLs in ncz."""


def is_gdal_name(word: str) -> bool:
    """Return whether GDAL takes a word for the name of a dataset."""
    return word.startswith(("NETCDF:", "HDF5:", "ZARR:", "/vsi"))


def path_and_variable(name: str) -> tuple[str, str | None]:
    """Return the path that GDAL's name of a dataset has, and the variable; None without one."""
    if name.startswith("/"):
        return _url_of(name), None
    whole = name.partition(":")[2].strip('"')
    if os.path.exists(whole):
        return whole, None
    found = _NAME.fullmatch(name)
    return (_url_of(found[1] or found[2]), found[3]) if found is not None else (name, None)


def _url_of(path: str) -> str:
    """Return the URL that one of GDAL's paths means, or the path."""
    start = next((each for each in _SERVERS if path.startswith(each)), None)
    if start is None or os.path.exists(path):
        return path
    return _SERVERS[start] + path.removeprefix(start)
