"""Values that are assigned to variables of netCDF files."""

from __future__ import annotations

import io
import os

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from tests.sampled import share_of

CDL = b"""netcdf a { dimensions: t = UNLIMITED ; y = 3 ; x = 4 ; n = 2 ;
 variables: short s(t, y, x) ; s:scale_factor = 0.5 ; double d(t) ; byte b(t, n) ; float f(y, x) ;
  char c(y, n) ; int scalar ; int y(y) ;
 :title = "kept" ;
 data: s = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23 ;
  d = 1, 2 ; b = 1, 2, 3, 4 ; f = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11 ; c = "ab", "cd", "ef" ;
  scalar = 7 ; y = 1, 2, 3 ; }"""
KINDS = ["classic", "64-bit offset", "cdf5", "netCDF-4", "netCDF-4 classic model"]


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("files")
    for kind in KINDS:
        ncz.gen(io.BytesIO(CDL), folder / f"{kind}.nc", kind=kind, notify=ignore_notice)  # type: ignore[arg-type]
    return folder


def opened(path, mode="r"):
    return ncz.open(path, mode, unpack=False)


axis = st.one_of(
    st.integers(-2, 1),
    st.builds(slice, st.integers(-3, 3), st.integers(-3, 4), st.sampled_from([1, 2, -1, None])),
    st.lists(st.integers(0, 1), min_size=1, max_size=2, unique=True),
)


@settings(max_examples=share_of(60))
@given(st.sampled_from(KINDS), st.tuples(axis, axis, axis), st.integers(-99, 99))
def test_it_has_the_meaning_of_numpy(files, kind, index, first):
    path = files / "changed.nc"
    path.write_bytes((files / f"{kind}.nc").read_bytes())
    expected = opened(path)["s"][:]
    sides = [np.atleast_1d(np.arange(n)[i]) for n, i in zip(expected.shape, index, strict=True)]
    with opened(path, "r+") as ds:
        shape = ds["s"][index].shape
        values = np.arange(first, first + int(np.prod(shape, dtype=int))).reshape(shape)
        ds["s"][index] = values
        expected[np.ix_(*sides)] = values.reshape([len(side) for side in sides])
        assert ds["s"][:].tolist() == expected.tolist()
    assert opened(path)["s"][:].tolist() == expected.tolist()
    assert ncz.diff(files / f"{kind}.nc", path, exclude=["s"]) == []


@pytest.mark.parametrize("kind", KINDS)
def test_others_see_them_and_all_else_stays(files, tmp_path, kind):
    netcdf4 = pytest.importorskip("netCDF4")
    path = tmp_path / "c.nc"
    path.write_bytes((files / f"{kind}.nc").read_bytes())
    os.chmod(path, 0o640)
    with opened(path, "a") as ds:
        ds["d"][1] = 2.5
        ds["b"][:, 0] = -5
        ds["f"][::2, [3, 0]] = [[1, 2], [3, 4]]
        ds["c"][1, :] = [b"x", b"y"]
        ds["scalar"][...] = 8
        ds["y"][:] = ds["y"][:] * 2
        ds["s"][ds["s"][:] > 20] = 20
    with netcdf4.Dataset(path) as theirs:
        theirs.set_auto_maskandscale(False)
        assert theirs.title == "kept"
        assert theirs["d"][:].tolist() == [1, 2.5]
        assert theirs["b"][:].tolist() == [[-5, 2], [-5, 4]]
        assert theirs["f"][:].tolist() == [[2, 1, 2, 1], [4, 5, 6, 7], [4, 9, 10, 3]]
        assert theirs["c"][:].tolist() == [[b"a", b"b"], [b"x", b"y"], [b"e", b"f"]]
        assert theirs["scalar"][...] == 8
        assert theirs["y"][:].tolist() == [2, 4, 6]
        assert theirs["s"][:].max() == 20
        assert theirs.data_model == netcdf4.Dataset(files / f"{kind}.nc").data_model
    assert path.stat().st_mode & 0o777 == 0o640
    assert [each.name for each in tmp_path.iterdir()] == ["c.nc"]


CODECS = ["none", "shuffle+zlib:4", "zlib:9", "zstd:3", "blosc:zstd:5"]


@pytest.mark.parametrize("codec", CODECS)
def test_compressed_chunks(files, tmp_path, codec):
    path = tmp_path / "c.nc"
    ncz.copy(
        files / "netCDF-4.nc", path, codecs=[codec], chunks="t/1,y/2,x/3", notify=ignore_notice
    )
    before = opened(path)["s"].codecs
    with opened(path, "r+") as ds:
        ds["s"][1, 1:, :2] = 77
        expected = ds["s"][:]
    assert opened(path)["s"].codecs == before
    assert expected[1, 1:, :2].tolist() == [[77, 77], [77, 77]]
    assert (expected == 77).sum() == 4


TYPES = b"""netcdf u { types: byte enum e { low = 0, high = 1 } ; compound p { int i ; } ;
 dimensions: x = 2 ; t = UNLIMITED ; variables: string s(x) ; e m(x) ; p q(x) ; uint64 u(x) ;
 int long(t) ; int short(t) ;
 data: s = "a", "b" ; m = low, low ; q = {1}, {2} ; u = 1, 2 ; long = 1, 2, 3 ;
 group: g { variables: int v(x) ; data: v = 1, 2 ; } }"""


def test_types_of_netcdf_4(tmp_path):
    netcdf4 = pytest.importorskip("netCDF4")
    path = tmp_path / "u.nc"
    ncz.gen(io.BytesIO(TYPES), path, notify=ignore_notice)
    with ncz.open(path, "r+") as ds:
        ds["s"][1] = "Tromsø"
        ds["m"][1] = 1
        ds["u"][0] = 2**64 - 1
        ds["short"][1] = 5
        ds["g/v"][:] = 9
        with pytest.raises(ncz.NczError, match="has no member with the value 3"):
            ds["m"][0] = 3
        with pytest.raises(ncz.NczError, match=r"use h5py.File\("):
            ds["q"][0] = (5,)
        assert ds["short"][1] == 5
    with netcdf4.Dataset(path) as theirs:
        assert theirs["s"][:].tolist() == ["a", "Tromsø"]
        assert theirs["m"][:].tolist() == [0, 1]
        assert int(theirs["u"][0]) == 2**64 - 1
        assert theirs["g/v"][:].tolist() == [9, 9]
        assert theirs["long"][:].tolist() == [1, 2, 3]
        assert theirs["short"][1] == 5


def test_refused_edits_change_nothing(files, tmp_path):
    for kind in KINDS:
        path = tmp_path / f"{kind}.nc"
        path.write_bytes((files / f"{kind}.nc").read_bytes())
        before = path.read_bytes()
        with opened(path, "r+") as ds:
            with pytest.raises(TypeError, match="cannot represent 40000"):
                ds["s"][0] = 40000
            with pytest.raises(IndexError):
                ds["s"][9] = 0
        with opened(path) as ds, pytest.raises(TypeError, match="open to read"):
            ds["s"][0] = 1
        assert path.read_bytes() == before


def test_a_variable_of_an_aggregation_is_refused(files, tmp_path):
    ncz.copy(files / "netCDF-4.nc", tmp_path / "a.nca", notify=ignore_notice)
    with opened(tmp_path / "a.nca", "r+") as ds, pytest.raises(ncz.NczError, match="aggregation"):
        ds["s"][0, 0, 0] = 1
