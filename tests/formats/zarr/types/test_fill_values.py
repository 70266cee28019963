"""Fill values and masks in copies, as docs/reference/fill-values.md says."""

from __future__ import annotations

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import LossError, ignore_notice
from ncz.formats.zarr.types.fill_values_v3 import fill_to_v3
from ncz.model.data import read_all

CDL = "netcdf m { dimensions: x = 4 ; variables: int v(x) ; %s data: v = 1, 2, 3, 4 ; }"


def fill_with_zero(store: Path) -> None:
    """Make 0 the fill value of v in a V3 store."""
    path = store / "v" / "zarr.json"
    document = json.loads(path.read_text())
    document["fill_value"] = 0
    path.write_text(json.dumps(document))


def sparse(folder: Path) -> Path:
    """A V3 store of v(x): two chunks of two, the second one missing; 0 fills, -1 masks."""
    store = folder / "sparse.zarr"
    text = CDL % "v:_FillValue = -1 ; v:_ChunkSizes = 2 ;"
    ncz.gen(BytesIO(text.encode()), f"{store}#mode=zarr,v3", notify=ignore_notice)
    fill_with_zero(store)
    (store / "v" / "c" / "1").unlink()
    return store


@pytest.mark.parametrize("mode", ["nczarr", "zarr"])
@pytest.mark.parametrize("options", [{}, {"chunks": ["x/4"]}, {"chunks": ["x/1"]}])
def test_missing_chunks_are_written_where_fill_value_is_the_mask(mode, options, tmp_path):
    target = tmp_path / "target.zarr"
    location = f"{target}#mode={mode},v2"
    ncz.copy(sparse(tmp_path), location, verify=True, notify=ignore_notice, **options)
    array = json.loads((target / "v" / ".zarray").read_text())
    assert array["fill_value"] == -1
    assert len(list((target / "v").glob("[0-9]*"))) == 4 // array["chunks"][0]
    with ncz.open(target) as dataset:
        (variable,) = dataset.root.variables
        assert variable.data is not None
        assert read_all(variable.data).tolist() == [1, 2, 0, 0]
        assert variable.mask == -1


def test_too_many_missing_chunks_are_refused(tmp_path):
    store = tmp_path / "empty.zarr"
    text = (CDL % "v:_FillValue = -1 ; v:_ChunkSizes = 1 ;").replace("x = 4", "x = 10001")
    text = text.partition("data:")[0] + "}"
    ncz.gen(BytesIO(text.encode()), f"{store}#mode=zarr,v3", notify=ignore_notice)
    fill_with_zero(store)
    with pytest.raises(LossError, match="10001 chunks would have to be written"):
        ncz.copy(store, f"{tmp_path}/target.zarr#mode=zarr,v2", notify=ignore_notice)
    assert not (tmp_path / "target.zarr").exists()


@pytest.mark.parametrize("mask", ["", "v:_FillValue = 2 ;"])
def test_netcdf_c_reads_the_same_values(mask, tmp_path):
    netcdf = pytest.importorskip("netCDF4")
    ncz.gen(BytesIO((CDL % mask).encode()), f"{tmp_path}/v.zarr#mode=nczarr", notify=ignore_notice)
    with netcdf.Dataset(f"file://{tmp_path}/v.zarr#mode=nczarr,file") as dataset:
        variable = dataset["v"]
        values = variable[:]
        assert np.ma.getdata(values).tolist() == [1, 2, 3, 4]
        assert np.ma.getmaskarray(values).tolist() == [False, bool(mask), False, False]
        assert set(variable.ncattrs()) == ({"_FillValue"} if mask else set())


@pytest.mark.filterwarnings("ignore:The data type")  # which the V3 specification does not have
@pytest.mark.parametrize("shards", [None, (4,)])
def test_missing_chunks_of_bytes_are_written_as_bytes(shards, tmp_path):
    zarr = pytest.importorskip("zarr")
    source = zarr.create_array(
        tmp_path / "source.zarr", name="v", shape=(6,), chunks=(2,), shards=shards,
        dtype="variable_length_bytes", fill_value=b"\xff\x00fill",
    )  # fmt: skip
    source[:2] = np.array([b"ab", b"\xfe"], object)
    assert source[:].tolist() == [b"ab", b"\xfe", *4 * [b"\xff\x00fill"]]
    target = tmp_path / "target.zarr"
    ncz.copy(tmp_path / "source.zarr", f"{target}#mode=zarr,v2", notify=ignore_notice)
    array = zarr.open_array(target, path="v")
    assert array.metadata.zarr_format == 2
    assert array[:].tolist() == source[:].tolist()


