"""Filters in the notations of Zarr and of HDF5."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from ncz.codec import Codec
from ncz.codec.catalogue import codec_of, find_hdf5, with_integers
from ncz.record import record

Json = Any
"""A value that `json.loads` returns."""

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


def with_item_size(codec: Filter, item_size: int) -> Filter:
    """Return the codec; shuffle gets the size of an element, which readers need to decode it."""
    name = codec_of(codec.to_json()).item_size_parameter
    return codec if name is None else Filter.from_json({**codec.to_json(), name: item_size})


def with_element_sizes(codecs: Iterable[Filter], item_size: int) -> Iterator[Filter]:
    """Yield the codecs; shuffle gets the size of the elements that it divides.

    `item_size` is the size of an element in bytes; an array filter may change it.
    """
    for codec in codecs:
        yield with_item_size(codec, item_size)
        configuration = codec.to_json()
        item_size = codec_of(configuration).element_size(configuration, item_size)


def with_whole_elements(codecs: tuple[Filter, ...]) -> tuple[Filter, ...]:
    """Return the codecs with shuffle before codecs whose output is not whole elements.

    That is a compressor, or the checksum of four bytes that netCDF-C puts before shuffle. HDF5
    leaves the bytes that remain unchanged; numcodecs refuses them.
    """
    if all(codec_of(codec.to_json()).item_size_parameter is None for codec in codecs[1:]):
        return codecs
    chain: list[Filter] = []
    for codec in codecs:
        configuration = codec.to_json()
        name = codec_of(configuration).item_size_parameter
        kinds = [codec_of(before.to_json()) for before in chain]
        first = next((i for i, k in enumerate(kinds) if k.kind in _BYTES), len(chain))
        added = [kind.added_bytes for kind in kinds[first:] if kind.kind in _BYTES]
        size = 1 if name is None else configuration.get(name) or 1
        is_whole = size == 1 or (None not in added and sum(filter(None, added)) % size == 0)
        chain.insert(len(chain) if is_whole else first, codec)
    return tuple(chain)


_BYTES = ("compressor", "checksum")


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


_LZ4 = 32004
_BITSHUFFLE = 32008
_COMPRESSOR = 4
"""The position of the compressor in the parameters of bitshuffle, after three versions and a size
that the filter itself adds."""

_BITSHUFFLE_COMPRESSORS = {2: "lz4", 3: "zstd"}
