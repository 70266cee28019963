"""S3 through obstore: the same results as s3fs, but faster; and s3fs if obstore is not able."""

from __future__ import annotations

import subprocess
import sys
import uuid
from typing import Any

import pytest

from ncz.errors import StoreMissing, ZmapError
from ncz.record import replace
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.remote import obstore
from ncz.zmap.remote.credentials import S3Settings, find_settings
from ncz.zmap.remote.obstore import ObstoreObjects, s3_objects
from ncz.zmap.remote.obstore_limits import LIBRARY
from ncz.zmap.remote.opening import open_remote
from ncz.zmap.remote.retry_policy import RetryPolicy
from ncz.zmap.remote.s3fs import S3Objects
from ncz.zmap.remote.store import RemoteZmap, WritableRemoteZmap
from ncz.zmap.remote.waits import result_within
from tests.conftest import ROOT
from tests.sampled import sampled
from tests.servers.processes import BUCKET
from tests.zmap.contract import WritableZmapContract
from tests.zmap.remote.test_faults import HANGS, QUICK

pytest.importorskip("obstore", reason="obstore is not installed")
pytest.importorskip("s3fs", reason="s3fs is not installed")

pytestmark = pytest.mark.parametrize("s3_library", ["obstore"], indirect=True)


def connect(url):
    location = parse_location(f"{url}#mode=s3")
    objects = s3_objects(find_settings(location), RetryPolicy())
    assert isinstance(objects, ObstoreObjects)
    return objects, location.path.partition(f"{BUCKET}/")[2], url


class TestContract(WritableZmapContract):
    """The contract of every zmap, on moto."""

    longest = 1024

    @pytest.fixture
    def place(self, s3, moto, monkeypatch):
        objects, root, url = connect(s3)
        objects._other = moto.objects  # to connect takes long
        monkeypatch.setattr(objects, "close", lambda: None)  # many zmaps have it
        return objects, root, url

    @pytest.fixture
    def store(self, place):
        def stored(content):
            objects, root, url = place
            root = f"{root}/{uuid.uuid4().hex[:8]}"
            writing = WritableRemoteZmap(objects, root, url)
            for key, value in content.items():
                writing.put(key, value)
            assert not objects._repeated
            return RemoteZmap(objects, root, url)

        return stored

    @pytest.fixture
    def empty(self, place):
        objects, root, url = place
        return WritableRemoteZmap(objects, f"{root}/new", url)

    def test_a_key_of_1024_bytes(self, empty):
        key = "x" * (1024 - len(f"{empty._root}/"))
        empty.put(key, b"deep")
        assert empty.get(key) == b"deep"
        with pytest.raises(ZmapError, match="the key has 1025 bytes"):
            empty.put(key + "y", b"too deep")


def test_objects_are_the_same_through_both(server):
    objects, root, _ = connect(server)
    other = objects._connect_other()
    content = {f"{root}/v/{n}": bytes([n]) * n * 1000 for n in range(20)}
    odd = {
        f"{root}/{name}": name.encode() for name in ("a b", "a%2Fb", "é", "x+y", "a=1", "~", "...")
    }
    for path, value in (content | odd).items():
        objects.put(path, value)
    for path, value in (content | odd).items():
        assert objects.get(path, 10**6) == other.get(path, 10**6) == value
        assert objects.size(path) == other.size(path) == len(value)
    path = f"{root}/v/7"
    for start, count in ((0, 5), (6990, 100), (-10, 5), (-10, 100)):
        expected = other.get_range(path, start, count)
        assert objects.get_range(path, start, count) == expected
    assert set(objects._repeated) <= {"read a part"}  # rclone answers these requests with 200
    assert objects.get_range(path, 7000, 5) == other.get_range(path, 7000, 5) == b""
    assert objects.get(f"{root}/gone", 10) is objects.size(f"{root}/gone") is None
    assert objects.get_range(f"{root}/gone", 0, 5) is None
    other.close()
    objects.close()


@pytest.mark.parametrize("name", sampled(["unicode", "weather", "groups", "names"], 4))
def test_a_store_there_and_back(run, server, tmp_path, name):
    text = ROOT / f"cdl_examples/{name}.cdl"
    local, remote = tmp_path / f"{name}.zarr", f"{server}/{name}.zarr#mode=s3"
    for target in (local, remote):
        assert run("gen", text, "-o", target).code == 0
    assert run("copy", remote, tmp_path / f"{name}.zip").code == 0
    dumps = [run("dump", target) for target in (local, remote, tmp_path / f"{name}.zip")]
    assert {ran.code for ran in dumps} == {0}
    assert len({ran.stdout for ran in dumps}) == 1


