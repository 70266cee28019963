"""A server that fails: repeated requests, final errors, and an end in every case.

Faults that make a test wait are long, except the first.
"""

from __future__ import annotations

import threading

import pytest

from ncz.errors import StoreMissing, ZmapError
from ncz.record import replace
from ncz.zmap.location import parse_location
from ncz.zmap.remote.opening import open_remote, open_remote_to_write
from ncz.zmap.remote.retry_policy import RetryPolicy
from tests.sampled import sampled

pytest.importorskip("s3fs", reason="s3fs is not installed")

QUICK = RetryPolicy(timeout=300, connect=60, read=60, attempts=3, first_wait=0, parallel=4)
"""A policy that repeats requests immediately, with limits that no busy machine exceeds."""
HANGS = pytest.param("hang", marks=pytest.mark.long)
"""A server that does not answer twice, which takes two seconds."""


@pytest.fixture(params=["s3", "http"])
def zmap(request, web, faulty, closing):
    """A store on the failing server, over either protocol.

    Only a request that the server never answers is given little time.
    """
    mode = "#mode=s3" if request.param == "s3" else ""
    fault = request.node.callspec.params.get("fault")
    policy = replace(QUICK, connect=5, read=1) if fault == "hang" else QUICK
    zmap = closing(open_remote(parse_location(f"{faulty}{mode}"), retry_policy=policy))
    web.requests.clear()
    return zmap


@pytest.mark.parametrize("fault", ["500", "502", "503", "504", "429", "reset", "short", HANGS])
def test_a_passing_fault_is_tried_again(web, zmap, fault):
    web.faults.extend([fault, fault])
    assert zmap.get("v/0") == b"0123456789" * 100
    assert web.asked("GET") == 3


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        ("500", "answered 500"),
        ("503", "answered 503"),
        ("reset", "closed the connection"),
        ("short", "closed the connection within the object"),
        ("hang", "did not answer within 1 s"),
    ],
)
def test_a_lasting_fault_ends_with_the_key(web, zmap, fault, says):
    web.always = fault
    with pytest.raises(ZmapError, match=says) as caught:
        zmap.get("v/0")
    text = str(caught.value)
    assert text.startswith(f"{web.endpoint}/b/k: /v/0: cannot read: {web.endpoint} ")
    assert "(3 attempts); try again later" in text
    assert "\n" not in text
    # a broken connection is replaced by a new one immediately, within the same attempt
    assert web.asked("GET") == 3 or (fault == "reset" and web.asked("GET") == 6)


@pytest.mark.parametrize("library", sampled(["obstore", "s3fs", "http"], 3))
def test_a_server_that_sends_byte_by_byte_is_given_up(web, faulty, closing, library, monkeypatch):
    monkeypatch.setenv("NCZ_S3", library)
    policy = replace(RetryPolicy.within(1.5), slowest_read=1000)
    mode = "" if library == "http" else "#mode=s3"
    zmap = closing(open_remote(parse_location(f"{faulty}{mode}"), retry_policy=policy))
    web.always, web.trickles, web.only = "short", True, "v/0"
    with pytest.raises(ZmapError, match=r"/v/0: .* sent fewer than 1000 bytes per second"):
        zmap.get("v/0")
    web.trickles, web.always = False, None
    assert zmap.get("v/0") == b"0123456789" * 100


@pytest.mark.parametrize("status", ["400", "401", "403", "405", "418"])
def test_permanent_errors_are_not_tried_again(web, zmap, status):
    web.always, web.code = status, "AccessDenied" if status == "403" else "Nonsense"
    with pytest.raises(ZmapError, match="cannot read"):
        zmap.get("v/0")
    assert web.asked("GET") == 1


def test_an_absent_object_is_requested_once(web, zmap):
    assert zmap.get("v/1") is None
    assert zmap.size("v/1") is None
    assert zmap.get_range("v/1", 0, 5) is None
    assert web.asked("v/1") == 3


def test_ranges(zmap):
    assert zmap.get_range("v/0", 3, 4) == b"3456"
    assert zmap.get_range("v/0", -3, 2) == b"78"
    assert zmap.get_range("v/0", 998, 50) == b"89"
    assert zmap.get_range("v/0", 5000, 5) == b""
    assert zmap.get_range("v/0", 0, 0) == b""
    assert zmap.get_range("v/1", 0, 0) is None
    assert zmap.size("v/0") == 1000


def test_a_server_that_knows_no_ranges(web, zmap):
    web.ranges = False
    assert zmap.get_range("v/0", 0, 4) == b"0123"
    if "http" in type(zmap._objects).__name__.lower():
        assert zmap.get_range("v/0", 3, 4) == b"3456"
        assert zmap.get_range("v/0", -3, 2) == b"78"
        assert zmap.size("v/0") == 1000


def test_many_are_had_in_order_though_some_fail(web, zmap):
    web.objects.update({f"b/k/v/{n}": str(n).encode() for n in range(100)})
    web.faults.extend(["503", "reset"])
    keys = [f"v/{n}" for n in range(101)]
    zmap.expect((key, 3) for key in keys)
    assert [zmap.get(key) for key in keys] == [str(n).encode() for n in range(100)] + [None]
    assert web.asked("GET") == 103


def test_expected_objects_are_requested_together(web, zmap):
    web.objects.update({f"b/k/v/{n}": str(n).encode() for n in range(4, 20)})
    web.only, web.together = "/v/", threading.Barrier(4)
    zmap.expect((f"v/{n}", 1) for n in range(4, 20))
    assert [zmap.get(f"v/{n}") for n in range(4, 20)] == [str(n).encode() for n in range(4, 20)]


