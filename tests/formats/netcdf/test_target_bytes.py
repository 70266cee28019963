"""Texts of one byte of pure Zarr are char in a netCDF file: xarray joins both in the same way."""

from __future__ import annotations

import h5py
import pytest

xarray = pytest.importorskip("xarray")
zarr = pytest.importorskip("zarr", minversion="3")

NAMES = ["ab", "größe", ""]
CDL = """netcdf s {
dimensions: x = 3 ; n = 8 ;
variables:
  char e(x, n) ; e:_Encoding = "utf-8" ; e:_ChunkSizes = 2, 8 ; e:_DeflateLevel = 1 ;
  char one ;
data: e = "ab", "größe", "" ; one = "q" ;
}
"""


@pytest.fixture(params=[(), ("--zarr-format", "3"), ("--zarr-format", "3", "--shards", "x/2,n/8")])
def store(run, tmp_path, request):
    """Pure Zarr of char, as xarray writes it."""
    assert run("gen", "-q", "-", "-o", str(tmp_path / "s.nc"), stdin=CDL.encode()).code == 0
    pure = str(tmp_path / "s.zarr")
    form = ("--mode", "zarr", "--allow-loss", *request.param)
    assert run("copy", "-q", *form, str(tmp_path / "s.nc"), pure).code == 0
    return pure


def test_xarray_reads_the_same_texts(run, store, tmp_path):
    target = str(tmp_path / "t.nc")
    ran = run("copy", "--verify", store, target)
    assert ran.code == 0, ran.stderr
    with (
        xarray.open_zarr(store, consolidated=False) as ours,
        xarray.open_dataset(target) as theirs,
    ):
        assert ours.e.values.tolist() == theirs.e.values.tolist() == NAMES
        assert ours.one.values == theirs.one.values == b"q"


def test_the_file_does_not_change(run, store, tmp_path):
    assert run("copy", "-q", store, str(tmp_path / "t.nc")).code == 0
    source, target = (run("dump", "-n", "t", str(tmp_path / f"{n}.nc")).text for n in "st")
    assert source == target
    assert "char e(x, n)" in target


@pytest.mark.parametrize("kind", ["classic", "netCDF-4 classic model"])
def test_kinds_without_strings_get_no_dimension(run, store, tmp_path, kind):
    target = str(tmp_path / "t.nc")
    ran = run("copy", "--kind", kind, store, target)
    assert ran.code == 0, ran.stderr
    assert "char" not in ran.stderr
    with xarray.open_dataset(target) as theirs:
        assert theirs.e.values.tolist() == NAMES


def test_missing_chunks_have_the_fill_value(run, tmp_path):
    group = zarr.open_group(str(tmp_path / "m.zarr"), mode="w", zarr_format=2)
    array = group.create_array("e", shape=(4, 2), chunks=(2, 2), dtype="S1", fill_value=b"-")
    array[:2] = [[b"a", b"b"], [b"", b"c"]]
    array.attrs.update({"_ARRAY_DIMENSIONS": ["x", "n"], "_FillValue": "-"})
    ran = run("copy", "--verify", str(tmp_path / "m.zarr"), str(tmp_path / "m.nc"))
    assert ran.code == 0, ran.stderr
    with h5py.File(tmp_path / "m.nc") as file:
        assert file["e"][:].tolist() == [[b"a", b"b"], [b"", b"c"], *[[b"-", b"-"]] * 2]
        assert file["e"].attrs["_FillValue"] == b"-"


def test_groups_have_no_times(run, tmp_path):
    """The same dataset with groups gives the same bytes at another time."""
    text = b"netcdf t { group: g { variables: int v ; data: v = 1 ; group: h { } } }"
    assert run("gen", "-", "-o", str(tmp_path / "t.nc"), stdin=text).code == 0
    with h5py.File(tmp_path / "t.nc") as file:
        for name in ("g", "g/h"):
            assert not file[name].id.get_create_plist().get_obj_track_times()


def test_user_defined_types_have_no_times(run, tmp_path):
    """The same dataset with types gives the same bytes at another time."""
    text = b"""netcdf t { types: byte enum e { a = 0, b = 1 } ; compound c { e k ; string s ; } ;
    group: g { types: int(*) w ; opaque(3) o ; c(*) d ; variables: w v ; d u ;
    data: v = {1, 2} ; u = {{b, "x"}} ; } }"""
    assert run("gen", "-", "-o", str(tmp_path / "t.nc"), stdin=text).code == 0
    stored = (tmp_path / "t.nc").read_bytes()
    with h5py.File(tmp_path / "t.nc") as file:
        for name in ("e", "c", "g/w", "g/o", "g/d"):
            at = h5py.h5o.get_info(file[name].id).addr
            has_times = stored[at : at + 5] == b"OHDR\x02" and stored[at + 5] & 0x20
            assert stored[at] == 1 or not has_times  # the first version of headers lacks it
    assert run("dump", str(tmp_path / "t.nc")).text.count("e k ;") == 1