@pytest.mark.filterwarnings("ignore:The data type")  # which the V3 specification does not have
def test_bytes_are_written_from_json(tmp_path):
    zarr = pytest.importorskip("zarr")
    source = zarr.create_array(
        tmp_path / "source.zarr", name="v", shape=(4,), chunks=(2,),
        dtype="variable_length_bytes", fill_value=b"fill",
    )  # fmt: skip
    source[:2] = np.array([b"ab", b"\xfe"], object)
    text = ncz.dump(tmp_path / "source.zarr", view="json", notify=ignore_notice)
    target = f"{tmp_path}/target.zarr#mode=zarr,v3"
    ncz.gen(BytesIO(text.encode()), target, notify=ignore_notice)
    array = zarr.open_array(tmp_path / "target.zarr", path="v")
    assert array[:].tolist() == [b"ab", b"\xfe", b"fill", b"fill"]


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize(
    ("dtype", "fill", "mask"),
    [("|S4", b"ab", "ab"), ("|S4", b"", ""), ("<M8[s]", np.datetime64("NaT", "s"), -(2**63))],
)
def test_a_mask_of_pure_v2_is_the_same_in_nczarr(dtype, fill, mask, version, tmp_path):
    zarr = pytest.importorskip("zarr")
    source = zarr.create_array(
        tmp_path / "source.zarr", name="v", shape=(2,), dtype=dtype, fill_value=fill, zarr_format=2
    )
    source.attrs["_ARRAY_DIMENSIONS"] = ["x"]
    target = f"{tmp_path / 'target.zarr'}#mode=nczarr,v{version}"
    is_left_out = version == 3 and dtype == "|S4"  # xarray opens no such array
    ncz.copy(tmp_path / "source.zarr", target, verify=True, notify=ignore_notice)
    with ncz.open(target) as dataset:
        assert dataset["v"].attrs.get("_FillValue") == (None if is_left_out else mask)


@pytest.mark.parametrize(
    ("dtype", "size", "zero"),
    [
        ("|b1", 1, False), ("|i1", 1, 0), ("<i4", 4, 0), (">u8", 8, 0), ("<f2", 2, 0.0),
        ("<f4", 4, 0.0), (">f8", 8, 0.0), ("<c8", 8, [0.0, 0.0]), ("<c16", 16, [0.0, 0.0]),
        ("|S2", 2, ""), ("<U2", 8, ""), ("|O", 0, ""), ("|V2", 2, "AAA="), ("<M8[s]", 8, 0),
        ("<m8[ns]", 8, 0), ([["a", "|i1"], ["b", "<i2"]], 3, "AAAA"),
    ],
)  # fmt: skip
def test_null_of_v2_is_zero_of_every_dtype_in_v3(dtype, size, zero):
    found = fill_to_v3(None, dtype, size)
    assert found == zero
    assert type(found) is type(zero)


VLEN_BASES = [
    "byte",
    "ubyte",
    "short",
    "ushort",
    "int",
    "uint",
    "int64",
    "uint64",
    "float",
    "double",
]


@pytest.mark.parametrize("mode", ["nczarr,v2", "nczarr,v3", "zarr,v2"])
def test_masks_of_variable_length_types_are_read_back(mode, tmp_path):
    """Of each base, with several items; y has no chunk."""
    types = " ".join(f"{base}(*) t_{base} ;" for base in VLEN_BASES)
    declared = " ".join(
        f"t_{base} {name}_{base}(n) ; t_{base} {name}_{base}:_FillValue = {{1, 5}} ;"
        for base in VLEN_BASES
        for name in "xy"
    )
    data = " ".join(f"x_{base} = {{2}}, _, {{3, 4, 5}} ;" for base in VLEN_BASES)
    text = f"netcdf m {{ types: {types} dimensions: n = 3 ; variables: {declared} data: {data} }}"
    store = tmp_path / "m.zarr"
    ncz.gen(BytesIO(text.encode()), f"{store}#mode={mode}", notify=ignore_notice)
    lost = []
    with ncz.open(store, notify=lambda notice: lost.append(notice.lost)) as dataset:
        for base in VLEN_BASES:
            variables = {v.name: v for v in dataset.root.variables}
            x, y = variables[f"x_{base}"], variables[f"y_{base}"]
            assert x.data is not None
            assert y.data is not None
            assert read_all(x.data).tolist() == [(2,), (1, 5), (3, 4, 5)]
            assert read_all(y.data).tolist() == 3 * [(1, 5)]
            if mode.startswith("nczarr"):
                assert x.mask == y.mask == (1, 5)
    assert True not in lost


