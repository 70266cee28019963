"""Paths and their fragments."""

from __future__ import annotations

import os

import pytest

from ncz.errors import UrlError
from ncz.zmap.location import Location, parse_location


def modes_of(text):
    return set(parse_location(text).modes)


@pytest.mark.parametrize(
    "text",
    [
        "weather.zarr", "weather.zip", "./a/../b", "/abs/x.zarr", "a b.zarr", "100%.zarr",
        "a%20b", "a#b", "a#", "#", "#mode=zip", "a:b", "C:\\data\\x.zarr", "C:/x", "~/x",
        "grün", "[x]", "-", "http:/x", "gr\udcfcn", "a::b", "zip::x",
    ],
)  # fmt: skip
def test_a_plain_path_does_not_change(text):
    assert parse_location(text) == Location(None, text)


@pytest.mark.parametrize(
    ("text", "path", "modes"),
    [
        ("x.zip#mode=zarr", "x.zip", {"nczarr", "zarr"}),
        ("x#zarr", "x", {"nczarr", "zarr"}),
        ("x#MODE=ZIP", "x", {"zip"}),
        ("x#y#mode=zip", "x#y", {"zip"}),
        ("x#mode=nczarr,file&aws.profile=me", "x", {"nczarr", "file"}),
    ],
)
def test_a_plain_path_may_have_a_fragment_of_known_keys(text, path, modes):
    location = parse_location(text)
    assert (location.path, location.modes) == (path, modes)


@pytest.mark.parametrize("text", [r"s3://b/k\#mode=nczarr&awsprofile=me", r"x\#mode=zip"])
def test_the_mark_of_a_fragment_may_be_escaped(text):
    """The NCZarr document of 2024 writes it with the backslash that some shells need."""
    assert parse_location(text) == parse_location(text.replace("\\", ""))


def test_an_existing_path_with_the_whole_text_is_taken(elsewhere):
    (elsewhere / r"a\#mode=zip").mkdir()
    assert parse_location(r"a\#mode=zip") == Location(None, r"a\#mode=zip")
    for name in ("x#mode=zip", "file:x", "a%20b", "s3:"):
        (elsewhere / name).mkdir()
        assert parse_location(name) == Location(None, name)
    (elsewhere / "dangling#mode=zip").symlink_to("gone")
    assert parse_location("dangling#mode=zip") == Location(None, "dangling#mode=zip")


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("file:///a/b.zarr", "/a/b.zarr"),
        ("FILE:///a/b", "/a/b"),
        ("file://localhost/a", "/a"),
        ("file:/a/b", "/a/b"),
        ("file:///a%20b%23c%25", "/a b#c%"),
        ("file:///a b?c", "/a b?c"),
        ("file:///100%", "/100%"),
        ("file:///gr%C3%BCn", "/grün"),
        ("file:///gr%FCn", "/gr\udcfcn"),
        ("file:////a", "//a"),
    ],
)
def test_file_urls(text, path):
    assert parse_location(text) == Location(None, path)


@pytest.mark.parametrize("text", ["file:d/x.zarr", "file://d/x.zarr"])
def test_a_relative_file_url_is_made_absolute(elsewhere, text):
    assert parse_location(text).path == os.path.join(elsewhere, "d/x.zarr")


@pytest.mark.parametrize(
    ("fragment", "modes"),
    [
        ("mode=nczarr,file", {"nczarr", "file"}),
        ("mode=nczarr&mode=zip", {"nczarr", "zip"}),
        ("mode=NCZarr,Zip", {"nczarr", "zip"}),
        ("mode=nczarr,,file,", {"nczarr", "file"}),
        ("mode=zarr", {"nczarr", "zarr"}),
        ("mode=xarray", {"nczarr", "zarr", "xarray"}),
        ("mode=noxarray", {"nczarr", "noxarray"}),
        ("mode=xarray,noxarray", {"nczarr", "zarr", "noxarray"}),
        ("mode=consolidated,v2", {"consolidated", "v2"}),
        ("mode=v3", {"v3"}),
        ("mode=n%63zarr", {"nczarr"}),
        ("zarr", {"nczarr", "zarr"}),
        ("xarray", {"nczarr", "zarr"}),
        ("noxarray", {"nczarr", "noxarray"}),
        ("zarr&mode=file", {"nczarr", "zarr", "file"}),
        ("ZARR=", {"nczarr", "zarr"}),
        ("", set()),
        ("&&", set()),
        ("mode=", set()),
    ],
)
def test_fragments(fragment, modes):
    assert modes_of(f"file:///a#{fragment}") == modes


