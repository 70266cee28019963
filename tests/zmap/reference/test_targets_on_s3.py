"""Targets of references on S3."""

from __future__ import annotations

import pytest

from ncz.errors import ZmapError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from tests.zmap.reference.sets import open_set, write_set
from tests.zmap.reference.test_targets import DATA, as_json


@pytest.fixture
def bucket(s3, monkeypatch):
    """The URL ``s3://...`` of an empty prefix."""
    server, host, path = s3.partition("//")
    endpoint, _, path = path.partition("/")
    monkeypatch.setenv("AWS_ENDPOINT_URL", f"{server}{host}{endpoint}")
    return f"s3://{path}"


@pytest.fixture
def stored(bucket):
    """The same, with a file there."""
    with create_zmap(parse_location(bucket)) as zmap:
        zmap.put(".zgroup", b"{}")
        zmap.put("a.nc", DATA)
    return bucket


def test_a_set_on_s3(stored, closing):
    references: dict[str, object] = {"a": ["a.nc", 5, 5], "b": [f"{stored}/a.nc", 6, 4]}
    references |= {"c": ["s3://another/a.nc", 0, 1], "d": ["gone.nc"]}
    folder = closing(open_zmap(parse_location(stored), write=True))
    folder.put("refs.json", as_json(references))
    zmap = closing(open_set(f"{stored}/refs.json"))
    assert (zmap.get("a"), zmap.get("b")) == (DATA[5:10], DATA[6:10])
    with pytest.raises(ZmapError, match=r"leads to another server, s3://another/a\.nc"):
        zmap.get("c")
    with pytest.raises(ZmapError, match="does not exist"):
        zmap.get("d")


def test_a_local_set_that_leads_to_s3(stored, tmp_path, closing):
    path = write_set(tmp_path / "refs.json", {"k": [f"{stored}/a.nc", 5, 5]})
    with pytest.raises(ZmapError, match="leads to another server"):
        closing(open_set(path)).get("k")
    assert closing(open_set(path, allow_target=stored)).get("k") == DATA[5:10]
