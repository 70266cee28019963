"""Chunks of other codecs in a netCDF file that is never written: passed on, or decoded."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import ncz
from ncz.errors import Notice
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN
from tests.sampled import paired
from tests.transfer.test_netcdf_face import _chunks, array, decoded, face_of, written

h5py = pytest.importorskip("h5py", reason="h5py is not installed")
__all__ = ["decoded"]

NUMBERS = {"zstd": 32015, "blosc": 32001, "bzip2": 307}
"""The registered numbers of filters."""

CODECS = {"zstd": "zstd:3", "blosc": "blosc", "bzip2": "bz2"}
"""The codecs with the same bytes."""


@pytest.mark.parametrize("version", ["v2", "v3"])
@pytest.mark.parametrize("name", NUMBERS)
def test_chunks_are_passed_on_if_asked(tmp_path, name, version, decoded):
    store = array(tmp_path, (20, 30), (7, 11), codecs=CODECS[name], modes=["zarr", version])
    with face_of(store, (name,)) as face:
        data = face.read(0, face.size)
    assert decoded == []
    assert all(chunk.read_bytes() in data for chunk in _chunks(store))
    path = tmp_path / "x.nc"
    path.write_bytes(data)
    with h5py.File(path) as file:
        properties = file["v"].id.get_create_plist()
        assert [properties.get_filter(n)[0] for n in range(properties.get_nfilters())] == [
            NUMBERS[name]
        ]
    assert ncz.diff(store, path) == []


READ = """
import sys, h5py, hdf5plugin, numpy
with h5py.File(sys.argv[1]) as file:
    print(float(file["v"][()].sum()), file["v"][6, 10], file["v"][19, 29])
"""


@pytest.mark.parametrize(("name", "shuffles"), paired(NUMBERS, [False, True]))
def test_h5py_reads_them_with_the_plugin(tmp_path, name, shuffles):
    pytest.importorskip("hdf5plugin", reason="hdf5plugin is not installed")
    codecs = ["shuffle", CODECS[name]] if shuffles else [CODECS[name]]
    store = array(tmp_path, (20, 30), (7, 11), codecs=codecs)
    face = written(store, tmp_path / "x.nc", (name,))
    environment = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}
    ran = subprocess.run(
        [sys.executable, "-c", READ, face], capture_output=True, text=True, env=environment
    )
    expected = np.arange(600, dtype="f4")
    assert (ran.stderr, ran.stdout.split()) == ("", [str(float(expected.sum())), "190.0", "599.0"])


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", NUMBERS)
def test_ncdump_names_the_filter_that_it_lacks(tmp_path, name):
    store = array(tmp_path, (20, 30), (7, 11), codecs=CODECS[name])
    face = written(store, tmp_path / "x.nc", (name,))
    environment = {**os.environ, "HDF5_PLUGIN_PATH": str(tmp_path)}
    header = subprocess.run(
        ["ncdump", "-hs", face], capture_output=True, text=True, env=environment, check=True
    )
    assert str(NUMBERS[name]) in header.stdout
    ran = subprocess.run(["ncdump", face], capture_output=True, text=True, env=environment)
    assert ran.returncode != 0
    assert "ilter" in ran.stderr


def test_other_codecs_are_decoded_although_some_are_passed_on(tmp_path):
    store = array(tmp_path, (20, 30), (7, 11), codecs="blosc")
    face = written(store, tmp_path / "x.nc", ("zstd",))
    assert ncz.diff(store, face) == []
    with h5py.File(face) as file:
        assert file["v"].compression is None


def test_the_option_of_serve(tmp_path, run):
    pytest.importorskip("tornado", reason="tornado is not installed")
    store = array(tmp_path, (20, 30), (7, 11), codecs="zstd")
    told: list[Notice] = []
    with ncz.serve(store, netcdf=True, netcdf_filters="zstd", notify=told.append) as server:
        assert "a.nc" in server.addresses
    assert [notice.code for notice in told] == ["filter-plugin"]
    with ncz.serve(store, netcdf=True, notify=told.append):
        assert len(told) == 1
    for options in (["--netcdf-filters", "zstd"], ["--netcdf", "--netcdf-filters", "zip"]):
        ran = run("serve", *options, store)
        assert (ran.code, ran.stderr.count("\n")) == (2, 1), ran.stderr
