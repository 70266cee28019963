"""Translate filters between the notations of Zarr and of HDF5."""

from __future__ import annotations

import re

from ncz.codec import Codec
from ncz.codec.catalogue import codec_of, find_hdf5
from ncz.model.filters import BUILT_IN, DEFLATE, Filter, Hdf5Filter, Json, make_filter

_LZ4 = 32004
_BITSHUFFLE = 32008
_COMPRESSOR = 4
"""The position of the compressor in the parameters of bitshuffle, after three versions and a size
that the filter itself adds."""

_BITSHUFFLE_COMPRESSORS = {2: "lz4", 3: "zstd"}


def parse_numbers(text: str) -> list[int] | None:
    """Return the numbers of a filter in ``ID,PARAMETER,...``; None if they are not numbers.

    A number below zero is the 32-bit number that is stored in its place.
    """
    numbers = [part.strip() for part in text.split(",")]
    if not all(re.fullmatch(r"-?[0-9]{1,10}[uU]?", number) for number in numbers):
        return None
    found = [int(number.rstrip("uU")) for number in numbers]
    return [n % 2**32 if -(2**31) <= n < 0 else n for n in found]


def needs_plugin(codec: Filter) -> bool:
    """Return whether HDF5 has a codec only as a plugin, or not at all."""
    hdf5_filter = to_hdf5(codec)
    return hdf5_filter is None or hdf5_filter.id not in BUILT_IN


def to_hdf5(codec: Filter) -> Hdf5Filter | None:
    """Return the HDF5 filter that does the same; None if ncz knows none.

    A number below zero, such as a level of zstd, is stored as HDF5 does: as an unsigned number of
    32 bits.
    """
    entry: Codec | None = codec_of(codec.to_json())
    if entry is not None and entry.deflate_window is not None:
        entry = find_hdf5(DEFLATE)  # zlib and gzip contain the same compressed bytes
    if entry is None or entry.hdf5 is None:
        return None
    allowed = {parameter.name: parameter for parameter in entry.parameters}
    numbers: list[int] = []
    for parameter in entry.hdf5.parameters:
        value: Json = parameter.default
        if parameter.name is not None:
            value = codec.get(parameter.name, allowed[parameter.name].default)
        if parameter.words:
            if value not in parameter.words:
                return None
            value = parameter.words.index(value)
        if type(value) is not int or (value < 0 and not parameter.signed):
            return None
        numbers.append(value % 2**32)
    return Hdf5Filter(entry.hdf5.number, tuple(numbers))


def from_hdf5(hdf5: Hdf5Filter, item_size: int) -> Filter | None:
    """Return the Zarr codec of an HDF5 filter; None if ncz can write none.

    `item_size` is the size of an element in bytes, which shuffle needs. (netcdf-c writes 0 there,
    and other readers fail.)
    """
    entry = find_hdf5(hdf5.id)
    if entry is None or entry.hdf5 is None or not entry.can_encode:
        return None
    parameters: dict[str, Json] = {}
    for position, parameter in enumerate(entry.hdf5.parameters):
        is_stored = position < len(hdf5.parameters)
        number = hdf5.parameters[position] if is_stored else parameter.default
        if parameter.name is None:
            continue
        if parameter.words:
            if number >= len(parameter.words):
                return None
            parameters[parameter.name] = parameter.words[number]
        else:
            negative = parameter.signed and number >= 2**31
            parameters[parameter.name] = number - 2**32 if negative else number
    if entry.item_size_parameter is not None:
        parameters[entry.item_size_parameter] = item_size
    ordered = {p.name: parameters[p.name] for p in entry.parameters if p.name in parameters}
    return make_filter(entry.id, **ordered)


def missing_codec_reason(hdf5: Hdf5Filter) -> str:
    """Return the reason that `from_hdf5` has no codec for an HDF5 filter."""
    entry = find_hdf5(hdf5.id)
    if entry is None or entry.can_encode:
        return f"no Zarr codec is known for the HDF5 filter {hdf5.description}"
    return f"ncz reads the HDF5 filter {hdf5.description}, but does not write it"


def stand_in(hdf5: Hdf5Filter) -> Filter | None:
    """Return a Zarr codec that compresses in the same way as an HDF5 filter, in other bytes.

    It replaces a filter without an equal codec when chunks are rewritten. The codec lz4 does not
    divide a chunk into blocks, and Blosc shuffles bits in blocks of another size.
    """
    if hdf5.id == _LZ4:
        return make_filter("lz4", acceleration=1)
    compressor = hdf5.parameters[_COMPRESSOR : _COMPRESSOR + 1]
    name = _BITSHUFFLE_COMPRESSORS.get(*compressor) if compressor else None
    if hdf5.id == _BITSHUFFLE and name is not None:
        return make_filter("blosc", cname=name, clevel=5, shuffle=2, blocksize=0)
    return None
