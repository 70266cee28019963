"""How often HDF5 is called to read the header of a file: each call takes microseconds."""

from __future__ import annotations

import subprocess
import sys
import weakref
from pathlib import Path
from typing import Any

import numpy as np
import pytest

netCDF4 = pytest.importorskip("netCDF4", reason="the peer netCDF4 is not installed")
import h5py  # noqa: E402

import ncz  # noqa: E402
from ncz.formats.hdf5.file import open_hdf5  # noqa: E402
from ncz.formats.hdf5.plan import plan_arrays  # noqa: E402
from ncz.formats.hdf5.reader import read_hdf5  # noqa: E402
from ncz.formats.hdf5.write import create_hdf5  # noqa: E402
from ncz.model.grid import Box  # noqa: E402
from ncz.model.tree import Dataset  # noqa: E402
from ncz.parallel import isolation  # noqa: E402
from ncz.parallel.isolation import Isolated  # noqa: E402
from ncz.parallel.processes import can_fork  # noqa: E402
from ncz.zmap.file import LocalFile  # noqa: E402


def make(path: Path, count: int) -> Path:
    """Create a file whose variables have one dimension and two attributes each."""
    with netCDF4.Dataset(path, "w") as file:
        file.createDimension("x", 10)
        for number in range(count):
            variable = file.createVariable(f"v{number}", "f4", ("x",))
            variable.units, variable.valid_max = "K", 1.5
    return path


def read(path: Path, monkeypatch: pytest.MonkeyPatch) -> tuple[Dataset, int]:
    """Return the dataset of a file, and how many identifiers of HDF5 h5py gave out.

    h5py keeps a weak reference to each object, type, space, attribute or list of properties.
    """
    given = 0
    keep = weakref.WeakValueDictionary.__setitem__

    def counted(self: Any, key: Any, value: Any) -> None:
        nonlocal given
        given += type(value).__module__.startswith("h5py")
        keep(self, key, value)

    with open_hdf5(LocalFile(str(path))) as file, monkeypatch.context() as patch:
        patch.setattr(weakref.WeakValueDictionary, "__setitem__", counted)
        return read_hdf5(file, "x", lambda notice: pytest.fail(str(notice))), given


def test_what_a_variable_has_is_asked_for_once(tmp_path, monkeypatch):
    few, many = make(tmp_path / "few.nc", 10), make(tmp_path / "many.nc", 110)
    _, before = read(few, monkeypatch)
    dataset, after = read(many, monkeypatch)
    variable = dataset.root.variables[109]
    assert [(a.name, a.values) for a in variable.attributes] == [
        ("units", ("K",)),
        ("valid_max", (1.5,)),
    ]
    # The dataset, its type, space and properties, and the type of its fill value; each attribute,
    # of which one is netCDF's own, its type and its space.
    assert 0 < (after - before) / 100 <= 5 + 3 * 3


def test_an_open_dataset_takes_little_memory(tmp_path):
    """The chunks of 2,000 datasets were cached in tables that took 64 kB each, 130 MB in all."""
    path, target = tmp_path / "many.nc", tmp_path / "copy.nc"
    with h5py.File(path, "w") as file:
        for number in range(2000):
            file.create_dataset(f"v{number}", (4,), "f4", chunks=(4,))
    program = (
        "import sys; from ncz.formats.hdf5.file import open_hdf5; import numpy\n"
        "from ncz.formats.hdf5.reader import read_hdf5; from ncz.zmap.file import LocalFile\n"
        "from ncz.formats.hdf5.plan import plan_arrays\n"
        "from ncz.formats.hdf5.write import create_hdf5\n"
        "status = lambda: open('/proc/self/status').read().partition('VmRSS:')[2]\n"
        "used = lambda: int(status().split()[0]) >> 10\n"
        "with open_hdf5(LocalFile(sys.argv[1])) as file:\n"
        "    before = used(); dataset = read_hdf5(file, 'x', print); print(used() - before)\n"
        "    before = used(); arrays = plan_arrays(dataset, print)\n"
        "    with create_hdf5(sys.argv[2], dataset, arrays, '', strict=False):\n"
        "        print(used() - before)\n"
    )
    command = [sys.executable, "-c", program, str(path), str(target)]
    ran = subprocess.run(command, capture_output=True, text=True, check=True)
    read, written = map(int, ran.stdout.split())
    assert read < 100
    assert written < 100


