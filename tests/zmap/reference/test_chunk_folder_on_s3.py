"""Reference sets on a server, with values in the folder next to them."""

from __future__ import annotations

import contextlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from ncz.zmap.location import Location, parse_location
from ncz.zmap.opening import clean
from ncz.zmap.remote.opening import connect_to_write
from tests.sampled import sampled
from tests.zmap.reference.folders import LIMIT, WIDTH, values_of, write_days

pytest.importorskip("s3fs", reason="s3fs is not installed")

ANEW: dict[str, Any] = {"chunks": f"v:1,{WIDTH // 2}", "notify": ignore_notice}


@pytest.fixture(autouse=True)
def few_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncz.zmap.reference.held_values.LARGEST_HELD", LIMIT)


@pytest.fixture(params=sampled(["a.json", "a.json.zst", "a.parq", "two words.json"], 2))
def archive(request: pytest.FixtureRequest, s3: str, tmp_path: Path) -> str:
    """A set of three days, over a store next to it."""
    if request.param.endswith(".parq"):
        pytest.importorskip("pyarrow")
    store = f"{s3}/days.zarr#mode=s3"
    ncz.copy(write_days(tmp_path / "days.nc", range(3)), store, notify=ignore_notice)
    target = f"{s3}/{request.param.replace(' ', '%20')}#mode=s3,reference"
    ncz.copy(store, target, **ANEW)
    return target


def beside(archive: str) -> Location:
    place = parse_location(archive)
    return Location(
        place.kind, f"{place.path}.chunks", frozenset({"s3"}), options=place.options
    )  # fmt: skip


def files_beside(archive: str) -> list[str]:
    with contextlib.closing(connect_to_write(beside(archive))) as zmap:
        return sorted(key for key, _, _ in zmap.everything())


def assert_days(archive: str, days: range) -> None:
    with ncz.open(archive) as dataset:
        assert np.array_equal(dataset["v"][:], values_of(days))
        assert np.array_equal(dataset["w"][:], values_of(days))


def test_a_set_grows_is_overwritten_and_removed(archive: str, s3: str, tmp_path: Path) -> None:
    assert len(files_beside(archive)) == 1
    assert_days(archive, range(3))
    more = f"{s3}/more.zarr#mode=s3"
    ncz.copy(write_days(tmp_path / "more.nc", [3]), more, notify=ignore_notice)
    ncz.copy(more, archive, append="t", notify=ignore_notice)
    assert len(files_beside(archive)) == 2
    assert_days(archive, range(4))
    assert ncz.check(archive).is_clean
    states = {source.state for source in ncz.info(archive, sources=True).sources or ()}
    assert states == {"unchanged"}
    ncz.copy(more, archive, overwrite=True, **ANEW)
    assert len(files_beside(archive)) == 1
    assert_days(archive, range(3, 4))
    ncz.rm(archive)
    assert files_beside(archive) == []


def test_the_rest_of_a_killed_command(archive: str) -> None:
    used = files_beside(archive)
    with contextlib.closing(connect_to_write(beside(archive))) as zmap:
        zmap.put("0" * 32, b"rest")
    place = parse_location(archive)
    with pytest.raises(ZmapError, match="may need them"):
        clean(place)
    (found,) = clean(place, force=True)
    assert (found.objects, found.size) == (1, 4)
    assert files_beside(archive) == used
    assert_days(archive, range(3))


def test_the_rest_of_a_removal(archive: str) -> None:
    with contextlib.closing(connect_to_write(parse_location(archive))) as zmap:
        zmap.delete_file() if zmap.file_size() is not None else zmap.delete_many([*zmap.walk()])
    (found,) = ncz.rm(archive)
    assert (found.kind, found.objects) == ("rest", 1)
    assert files_beside(archive) == []


def test_an_error_leaves_nothing(s3: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = f"{s3}/a.json#mode=s3,reference"
    ncz.copy(write_days(tmp_path / "f.nc", range(3)), f"{s3}/f.zarr#mode=s3", notify=ignore_notice)

    def fails(*_: object, **__: object) -> bytes:
        raise KeyboardInterrupt

    monkeypatch.setattr("ncz.zmap.reference.creation.json_text", fails)
    with pytest.raises(KeyboardInterrupt):
        ncz.copy(f"{s3}/f.zarr#mode=s3", target, **ANEW)
    assert files_beside(target) == []


def test_fsspec_reads_the_values(s3: str, tmp_path: Path, moto: Any) -> None:
    fsspec = pytest.importorskip("fsspec")
    target = f"{s3}/a.json#mode=s3,reference"
    ncz.copy(write_days(tmp_path / "f.nc", range(3)), f"{s3}/f.zarr#mode=s3", notify=ignore_notice)
    ncz.copy(f"{s3}/f.zarr#mode=s3", target, **ANEW)
    with contextlib.closing(connect_to_write(parse_location(target))) as zmap:
        text = zmap.whole_file(1 << 20)
    assert text is not None
    options = {"endpoint_url": moto.endpoint, "key": "any", "secret": "thing"}
    found = fsspec.filesystem("reference", fo=json.loads(text), remote_options=options,
                              remote_protocol="s3")  # fmt: skip
    with ncz.open(target) as dataset:
        layout = json.loads(found.cat(".zmetadata"))["metadata"]["v/.zarray"]
        assert layout["chunks"] == [1, WIDTH // 2]
        assert dataset["v"][:].shape == (3, WIDTH)
    assert len(found.cat("v/2.1")) == dict(found.du("v", total=False))["v/2.1"]