def test_parts_of_expected_objects_need_no_separate_request(web, zmap):
    zmap.expect([("v/0", 1000), ("v/1", 1000)])
    assert zmap.get_range("v/0", 3, 4) == b"3456"
    assert zmap.get_range("v/0", -3, 2) == b"78"
    assert zmap.get_range("v/0", 5000, 5) == b""
    assert zmap.get_range("v/1", 0, 5) is None
    assert zmap.get("v/0") == b"0123456789" * 100
    assert web.asked("/v/0") == web.asked("/v/1") == 1


def test_the_error_of_one_among_many_comes_out(web, zmap):
    web.only, web.always = "v/0", "503"
    zmap.expect((f"v/{n}", 0) for n in range(9, -1, -1))
    assert [zmap.get(f"v/{n}") for n in range(9, 0, -1)] == [None] * 9
    with pytest.raises(ZmapError, match=r"/v/0: .*503"):
        zmap.get("v/0")


def test_writing_is_tried_again(web, monkeypatch, tmp_path, closing):
    monkeypatch.setenv("HOME", str(tmp_path))
    web.objects["b/k/.zgroup"] = b"{}"
    policy = replace(QUICK, connect=5, read=1)
    zmap = closing(
        open_remote_to_write(parse_location(f"{web.endpoint}/b/k#mode=s3"), retry_policy=policy)
    )
    web.faults.extend(["503", "reset"])
    zmap.put("v/0", b"0")
    assert web.objects["b/k/v/0"] == b"0"
    web.faults.extend(["500", "hang"])
    zmap.delete_many(["v/0", "never/there"])
    assert list(web.objects) == ["b/k/.zgroup"]
    web.faults.append("400")  # a server that knows no deleting of many
    zmap.delete_many([".zgroup"])
    assert web.objects == {}


@pytest.mark.parametrize("length", sampled([20_000_000, 0, 1], 3), ids="{} bytes".format)
def test_a_server_that_stops_listening(web, monkeypatch, tmp_path, closing, length):
    monkeypatch.setenv("HOME", str(tmp_path))
    web.objects["b/k/.zgroup"] = b"{}"
    impatient = RetryPolicy(connect=0.5, read=0.3, attempts=2, first_wait=0, slowest=1e9)
    location = parse_location(f"{web.endpoint}/b/k#mode=s3")
    zmap = closing(open_remote_to_write(location, retry_policy=impatient))
    web.always = "hang"
    with pytest.raises(ZmapError, match=r"/v/0: cannot write: .* did not answer .*\(2 attempts\)"):
        zmap.put("v/0", bytes(length))
    assert web.asked("PUT") == 2


def test_a_port_where_nobody_listens(monkeypatch, tmp_path):
    import socket

    monkeypatch.setenv("HOME", str(tmp_path))
    with socket.socket() as unused:
        unused.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{unused.getsockname()[1]}"
        for mode in ("#mode=s3", ""):
            with pytest.raises(ZmapError, match=r"cannot be reached|closed the connection"):
                open_remote(parse_location(f"{address}/b/k{mode}"), retry_policy=QUICK)


@pytest.mark.parametrize(
    ("code", "status", "says"),
    [
        ("NoSuchBucket", "404", "the bucket b does not exist at .*; check the name"),
        ("SignatureDoesNotMatch", "403", "rejected the credentials; check the environment"),
        (
            "ExpiredToken",
            "400",
            r"rejected the credentials \(they have expired\); check the environment",
        ),
        ("AccessDenied", "403", r"denied access \(AccessDenied\); check the environment"),
        ("PermanentRedirect", "301", "not in the region us-east-1; add #aws.region=eu-west-9"),
        ("InvalidBucketName", "400", "'b' is not a valid bucket name"),
    ],
)
def test_errors_of_s3(web, monkeypatch, tmp_path, code, status, says):
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing-kept-secret")
    web.always, web.code = status, code
    web.region = "eu-west-9" if status == "301" else ""
    kind = StoreMissing if code == "NoSuchBucket" else ZmapError
    with pytest.raises(kind, match=says) as caught:
        open_remote(parse_location(f"{web.endpoint}/b/k#mode=s3"), retry_policy=QUICK)
    assert "thing-kept-secret" not in str(caught.value)


def test_nobody_may_list_but_all_may_read(web, monkeypatch, tmp_path, closing):
    monkeypatch.setenv("HOME", str(tmp_path))
    web.objects = {"b/k/.zgroup": b"{}", "b/k/v/0": b"0"}
    web.only, web.always, web.code = "list-type", "403", "AccessDenied"
    web.absent = 403  # as S3 does for users who may not list
    zmap = closing(open_remote(parse_location(f"{web.endpoint}/b/k#mode=s3"), retry_policy=QUICK))
    assert zmap.get("v/0") == b"0"
    with pytest.raises(ZmapError, match="without credentials"):
        zmap.search("")
    assert zmap.get("v/.zattrs") is None  # "denied" is how S3 says "absent" then
    with pytest.raises(ZmapError, match="a missing object may give the same error"):
        zmap.get("v/1")


def test_nobody_may_do_anything(web, monkeypatch, tmp_path):
    monkeypatch.setenv("HOME", str(tmp_path))
    web.always, web.code = "403", "AccessDenied"
    with pytest.raises(ZmapError, match=r"without credentials .*name a profile"):
        open_remote(parse_location(f"{web.endpoint}/b/k#mode=s3"), retry_policy=QUICK)
