"""Records of filters, in the notations of Zarr and of HDF5."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from ncz.record import record

Json = Any
"""A value that `json.loads` returns."""

_INTEGER = r"-?[0-9]{1,10}"
"""A text with an integer in the configuration of a codec."""

DEFLATE, SHUFFLE, FLETCHER32 = 1, 2, 3
"""The HDF5 filters that have a special attribute in CDL."""

BUILT_IN = frozenset({DEFLATE, SHUFFLE, FLETCHER32})
"""The filters that every build of the HDF5 library has."""

_NAMES = {
    1: "deflate", 2: "shuffle", 3: "fletcher32", 4: "szip", 5: "nbit", 6: "scaleoffset",
    305: "lzo", 307: "bzip2", 32000: "lzf", 32001: "blosc", 32002: "mafisc", 32003: "snappy",
    32004: "lz4", 32008: "bitshuffle", 32009: "spdp", 32012: "jpeg-ls", 32013: "zfp",
    32014: "fpzip", 32015: "zstd", 32017: "sz", 32018: "fcidecomp", 32019: "jpeg", 32020: "vbz",
    32021: "fapec", 32022: "bitgroom", 32023: "granular bitround", 32024: "sz3",
    32025: "delta-rice", 32026: "blosc2",
}  # fmt: skip
"""The names of HDF5 filters, from HDF5 itself and from the HDF Group's list of registered ones."""


@record
class Filter:
    """One filter or compressor. `configuration` keeps the order of the JSON members."""

    configuration: tuple[tuple[str, Json], ...]

    @property
    def id(self) -> str:
        """The codec's id."""
        return str(dict(self.configuration).get("id"))

    def get(self, key: str, default: Json = None) -> Json:
        """Return one member of the configuration."""
        return dict(self.configuration).get(key, default)

    def to_json(self) -> dict[str, Json]:
        """Return the configuration as `json.dumps` takes it."""
        return dict(self.configuration)

    @staticmethod
    def from_json(document: Mapping[str, Json]) -> Filter:
        """Make the filter of a JSON object that has a member "id"."""
        return Filter(tuple(with_integers(document).items()))


def make_filter(codec_id: str, **configuration: Json) -> Filter:
    """Make a filter from its id and parameters, in the order given."""
    return Filter((("id", codec_id), *configuration.items()))


def with_integers(configuration: Mapping[str, Json]) -> dict[str, Json]:
    """Return the configuration with integers in place of strings that contain one.

    netcdf-c accepts such texts for the filters of HDF5, and its own tests write them.
    """
    parameters = dict(configuration)
    texts = [k for k, v in parameters.items() if isinstance(v, str) and re.fullmatch(_INTEGER, v)]
    if not texts:
        return parameters
    from ncz.codec.catalogue import codec_of  # a header needs no codec

    codec = codec_of(configuration)
    for parameter in codec.parameters if codec.hdf5 is not None else ():
        if parameter.type == "integer" and parameter.name in texts:
            parameters[parameter.name] = int(parameters[parameter.name])
    return parameters


@record
class Hdf5Filter:
    """A filter with its HDF5 number and unsigned parameters."""

    id: int
    parameters: tuple[int, ...] = ()

    def __str__(self) -> str:
        return ",".join(str(n) for n in (self.id, *self.parameters))

    @property
    def description(self) -> str:
        """The number, and the name if it is known, for messages: ``4 (szip)``."""
        name = _NAMES.get(self.id)
        return str(self.id) if name is None else f"{self.id} ({name})"
