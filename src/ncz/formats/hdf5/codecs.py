"""The HDF5 filters that encode chunks as given Zarr codecs do.

Filters of HDF5 and Zarr codecs of the same name write the same bytes: a stream of zlib or bzip2,
a frame of Zstandard, a buffer of Blosc. `ncz.codec` lists them.
"""

from __future__ import annotations

from collections.abc import Sequence

from ncz.codec.catalogue import codec_id, codec_of, find_deflate, is_kind, is_object_codec
from ncz.codec.deflate_streams import ZLIB
from ncz.model.element_sizes import with_item_size
from ncz.model.filters import Filter, Hdf5Filter, make_filter
from ncz.model.hdf5_filters import from_hdf5, to_hdf5

_LEVEL = 4
"""The level of zlib in place of a compressor that HDF5 does not have."""


def hdf5_codecs(filters: Sequence[Filter], item_size: int) -> tuple[Filter, ...]:
    """Return codecs that HDF5 has, in place of a variable's own.

    A compressor that HDF5 does not have is replaced by zlib; gzip is zlib with another header. Any
    other codec that it does not have is left out.
    """
    chain: list[Filter] = []
    for codec in filters:
        configuration = codec.to_json()
        if is_object_codec(configuration):
            continue
        hdf5 = to_hdf5(codec)
        # If several codecs are the same filter, such as zlib and gzip, one has its bytes.
        exact = None if hdf5 is None else from_hdf5(hdf5, item_size)
        if exact is not None:
            chain.append(
                exact if exact.id != codec_id(configuration) else with_item_size(codec, item_size)
            )
        elif is_kind(configuration, "compressor"):
            chain.append(make_filter(find_deflate(ZLIB).id, level=_LEVEL))
    return tuple(chain)


def hdf5_filters(codecs: Sequence[Filter], item_size: int, chunk_size: int) -> list[Hdf5Filter]:
    """Return the HDF5 filters of codecs that `hdf5_codecs` gave, with all their parameters.

    `chunk_size` is the number of elements of a chunk.
    """
    found = []
    for codec in codecs:
        hdf5 = to_hdf5(codec)
        assert hdf5 is not None
        known = codec_of(codec.to_json())
        numbers = known.hdf5_parameters(hdf5.parameters, item_size, chunk_size)
        found.append(Hdf5Filter(hdf5.id, numbers))
    return found