@pytest.mark.filterwarnings("ignore:The data type")  # which the V3 specification does not have
@pytest.mark.parametrize(("version", "shards"), [(2, None), (3, None), (3, (4,))])
@pytest.mark.parametrize("fill", [b"\xe9\xff", b"\xe9", b"a\xff"])
def test_fills_of_fixed_length_bytes_need_not_be_utf8(version, shards, fill, tmp_path):
    zarr = pytest.importorskip("zarr")
    dtype = "S2" if version == 2 else zarr.dtype.NullTerminatedBytes(length=2)
    source = zarr.create_array(
        tmp_path / "source.zarr", name="v", shape=(6,), chunks=(2,), shards=shards,
        dtype=dtype, fill_value=fill, zarr_format=version,
    )  # fmt: skip
    source[:2] = np.array([b"ab", b"\xe9"])
    texts = [value.decode("utf-8", "surrogateescape") for value in source[:].tolist()]
    with ncz.open(tmp_path / "source.zarr") as dataset:
        assert dataset["v"][...].tolist() == texts
    for target in ("v2", "v3"):
        store = tmp_path / f"{target}.zarr"
        ncz.copy(tmp_path / "source.zarr", f"{store}#mode=zarr,{target}", notify=ignore_notice)
        assert zarr.open_array(store, path="v")[:].tolist() == source[:].tolist()


@pytest.mark.parametrize(
    "options",
    [{"modes": ["zarr"]}, {"modes": ["zarr"], "chunks": ["x/2"]}, {"audience": ["xarray"]}],
)
def test_a_copy_of_a_text_writes_variables_without_data(options: dict[str, Any], tmp_path):
    """As from a file: with the default fill as `fill_value`, xarray would show NaN."""
    source = tmp_path / "n.cdl"
    source.write_text(
        "netcdf n { dimensions: x = 4 ; variables: int never(x) ; int v(x) ; string s(x) ;"
        " data: v = 1, 2, 3, 4 ; }"
    )
    store = tmp_path / "n.zarr"
    ncz.copy(source, store, **options, notify=ignore_notice)
    assert json.loads((store / "never/.zarray").read_text())["fill_value"] is None
    assert list((store / "never").glob("[0-9]*"))
    with ncz.open(store) as dataset:
        assert dataset.variables["never"][...].tolist() == [-2147483647] * 4
    xarray = pytest.importorskip("xarray", reason="the peer xarray is not installed")
    pytest.importorskip("zarr", reason="the peer zarr is not installed")
    with xarray.open_zarr(store) as shown:
        assert shown["never"].dtype == "int32"
        assert shown["never"].values.tolist() == [-2147483647] * 4
    assert not ncz.diff(source, store)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(
    ("dtype", "fill"),
    [
        ("f2", 0.1),
        ("f2", 65520),
        ("f2", -1e300),
        ("f4", -1.7976931348623157e308),
        ("c8", [1, 1e39]),
    ],
)
def test_a_fill_value_is_the_float_that_elements_can_be(zarr_format, dtype, fill, tmp_path):
    """GDAL and others write a double for elements of fewer bytes."""
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(tmp_path / "x.zarr", mode="w", zarr_format=zarr_format)
    group.create_array("v", shape=1, chunks=1, dtype=dtype)
    path = tmp_path / "x.zarr" / "v" / (".zarray" if zarr_format == 2 else "zarr.json")
    path.write_text(json.dumps(json.loads(path.read_text()) | {"fill_value": fill}))
    with np.errstate(over="ignore"):
        wanted = zarr.open_array(tmp_path / "x.zarr" / "v", mode="r")[:].astype(dtype)
    ncz.copy(tmp_path / "x.zarr", tmp_path / "y.zarr", notify=ignore_notice)
    assert zarr.open_array(tmp_path / "y.zarr" / "v", mode="r")[:].tobytes() == wanted.tobytes()
    with ncz.open_dataset(tmp_path / "x.zarr", mask_and_scale=False) as dataset:
        values = dataset["v"].values.astype("c8" if dtype == "c8" else "f4")
    np.testing.assert_array_equal(values, wanted.astype(values.dtype))
