"""Reference sets that name their sources where these will be."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

import ncz
from ncz.commands.references import folder_above
from ncz.errors import ignore_notice
from ncz.zmap.location import parse_location
from tests.commands.source_files import write
from tests.conftest import Run


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for folder in ("days/one", "days/two"):
        os.makedirs(folder)
    names = ["days/one/s0.nc", "days/two/s1.nc"]
    for number, name in enumerate(names):
        write(tmp_path / name, number)
    return names


@pytest.mark.parametrize("name", ["all.json", "all.parq"])
def test_the_set_reads_the_sources_at_their_new_place(files, tmp_path, run: Run, name: str):
    if name.endswith(".parq"):
        pytest.importorskip("pyarrow")
    words = ("--concat", "t", *files, name, "--prefix", tmp_path / "moved")
    ncz.copy(files, "here.json", concat="t", notify=ignore_notice)
    before = ncz.open("here.json")["v"][:].tolist()
    assert run("copy", *words).code == 0
    shutil.move("days", "moved")
    places = {f"{tmp_path}/moved/{path.removeprefix('days/')}" for path in files}
    with ncz.open(f"{name}#reference.allow_target={tmp_path}") as dataset:
        assert dataset["v"][:].tolist() == before
    shown = run("info", "--json", "--sources", "--allow-target", tmp_path, name).text
    assert all(place in shown for place in places)


def test_urls_of_a_server(files, run: Run):
    assert run("copy", files[0], "one.json", "--prefix", "s3://bucket/days/").code == 0
    text = Path("one.json").read_text()
    assert '"s3://bucket/days/s0.nc"' in text
    assert "file://" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("one.nc",), "--prefix is for reference sets"),
        (("one.json", "--verify"), "--prefix and --verify cannot be used together"),
        (("one.json", "--append", "t"), "--prefix cannot be used with --append"),
    ],
)
def test_targets_without_such_names(files, run: Run, words, message: str):
    ran = run("copy", files[0], *words, "--prefix", "s3://bucket")
    assert (ran.code, message in ran.stderr) == (2, True)
    assert not os.path.lexists(words[0])


def test_the_folder_of_all_sources():
    def above(*places: str) -> str:
        return folder_above([parse_location(place) for place in places])

    assert above("/data/a.nc") == "/data"
    assert above("/data/one/a.nc", "/data/one-two/b.nc") == "/data"
    assert above("s3://bucket/x/a.nc", "s3://bucket/x/y/b.nc") == "s3://bucket/x"
    assert not above("/data/a.nc", "s3://bucket/b.nc")
