"""A command parses each of its paths and URLs once, and reads each file with settings once."""

import builtins
import os
import sys
import threading
from collections import Counter
from collections.abc import Collection, Iterator
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


@pytest.fixture
def settings(tmp_path, monkeypatch):
    """Write a file with settings of each kind, and return their paths."""
    home = tmp_path / "home"
    (home / ".aws").mkdir(parents=True)
    files = {
        home / ".ncrc": "AWS.REGION=us-east-1\n",
        home / ".dodsrc": "HTTP.TIMEOUT=60\n",
        home / ".s3nc.json": "{}",
        home / ".aws/config": "[default]\nregion = us-east-1\n",
        tmp_path / ".ncrc": "ZARR.CONSOLIDATED=1\n",
    }
    for file, text in files.items():
        file.write_text(text)
        os.utime(file, (10**9, 10**9))  # a file that was written just now is read again
    monkeypatch.setenv("HOME", str(home))
    for name in ("AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"):
        monkeypatch.delenv(name, raising=False)
    return {str(file) for file in files}


def opened(run, monkeypatch, files: Collection[str], *line: str) -> Counter[str]:
    """Run a command, and count the times that it opens the files."""
    found: Counter[str] = Counter()
    usual = builtins.open

    def counting(file: Any, *arguments: Any, **options: Any) -> Any:
        found.update({os.path.abspath(file)} & set(files) if isinstance(file, str) else ())
        return usual(file, *arguments, **options)

    with monkeypatch.context() as patch:
        patch.setattr(builtins, "open", counting)
        ran = run(*line)
    assert ran.code == 0, ran.stderr
    return found


def test_each_file_with_settings_is_read_once(run, s3, store, settings, monkeypatch, tmp_path):
    b, c = f"{s3}/b.zarr#mode=s3", f"{s3}/c.zarr#mode=s3"
    to_server = ("copy", store, b, "--verify")
    assert opened(run, monkeypatch, settings, *to_server) == Counter(settings)

    (tmp_path / ".ncrc").write_text("ZARR.CONSOLIDATED=0\n")  # of the same size
    os.utime(tmp_path / ".ncrc", (10**9, 10**9))
    assert opened(run, monkeypatch, settings, "copy", b, c) == {str(tmp_path / ".ncrc"): 1}
    assert opened(run, monkeypatch, settings, "dump", c) == {}
