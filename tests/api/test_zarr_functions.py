"""Arrays and groups created with the names of zarr-python, compared with zarr-python."""

from __future__ import annotations

import gc
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz

zarr = pytest.importorskip("zarr", minversion="3")


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def call(function: str, /, *given: Any, **options: Any) -> Any:
    return getattr(ncz, function)(*given, **options)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(
    ("name", "given", "value"),
    [("zeros", (), 0), ("ones", (), 1), ("full", (7,), 7), ("empty", (), 0)],
)
def test_arrays_of_one_value(name, given, value, zarr_format):
    options = {"chunks": (2, 3), "dtype": "i2", "zarr_format": zarr_format}
    ours = call(name, (4, 6), *given, store="a.zarr", **options)
    theirs = zarr.open("a.zarr")
    assert isinstance(theirs, zarr.Array)
    assert (theirs.shape, theirs.chunks, theirs.dtype) == ((4, 6), (2, 3), np.dtype("i2"))
    assert theirs.metadata.zarr_format == zarr_format
    assert (theirs[:] == value).all()
    ours[1:3] = 42
    assert theirs[:, 0].tolist() == [value, 42, 42, value]
    ours.attrs["units"] = "K"
    assert zarr.open("a.zarr").attrs["units"] == "K"
    assert ours.append([[5] * 6]) == (5, 6)
    assert zarr.open("a.zarr").shape == (5, 6)
    with pytest.raises(ncz.NczError, match="already exists"):
        call(name, (4, 6), *given, store="a.zarr", **options)
    call(name, (2,), *given, store="a.zarr", overwrite=True)
    assert zarr.open("a.zarr").shape == (2,)


def test_arrays_like_others():
    other = zarr.create_array("o.zarr", shape=(4, 6), chunks=(2, 3), dtype="i2")
    for name, value in (("zeros_like", 0), ("ones_like", 1), ("empty_like", 0)):
        ours = call(name, other)
        assert (ours.shape, ours.chunks, ours.dtype) == ((4, 6), (2, 3), np.dtype("i2"))
        assert (ours[:] == value).all()
    assert call("full_like", np.zeros((2, 2)), fill_value=3)[:].tolist() == [[3, 3], [3, 3]]


def test_arrays_of_values():
    data = np.arange(6).reshape(2, 3)
    assert call("array", data)[:].tolist() == data.tolist()
    call("array", data, store="a.zarr", chunks=(1, 3))
    call("save_array", "b.zarr", data)
    call("from_array", "c.zarr", data=data)
    for name in "abc":
        assert zarr.open_array(f"{name}.zarr")[:].tolist() == data.tolist()
    call("save", "e.zarr", data)
    assert zarr.open_array("e.zarr")[:].tolist() == data.tolist()
    call("save", "f.zarr", a=data, b=np.ones(2))
    assert {*zarr.open_group("f.zarr")} == {"a", "b"}
    call("save", "f.zarr", "g.nc")
    assert ncz.diff("f.zarr", "g.nc") == []
    call("save_group", "d.zarr", data, data + 1, third=data + 2)
    theirs = zarr.open_group("d.zarr")
    assert [int(theirs[name][0, 0]) for name in ("arr_0", "arr_1", "third")] == [0, 1, 2]


def test_arrays_in_memory_are_forgotten():
    from ncz.zmap.memory import STORES

    before = {*STORES}
    array = call("zeros", (2, 2))
    root = call("group")
    root.create_array("x", data=[1, 2])
    assert (array[:].sum(), root["x"][:].tolist()) == (0, [1, 2])
    assert len({*STORES} - before) == 2
    del array, root
    gc.collect()
    assert {*STORES} == before


def test_groups_and_their_arrays():
    root = call("create_group", "fresh.zarr", attributes={"title": "test"})
    array = root.create_group("obs").create_array(
        "x", shape=(100, 10), chunks=(10, 10), dtype="f4", fill_value=-1
    )
    array[:10] = 5
    theirs = zarr.open_group("fresh.zarr", mode="r")
    assert theirs.metadata.zarr_format == 3
    assert theirs.attrs.asdict() == {"title": "test"}
    assert theirs["obs/x"][9:11, 0].tolist() == [5, -1]
    assert theirs["obs/x"].nchunks_initialized == 1
    with pytest.raises(ncz.NczError, match="already exists"):
        call("create_group", "fresh.zarr")
    assert [*call("create_group", "fresh.zarr", overwrite=True)] == []