def test_noxarray_is_not_pure_zarr_and_zarr_is():
    assert not parse_location("x#mode=noxarray").pure
    assert parse_location("x#mode=zarr").pure
    assert parse_location("x#mode=xarray").pure


def test_modes_from_elsewhere_are_added():
    location = parse_location("x.zip#mode=consolidated", modes=["zarr", "ZIP"])
    assert location.modes == {"nczarr", "zarr", "zip", "consolidated"}
    assert location.kind == "zip"
    assert parse_location("x", modes=["zarr"]).pure
    with pytest.raises(UrlError, match="contradicts"):
        parse_location("x#mode=zip", modes=["file"])
    with pytest.raises(UrlError, match="the fragment has an unknown key"):
        parse_location("x", modes=["a&mode=zip"])


def test_other_keys_are_options():
    location = parse_location("file:///a#AWS.Profile=Me&mode=zip&fsspec.x=1,2,1&fsspec.y=a%26b")
    assert location.options == {"aws.profile": "Me", "fsspec.x": "1,2,1", "fsspec.y": "a&b"}
    assert location.modes == {"zip"}


@pytest.mark.parametrize(
    "fragment",
    ["aws.profile=unidata", "awsprofile=unidata", "AWSProfile=unidata", "aws%2Eprofile=unidata"],
)
def test_other_spellings_of_keys(fragment):
    """``awsprofile`` is in the documents of NCZarr, as a key and as a mode."""
    for text in (f"s3://b/k#{fragment}", f"s3://b/k#mode=nczarr,{fragment}"):
        assert parse_location(text).options == {"aws.profile": "unidata"}


def test_options_of_the_caller_are_for_s3_and_the_fragment_comes_first():
    keys = {"aws.profile": "lab", "aws.region": "eu-west-2", "aws.endpoint_url": "http://h"}
    assert parse_location("x.zarr", options=keys) == Location(None, "x.zarr")
    location = parse_location("s3://b/k", options=keys)
    assert location.options == keys
    assert location.path == "https://s3.eu-west-2.amazonaws.com/b/k"
    location = parse_location("s3://b/k#aws.anon=true&aws.region=eu-west-1", options=keys)
    assert location.options == {
        "aws.anon": "true", "aws.region": "eu-west-1", "aws.endpoint_url": "http://h",
    }  # fmt: skip
    located = parse_location("https://h/b/k#mode=s3", options=keys)
    assert located.options == {"aws.profile": "lab", "aws.region": "eu-west-2"}


def test_a_location_gets_more_modes():
    for text in ("x.zarr#mode=zip", "/a/b", "s3://b/k#aws.session_token=t", "https://h/x?q"):
        location = parse_location(text)
        assert location.with_modes([]) is location
        assert location.with_modes(["v2"]) == parse_location(text, modes=["v2"])
        assert location.with_modes(["v2"]).options == location.options


@pytest.mark.parametrize(
    ("fragment", "modes"),
    [
        ("mode=netcdf-3", {"netcdf-3"}),
        ("mode=classic", {"netcdf-3"}),
        ("mode=netcdf-4", {"netcdf-4"}),
        ("mode=Enhanced", {"netcdf-4"}),
        ("mode=enhanced,netcdf-4", {"netcdf-4"}),
    ],
)
def test_modes_of_netcdf_files(fragment, modes):
    assert modes_of(f"file:///a#{fragment}") == modes
    assert modes_of(parse_location(f"x#{fragment}").exact) == modes


@pytest.mark.parametrize("modes", ["classic,enhanced", "netcdf-4,zarr", "netcdf-3,nczarr"])
def test_modes_of_netcdf_files_contradict_others(modes):
    with pytest.raises(UrlError, match="contradicts itself"):
        parse_location(f"x#mode={modes}")