@pytest.mark.skipif(not can_fork(), reason="HDF5 has no process of its own on this system")
def test_chunks_of_many_variables_are_looked_up_in_few_calls(tmp_path, monkeypatch):
    """A call to the other process takes longer than to look up the few chunks of a variable."""
    path = tmp_path / "many.nc"
    with h5py.File(path, "w") as file:
        for number in range(300):
            file.create_dataset(f"v{number:03}", data=[number], chunks=(1,))
    calls: list[Any] = []
    call = Isolated.call

    def counted(self: Isolated, function: Any, *arguments: Any, memory: int = 0) -> Any:
        calls.append(function)
        return call(self, function, *arguments, memory=memory)

    monkeypatch.setattr(Isolated, "call", counted)
    ncz.copy(path, tmp_path / "many.zarr", notify=lambda _: None)
    assert [ncz.open(tmp_path / "many.zarr")[f"v{n:03}"][0] for n in (0, 299)] == [0, 299]
    assert len(calls) < 12  # one for the header, then 2, 4, 8, ... variables at a time
    calls.clear()
    with ncz.open(path) as file:
        assert file["v250"][0] == 250
        assert file["v100"][0] == 100
    assert len(calls) == 3


@pytest.mark.parametrize("most", [1, 32])
def test_a_damaged_index_of_chunks_is_an_error_of_its_own_variable(tmp_path, monkeypatch, most):
    """Also if the indices are read before the process ends for that of another file."""
    monkeypatch.setattr("ncz.formats.hdf5.isolation._MOST_RUNNING", most)
    path = tmp_path / "damaged.nc"
    with h5py.File(path, "w") as file:
        for number in range(6):
            file.create_dataset(f"v{number}", data=[number, number], chunks=(1,))
    data = path.read_bytes()
    at = [place for place in range(len(data)) if data.startswith(b"TREE\x01", place)]
    path.write_bytes(data[: at[4]] + b"EERT" + data[at[4] + 4 :])
    other = tmp_path / "other.nc"
    with h5py.File(other, "w") as file:
        file["v"] = [1]
    with ncz.open(path) as file, ncz.open(other):
        assert [file[f"v{n}"][0] for n in (0, 1, 2, 3, 5)] == [0, 1, 2, 3, 5]
        with pytest.raises(ncz.NczError, match="HDF5 cannot read it"):
            file["v4"][0]


