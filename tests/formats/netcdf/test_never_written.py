"""Values that were never written: xarray sees the same in a store as in the netCDF file."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import Phase, given, settings

import ncz
from ncz.errors import LossError, Notice, ignore_notice
from ncz.record import record
from tests.sampled import share_of

netcdf = pytest.importorskip("netCDF4")
xarray = pytest.importorskip("xarray")

TYPES = ["i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f4", "f8"]


@record(kw_only=True)
class Drawn:
    """A variable: its type, its `fill` (None is the default, False none), and its values."""

    dtype: str
    fill: float | bool | None
    written: int
    rank: int
    chunked: bool
    zlib: bool


ALL_AXES = Drawn(dtype="i4", fill=None, written=6, rank=2, chunked=False, zlib=False)


@st.composite
def variables(draw: st.DrawFn) -> Drawn:
    dtype = draw(st.sampled_from(TYPES))
    fills: list[float | bool | None] = [None, None, 0, 7]
    fills += [float("nan"), float("inf")] if dtype[0] == "f" else [False]
    fill = draw(st.sampled_from(fills))
    rank = draw(st.integers(0, 2))
    # The value of missing chunks without a fill value is undefined.
    written = 6 if fill is False else draw(st.sampled_from([0, 3, 6]))
    chunked = rank > 0 and draw(st.booleans())
    return Drawn(
        dtype=dtype, fill=fill, written=written, rank=rank, chunked=chunked,
        zlib=chunked and draw(st.booleans()),
    )  # fmt: skip


def write(path: Path, drawn: list[Drawn], kind: str = "NETCDF4") -> Path:
    with netcdf.Dataset(path, "w", format=kind) as file:
        file.createDimension("x", 6)
        file.createDimension("y", 2)
        for number, one in enumerate(drawn):
            variable = file.createVariable(
                f"v{number}", one.dtype, ("x", "y")[: one.rank], fill_value=one.fill,
                chunksizes=(2, 1)[: one.rank] if one.chunked else None, zlib=one.zlib,
            )  # fmt: skip
            if one.written and not one.rank:
                variable[...] = 1
            elif one.written:
                variable[: one.written] = 1
    return path


def seen(path: str | Path, *, decoded: bool) -> dict[str, tuple[Any, ...]]:
    """Dtype, values and attributes of each variable, as xarray reads them."""
    options: dict[str, Any] = {"engine": "zarr", "consolidated": False}
    if str(path).endswith((".nc", ".nc4")):
        options = {"engine": "netcdf4"}
    with xarray.open_dataset(path, mask_and_scale=decoded, **options) as dataset:
        return {
            str(name): (
                v.dtype.str,
                v.values.ravel().tolist(),
                str({k: str(a) for k, a in v.attrs.items()}),
            )
            for name, v in sorted(dataset.variables.items(), key=repr)
        }


def same(one: Any, other: Any) -> bool:
    return repr(one) == repr(other)  # NaN is not equal to itself


@pytest.mark.filterwarnings("ignore:Numcodecs codecs")
@settings(max_examples=share_of(40), deadline=None, phases=(Phase.generate,))
@given(drawn=st.lists(variables(), min_size=1, max_size=8), data=st.data())
def test_xarray_sees_the_same_in_stores_as_in_the_file(drawn, data):
    form = data.draw(st.sampled_from(["nczarr,v2", "zarr,v2", "zarr,v3", "v2"]))
    audience = ["xarray"] if form == "v2" else []
    with tempfile.TemporaryDirectory() as folder:
        source, store = write(Path(folder) / "a.nc", [ALL_AXES, *drawn]), f"{folder}/a.zarr"
        ncz.copy(
            source, f"{store}#mode={form}", allow_loss=True, audience=audience,
            notify=ignore_notice,
        )  # fmt: skip
        for decoded in (True, False):
            expected = seen(source, decoded=decoded)
            assert same(seen(store, decoded=decoded), expected)
        assert not ncz.diff(source, store, notify=ignore_notice)
        ncz.copy(store, f"{folder}/b.nc", notify=ignore_notice)
        for decoded in (True, False):
            expected = seen(source, decoded=decoded)
            assert same(seen(f"{folder}/b.nc", decoded=decoded), expected)


def test_a_container_that_nobody_wrote_is_no_missing_value(tmp_path):
    container = Drawn(dtype="i4", fill=None, written=0, rank=0, chunked=False, zlib=False)
    source = write(tmp_path / "a.nc", [container])
    for mode in ("nczarr", "zarr"):
        store = tmp_path / f"{mode}.zarr"
        ncz.copy(source, f"{store}#mode={mode},v2", allow_loss=True, notify=ignore_notice)
        assert seen(store, decoded=True)["v0"] == ("<i4", [-2147483647], "{}")


def large(path: Path) -> Path:
    """A file with v(x) of 800 MB, which nobody wrote."""
    with netcdf.Dataset(path, "w") as file:
        file.createDimension("x", 100_000_000)
        file.createVariable("v", "f8", ("x",), chunksizes=(1_000_000,))
    return path


def test_large_variables_that_nobody_wrote_are_a_loss_of_pure_v2(tmp_path):
    source = large(tmp_path / "a.nc")
    with pytest.raises(LossError, match="too many to write: /v"):
        ncz.copy(source, f"{tmp_path}/a.zarr#mode=zarr,v2", notify=ignore_notice)
    ncz.copy(source, f"{tmp_path}/b.zarr#mode=zarr,v3", notify=ignore_notice)
    assert not ncz.diff(source, tmp_path / "b.zarr", notify=ignore_notice)
    notices: list[Notice] = []
    ncz.copy(source, f"{tmp_path}/c.zarr#mode=nczarr,v2", notify=notices.append)
    assert [notice.code for notice in notices] == ["fill-masked"]
    for store in ("b.zarr", "c.zarr"):
        assert sum(p.stat().st_size for p in (tmp_path / store).rglob("*")) < 1 << 20


def test_large_compressed_variables_that_nobody_wrote_are_written(tmp_path):
    source = large(tmp_path / "a.nc")
    ncz.copy(source, f"{tmp_path}/a.zarr#mode=zarr,v2", codecs=["blosc"], notify=ignore_notice)
    assert len(list((tmp_path / "a.zarr/v").glob("[0-9]*"))) == 100


@pytest.mark.parametrize("mode", ["nczarr,v2", "zarr,v2"])
def test_references_contain_fill_values_of_unwritten_chunks(mode, tmp_path):
    drawn = [
        Drawn(dtype="i4", fill=None, written=3, rank=2, chunked=True, zlib=False),
        Drawn(dtype="i4", fill=None, written=0, rank=0, chunked=False, zlib=False),
    ]
    source = write(tmp_path / "a.nc", drawn)
    target = f"{tmp_path}/a.json#mode=reference,{mode}"
    ncz.copy(source, target, allow_loss=True, notify=ignore_notice)
    assert not ncz.diff(source, f"{tmp_path}/a.json", notify=ignore_notice)
    with ncz.open(f"{tmp_path}/a.json") as dataset:
        assert dataset["v0"][...].tolist() == 3 * [[1, 1]] + 3 * [[-2147483647] * 2]
        assert dataset["v0"].attrs == dataset["v1"].attrs == {}
        assert dataset["v1"][...] == -2147483647


def test_gen_names_values_that_xarray_will_mask(tmp_path):
    (tmp_path / "a.cdl").write_text("netcdf a { dimensions: x = 3 ; variables: int v(x) ; }")
    notices: list[Notice] = []
    ncz.gen(tmp_path / "a.cdl", tmp_path / "a.zarr", notify=notices.append)
    assert [notice.code for notice in notices] == ["fill-masked"]
    ncz.gen(tmp_path / "a.cdl", tmp_path / "b.zarr", audience=["xarray"], notify=ignore_notice)
    assert seen(tmp_path / "a.zarr", decoded=True)["v"][0] == "<f8"
    assert seen(tmp_path / "b.zarr", decoded=True)["v"][:2] == ("<i4", [-2147483647] * 3)


@pytest.mark.parametrize("mode", ["nczarr,v2", "zarr,v2", "zarr,v3"])
@pytest.mark.filterwarnings("ignore:variable 'integers' has non-conforming")
def test_fills_that_are_no_number_of_the_type(mode, tmp_path):
    """NaN of integers masks nothing; NaN of another floating type is a mask."""
    import h5py

    source = tmp_path / "a.nc"
    with netcdf.Dataset(source, "w") as file:
        file.createDimension("x", 3)
        file.createVariable("integers", "i2", ("x",))[:] = [1, 2, 3]
        file.createVariable("numbers", "f4", ("x",))[:] = [1, float("nan"), 3]
    with h5py.File(source, "a") as file:
        for name in ("integers", "numbers"):
            file[name].attrs["_FillValue"] = [float("nan")]
    store = tmp_path / "a.zarr"
    ncz.copy(source, f"{store}#mode={mode}", allow_loss=True, notify=ignore_notice)
    for decoded in (True, False):
        found, expected = seen(store, decoded=decoded), seen(source, decoded=decoded)
        if mode == "zarr,v3":  # the mask is left out
            expected["integers"] = (*expected["integers"][:2], "{}")
        assert same(found, expected)
    with xarray.open_dataset(store, engine="zarr", consolidated=False) as dataset:
        dataset[["integers", "numbers"]].to_netcdf(tmp_path / "b.nc")
