"""Codecs, as the engines of xarray describe them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from ncz.codec.catalogue import is_object_codec
from ncz.errors import LossError
from ncz.formats.zarr.documents.codecs_v3 import filter_of
from ncz.model.filters import Filter, make_filter

_LEVEL = 4
"""The level of zlib by default, as in netCDF4."""


def filters_of(encoding: Mapping[str, Any], item_size: int, fqn: str) -> tuple[Filter, ...] | None:
    """Return the filters and the compressor of an encoding, or None."""
    try:
        if "codecs" in encoding:
            return _of_zarr(encoding["codecs"], fqn)
        configured = [encoding[name] for name in ("filters", "compressor", "compressors")
                 if name in encoding and encoding[name] != "auto"]  # fmt: skip
        if configured:
            return tuple(codec for one in configured for codec in _of_zarr(one, fqn))
        return _of_netcdf(encoding, item_size)
    except (TypeError, ValueError, AttributeError) as error:
        raise LossError(f"its codecs are not known: {error}", fqn) from error


def _of_zarr(value: Any, fqn: str) -> tuple[Filter, ...]:
    """Return codecs of zarr-python, of numcodecs, or as numcodecs configures them."""
    if value is None:
        return ()
    codecs = value if isinstance(value, Sequence) and not isinstance(value, str) else [value]
    filters = []
    for codec in codecs:
        if hasattr(codec, "get_config"):
            codec = codec.get_config()
        elif hasattr(codec, "to_dict"):
            codec = codec.to_dict()
        # Members of enumerations are written as their values.
        document = json.loads(json.dumps(codec, default=lambda each: each.value))
        if "id" in document:
            filters.append(Filter.from_json(document))
        elif document["name"] != "transpose":
            filters.append(filter_of(document["name"], document.get("configuration", {}), fqn))
    return tuple(codec for codec in filters if not is_object_codec(codec.to_json()))


def _of_netcdf(encoding: Mapping[str, Any], item_size: int) -> tuple[Filter, ...] | None:
    """Return codecs for the keywords of netCDF4 and h5netcdf."""
    name = encoding.get("compression")
    flags = ("zlib", "bzip2", "zstd")
    name = name or next((each for each in flags if encoding.get(each)), None)
    blosc = encoding.get("blosc")
    if not name and isinstance(blosc, Mapping):
        name = blosc.get("compressor")
    options = encoding.get("compression_opts")
    level = encoding.get("complevel", options if isinstance(options, int) else None)
    filters = []
    if encoding.get("shuffle") and name:
        filters.append(make_filter("shuffle", elementsize=item_size))
    if name in ("zlib", "gzip", "lzf"):
        filters.append(make_filter("zlib", level=_LEVEL if level is None else int(level)))
    elif name == "bzip2":
        filters.append(make_filter("bz2", level=9 if level is None else int(level)))
    elif name == "zstd":
        filters.append(make_filter("zstd", level=_LEVEL if level is None else int(level)))
    elif str(name).startswith("blosc_"):
        shuffle = int(encoding.get("blosc_shuffle", 1))
        cname = str(name).removeprefix("blosc_")
        speed = _LEVEL if level is None else int(level)
        filters = [make_filter("blosc", cname=cname, clevel=speed, shuffle=shuffle, blocksize=0)]
    if encoding.get("fletcher32"):
        filters.append(make_filter("fletcher32"))
    return tuple(filters) or None