def test_what_refers_to_a_scale_is_written_once(tmp_path, monkeypatch):
    """HDF5's own function wrote the list of a scale again for each variable."""
    source, target = make(tmp_path / "many.nc", 500), tmp_path / "copy.nc"
    monkeypatch.setattr(
        h5py.h5ds, "attach_scale", lambda *_: pytest.fail("called for each variable")
    )
    ncz.copy(source, target)
    with h5py.File(source) as theirs, h5py.File(target) as ours:
        for file in (theirs, ours):
            scale = file["x"]
            assert scale.is_scale
            # `is_attached` looks through the list of the scale, for the axis of each variable
            assert all(h5py.h5ds.is_attached(file[f"v{n}"].id, scale.id, 0) for n in (0, 250, 499))
            for n in range(500):
                ((reference,),) = file[f"v{n}"].attrs["DIMENSION_LIST"]
                assert file[reference] == scale
            listed = scale.attrs["REFERENCE_LIST"]
            assert [(file[each].name, axis) for each, axis in listed] == [
                (f"/v{n}", 0) for n in range(500)
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


def test_few_datasets_are_open_while_a_file_is_written(tmp_path):
    """An open dataset takes 27 kB, and a file may have many."""
    with open_hdf5(LocalFile(str(make(tmp_path / "many.nc", 50)))) as file:
        dataset = read_hdf5(file, "x", lambda notice: pytest.fail(str(notice)))
        arrays = plan_arrays(dataset, lambda notice: pytest.fail(str(notice)))
        everywhere = h5py.h5f.OBJ_ALL
        before = h5py.h5f.get_obj_count(everywhere, h5py.h5f.OBJ_DATASET)
        with create_hdf5(str(tmp_path / "copy.nc"), dataset, arrays, "", strict=False) as stores:
            opened = h5py.h5f.get_obj_count(everywhere, h5py.h5f.OBJ_DATASET) - before
            assert opened == 1  # the scale
            assert len(stores) == len(list(stores)) == 50
            for fqn in stores:
                stores[fqn].put_values(Box((0,), (10,)), np.full(10, 1.25, "f4"))
            assert h5py.h5f.get_obj_count(everywhere, h5py.h5f.OBJ_DATASET) - before == 1
    with netCDF4.Dataset(tmp_path / "copy.nc") as file:
        assert all((file[f"v{number}"][:] == 1.25).all() for number in range(50))


@pytest.mark.skipif(not can_fork(), reason="HDF5 has no process of its own on this system")
def test_each_of_many_files_needs_one_process(tmp_path, monkeypatch):
    """Few processes exist at a time; those that ended were started again for each variable."""
    names = []
    for number in range(80):
        names.append(str(tmp_path / f"a{number:02}.nc"))
        with h5py.File(names[-1], "w") as file:
            file.create_dataset("t", data=[number], chunks=(1,)).make_scale("t")
            for name in ("u", "v"):
                file.create_dataset(name, data=[number, number][:1], chunks=(1,))
                file[name].dims[0].attach_scale(file["t"])
    running: set[int] = set()
    most, started = 0, 0
    start = isolation.start

    class Counted:
        def __init__(self, child: Any) -> None:
            self.child, self.work = child, child.work

        def end(self) -> Any:
            running.discard(id(self))
            return self.child.end()

    def counted(modules: Any, *, is_new: bool = False) -> Any:
        nonlocal most, started
        connection, child = start(modules, is_new=is_new)
        made = Counted(child)
        running.add(id(made))
        started, most = started + 1, max(most, len(running))
        return connection, made

    monkeypatch.setattr(isolation, "start", counted)
    ncz.copy(names, tmp_path / "all.zarr", concat="t", notify=lambda _: None)
    assert started == 80
    assert most <= 33
    assert not running
    assert ncz.open(tmp_path / "all.zarr")["v"][:].tolist() == list(range(80))


@pytest.mark.skipif(not can_fork(), reason="HDF5 has no process of its own on this system")
def test_a_file_whose_process_ended_meanwhile(tmp_path, monkeypatch):
    """What was not read before is read by another process, if the file is still the same."""
    monkeypatch.setattr("ncz.formats.hdf5.isolation._MOST_RUNNING", 1)
    paths = [tmp_path / "a.nc", tmp_path / "b.nc", tmp_path / "c.nc"]
    for path in paths:
        with h5py.File(path, "w") as file:
            file["text"] = [path.name, "x"]
            file.create_dataset("v", data=[1, 2], chunks=(1,))
    with ncz.open(paths[0]) as a, ncz.open(paths[1]) as b:
        assert a["text"][:].tolist() == ["a.nc", "x"]
        assert b["text"][:].tolist() == ["b.nc", "x"]
        with ncz.open(paths[2]) as c:
            assert c["text"][:].tolist() == ["c.nc", "x"]
        assert a["v"][:].tolist() == [1, 2]
        with h5py.File(paths[1], "a") as file:
            file["text"][0] = "other"
        with pytest.raises(ncz.NczError, match="changed"):
            b["text"][:]
