"""The sizes of the elements that filters divide."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ncz.codec.catalogue import codec_of
from ncz.model.filters import Filter

_BYTES = ("compressor", "checksum")
"""The kinds of codecs whose results are bytes, and no elements."""


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
