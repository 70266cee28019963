"""A server that fails for one document of the root: the store is not opened as another one."""

from __future__ import annotations

import io
import zipfile

import pytest

from ncz.errors import StoreMissing, ZmapError
from ncz.record import replace
from ncz.zmap.location import parse_location
from ncz.zmap.remote.opening import open_remote
from ncz.zmap.remote.retry_policy import RetryPolicy

pytest.importorskip("s3fs", reason="s3fs is not installed")

QUICK = RetryPolicy(attempts=2, first_wait=0, parallel=4)
IMPATIENT = replace(QUICK, timeout=1, connect=1, read=0.3)
FAULTS = {
    "500": "answered 500",
    "reset": "closed the connection",
    "short": "closed the connection within the object",
    "hang": "did not answer within 0.3 s",
    "403": "denied access",
}
OTHER = b'{"zarr_format": 2}'
"""A document of another generation, which is all that remains if the true one is not read."""
TRUE = b'{"zarr_format": 3, "node_type": "group"}' + bytes(100).replace(b"\0", b" ")


@pytest.fixture(autouse=True)
def denied(web, request):
    """The body of an answer of S3 with the status 403."""
    if request.node.callspec.params.get("fault") in ("403", None):
        web.code = "AccessDenied"


@pytest.fixture(params=["s3", "http"])
def mode(request):
    return "#mode=s3" if request.param == "s3" else ""


def opened(web, mode, fault=None):
    policy = IMPATIENT if fault == "hang" else QUICK
    return open_remote(parse_location(f"{web.endpoint}/b/k{mode}"), retry_policy=policy)


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("key", [".zgroup", "zarr.json"])
def test_a_document_that_fails_is_not_taken_for_absent(web, faulty, mode, fault, key):
    other = {".zgroup": "zarr.json", "zarr.json": ".zgroup"}[key]
    web.objects = {f"b/k/{key}": TRUE, f"b/k/{other}": OTHER}
    web.only, web.always = f"b/k/{key}", fault
    with pytest.raises(ZmapError, match=FAULTS[fault]) as caught:
        opened(web, mode, fault)
    assert not isinstance(caught.value, StoreMissing)
    assert f"{web.endpoint}/b/k" in str(caught.value)


def test_only_a_root_that_is_denied_where_nothing_is_absent_may_be_absent(
    web, faulty, mode, closing
):
    """Users who may not list a bucket get only "access denied" for missing objects."""
    web.objects, web.absent = {"b/k/.zgroup": OTHER}, 403
    zmap = closing(opened(web, mode))
    assert zmap.get("v/.zattrs") is None
    assert not zmap.can_list
    web.absent = 404
    zmap = closing(opened(web, mode))
    assert zmap.get("v/.zattrs") is None
    web.only, web.always = "v/.zattrs", "403"
    with pytest.raises(ZmapError, match=r"/v/\.zattrs: cannot read: .* denied access"):
        zmap.get("v/.zattrs")


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("kind", ["zip", "netCDF"])
def test_a_file_that_cannot_be_read_is_not_missing(web, faulty, fault, kind):
    """A web server has no listing, so that only the start of a file shows its format."""
    with zipfile.ZipFile(file := io.BytesIO(), "w") as archive:
        archive.writestr(".zgroup", OTHER)
    web.objects = {"b/k": file.getvalue() if kind == "zip" else b"CDF\1" + bytes(60)}

    def fail(_):
        web.always = fault if web.requests[-1] == "GET /b/k" else None

    web.changes = fail
    with pytest.raises(ZmapError, match=FAULTS[fault]) as caught:
        opened(web, "", fault)
    assert not isinstance(caught.value, StoreMissing)


@pytest.mark.parametrize("fault", ["500", "reset", "403"])
def test_a_listing_that_fails_does_not_mean_that_nothing_exists(web, faulty, fault):
    web.objects = {"b/k/v/.zarray": b"{}"}  # a store without a document at its root
    web.only, web.always = "list-type", fault
    with pytest.raises(ZmapError, match=FAULTS[fault]) as caught:
        opened(web, "#mode=s3", fault)
    assert not isinstance(caught.value, StoreMissing)
