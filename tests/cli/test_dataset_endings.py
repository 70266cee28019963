"""Words of a command line that are named like datasets."""

from __future__ import annotations

import pytest

from ncz.cli.dataset_endings import NETCDF, WITH_CDL, is_named


@pytest.mark.parametrize(
    "word",
    [
        "a.nc",
        "A.NC",
        "dir/a.zarr",
        "a.zarr/",
        "a.zarr#mode=zarr,v3",
        "https://example.org/a.zarr/#mode=s3",
        "a.zip",
        ".nc",
    ],
)
def test_an_ending_names_a_dataset(word: str):
    assert is_named(word)


@pytest.mark.parametrize("word", ["a", "time", "nc", "a.ncx", "a#b.nc", "a.txt", "", "a.zarr.bak"])
def test_another_ending_does_not(word: str):
    assert not is_named(word)


def test_cdl_is_a_dataset_only_on_request():
    assert not is_named("a.cdl")
    assert is_named("a.cdl", WITH_CDL)
    assert not is_named("a.zarr", NETCDF)
