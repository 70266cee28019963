"""Spellings of codecs in HDF5, Zarr V3, CDL, JSON and options."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.codec.catalogue import find, find_hdf5, find_hdf5_name, find_v3
from ncz.errors import NczError
from ncz.formats.zarr.documents.codecs_v3 import print_chain, read_chain
from ncz.model.chunks import Shard
from ncz.model.filters import Filter, Hdf5Filter, make_filter
from ncz.model.hdf5_filters import from_hdf5, to_hdf5
from tests.codec.test_catalogue import CODECS, configuration, ends


def test_hdf5_numbers_and_v3_names_are_unique():
    numbers = [c.hdf5.number for c in CODECS if c.hdf5]
    names = [c.v3.name for c in CODECS if c.v3]
    assert len(numbers) == len(set(numbers))
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "codec", [pytest.param(c, id=c.id) for c in CODECS if c.hdf5 and c.can_encode]
)
def test_hdf5_spelling_round_trip(codec):
    assert codec.hdf5 is not None
    assert find_hdf5(codec.hdf5.number) == codec
    assert all(find_hdf5_name(name) == codec for name in (codec.id, *codec.hdf5.names))
    numbered = {p.name for p in codec.hdf5.parameters}
    values = [(p, v) for p in codec.parameters if p.name in numbered for v in ends(p)]
    for parameter, value in values or [(None, None)]:
        parameters = {p.name: p.default for p in codec.parameters if p.name in numbered}
        if parameter is not None:
            parameters[parameter.name] = value
        if codec.item_size_parameter is not None:
            parameters[codec.item_size_parameter] = 4
        given = make_filter(codec.id, **parameters)
        hdf5 = to_hdf5(given)
        if (codec.id, parameters.get("shuffle")) == ("blosc", -1):
            assert hdf5 is None  # HDF5's blosc has no automatic choice
            continue
        assert hdf5 is not None
        assert all(0 <= n < 2**32 for n in hdf5.parameters)
        assert from_hdf5(hdf5, 4) == given


def test_levels_below_zero_are_unsigned_numbers_in_hdf5():
    assert str(to_hdf5(make_filter("zstd", level=-5))) == "32015,4294967291"
    assert to_hdf5(make_filter("zlib", level=-1)) is None
    assert from_hdf5(Hdf5Filter(32015, (2**32 - 5,)), 4) == make_filter("zstd", level=-5)


def spelled(codec: Filter) -> list[Any]:
    return print_chain(Shard(chunks=(4,), order=(0,), codecs=(codec,)), endian="<", item_size=4)


@pytest.mark.parametrize("codec", [pytest.param(c, id=c.id) for c in CODECS if c.v3])
def test_v3_spelling_round_trip(codec):
    assert codec.v3 is not None
    fixed = dict(codec.v3.fixed)
    found = find_v3(codec.v3.name)
    assert found == codec
    if codec.moves_elements or codec.kind == "serializer":
        return  # they are the order of axes and the byte order of a layout
    for parameter in codec.parameters or (None,):
        for value in (ends(parameter) or [parameter.default]) if parameter else [None]:
            parameters = {} if parameter is None or value is None else {parameter.name: value}
            if codec.v3.parameters is not None:  # then every parameter is written
                names = {p.name for p in codec.v3.parameters if not p.is_item_size}
                defaults = {p.name: p.default for p in codec.parameters if p.name in names}
                parameters = {**defaults, **parameters}
            given = Filter.from_json(configuration(codec, **{**parameters, **fixed}))
            codecs = spelled(given)
            assert codec.v3.name in [c["name"] for c in codecs]
            read = read_chain(codecs, (4,), "t").filters
            if given.get("typesize") is not None:
                continue  # V3 always has the size of an element there
            expected = given.to_json()
            if expected.get("shuffle") == -1:
                expected["shuffle"] = 1  # the automatic choice for four bytes
            if expected.get("location") == "start" and fixed:
                continue
            assert [f.to_json() for f in read] == [expected]


EXTENSIONS = (
    "scale_offset", "cast_value", "reshape", "packbits", "bitround", "zfp", "n5_default",
    "conditional",
)  # fmt: skip
"""Codecs of zarr-extensions that some versions of zarr-python do not have, or none."""


def test_v3_names_equal_zarr_python_s():
    pytest.importorskip("zarr", reason="the peer zarr is not installed")
    from zarr.registry import get_codec_class

    for codec in CODECS:
        if codec.v3 is not None and codec.v3.name not in EXTENSIONS:
            assert get_codec_class(codec.v3.name)


@pytest.mark.parametrize("name", [c.id for c in CODECS if c.v3 is None])
def test_codecs_without_a_v3_spelling_are_refused(name):
    codec = find(name)
    assert codec is not None
    with pytest.raises(NczError, match=f"Zarr V3 has no codec for {name}"):
        spelled(Filter.from_json(configuration(codec)))
