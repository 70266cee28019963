"""The HDF5 names of filters and the Zarr ones, both ways."""

from __future__ import annotations

import pytest

from ncz.model.filters import Filter, Hdf5Filter, make_filter
from ncz.model.hdf5_filters import from_hdf5, to_hdf5

PAIRS = [
    ("1,5", {"id": "zlib", "level": 5}),
    ("3", {"id": "fletcher32"}),
    ("307,9", {"id": "bz2", "level": 9}),
    ("32015,3", {"id": "zstd", "level": 3}),
    (
        "32001,0,0,0,20,5,1,1",
        {"id": "blosc", "clevel": 5, "blocksize": 20, "cname": "lz4", "shuffle": 1},
    ),
]


def parse(text: str) -> Hdf5Filter:
    number, *parameters = map(int, text.split(","))
    return Hdf5Filter(number, tuple(parameters))


@pytest.mark.parametrize(("hdf5", "zarr"), PAIRS)
def test_the_two_names_of_a_filter(hdf5, zarr):
    assert str(to_hdf5(Filter.from_json(zarr))) == hdf5
    made = from_hdf5(parse(hdf5), item_size=4)
    assert made is not None
    assert made.to_json() == zarr
    assert list(made.to_json()) == list(zarr), "the order of members is the written order"


def test_shuffle_is_written_with_the_size_of_an_element():
    assert from_hdf5(Hdf5Filter(2), item_size=8) == make_filter("shuffle", elementsize=8)
    assert str(to_hdf5(make_filter("shuffle", elementsize=8))) == "2"


def test_missing_parameters_take_the_filters_own_defaults():
    blosc = from_hdf5(Hdf5Filter(32001), item_size=4)
    assert blosc is not None
    assert blosc.get("cname") == "blosclz"
    assert from_hdf5(Hdf5Filter(1), item_size=4) == make_filter("zlib", level=1)


def test_a_function_without_a_counterpart_is_reported_as_such():
    assert from_hdf5(Hdf5Filter(32004), item_size=4) is None
    assert to_hdf5(make_filter("lzma", preset=1)) is None
    assert to_hdf5(make_filter("blosc", cname="unheard-of")) is None
    assert from_hdf5(Hdf5Filter(32001, (0, 0, 0, 0, 5, 1, 99)), item_size=4) is None


def test_gzip_is_deflate_too():
    assert to_hdf5(make_filter("gzip", level=4)) == Hdf5Filter(1, (4,))
