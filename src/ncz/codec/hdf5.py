"""Filters of HDF5 that Zarr names and numcodecs does not have."""

from __future__ import annotations

from ncz.codec.base import Codec, Hdf5Parameter, Hdf5Spelling, integer


class Szip(Codec):
    """szip, as NCZarr names it."""

    id = "szip"
    kind = "compressor"
    parameters = (
        integer("mask", 0, 0, 2**32 - 1),
        integer("pixels-per-block", 0, 0, 2**32 - 1),
    )
    hdf5 = Hdf5Spelling(4, (Hdf5Parameter("mask", 0), Hdf5Parameter("pixels-per-block", 0)))
    can_encode = False


CODECS = (Szip(),)
