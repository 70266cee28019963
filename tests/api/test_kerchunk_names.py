"""Reference sets with the names of kerchunk, compared with kerchunk."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ncz

CDL = """netcdf a {{ dimensions: time = 2 ; x = 2 ; variables: double time(time) ;
  float v(time, x) ; v:units = "K" ; data: time = {0}, {1} ; v = {0}, {1}, 2, 3 ; }}"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    ncz.gen(CDL.format(0, 1), "a.nc", kind="netCDF-4")
    ncz.gen(CDL.format(2, 3), "b.nc", kind="netCDF-4")
    ncz.gen(CDL.format(0, 1), "c.nc", kind="classic")


def named(name: str) -> Any:
    return getattr(ncz, name)


@pytest.mark.parametrize("threshold", [0, 300])
def test_a_set_of_a_file(threshold):
    kerchunk = pytest.importorskip("kerchunk.hdf")
    ours = named("SingleHdf5ToZarr")("a.nc", inline_threshold=threshold).translate()
    theirs = kerchunk.SingleHdf5ToZarr("a.nc", inline_threshold=threshold).translate()
    assert {*ours["refs"]} - {".zmetadata"} == {*theirs["refs"]}
    assert isinstance(ours["refs"]["v/0.0"], str) == isinstance(theirs["refs"]["v/0.0"], str)
    if not threshold:
        assert ours["refs"]["v/0.0"][1:] == theirs["refs"]["v/0.0"][1:]
    assert json.loads(json.dumps(ours)) == ours


def test_a_set_of_an_open_file_and_of_a_classic_one():
    with open("a.nc", "rb") as file:
        ours = named("SingleHdf5ToZarr")(file, "a.nc").translate()
    assert ours == named("SingleHdf5ToZarr")("a.nc").translate()
    assert "v/.zarray" in named("NetCDF3ToZarr")("c.nc").translate()["refs"]


def test_sets_are_joined():
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("kerchunk")
    sets = [named("SingleHdf5ToZarr")(path).translate() for path in ("a.nc", "b.nc")]
    for parts in (sets, ["a.nc", "b.nc"]):
        joined = named("MultiZarrToZarr")(
            parts, concat_dims=["time"], identical_dims=["x"], inline_threshold=0
        ).translate()
        with xarray.open_dataset(joined, engine="kerchunk") as theirs:
            assert theirs["time"].values.tolist() == [0, 1, 2, 3]
            assert theirs["v"].values[:, 0].tolist() == [0, 2, 2, 2]


@pytest.mark.parametrize("name", ["c.json", Path("c.json"), "memory://c.json"])
def test_a_joined_set_is_written_to_a_file(name):
    kerchunk = pytest.importorskip("kerchunk.combine")
    fsspec = pytest.importorskip("fsspec")
    written = []
    for make in (named("MultiZarrToZarr"), kerchunk.MultiZarrToZarr):
        sets = [named("SingleHdf5ToZarr")(path).translate() for path in ("a.nc", "b.nc")]
        found = make(sets, concat_dims=["time"]).translate(name, storage_options={})
        with fsspec.open(str(name)) as file:
            written.append(json.load(file))
        assert written[-1] == found
    ours, theirs = ({key for key in each["refs"] if key.startswith("v/")} for each in written)
    assert ours == theirs


def test_linked_datasets_are_in_a_set():
    h5py = pytest.importorskip("h5py")
    kerchunk = pytest.importorskip("kerchunk.hdf")
    with h5py.File("l.h5", "w") as file:
        file["v"] = [1, 2, 3]
        file["linked"] = h5py.SoftLink("/v")
    ours, theirs = (
        make("l.h5").translate(preserve_linked_dsets=True)["refs"]
        for make in (named("SingleHdf5ToZarr"), kerchunk.SingleHdf5ToZarr)
    )
    assert "linked/.zarray" in ours
    assert {*ours} - {".zmetadata"} == {*theirs}


def test_others_are_answered():
    with pytest.raises(ncz.NczError, match="does not take coo_map"):
        named("MultiZarrToZarr")(["a.nc"], concat_dims=["time"], coo_map={"time": "INDEX"})
    with pytest.raises(ncz.NczError, match="not a set that ncz made; write it to a file"):
        named("MultiZarrToZarr")([{"refs": {}}], concat_dims=["time"])
    with pytest.raises(ncz.NczError, match=r"ncz\.copy\('a\.nc', 'refs\.json'\)"):
        named("open_virtual_dataset")("a.nc")
