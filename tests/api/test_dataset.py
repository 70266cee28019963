"""Datasets, groups and variables as a Python program sees them."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import ROOT


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    target = tmp_path_factory.mktemp("api") / "weather.zarr"
    ncz.gen(ROOT / "cdl_examples" / "weather.cdl", target, notify=ignore_notice)
    return target


def test_the_properties_of_a_variable(store):
    t = ncz.open(store)["temperature"]
    assert (t.name, t.path, t.dims) == ("temperature", "/temperature", ("time", "lat", "lon"))
    assert (t.shape, t.ndim, t.size, t.nbytes, len(t)) == ((4, 3, 5), 3, 60, 240, 4)
    assert t.dtype == np.float32
    assert t.chunks == (2, 3, 5)
    assert t.shards is None
    assert t.codecs == ({"id": "shuffle", "elementsize": 4}, {"id": "zlib", "level": 5})
    assert t.fill_value == np.float32(-999)
    assert isinstance(t.fill_value, np.float32)
    assert t.unlimited_dims == {"time"}


def test_values_come_from_the_store(store):
    ds = ncz.open(store)
    t = ds["temperature"]
    everything = np.asarray(t)
    assert everything.shape == (4, 3, 5)
    assert everything[0, 2, 3] == -999
    np.testing.assert_array_equal(t[1:, ..., ::-2], everything[1:, ..., ::-2])
    assert t[0, 2, 3] == np.float32(-999)
    assert np.asarray(t, dtype="f8").dtype == np.float64
    assert (t[...] == np.stack(list(t))).all()
    assert ds["station"][...].tolist() == ["Exeter", "Sheffield", "Ørland"]
    assert ds["station"][0] == "Exeter"
    with pytest.raises(ValueError, match="copy=False"):
        t.__array__(copy=False)  # numpy 2 calls it so for np.array(t, copy=False)


def test_only_the_chunks_that_are_touched_are_read(store, tmp_path):
    copy = tmp_path / "damaged.zarr"
    ncz.copy(store, copy)
    (copy / "temperature" / "1.0.0").write_bytes(b"not zlib")
    t = ncz.open(copy)["temperature"]
    assert t[:2].shape == (2, 3, 5)
    assert t[1::-1, 0].shape == (2, 5)
    with pytest.raises(ncz.CodecError, match=r"/temperature/1\.0\.0: .* cannot be decoded by zlib"):
        t[2]


def test_a_variable_without_values_is_fill(tmp_path):
    text = (
        b"netcdf n { dimensions: x = 2, u = UNLIMITED ;"
        b" variables: double d(x) ; string s(x) ; int e(u, x) ; }"
    )
    with (
        pytest.warns(ncz.NczWarning, match="xarray masks .* never written.*: /d, /e"),
        pytest.warns(ncz.NczWarning, match="xarray reads these strings as bytes: /s"),
    ):
        ncz.gen(io.BytesIO(text), tmp_path / "n.zarr")
    ds = ncz.open(tmp_path / "n.zarr")
    assert ds["d"][...].tolist() == [float.fromhex("0x1.ep+122")] * 2
    assert ds["s"][...].tolist() == ["", ""]
    assert ds["e"][...].shape == (0, 2)
    assert bool(ds["e"])


def test_scalars_of_every_kind_are_arrays_or_elements():
    text = b'netcdf s { variables: string s ; char c ; int i ; data: s = "ab" ; c = "x" ; i = 7 ; }'
    ncz.gen(io.BytesIO(text), "memory://scalars", overwrite=True, notify=lambda _: None)
    ds = ncz.open("memory://scalars")
    for name, value in (("s", "ab"), ("c", b"x"), ("i", 7)):
        assert ds[name][()] == value
        assert ds[name][...].shape == ()
        assert ds[name][...].tolist() == value


def test_a_missing_dataset_is_an_error_immediately(tmp_path):
    with pytest.raises(FileNotFoundError, match=r"no\.zarr: no file or store exists at this path"):
        ncz.open(tmp_path / "no.zarr")


@pytest.mark.parametrize("name", ["x.zarr", "x.zip"])
def test_many_threads_may_read(tmp_path, name):
    text = b"netcdf x { dimensions: x = 64, y = 64 ; variables: int v(x, y) ; " + (
        b"v:_ChunkSizes = 7, 9 ; v:_DeflateLevel = 1 ; data: v = "
        + b", ".join(b"%d" % i for i in range(64 * 64)) + b" ; }"
    )  # fmt: skip
    ncz.gen(io.BytesIO(text), tmp_path / name, audience=["netcdf-c"])
    v = ncz.open(tmp_path / name)["v"]
    expected = np.arange(64 * 64).reshape(64, 64)
    with ThreadPoolExecutor(8) as pool:
        for row, values in enumerate(pool.map(lambda i: v[i], range(64))):
            np.testing.assert_array_equal(values, expected[row])


def test_datasets_compare_by_identity(store):
    ds = ncz.open(store)
    assert ds == ds
    assert ds != ncz.open(store)
    assert len({ds, ds["lat"]}) == 2


def test_an_unknown_mode_names_the_existing_ones(tmp_path):
    mode: Any = "q"
    with pytest.raises(ncz.NczError, match="use 'r', 'r\\+', or 'w' for a new dataset"):
        ncz.open(tmp_path / "new.nc", mode)
