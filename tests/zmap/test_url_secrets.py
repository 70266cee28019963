"""No secret of a URL is in a message, for any error of the URL."""

from __future__ import annotations

import contextlib
import io
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from ncz.errors import NczError
from ncz.zmap.fragment import MODES, SECRET_KEYS
from ncz.zmap.location import display_of, parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from ncz.zmap.remote.credentials import find_settings
from tests.sampled import share_of

SECRET = "Hq7SECRET9z"

URLS = [
    f"s3://b/k#aws.secret_access_key={SECRET}",
    f"s3://b/k#aws.secret%5Faccess%5Fkey={SECRET}",
    f"s3://b/k#awssecret_access_key={SECRET}",
    f"s3://b/k#AWS.Session_Token={SECRET}",
    f"s3://b/k#mode=zarr,aws.session_token={SECRET}",
    f"s3://b/k#aws.secret_access_key={SECRET}&mode=nope",
    f"s3://b/k#aws.secret_access_key=x&{SECRET}",
    f"s3://b/k#aws.secret_access_key=x&{SECRET.lower()}=",
    f"s3://b/k#aws.secret_acess_key={SECRET}",
    f"s3://b/k#aws.secret_access_key={SECRET}&aws.secret_access_key=other",
    f"s3://b/k#fsspec.password={SECRET}",
    f"s3://b/k?X-Amz-Signature={SECRET}",
    f"x.zarr#fsspec.password={SECRET}",
    f"x.zarr#password={SECRET}",
    f"x.zarr#aws.secret_access_key={SECRET}#more",
    f"x.zarr#frag&aws.secret_access_key={SECRET}",
    f"[aws.secret_access_key={SECRET}]x.zarr",
    f"[aws.secret_access_key={SECRET}]s3://b/k#mode=nope",
    f"file:x.zarr#fsspec.password={SECRET}",
    f"memory://x#fsspec.password={SECRET}",
    f"zip://g::s3://b/x.zip#aws.session_token={SECRET}&mode=nope",
    f"simplecache::ftp://bob:{SECRET}@h/x",
    f"tar://a::https://h/x.tar?sig={SECRET}#mode=nope",
    f"https://h/x?X-Amz-Signature={SECRET}",
    f"https://h/x?X-Amz-Signature={SECRET}#mode=nope",
    f"http://bob:{SECRET}@h/",
    f"http://bob:p@{SECRET}@h/",
    f"http://bob:p/{SECRET}@h/",
    f"http://bob:p?{SECRET}@h/",
    f"http://bob:p#{SECRET}@h/",
    f"http://bob:{SECRET}@[::1/x",
    f"ftp://bob:{SECRET}@h/x",
    f"dap4://bob:{SECRET}@h/x",
    f"dap4://h/x?{SECRET}",
]


@pytest.fixture(autouse=True)
def nowhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def messages(text: str) -> str:
    """Return all text that is shown of a URL: by its parsing, settings and the local stores."""
    found = [display_of(text)]
    try:
        location = parse_location(text)
    except NczError as error:
        return "\n".join([*found, str(error), repr(error), repr(error.location)])
    found += [location.display, location.address, repr(location), location.dataset_name()]
    if {"s3", "gs3"} & location.modes:
        try:
            found.append(repr(find_settings(location, {"HOME": "/none"})))
        except NczError as error:
            found.append(str(error))
    if location.kind in (None, "memory", "zip", "directory"):
        try:
            open_zmap(location).close()
        except NczError as error:
            found.append(str(error))
    return "\n".join(found)


@pytest.mark.parametrize("text", URLS)
def test_a_secret_is_not_shown(text):
    assert SECRET.lower() not in messages(text).lower()


secrets = st.text("abcdefXYZ0123456789+/=:@#?&%., é", min_size=0, max_size=6).map(
    lambda middle: f"Hq7{middle}9zS"
)
encoded = secrets.map(lambda secret: (quote(secret, safe=""), secret))
ends = st.sampled_from(["", "&mode=nope", "&mode=zip,file", "&x=1", "&aws.region=/", "#", "&="])
bases = st.sampled_from(
    ["x.zarr", "./x.zip", "s3://b/k", "s3://s3.nowhere.amazonaws.com/b", "https://h/x", "memory://x",
     "zip://g::file:x", "simplecache::s3://b/k", "file:x", "gs3://b", "nope://x", "s3://"]
)  # fmt: skip
keys = st.one_of(
    st.sampled_from(
        [*SECRET_KEYS, "fsspec.password", "awssession_token", "mode=zarr,aws.session_token"]
    ),
    st.sampled_from(["password", "aws.secret", "secret key", "X-Amz-Signature", "", "aws%2Etoken"]),
)


@settings(max_examples=share_of(400), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(bases, keys, encoded, ends, st.sampled_from(["", *MODES]))
def test_no_value_of_a_key_is_shown(base, key, value, end, mode):
    written, secret = value
    before = f"mode={mode}&" if mode else ""
    said = messages(f"{base}#{before}{key}={written}{end}")
    assert written not in said
    assert secret not in said


@settings(max_examples=share_of(200), suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["http", "https", "s3", "ftp", "nope", "simplecache::ftp"]), encoded, encoded,
    st.sampled_from(["", "#mode=nope", "#mode=s3", "#x"]),
)  # fmt: skip
def test_no_password_and_no_query_is_shown(protocol, password, query, fragment):
    written, secret = password
    for text, hidden in (
        (f"{protocol}://bob:{written}@h/x{fragment}", (written, secret)),
        (f"{protocol}://h/x?sig={query[0]}{fragment}", query),
    ):
        said = messages(text)
        assert not [value for value in hidden if value in said]


@pytest.mark.parametrize("text", [url for url in URLS if not url.startswith("ftp")])
@pytest.mark.parametrize(
    "command",
    [
        ["dump"], ["dump", "--ncml"], ["ls"], ["ls", "--tree"], ["ls", "--cat", "/v"],
        ["consolidate"], ["copy", "-", None], ["copy", None, "out.zarr"], ["gen", None, "-o", "o"],
    ],
    ids=lambda words: " ".join(word or "URL" for word in words),
)  # fmt: skip
def test_no_command_prints_it(run, monkeypatch, text, command):
    """The commands are run against a server that cannot be reached."""
    if "://h/" in text and not text.startswith(("http://bob", "dap4")):
        pytest.skip("the host is not reached in tests")
    if text.startswith("s3://b/k#") and "nope" not in text:
        text = text.replace("#", "#aws.endpoint_url=ftp://x&", 1)  # refused before any request
    words = [text if word is None else word for word in command]
    done = run(*(words if None in command else [*words, text]), stdin=b"netcdf x {}")
    assert done.code in (0, 1)  # copying to a local store works
    assert SECRET.lower() not in (done.text + done.stderr).lower()


def test_the_output_of_a_command_for_an_existing_store(run, tmp_path):
    location = f"file://{tmp_path}/x.zarr#fsspec.password={SECRET}"
    with create_zmap(parse_location(location)) as zmap:
        zmap.put(".zgroup", b'{"zarr_format": 2}')
        zmap.put("v/.zattrs", b"{}")
    said = io.StringIO()
    for words in (
        ["dump", "--ncml"],
        ["ls", "--tree"],
        ["ls", "--cat", "/v"],
        ["ls", "--cat", "/"],
    ):
        done = run(words[0], location, *words[1:])
        said.write(done.text + done.stderr)
    with contextlib.suppress(NczError):
        open_zmap(parse_location(location), write=True).close()
    assert SECRET not in said.getvalue()
    assert "fsspec.password=***" in said.getvalue()
