"""Inputs of commands: locations, streams and objects of programs."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import ncz
from ncz.commands.sources import (
    SourceCheck,
    is_cdl,
    location_of_target,
    name_of,
    open_any,
    threads_for,
)
from ncz.errors import NO_CALLBACKS, ZmapError, ignore_notice
from ncz.model.selection import Selection
from ncz.zmap.location import Location, parse_location

CDL = b"netcdf s { dimensions: x = 3 ; variables: int v(x) ; int w ; data: v = 1, 2, 3 ; }"


def test_a_stream_of_text_is_a_dataset():
    with open_any(io.BytesIO(CDL), NO_CALLBACKS) as dataset:
        assert [v.name for v in dataset.root.variables] == ["v", "w"]
    part = Selection(vars=("w",))
    with open_any(io.BytesIO(CDL), NO_CALLBACKS, subset=part) as dataset:
        assert [v.name for v in dataset.root.variables] == ["w"]


def test_a_change_of_a_source_is_noticed(tmp_path: Path):
    path = tmp_path / "s.nc"
    ncz.gen(io.BytesIO(CDL), path, notify=ignore_notice)
    check = SourceCheck()
    with open_any(parse_location(str(path)), NO_CALLBACKS, check=check):
        check()
        ncz.gen(io.BytesIO(CDL.replace(b"x = 3", b"x = 9999")), path, overwrite=True)
        with pytest.raises(ZmapError, match="changed"):
            check()


@pytest.mark.parametrize(
    ("path", "answer"),
    [("a.cdl", True), ("A.CDL", True), ("a.zarr", False), ("s3://b/a.cdl", False)],
)
def test_a_target_may_be_a_text(path: str, answer: bool):
    assert is_cdl(path) == answer
    target = location_of_target(path)
    assert (target == path) if answer else isinstance(target, Location)


def test_a_folder_is_no_text(tmp_path: Path):
    (tmp_path / "a.cdl").mkdir()
    assert not is_cdl(str(tmp_path / "a.cdl"))


def test_names_in_messages_have_no_secrets():
    secret = "s3://b/a.zarr#aws.secret_access_key=abc"
    assert name_of(parse_location("a.nc")) == name_of("a.nc") == "a.nc"
    assert name_of(io.BytesIO()) == "-"
    assert "abc" not in name_of(parse_location(secret))
    assert "abc" not in name_of(secret)


def test_servers_have_more_threads(monkeypatch: pytest.MonkeyPatch):
    assert threads_for(parse_location("s3://b/a.zarr")) >= threads_for(parse_location("a.zarr"))
    assert threads_for() >= 1
    monkeypatch.setattr("ncz.parallel.processors.threads_for", lambda *, is_remote: int(is_remote))
    local, remote = parse_location("a.zarr"), parse_location("s3://b/a.zarr")
    assert [threads_for(*places) for places in ((), (local, "b"), (local, remote))] == [0, 0, 1]
