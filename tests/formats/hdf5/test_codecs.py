"""Codecs that HDF5 has, in place of others."""

from __future__ import annotations

import pytest

from ncz.formats.hdf5.codecs import hdf5_codecs, hdf5_filters
from ncz.model.filters import make_filter


@pytest.mark.parametrize(
    ("codecs", "ids"),
    [
        ([("shuffle", {"elementsize": 4}), ("zlib", {"level": 3})], ["shuffle", "zlib"]),
        ([("gzip", {"level": 3})], ["zlib"]),
        ([("lzma", {})], ["zlib"]),
        ([("delta", {"dtype": "<i4"}), ("zlib", {"level": 1})], ["zlib"]),
        ([], []),
    ],
)
def test_compressors_are_replaced_and_others_left_out(codecs, ids):
    chain = [make_filter(name, **parameters) for name, parameters in codecs]
    assert [codec.id for codec in hdf5_codecs(chain, 4)] == ids


def test_filters_have_their_parameters():
    codecs = hdf5_codecs([make_filter("shuffle"), make_filter("zlib", level=3)], 8)
    assert [(f.id, f.parameters) for f in hdf5_filters(codecs, 8, 100)] == [(2, (8,)), (1, (3,))]