def test_modes_of_groups():
    root = call("open_group", "grid.zarr", mode="w", zarr_format=2)
    root.attrs["title"] = "test"
    root.create_array("v", shape=(3,), dtype="f8")[:] = 42
    assert root.require_array("v", shape=(3,))[:].tolist() == [42] * 3
    root.require_group("g/h").create_dataset("d", data=np.arange(3))
    theirs = zarr.open_group("grid.zarr", mode="r")
    assert theirs.metadata.zarr_format == 2
    assert (theirs["v"][:].tolist(), theirs["g/h/d"][:].tolist()) == ([42] * 3, [0, 1, 2])
    for mode in ("w-", "x"):
        with pytest.raises(ncz.NczError, match="already exists"):
            call("open_group", "grid.zarr", mode=mode)
    assert [*call("open_group", "grid.zarr", mode="a", path="g/h")] == ["d"]
    assert [*call("open_group", "grid.zarr", path="g/h")] == ["d"]
    assert [*call("group", "grid.zarr")] == ["v", "g"]
    assert [*call("group", "grid.zarr", overwrite=True)] == []


def test_arrays_of_a_store_by_name():
    made = call("create_array", store="n.zarr", name="g/v", shape=(4,), chunks=(2,), dtype="i4")
    made[:] = 5
    call("create_array", store="n.zarr", name="w", data=np.arange(3))
    assert zarr.open_group("n.zarr")["g/v"][:].tolist() == [5] * 4
    assert call("open_array", "n.zarr", path="g/v").shape == (4,)
    with pytest.raises(ncz.NczError, match="'v' already exists"):
        call("create_array", store="n.zarr", name="g/v", shape=(4,))
    call("create_array", store="n.zarr", name="g/v", shape=(6,), overwrite=True)
    assert zarr.open_group("n.zarr")["g/v"].shape == (6,)


def test_modes_of_arrays():
    call("open_array", "o.zarr", mode="w", shape=(4,), chunks=(2,), dtype="i4")[:] = 1
    call("open_array", "o.zarr", mode="r+")[0] = 2
    call("open_array", "o.zarr", mode="a", shape=(4,), dtype="i4")[1] = 3
    assert zarr.open_array("o.zarr")[:].tolist() == [2, 3, 1, 1]
    with pytest.raises(ncz.NczError, match="already exists"):
        call("open_array", "o.zarr", mode="w-", shape=(4,))


def test_shards_and_codecs():
    call(
        "create_array", "s.zarr", shape=(8, 8), shards=(8, 8), chunks=(2, 2), dtype="i4",
        compressors=zarr.codecs.BloscCodec(),
    )[:] = 3  # fmt: skip
    theirs = zarr.open_array("s.zarr")
    assert (theirs.shards, theirs.chunks) == ((8, 8), (2, 2))
    assert (theirs[:] == 3).all()


def test_an_array_has_no_members():
    call("zeros", (2,), store="a.zarr")
    with pytest.raises(ncz.NczError, match="the store is an array, which cannot have groups"):
        ncz.open("a.zarr", "r+").create_array("x", data=[1])
    assert not [each for each in ncz.check("a.zarr") if each.severity == "error"]


def test_dimensions_without_names():
    """xarray, zarr-python and netCDF-C see arrays that were created without dimension names."""
    xarray = pytest.importorskip("xarray")
    netcdf4 = pytest.importorskip("netCDF4")
    root = call("open_group", "d.zarr", mode="w", zarr_format=2)
    root.create_array("a", data=np.ones((4, 6)))
    root.create_array("b", data=np.ones((4, 6)), dimension_names=("y", "x"))
    names = ("phony_dim_0", "phony_dim_1")
    with xarray.open_dataset("d.zarr", engine="zarr", consolidated=False) as theirs:
        assert (theirs["a"].dims, theirs["b"].dims) == (names, ("y", "x"))
    with netcdf4.Dataset(f"file://{Path.cwd()}/d.zarr#mode=zarr,file") as theirs:
        assert (theirs["a"].dimensions, theirs["b"].dimensions) == (names, ("y", "x"))
    del root["a"]
    root.create_array("c", data=np.ones(3))
    assert ncz.open("d.zarr")["c"].shape == (3,)


def test_other_forms():
    call("create_group", "n.nc").create_array("v", data=np.arange(3))
    assert ncz.open("n.nc")["v"][:].tolist() == [0, 1, 2]
    call("create_array", "z.zip", name="v", data=np.arange(3))
    with zarr.storage.ZipStore("z.zip") as store:
        assert zarr.open_group(store, mode="r")["v"][:].tolist() == [0, 1, 2]
