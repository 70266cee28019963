"""HDF5 filters that are not built in: which move raw, and which are rewritten."""

from __future__ import annotations

import os
import subprocess
import sys

import h5py
import numpy as np
import pytest

import ncz

hdf5plugin = pytest.importorskip("hdf5plugin", reason="hdf5plugin is not installed")

VALUES = np.arange(1000, dtype="i4") // 7


MAKE = """
import h5py, hdf5plugin, numpy
options = {
    "zstd": hdf5plugin.Zstd(),
    "blosc": hdf5plugin.Blosc(cname="zstd"),
    "bzip2": hdf5plugin.BZip2(),
    "lz4": hdf5plugin.LZ4(),
    "lz4_blocks": {"shuffle": True, **hdf5plugin.LZ4(nbytes=128)},
    "bitshuffle": hdf5plugin.Bitshuffle(cname="zstd"),
    "blosc2": hdf5plugin.Blosc2(),
}
values = numpy.arange(1000, dtype="i4") // 7
with h5py.File("x.h5", "w") as file:
    for name, chosen in options.items():
        file.create_dataset(name, data=values, chunks=(300,), **chosen)
"""


def run_code(code, folder, **environment):
    """Run a program in a process that has not loaded the plugins.

    Importing netCDF4 sets a path of plugins that work with its own HDF5 only.
    """
    inherited = {key: value for key, value in os.environ.items() if key != "HDF5_PLUGIN_PATH"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=folder, env=inherited | environment,
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def filtered(tmp_path_factory):
    """A file with a variable for each filter."""
    folder = tmp_path_factory.mktemp("filters")
    run_code(MAKE, folder)
    return folder / "x.h5"


def codecs(path):
    with ncz.open(path) as dataset:
        return {name: [codec["id"] for codec in v.codecs] for name, v in dataset.variables.items()}


def test_codecs_of_other_bytes_replace_a_filter(run, filtered, tmp_path):
    plan = run("copy", "--dry-run", filtered, tmp_path / "x.zarr").text
    ways = dict(line.split()[:2] for line in plan.splitlines() if line.startswith("/"))
    assert {name for name, way in ways.items() if way == "raw"} == {"/zstd", "/blosc", "/bzip2"}
    assert "HDF5 filter 32004 (lz4) is replaced by the codec lz4 (/lz4, /lz4_blocks)" in plan
    assert "HDF5 filter 32008 (bitshuffle) is replaced by the codec blosc (/bitshuffle)" in plan
    assert "HDF5 filter 32026 (blosc2) has no Zarr codec and is left out (/blosc2)" in plan
    ran = run("copy", "--verify", filtered, tmp_path / "x.zarr")
    assert ran.code == 0, ran.stderr
    assert codecs(tmp_path / "x.zarr") == {
        "zstd": ["zstd"], "blosc": ["blosc"], "bzip2": ["bz2"], "lz4": ["lz4"],
        "lz4_blocks": ["shuffle", "lz4"], "bitshuffle": ["blosc"], "blosc2": [],
    }  # fmt: skip


def test_a_filter_that_is_added_while_a_file_is_written_does_not_damage_it(filtered, tmp_path):
    code = f"""
import sys
from ncz.cli import main
sys.argv = ["ncz", "copy", "-q", "-V", "bitshuffle", {str(filtered)!r}, "x.nc"]
main()
"""
    run_code(code, tmp_path)
    with h5py.File(tmp_path / "x.nc") as file:
        np.testing.assert_array_equal(file["bitshuffle"][:], VALUES)


def test_plugins_are_found_by_their_path(filtered, tmp_path):
    code = f"""
import sys
sys.modules["hdf5plugin"] = None
from ncz.cli import main
sys.argv = ["ncz", "copy", "-q", "-V", "lz4", {str(filtered)!r}, "x.zarr"]
main()
"""
    run_code(code, tmp_path, HDF5_PLUGIN_PATH=hdf5plugin.PLUGIN_PATH)
    assert codecs(tmp_path / "x.zarr") == {"lz4": ["lz4"]}


def test_blosc_is_written_in_a_process_that_has_imported_netcdf4(run, tmp_path):
    pytest.importorskip("netCDF4")
    cdl = b"netcdf n { dimensions: x = 4 ; variables: int v(x) ; data: v = 1, 2, 3, 4 ; }"
    assert run("gen", "-", "-o", tmp_path / "x.zarr", stdin=cdl).code == 0
    ran = run("copy", tmp_path / "x.zarr", tmp_path / "y.zarr", "--codec", "blosc:lz4:5")
    assert ran.code == 0, ran.stderr
    code = """
import netCDF4  # sets HDF5_PLUGIN_PATH to plugins of another HDF5
import ncz
ncz.copy("y.zarr", "x.nc", notify=lambda notice: None)
"""
    run_code(code, tmp_path)
    with h5py.File(tmp_path / "x.nc") as file:
        assert file["v"][:].tolist() == [1, 2, 3, 4]


def test_a_filter_without_plugin_is_named(run, tmp_path):
    with h5py.File(tmp_path / "x.h5", "w") as file:
        properties = h5py.h5p.create(h5py.h5p.DATASET_CREATE)
        properties.set_chunk((4,))
        properties.set_filter(40_000, h5py.h5z.FLAG_OPTIONAL, (1,))
        space = h5py.h5s.create_simple((4,))
        made = h5py.h5d.create(file.id, b"v", h5py.h5t.STD_I32LE, space, properties)
        made.write_direct_chunk((0,), b"unknown")
    ran = run("copy", tmp_path / "x.h5", tmp_path / "x.zarr")
    assert ran.code == 1
    assert "/v: HDF5 filter 40000 is not available" in ran.stderr
    assert "set HDF5_PLUGIN_PATH to the folder of the plugin" in ran.stderr
    assert "pip install hdf5plugin" not in ran.stderr  # as it is installed
