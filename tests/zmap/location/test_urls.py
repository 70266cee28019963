"""URLs, the names of datasets, and texts that are not locations."""

from __future__ import annotations

import os
import sys

import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from ncz.errors import UrlError
from ncz.record import replace
from ncz.zmap.fragment import MODES, quote
from ncz.zmap.kinds import TRANSPORTS
from ncz.zmap.location import Location, parse_location
from tests.sampled import share_of


@pytest.mark.parametrize(
    ("text", "kind", "path", "inside", "caches"),
    [
        ("zip://g::file:///x.zip", "zip", "/x.zip", "g", ()),
        ("zip://::file:///x.zip", "zip", "/x.zip", "", ()),
        ("zip:///g/h/::/x.zip#mode=zarr", "zip", "/x.zip", "g/h", ()),
        ("zip://a%20b::https://h/x.zip", "remote", "https://h/x.zip", "a b", ()),
        ("zip://g::s3://b/x.zip", "remote", "https://s3.us-east-1.amazonaws.com/b/x.zip", "g", ()),
        (
            "simplecache::s3://b/k",
            "remote",
            "https://s3.us-east-1.amazonaws.com/b/k",
            None,
            ("simplecache",),
        ),
        ("zip://g::filecache::https://h/x", "remote", "https://h/x", "g", ("filecache",)),
        ("simplecache::file:///x", None, "/x", None, ()),
        ("tar://g::file:///x.tar", "remote", "tar://g::file:///x.tar", None, ()),
    ],
)
def test_chained_urls(text, kind, path, inside, caches):
    location = parse_location(text)
    assert (location.kind, location.path) == (kind, path)
    assert (location.inside, location.caches) == (inside, caches)
    assert parse_location(location.exact) == location


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("x", None),
        ("x.zip", None),
        ("x#mode=file", "directory"),
        ("x#mode=zip", "zip"),
        ("file:///x#mode=zarr", None),
        ("memory://x", "memory"),
        ("s3://b/k", "remote"),
        ("https://example.com/x", "remote"),
    ],
)
def test_kinds(text, kind):
    assert parse_location(text).kind == kind


@pytest.mark.parametrize(
    "text",
    ["[mode=zip]file:///a#mode=zarr", "[mode=zip][zarr]file:/a", "[mode=zip&zarr]file:///a"],
)
def test_parameters_may_stand_before_the_url(text):
    assert parse_location(text) == Location("zip", "/a", frozenset({"nczarr", "zarr", "zip"}))


@pytest.mark.parametrize(
    ("text", "url"),
    [
        ("https://b.s3.eu-west-1.amazonaws.com/k/x", "https://s3.eu-west-1.amazonaws.com/b/k/x"),
        ("https://my.b.s3.eu-west-1.amazonaws.com/k", "https://s3.eu-west-1.amazonaws.com/my.b/k"),
        ("https://b.s3.amazonaws.com/k", "https://s3.us-east-1.amazonaws.com/b/k"),
        ("https://s3.eu-west-1.amazonaws.com/b/k", "https://s3.eu-west-1.amazonaws.com/b/k"),
        ("https://s3.amazonaws.com/b/k/", "https://s3.us-east-1.amazonaws.com/b/k"),
        ("https://s3-us-west-2.amazonaws.com/b", "https://s3.us-west-2.amazonaws.com/b"),
        ("s3://b/k", "https://s3.us-east-1.amazonaws.com/b/k"),
        ("S3://b", "https://s3.us-east-1.amazonaws.com/b"),
        ("s3://b/k#aws.region=eu-north-1", "https://s3.eu-north-1.amazonaws.com/b/k"),
        ("s3://s3.us-west-1.amazonaws.com/b", "https://s3.us-west-1.amazonaws.com/b"),
        ("https://host:9000/b/k?q=1#mode=s3", "https://host:9000/b/k"),
        ("http://localhost:9000/b#s3", "http://localhost:9000/b"),
        ("https://b.s3.R1.example.com/k#mode=s3", "https://s3.R1.example.com/b/k"),
        ("https://s3.r.example.com/b/k#mode=s3", "https://s3.r.example.com/b/k"),
        ("gs3://b/k", "https://storage.googleapis.com/b/k"),
        ("https://storage.googleapis.com/b/k", "https://storage.googleapis.com/b/k"),
        ("https://b.storage.googleapis.com/k", "https://storage.googleapis.com/b/k"),
        ("https://storage.googleapis.com/b/k#mode=s3", "https://storage.googleapis.com/b/k"),
    ],
)
def test_s3s_forms_become_the_path_form(text, url):
    location = parse_location(text)
    assert location.path == url
    assert {"s3", "gs3"} & location.modes
    assert parse_location(location.exact) == location


