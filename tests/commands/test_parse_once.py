"""A command parses each of its paths and URLs once, and reads each file with settings once."""

import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Any

import pytest

from ncz.zmap.location import parse_location

CDL = "netcdf a { dimensions: x = 2; variables: int v(x); data: v = 1, 2; }"


@contextmanager
def counted_parses() -> Iterator[Counter[str]]:
    """Count the texts that are parsed."""
    found: Counter[str] = Counter()

    def watch(frame: FrameType, event: str, _: Any) -> None:
        if event == "call" and frame.f_code is parse_location.__code__:
            found[frame.f_locals["text"]] += 1

    before = sys.getprofile()
    sys.setprofile(watch)
    threading.setprofile(watch)
    try:
        yield found
    finally:
        sys.setprofile(before)
        threading.setprofile(None)


@pytest.fixture
def store(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.cdl").write_text(CDL)
    assert run("gen", "a.cdl", "-o", "a.zarr").code == 0
    return "a.zarr"


@pytest.mark.parametrize(
    "line",
    [
        "gen a.cdl -o b.zarr",
        "copy a.zarr b.zarr",
        "copy a.zarr b.zip#mode=zarr --verify --json",
        "copy a.zarr b.nc",
        "copy a.zarr b.json --mode reference",
        "dump a.zarr",
        "dump a.zarr --follow-links",
        "dump --json a.zarr",
        "info a.zarr",
        "ls a.zarr",
        "ls --tree a.zarr",
        "ls --cat v/.zarray a.zarr",
        "ls -x objdump a.zarr",
        "check a.zarr",
        "check --fix a.zarr",
        "diff a.zarr a.cdl",
        "edit a.zarr --set :a=1",
        "consolidate a.zarr",
        "clean a.zarr",
        "aggregate m.nca a.zarr --axis x",
    ],
)
def test_each_path_is_parsed_once(run, store, line):
    with counted_parses() as found:
        ran = run(*line.split())
    assert ran.code == 0, ran.stderr
    paths = {word for word in line.split() if word[:2] in ("a.", "b.", "m.")}
    assert found <= Counter(paths)
    assert any(parse for parse in found if parse != "a.cdl")


def test_each_path_is_parsed_once_in_python(store):
    import ncz

    with counted_parses() as found:
        ncz.copy(store, "b.zarr")
        ncz.open("b.zarr").close()
    assert found == {store: 1, "b.zarr": 2}