PROGRAM = """
import sys
import ncz.cli
from ncz.cli.terminal import run
code = run(ncz.cli.ncz, "ncz", sys.argv[1:])
print("modules:", *sorted(set(sys.modules) & {"s3fs", "fsspec", "botocore", "obstore"}))
sys.exit(code)
"""


@pytest.mark.parametrize(
    "command", sampled(["dump SOURCE", "copy -q SOURCE TARGET", "ls -rl SOURCE"], 3)
)
def test_s3fs_is_not_imported(run, server, command):
    place = f"{server}/{uuid.uuid4().hex[:8]}"
    source, target = (f"{place}/{name}.zarr#mode=s3" for name in ("x", "y"))
    assert run("gen", ROOT / "cdl_examples/weather.cdl", "-o", source).code == 0
    words = command.replace("SOURCE", source).replace("TARGET", target).split()
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, *words],
        capture_output=True, text=True, check=True, timeout=120,
    )  # fmt: skip
    assert done.stdout.splitlines()[-1] == "modules: obstore"


def test_names_that_obstore_may_change_are_listed_as_with_s3fs(s3):
    """An empty object may be one whose name ends in a slash; a name may have an empty segment."""
    root = uuid.uuid4().hex[:8]
    objects = connect(f"{s3}/{root}")[0]
    try:
        for name in ("a", "b/", "b/c", "d//e"):
            objects._through_other().put(f"{root}/{name}", b"" if name.endswith("/") else b"1")
        for deep in (True, False):
            asked = {"deep": deep, "token": None, "most": 1000}
            assert objects.page(f"{root}/", **asked) == objects._through_other().page(
                f"{root}/", **asked
            )
    finally:
        objects.close()


def test_a_listing_that_obstore_begins_continues_with_s3fs(s3):
    root = uuid.uuid4().hex[:8]
    objects = connect(f"{s3}/{root}")[0]
    names = [f"{root}/{name}" for name in ("a", "b", "c", "d//e", "f")]
    try:
        for name in names:
            objects._through_other().put(name, b"1")
        first = objects.page(f"{root}/", deep=True, token=None, most=2)
        rest = objects.page(f"{root}/", deep=True, token=first.token, most=2)
        last = objects.page(f"{root}/", deep=True, token=rest.token, most=2)
        assert [*first.objects, *rest.objects, *last.objects] == names
        assert last.token is None
    finally:
        objects.close()


@pytest.fixture
def zmap(request, web, faulty, closing):
    """A store on the failing server; only a request without an answer is given little time."""
    fault = request.node.callspec.params.get("fault")
    policy = replace(QUICK, connect=5, read=1) if fault == "hang" else QUICK
    zmap = closing(open_remote(parse_location(f"{faulty}#mode=s3"), retry_policy=policy))
    assert isinstance(zmap._objects, ObstoreObjects)
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
        ("503", "answered 503"),
        ("reset", "closed the connection"),
        ("short", "closed the connection within the object"),
        pytest.param("hang", "did not answer within 1 s", marks=pytest.mark.long),
    ],
)
def test_a_lasting_fault_ends_as_without_it(web, zmap, fault, says):
    web.always = fault
    with pytest.raises(ZmapError, match=rf"/v/0: cannot read: .*{says}.*\(3 attempts\)"):
        zmap.get("v/0")
    web.always = None
    assert zmap.get("v/0") == b"0123456789" * 100
    assert web.asked("GET") == 4
    assert zmap._objects._other is None  # s3fs would have got the same answers


def test_a_listing_that_arrives_slowly_ends_in_time(web, faulty, closing, monkeypatch):
    # The limit of a whole answer is far below the time that it takes. The limits of connections and
    # reads are far above, so that a busy machine does not reach them.
    policy = RetryPolicy(timeout=300, connect=120, read=120, attempts=2, first_wait=0)

    def sooner(seconds: float, call: Any) -> Any:
        assert seconds == policy.read
        return result_within(0.3, call)

    monkeypatch.setattr(obstore, "result_within", sooner)
    zmap = closing(open_remote(parse_location(f"{faulty}#mode=s3"), retry_policy=policy))
    web.trickles, web.always = True, "short"
    with pytest.raises(ZmapError, match="did not answer within 120 s"):
        list(zmap.walk())


def test_a_lost_answer_to_a_write_does_no_harm(web, zmap, closing):
    writing = WritableRemoteZmap(zmap._objects, zmap._root, zmap.url)
    web.faults.extend(["reset", "503"])
    writing.put("v/1", b"one")
    assert web.objects["b/k/v/1"] == b"one"