def test_the_region_may_come_from_the_environment(monkeypatch):
    monkeypatch.setenv("AWS_DEFAULT_REGION", "eu-west-3")
    assert parse_location("s3://b/k").path == "https://s3.eu-west-3.amazonaws.com/b/k"
    monkeypatch.setenv("AWS_REGION", "eu-west-2")
    assert parse_location("s3://b/k").path == "https://s3.eu-west-2.amazonaws.com/b/k"


@pytest.mark.parametrize(
    ("text", "shown", "no_server"),
    [
        ("s3://b/k", "s3://b/k", True),
        ("gs3://b/k", "gs3://b/k", True),
        ("s3://b/k#mode=zarr", "s3://b/k#mode=nczarr,zarr", True),
        (
            "s3://s3.us-west-1.amazonaws.com/b",
            "https://s3.us-west-1.amazonaws.com/b#mode=s3",
            False,
        ),
        (
            "https://b.s3.amazonaws.com/k",
            "https://s3.us-east-1.amazonaws.com/b/k#mode=s3",
            False,
        ),
    ],
)
def test_a_url_without_a_server_keeps_its_form(text, shown, no_server):
    location = parse_location(text)
    assert location.no_server is no_server
    assert location.display == shown
    assert parse_location(location.exact).no_server is no_server


def test_secrets_are_neither_in_a_repr_nor_in_an_error():
    location = parse_location("s3://b/k#aws.secret_access_key=hidden")
    assert location.options == {"aws.secret_access_key": "hidden"}
    assert "hidden" not in repr(location)
    with pytest.raises(UrlError) as caught:
        parse_location("s3://b/k#aws.secret_access_key=hidden&mode=nope")
    assert "hidden" not in str(caught.value)


def test_other_web_addresses_are_left_alone():
    url = "https://example.com/a%20b/x.zarr?token=1"
    path, _, query = url.partition("?")
    assert parse_location(url) == Location("remote", path, query=query)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        ("a\0b", "NUL"),
        ("a\ud800", "Unicode"),
        (
            "x#mode=foo",
            "unknown mode 'foo'; valid modes are nczarr, zarr, v2, v3, file, zip, reference",
        ),
        ("x#mode=dap9", "unknown mode 'dap9'; valid modes are"),
        ("file:///x#mode=file,zip", "mode=file,zip contradicts itself; choose one"),
        ("file:///x#mode=v2,v3", "mode=v2,v3 contradicts itself"),
        ("s3://b/k#mode=zip", "mode=zip,s3 contradicts itself"),
        ("x#mode=s3", "mode=s3 needs an s3: or https: URL"),
        ("memory://x#mode=zip", "cannot have mode=file or mode=zip"),
        ("file:///x#nczarr,file", "write #mode=nczarr,file"),
        ("file:///x#nczarr", "write #mode=nczarr"),
        ("file:///x#modes=zip", "unknown fragment key 'modes'; did you mean mode. valid keys are"),
        ("file:///x#a b=zip", "the fragment has an unknown key; valid keys are mode, aws.profile"),
        ("a#b=c", "a: unknown fragment key 'b'; valid keys are mode, aws.profile"),
        ("x.zarr#frag&mode=zip", "x.zarr: unknown fragment key 'frag'"),
        ("[mode=zip]x", "needs a URL behind it"),
        (
            "https://s2.eu-west-1.amazonaws.com/b/k",
            "no host s2.*; write s3.eu-west-1.amazonaws.com",
        ),
        ("https://b.s2.eu-west-1.amazonaws.com/k#mode=nczarr,s3", "write b.s3.eu-west-1.amazonaws"),
        ("s3://b/k#profile=me", "unknown fragment key 'profile'; did you mean aws.profile"),
        ("s3://b/k#mode=nczarr,s3&dap9", "unknown fragment key 'dap9'"),
        ("s3://b/k#aws.profle=me", "did you mean aws.profile"),
        ("s3://b/k#aws.region=a&aws.region=b", "aws.region is given twice; give it once"),
        ("s3://b/k#aws.region=evil.org/", "the region is not valid"),
        ("https://h/b#s3&aws.endpoint_url=http://x", "name two servers"),
        ("reference://x", "reference: is not a store by itself"),
        ("zip://x", "zip: is not a store by itself; write zip://GROUP::URL"),
        ("zip://../x::file:///x.zip", "cannot be .."),
        ("zip://g::memory://x", "cannot have mode=file or mode=zip"),
        ("zip://g::file:///x#mode=file", "mode=file contradicts zip://"),
        ("http://[::1", "the host of the URL is not valid"),
        ("dap9://host/x", "unknown protocol 'dap9'; use file, http, https, s3, gs3, memory, or"),
        ("file://", "needs a path"),
        ("file:", "needs a path"),
        ("file:///a%00b", "needs a path"),
        ("s3:///b/k", "no host or bucket"),
        ("https://", "no host"),
        ("https://host#mode=s3", "the URL has no bucket"),
        ("https://me:hidden@host/x", "cannot contain a password"),
    ],
)
def test_invalid_urls(text, says):
    with pytest.raises(UrlError, match=says) as caught:
        parse_location(text)
    assert "hidden" not in str(caught.value)


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("a.file", "a"),
        ("o.zip", "o"),
        ("d/ref_byte.zarr.zip", "ref_byte.zarr"),
        ("ref_oldkeys.file.zip#mode=nczarr,zip", "ref_oldkeys.file"),
        ("file:///d/ref_oldkeys.file.zip#mode=nczarr,zip", "ref_oldkeys.file"),
        ("x.zarr/", "x"),
        ("file:///d/x.zarr/#mode=file", "x"),
        ("d/.zarr", ".zarr"),
        ("plain", "plain"),
        ("my st-ore(1).v2", "my st-ore(1)"),
        ("file:///my%20store.zarr", "my store"),
        ("trailing.", "trailing"),
        ("d/x.zarr/.", "x"),
        ("d/x.zarr/../y.zarr", "y"),
        ("s3://bucket/k/x.zarr", "x"),
        ("gs://bucket/k/x.zarr", "x"),
        ("abfs://box@account.dfs.core.windows.net/x.zarr", "x"),
        ("s3://bucket", "bucket"),
        ("https://h/a%20b.zarr/?q=/z.zarr", "a b"),
        ("https://host.example", "host.example"),
        ("https://host.example:8080/", "host.example"),
        ("memory://", "memory"),
        ("memory://a.zarr", "a"),
        ("zip://g/h.x::file:///a.zip", "h"),
        ("zip://::file:///a.zip", "a"),
        ("simplecache::s3://bucket/a.zarr", "a"),
        ("/", ""),
    ],
)
def test_the_dataset_is_named_after_the_path(text, name):
    assert parse_location(text).dataset_name() == name


