"""Objects that h5py has open while netCDF-4 files are written, and damaged indexes."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

netCDF4 = pytest.importorskip("netCDF4", reason="the peer netCDF4 is not installed")
import h5py  # noqa: E402

import ncz  # noqa: E402


def make(path: Path, count: int) -> Path:
    """Create a file whose variables have one dimension and two attributes each."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 10)
        for number in range(count):
            variable = file.createVariable(f"v{number}", "f4", ("x",))
            variable.units, variable.valid_max = "K", 1.5
    return path


def test_an_open_dataset_takes_little_memory(tmp_path):
    """The chunks of 2,000 datasets were cached in tables that took 64 kB each, 130 MB in all."""
    path, target = tmp_path / "many.nc", tmp_path / "copy.nc"
    with h5py.File(path, "w") as file:
        for number in range(2000):
            file.create_dataset(f"v{number}", (4,), "f4", chunks=(4,))
    program = (
        "import sys, numpy\n"
        "from ncz.formats.hdf5.reader import read_hdf5; from ncz.zmap.file import LocalFile\n"
        "from ncz.formats.hdf5.plan import plan_arrays\n"
        "from ncz.formats.hdf5.write import create_hdf5\n"
        "status = lambda: open('/proc/self/status').read().partition('VmRSS:')[2]\n"
        "used = lambda: int(status().split()[0]) >> 10\n"
        "before = used(); dataset = read_hdf5(LocalFile(sys.argv[1]), 'x', print)\n"
        "print(used() - before)\n"
        "before = used(); arrays = plan_arrays(dataset)\n"
        "with create_hdf5(sys.argv[2], dataset, arrays, '', strict=False):\n"
        "    print(used() - before)\n"
    )
    command = [sys.executable, "-c", program, str(path), str(target)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    read, written = map(int, ran.stdout.split())
    assert read < 25
    assert written < 100


def test_a_damaged_index_of_chunks_is_an_error_of_its_variable(tmp_path):
    path = tmp_path / "damaged.nc"
    with h5py.File(path, "w") as file:
        for number in range(6):
            file.create_dataset(f"v{number}", data=[number, number], chunks=(1,))
    data = path.read_bytes()
    at = [place for place in range(len(data)) if data.startswith(b"TREE\x01", place)]
    path.write_bytes(data[: at[4]] + b"EERT" + data[at[4] + 4 :])
    with ncz.open(path) as file:
        assert [file[f"v{n}"][0] for n in (0, 1, 2, 3, 5)] == [0, 1, 2, 3, 5]
        with pytest.raises(ncz.NczError, match="the HDF5 file is damaged: a B-tree is not at"):
            file["v4"][0]


def test_references_to_a_scale_are_written_once(tmp_path, monkeypatch):
    """HDF5's own function wrote the list of a scale again for each variable."""
    source, target = make(tmp_path / "many.nc", 200), tmp_path / "copy.nc"
    monkeypatch.setattr(
        h5py.h5ds, "attach_scale", lambda *_: pytest.fail("called for each variable")
    )
    ncz.copy(source, target)
    with h5py.File(source) as theirs, h5py.File(target) as ours:
        for file in (theirs, ours):
            scale = file["x"]
            assert scale.is_scale
            # `is_attached` looks through the list of the scale, for the axis of each variable
            assert all(h5py.h5ds.is_attached(file[f"v{n}"].id, scale.id, 0) for n in (0, 100, 199))
            for n in range(200):
                ((reference,),) = file[f"v{n}"].attrs["DIMENSION_LIST"]
                assert file[reference] == scale
            listed = scale.attrs["REFERENCE_LIST"]
            assert [(file[each].name, axis) for each, axis in listed] == [
                (f"/v{n}", 0) for n in range(200)
            ]
        for name, on in (("DIMENSION_LIST", "v7"), ("REFERENCE_LIST", "x")):
            kinds = [
                h5py.h5a.open(f[on].id, name.encode()).get_type().encode() for f in (theirs, ours)
            ]
            assert kinds[0].replace(b"\x10\x08\x00", b"\x10\x00\x00") == kinds[1]
    # each variable took 2.6 kB, because the lists that were replaced were left in the file
    assert target.stat().st_size < 1100 * 500


def test_each_axis_refers_to_its_scale(tmp_path):
    source, target = tmp_path / "axes.nc", tmp_path / "copy.nc"
    with netCDF4.Dataset(source, "w") as file:
        file.createDimension("x", 3)
        file.createDimension("t", None)
        file.createVariable("x", "f8", ("x",))[:] = [1, 2, 3]
        file.createVariable("v", "f8", ("t", "x", "x"))[:2] = 4
        file.createGroup("g").createVariable("w", "i4", ("x", "t"))
    ncz.copy(source, target)
    with h5py.File(target) as file:
        assert [file["v"].dims[axis][0].name for axis in range(3)] == ["/t", "/x", "/x"]
        assert [file["g/w"].dims[axis][0].name for axis in range(2)] == ["/x", "/t"]
        users = [(file[each].name, axis) for each, axis in file["x"].attrs["REFERENCE_LIST"]]
        assert users == [("/v", 1), ("/v", 2), ("/g/w", 0)]
    with netCDF4.Dataset(target) as file:
        assert file["v"].dimensions == ("t", "x", "x")
        assert file["g/w"].dimensions == ("x", "t")
        assert file["v"].shape == (2, 3, 3)
