"""Pieces of a master that changed after it was written: reported when they are read."""

from __future__ import annotations

import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import numpy as np
import pytest

import ncz
from ncz.errors import NczError, ignore_notice
from tests.commands.source_files import of_the_same_time, older, write

Form = Literal["cfa0.4", "cfa", "cf"]

FORMS: list[Form] = ["cfa0.4", "cfa", "cf"]


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    names = ["a 0.nc", "a%201.nc", "a2.nc"]
    for number, name in enumerate(names):
        write(tmp_path / name, number)
    return names


def truncated(path: Path) -> None:
    before = path.stat().st_mtime_ns
    path.write_bytes(path.read_bytes()[:-100])
    os.utime(path, ns=(0, before))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("suffix", [".nca", ".zarr"])
@pytest.mark.parametrize("change", [older, truncated, of_the_same_time])
def test_a_changed_piece_is_reported(
    files: list[str], form: Form, suffix: str, change: Callable[[Path], None]
) -> None:
    target = f"all{suffix}"
    ncz.aggregate(files, target, axis="t", mode=form, notify=ignore_notice)
    with ncz.open(target) as dataset:
        assert np.array_equal(dataset["v"][:, 0], [0, 1, 2])
        assert "ncz_sources" not in dataset.attrs
    change(Path(files[1]))
    with ncz.open(target) as dataset:
        assert dataset["v"][0][0] == 0
        with pytest.raises(NczError, match=r"a%201\.nc has changed since"):
            _ = dataset["v"][1]
    with pytest.raises(NczError, match=r"a%201\.nc has changed since"):
        ncz.copy(target, "copy.zarr", notify=ignore_notice)
    with pytest.raises(NczError, match=r"a%201\.nc has changed since"):
        ncz.copy(target, "copy.json", notify=ignore_notice)
    assert [f.code for f in ncz.check(target).findings if f.severity == "error"] == [
        "source-changed"
    ]
    with ncz.open(f"{target}#reference.seals=off") as dataset:
        assert dataset["v"].shape == (3, 500)


@pytest.mark.parametrize("form", FORMS)
def test_pieces_that_ncz_writes_are_sealed_too(files: list[str], form: Form) -> None:
    ncz.copy(files, "own.nca", concat="t", modes=(form,), pieces={"t": 1}, notify=ignore_notice)
    write(Path("next.nc"), 3)
    ncz.copy("next.nc", "own.nca", append="t", notify=ignore_notice)
    found = ncz.info("own.nca", sources=True).sources or ()
    assert [source.state for source in found] == ["unchanged"] * 4
    for source in found:
        os.utime(source.url, ns=(0, 0))
    found = ncz.info("own.nca", sources=True).sources or ()
    assert [source.state for source in found] == ["changed"] * 4


@pytest.mark.parametrize("form", FORMS)
def test_moved_pieces_keep_their_states(files: list[str], form: Form, tmp_path: Path) -> None:
    ncz.aggregate(files, "all.nca", axis="t", mode=form, notify=ignore_notice)
    os.mkdir("new")
    for name in files:
        shutil.move(name, f"new/{name}")
    ncz.edit("all.nca", move_sources=f"{tmp_path}={tmp_path}/new", notify=ignore_notice)
    states = [source.state for source in ncz.info("all.nca", sources=True).sources or ()]
    assert states == ["unchanged"] * 3
    older(Path("new", files[1]))
    states = [source.state for source in ncz.info("all.nca", sources=True).sources or ()]
    assert states == ["unchanged", "changed", "unchanged"]


@pytest.mark.long
def test_masters_of_many_pieces_contain_their_states(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An attribute in the header of an HDF5 object has 64 KiB at most."""
    monkeypatch.chdir(tmp_path)
    for number in range(700):
        text = "netcdf s { dimensions: t = 1 ; variables: int t(t) ; float v(t) ; data: t = %d ; }"
        text %= number
        ncz.gen(io.BytesIO(text.encode()), f"s{number:03}.nc", notify=ignore_notice)
    names = sorted(os.listdir())
    ncz.aggregate(names, "all.nca", axis="t", mode="cfa0.4", notify=ignore_notice)
    found = ncz.info("all.nca", sources=True).sources or ()
    assert [source.state for source in found] == ["unchanged"] * 700