@pytest.mark.parametrize("protocol", TRANSPORTS)
def test_protocols_with_a_transport_need_no_fsspec(protocol, monkeypatch):
    monkeypatch.setitem(sys.modules, "fsspec.registry", None)
    assert parse_location(f"{protocol}://bucket/x.zarr").kind == "remote"


def test_the_current_folder_has_a_name(elsewhere):
    (elsewhere / "here.zarr").mkdir()
    os.chdir(elsewhere / "here.zarr")
    assert parse_location(".").dataset_name() == "here"


PIECES = (
    "file: // / s3: http: memory: # mode= zip , & = % %2 [ ] zarr ? @ : a . s3. amazonaws.com "
    "zip:// :: simplecache:: storage.googleapis.com é \udcff + aws.region= localhost C:\\ "
    "x.zip \x1b v2 s3 file"
)
pieces = st.sampled_from(PIECES.split(" "))
texts = st.one_of(
    st.text(max_size=30),
    st.lists(pieces, max_size=12).map("".join),
    st.builds(
        "{}{}#mode={}".format,
        st.sampled_from(["file:///", "memory://", "s3://b/", "https://h/", "", "/"]),
        st.text(min_size=1, max_size=10),
        st.sampled_from(MODES),
    ),
)


@settings(max_examples=share_of(1000), suppress_health_check=[HealthCheck.function_scoped_fixture])
@example("\\#ZARR")
@example("a#zarr#=")
@example("zip://:/::0")
@example("zip://a%3A%3A%3Ab::0")
@given(texts)
def test_any_text_is_a_location_that_reads_back_or_one_error(text):
    try:
        location = parse_location(text)
    except UrlError as error:
        assert "\n" not in str(error)  # noqa: PT017
        return
    assert parse_location(location.exact) == location
    location.dataset_name()


@pytest.mark.parametrize("key", ["a%20b", "a b", "100%", "%23", "ü%"])
def test_the_key_of_a_bucket_is_literal(key):
    location = parse_location(f"s3://b/{key}#aws.region=eu-west-1")
    assert location.address == f"s3://b/{key}"
    assert parse_location(location.exact) == location
    below = replace(location, path=f"{location.path}/{quote('x%20y')}")
    assert parse_location(below.exact) == below
    assert below.address == f"s3://b/{key}/x%20y"


def test_a_key_that_no_s3_url_can_have_is_shown_encoded():
    location = parse_location("s3://b/a")
    below = replace(location, path=f"{location.path}/{quote('x#y?')}")
    assert below.address == "https://s3.us-east-1.amazonaws.com/b/a/x%23y%3F"
    assert parse_location(below.exact) == below
