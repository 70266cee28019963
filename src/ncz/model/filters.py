"""Filters, as Zarr names them (a JSON configuration) and as HDF5 does (a number and parameters).

A `Filter` holds the JSON that Zarr V2 writes and numcodecs reads. CDL's ``_Filter``,
``_DeflateLevel``, ``_Shuffle`` and ``_Fletcher32`` speak of HDF5 filters; the two directions of
that mapping stand here, next to each other. Source: netcdf-c's plugins (H5Z*.c) and the HDF5 list
of registered filters; parameters as netcdf-c 4.10.1 maps them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ncz.record import record

Json = Any
"""What `json.loads` gives."""

DEFLATE, SHUFFLE, FLETCHER32, SZIP = 1, 2, 3, 4
BZIP2, BLOSC, ZSTANDARD = 307, 32001, 32015

_BLOSC_NAMES = ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd")


@record
class Filter:
    """One filter or compressor. `configuration` keeps the order of the JSON it came from."""

    configuration: tuple[tuple[str, Json], ...]

    @property
    def id(self) -> str:
        """The codec's id, as numcodecs registers it."""
        return str(dict(self.configuration).get("id"))

    def get(self, key: str, default: Json = None) -> Json:
        """One member of the configuration."""
        return dict(self.configuration).get(key, default)

    def to_json(self) -> dict[str, Json]:
        """The configuration as `json.dumps` takes it."""
        return dict(self.configuration)

    @staticmethod
    def from_json(document: Mapping[str, Json]) -> Filter:
        """The filter of a JSON object that has a member "id"."""
        return Filter(tuple(document.items()))


def make_filter(codec_id: str, **configuration: Json) -> Filter:
    """A filter from its id and parameters, in the order given."""
    return Filter((("id", codec_id), *configuration.items()))


@record
class Hdf5Filter:
    """A filter as HDF5 numbers it, with its unsigned parameters."""

    id: int
    parameters: tuple[int, ...] = ()

    def __str__(self) -> str:
        return ",".join(str(n) for n in (self.id, *self.parameters))


def to_hdf5(codec: Filter) -> Hdf5Filter | None:
    """The HDF5 filter that does what `codec` does; None where HDF5 has none that ncz knows."""
    match codec.id:
        case "zlib":
            return Hdf5Filter(DEFLATE, (codec.get("level", 1),))
        case "shuffle":
            return Hdf5Filter(SHUFFLE)
        case "fletcher32":
            return Hdf5Filter(FLETCHER32)
        case "szip":
            return Hdf5Filter(SZIP, (codec.get("mask", 0), codec.get("pixels-per-block", 0)))
        case "bz2":
            return Hdf5Filter(BZIP2, (codec.get("level", 1),))
        case "zstd":
            return Hdf5Filter(ZSTANDARD, (codec.get("level", 0),))
        case "blosc" if codec.get("cname", "lz4") in _BLOSC_NAMES:
            return Hdf5Filter(
                BLOSC,
                (
                    0,
                    0,
                    0,
                    codec.get("blocksize", 0),
                    codec.get("clevel", 5),
                    codec.get("shuffle", 1),
                    _BLOSC_NAMES.index(codec.get("cname", "lz4")),
                ),
            )
        case _:
            return None


def from_hdf5(hdf5: Hdf5Filter, item_size: int) -> Filter | None:
    """The Zarr codec of an HDF5 filter; None if Zarr has none that ncz knows.

    `item_size` is the bytes of one element, which shuffle needs (netcdf-c writes 0 there, on which
    other readers fail).
    """
    p = hdf5.parameters
    match hdf5.id:
        case 1:
            return make_filter("zlib", level=p[0] if p else 1)
        case 2:
            return make_filter("shuffle", elementsize=item_size)
        case 3:
            return make_filter("fletcher32")
        case 307:
            return make_filter("bz2", level=p[0] if p else 1)
        case 32015:
            return make_filter("zstd", level=p[0] if p else 0)
        case 32001:
            full = (*p, *(0, 0, 0, 0, 5, 1, 0)[len(p) :])
            if full[6] >= len(_BLOSC_NAMES):
                return None
            return make_filter(
                "blosc",
                clevel=full[4],
                blocksize=full[3],
                cname=_BLOSC_NAMES[full[6]],
                shuffle=full[5],
            )
        case _:
            return None