def test_a_wrong_key_and_a_wrong_bucket_are_reported_as_without_it(strict_s3, monkeypatch):
    endpoint = strict_s3.rpartition(f"/{BUCKET}/")[0]
    with pytest.raises(StoreMissing, match="the bucket gone does not exist"):
        open_zmap(parse_location(f"{endpoint}/gone/x#mode=s3"))
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "wrong")
    with pytest.raises(ZmapError, match=f"{endpoint} rejected the credentials"):
        open_zmap(parse_location(f"{strict_s3}#mode=s3"))


def test_keys_of_the_environment_do_not_replace_keys_of_the_url(s3, monkeypatch):
    location = parse_location(f"{s3}#mode=s3")
    settings = find_settings(location)
    monkeypatch.setenv("AWS_SESSION_TOKEN", "another's")
    monkeypatch.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:9")
    monkeypatch.setenv("AWS_SKIP_SIGNATURE", "true")
    objects = s3_objects(settings, RetryPolicy())
    objects.put("ncz/x", b"1")
    assert objects.get("ncz/x", 10) == b"1"
    assert not objects._repeated  # type: ignore[attr-defined]
    objects.delete(["ncz/x"])
    objects.close()


KNOWN: dict[str, Any] = {"access_key": "any", "secret_key": "thing"}


@pytest.mark.parametrize(
    ("endpoint", "more", "environment", "kind"),
    [
        ("http://127.0.0.1:9", KNOWN, {}, ObstoreObjects),
        ("http://127.0.0.1:9", {"anonymous": True}, {}, ObstoreObjects),
        ("http://127.0.0.1:9", KNOWN, {"AWS_CA_BUNDLE": "/x.pem"}, ObstoreObjects),
        ("https://127.0.0.1:9", KNOWN, {"AWS_CA_BUNDLE": "/x.pem"}, S3Objects),
        ("https://127.0.0.1:9", KNOWN, {}, ObstoreObjects),
        ("http://127.0.0.1:9", {"profile": "someone's"}, {}, S3Objects),
        ("http://127.0.0.1:9", KNOWN | {"path_style": False}, {}, S3Objects),
        ("http://127.0.0.1:9", KNOWN, {LIBRARY: "s3fs"}, S3Objects),
    ],
)
def test_who_serves(monkeypatch, tmp_path, endpoint, more, environment, kind):
    monkeypatch.setattr(S3Objects, "__init__", lambda *_, **__: None)
    settings = S3Settings(endpoint, "b", "", "us-east-1", **more)
    assert type(s3_objects(settings, RetryPolicy(), environment)) is kind


def test_s3fs_is_used_without_obstore(monkeypatch):
    monkeypatch.setattr(S3Objects, "__init__", lambda *_, **__: None)
    monkeypatch.setitem(sys.modules, "obstore", None)
    settings = S3Settings("http://127.0.0.1:9", "b", "", "us-east-1", **KNOWN)
    assert type(s3_objects(settings, RetryPolicy(), {})) is S3Objects


@pytest.mark.parametrize("name", ["AWS_CONDITIONAL_PUT", "AWS_S3_EXPRESS"])
def test_an_environment_that_obstore_rejects_is_left_to_s3fs(s3, monkeypatch, name):
    monkeypatch.setenv(name, "nonsense")
    objects = s3_objects(find_settings(parse_location(f"{s3}#mode=s3")), RetryPolicy())
    assert type(objects) is S3Objects
    objects.put("ncz/x", b"1")
    assert objects.get("ncz/x", 10) == b"1"
    objects.delete(["ncz/x"])
    objects.close()


@pytest.mark.parametrize(
    ("settings", "policy", "kind"),
    [
        ({"region": 3}, {}, TypeError),
        ({"endpoint": None}, {}, AttributeError),
        ({}, {"connect": "5"}, TypeError),
        ({}, {"connect": -1.0}, TypeError),
    ],
)
def test_a_mistake_in_the_settings_is_not_hidden_by_another_library(
    monkeypatch, settings, policy, kind
):
    """Only errors of obstore's own are a reason to try s3fs, which could ignore the mistake."""
    monkeypatch.setattr(S3Objects, "__init__", lambda *_, **__: None)
    known = {"endpoint": "http://127.0.0.1:9", "bucket": "b", "prefix": "", "region": "us-east-1"}
    with pytest.raises(kind):
        s3_objects(S3Settings(**KNOWN | known | settings), RetryPolicy(**policy), {})
