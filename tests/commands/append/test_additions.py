"""The chunks that an append adds."""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from ncz.errors import LossError
from tests.commands.test_append import cdl, contents, made, quiet
from tests.commands.test_append import store as store
from tests.commands.test_append import stores as stores
from tests.conftest import Run


@pytest.mark.parametrize("store", ["zarr,v3"], indirect=True)
def test_whole_chunks_are_copied_without_decoding(tmp_path, store, run: Run):
    first = made(tmp_path / "a.zarr", cdl(range(12)), "zarr,v3")
    new = made(tmp_path / "b.zarr", cdl(range(12, 24)), "zarr,v3")
    ran = run("copy", "--append", "time", "--dry-run", new, first)
    assert "/t  raw  12 to 24  6 chunks" in ran.text.splitlines()
    before = contents(first)
    ran = run("copy", "--append", "time", "--json", "--verify", new, first)
    assert (ran.code, '"raw": 5' in ran.text, '"recode": 1' in ran.text) == (0, True, True)
    after = contents(first)
    assert {key for key in before if before[key] != after[key]} == {
        *(f"{name}/zarr.json" for name in ("time", "t", "gap", "words", "count")),
        "g/u/zarr.json",
        "zarr.json",
        "time/c/0",
    }
    assert ncz.open(first)["t"][1].tolist() == [1000 * t + 1 for t in range(24)]


@pytest.mark.parametrize("mode", ["v3", "zarr,v3"])
def test_shards(tmp_path, mode):
    paths = [tmp_path / f"{name}.zarr" for name in ("a", "b", "all")]
    for path, times in zip(paths, (range(5), range(5, 9), range(9)), strict=True):
        made(path, cdl(times))
        target = f"{path}.sharded#mode={mode}"
        ncz.copy(path, target, chunks=["t:1,2"], shards=["t:2,4"], allow_loss=True, notify=quiet)
    first, new, whole = (f"{path}.sharded" for path in paths)
    ncz.copy(new, first, append="time", verify=True, notify=quiet)
    assert contents(Path(first)) == contents(Path(whole))


@pytest.mark.parametrize("mode", ["nczarr,v2", "zarr,v2", "nczarr,v3", "zarr,v3"])
def test_missing_chunks_have_the_value_that_readers_assume(tmp_path, mode):
    netcdf4, xarray = pytest.importorskip("netCDF4"), pytest.importorskip("xarray")
    for name, chunks, start in (("a", (0, 1), 0), ("b", (1,), 2)):
        with netcdf4.Dataset(tmp_path / f"{name}.nc", "w") as file:
            file.createDimension("t", None)
            file.createVariable("t", "f8", ("t",))[:] = [start, start + 1]
            for kind, fill in (("v", None), ("w", 7)):
                variable = file.createVariable(kind, "i4", ("t",), chunksizes=(1,), fill_value=fill)
                for chunk in chunks:
                    variable[chunk] = 5
            variable = file.createVariable("u", "i4", ("t",), chunksizes=(1 + start // 2,))
            if name == "a":
                variable[:] = 5
    store = tmp_path / "a.zarr"
    ncz.copy(tmp_path / "a.nc", f"{store}#mode={mode}", notify=quiet)
    ncz.copy(tmp_path / "b.nc", store, append="t", notify=quiet)
    default = netcdf4.default_fillvals["i4"]
    options = {"mask_and_scale": False, "consolidated": False}
    with xarray.open_dataset(store, engine="zarr", **options) as dataset:
        assert dataset["v"].values.tolist() == [5, 5, default, 5]
        assert dataset["w"].values.tolist() == [5, 5, 7, 5]
        assert dataset["u"].values.tolist() == [5, 5, default, default]
    ncz.copy(store, tmp_path / "back.nc", notify=quiet)
    with netcdf4.Dataset(tmp_path / "back.nc") as file:
        assert file["v"][:].mask.tolist() == [False, False, True, False]
        assert file["w"][:].mask.tolist() == [False, False, True, False]
    assert "_NoFill" not in ncz.dump(tmp_path / "back.nc", special=True, notify=quiet)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.filterwarnings("ignore:Consolidated metadata", "ignore:The data type")
def test_texts_in_utf_32_may_have_any_characters(tmp_path, zarr_format):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("zarr")
    given = xarray.Dataset({"s": ("t", ["a", "b", "\u00e9", "\u65e5"])}, {"t": [0, 1, 2, 3]})
    first, new = tmp_path / "a.zarr", tmp_path / "b.zarr"
    given.isel(t=slice(0, 1)).to_zarr(first, zarr_format=zarr_format)
    given.isel(t=slice(1, 4)).to_zarr(new, zarr_format=zarr_format)
    ncz.copy(new, first, append="t", verify=True, notify=quiet)
    with xarray.open_zarr(first) as found:
        assert found["s"].values.tolist() == given["s"].values.tolist()
    xarray.Dataset({"s": ("t", ["long"])}, {"t": [4]}).to_zarr(
        new, mode="w", zarr_format=zarr_format
    )
    with pytest.raises(LossError, match="/s has a string of 4 characters, but elements of 1"):
        ncz.copy(new, first, append="t", notify=quiet)
