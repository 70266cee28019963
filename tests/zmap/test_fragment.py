"""Fragments of URLs: their keys, their modes, and quoting."""

from __future__ import annotations

import pytest

from ncz.errors import UrlError
from ncz.zmap.fragment import quote, read_fragments, split_path, unquote, write_fragment


@pytest.mark.parametrize(
    ("text", "path", "fragment"),
    [
        ("a.zarr", "a.zarr", ""),
        ("a.zarr#mode=zip", "a.zarr", "mode=zip"),
        ("a#b#mode=zip", "a#b", "mode=zip"),
        ("a#b", "a#b", ""),
        ("a.zarr#zarr", "a.zarr", "zarr"),
        ("a.zarr#zarr&s3", "a.zarr", "zarr&s3"),
        ("#zarr", "#zarr", ""),
    ],
)
def test_a_path_is_split_from_its_fragment(text, path, fragment):
    assert split_path(text) == (path, fragment)


@pytest.mark.parametrize(
    ("fragment", "modes", "options"),
    [
        ("", set(), {}),
        ("mode=zarr", {"zarr", "nczarr"}, {}),
        ("mode=noxarray", {"nczarr", "noxarray"}, {}),
        ("mode=bytes", set(), {}),
        ("mode=classic", {"netcdf-3"}, {}),
        ("MODE=Zip&AWS.Region=eu", {"zip"}, {"aws.region": "eu"}),
        ("awsprofile=me", set(), {"aws.profile": "me"}),
        ("log", set(), {"log": "stderr"}),
        ("icechunk.tag=v1", {"icechunk"}, {"icechunk.tag": "v1"}),
        ("aws.region=eu%20west&aws.region=eu%20west", set(), {"aws.region": "eu west"}),
    ],
)
def test_a_fragment_has_modes_and_options(fragment, modes, options):
    assert read_fragments([fragment], "x") == (modes, options)


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ("zip", "#zip is not a valid fragment; write #mode=zip"),
        ("mode=tarball", "unknown mode 'tarball'"),
        ("aws.regoin=eu", "did you mean aws.region"),
        ("aws.region=a&aws.region=b", "aws.region is given twice"),
        ("timeout=0", "timeout is not a number of seconds"),
        ("checksums=maybe", "checksums is neither on nor off"),
        ("aws.secret_access_key=s&ecret=1", "the fragment has an unknown key"),
    ],
)
def test_a_fragment_that_is_not_valid(fragment, message):
    with pytest.raises(UrlError) as error:
        read_fragments([fragment], "x")
    assert message in str(error.value)
    assert "ecret=1" not in str(error.value)


def test_a_fragment_is_written_without_secrets():
    options = {"aws.region": "eu west#1", "aws.secret_access_key": "hidden"}
    modes = frozenset({"zip", "nczarr"})
    assert write_fragment(modes, {}) == "#mode=nczarr,zip"
    assert write_fragment(frozenset(), {}) == ""
    shown = write_fragment(modes, options, redact=True)
    assert "hidden" not in shown
    written = write_fragment(modes, options)
    assert read_fragments([written[1:]], "x") == (modes, options)


@pytest.mark.parametrize("text", ["a b", "100%", "a#b?c", "\u00fc", "\udcff", ""])
def test_quoting_is_undone(text):
    assert unquote(quote(text), errors="surrogateescape") == text
