"""Joining datasets along a dimension."""

from __future__ import annotations

import itertools
import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.commands.chunkspec import parse_chunkspec
from ncz.commands.copy import scan
from ncz.commands.copy.dataset import copy_dataset
from ncz.commands.copy.options import CopyOptions
from ncz.commands.joining import conversion, forms
from ncz.commands.joining.error import JoinError
from ncz.commands.sources import location_of_target
from ncz.errors import Callbacks, Notice, ignore_notice
from ncz.formats import open_datasets
from ncz.formats.create_options import CreateOptions
from ncz.zmap.location import location_of
from tests.commands.copy.test_references import values

CDL = """netcdf a {{
dimensions:
  time = UNLIMITED ;
  x = 3 ;
variables:
  double time(time) ;
    time:units = "{units}" ;
  short t(time, x) ;
  int x(x) ;
  :history = "{history}" ;
data:
  time = {time} ;
  t = {t} ;
  x = {x} ;
}}
"""


@pytest.fixture
def store(tmp_path, monkeypatch):
    """Makes a store with some times."""
    monkeypatch.chdir(tmp_path)

    def store(name, first, count, units="days since 2000-01-01", x="1, 2, 3", history="h"):
        times = range(first, first + count)
        numbers = ", ".join(str(3 * n + i) for n in times for i in range(3))
        text = CDL.format(
            units=units, time=", ".join(map(str, times)), t=numbers, x=x, history=history
        )
        (tmp_path / "a.cdl").write_text(text)
        from ncz.commands.copy.reshape_options import Reshape

        copy_dataset(
            CopyOptions(
                source=location_of("a.cdl"),
                target=location_of_target(name),
                reshape=Reshape(chunkspecs=(parse_chunkspec("time/2"),)),
            )
        )
        return name

    return store


def references_of(path):
    return json.loads(Path(path).read_text())["refs"]


def joined(*sources, target="all.json", notices=None, **options):
    modes = ("reference",) if target.endswith("json") else ()
    told = [] if notices is None else notices
    options = {"concat": "time", "modes": modes, "inline": 0, "verify": True, **options}
    create = CreateOptions(
        **{name: options.pop(name) for name in CreateOptions.__annotations__ if name in options}
    )
    copy_dataset(
        CopyOptions(
            source=location_of(sources[0]),
            more_sources=tuple(map(location_of, sources[1:])),
            target=location_of_target(target),
            create=create,
            **options,
        ),
        callbacks=Callbacks(told.append),
    )
    return values(target) if options["verify"] else None


def test_chunks_that_fit_are_not_moved(store):
    found = joined(store("a.zarr", 0, 4), store("b.zarr", 4, 2), store("c.zarr", 6, 3))
    assert found == {
        "/time": list(range(9)),
        "/t": np.arange(27).reshape(9, 3).tolist(),
        "/x": [1, 2, 3],
    }
    references = references_of("all.json")
    places = [references[f"t/{n}.0"][0].split("/")[-3] for n in range(5)]
    assert places == ["a.zarr", "a.zarr", "b.zarr", "c.zarr", "c.zarr"]


def test_chunks_that_do_not_fit_are_held(store):
    found = joined(store("a.zarr", 0, 3), store("b.zarr", 3, 2))
    assert found["/t"] == np.arange(15).reshape(5, 3).tolist()
    references = references_of("all.json")
    held = [isinstance(references[f"t/{n}.0"], str) for n in range(3)]
    assert held == [False, True, True]


def test_the_target_can_be_a_store(store):
    assert joined(store("a.zarr", 0, 4), store("b.zarr", 4, 2), target="all.zarr") == joined(
        "a.zarr", "b.zarr"
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"units": "days since 1999-01-01"}, "it is before a.zarr along /time: it ends at -360"),
        ({"units": "metres"}, 'units of /time is "metres", but "days since 2000-01-01" in a.zarr'),
        ({"x": "1, 2, 4"}, r"/x: \[2\] is 4, not 3 \(compared with a.zarr\)"),
    ],
)
def test_properties_that_must_agree(store, change, message):
    first, second = store("a.zarr", 0, 4), store("b.zarr", 4, 2, **change)
    with pytest.raises(JoinError, match=message) as error:
        joined(first, second)
    assert error.value.location == "b.zarr"


def test_a_dimension_that_does_not_exist(store):
    with pytest.raises(JoinError, match="the dimension tiem does not exist"):
        joined(store("a.zarr", 0, 4), store("b.zarr", 4, 2), concat="tiem")


def test_attributes_of_groups_may_differ(store):
    notices: list = []
    joined(store("a.zarr", 0, 4), store("b.zarr", 4, 2, history="other"), notices=notices)
    assert [notice.code for notice in notices] == ["attributes-differ"]


def test_other_variables_are_refused(store):
    copy_dataset(
        CopyOptions(source=location_of(store("a.zarr", 0, 4)), target=location_of_target("b.zarr"))
    )
    from ncz.commands.copy.reshape_options import Reshape

    copy_dataset(
        CopyOptions(
            source=location_of("b.zarr"),
            target=location_of_target("c.zarr"),
            reshape=Reshape(only=("time",)),
        )
    )
    with pytest.raises(JoinError, match=r"variable /t is missing \(compared with a.zarr\)"):
        joined("a.zarr", "c.zarr")


def test_netcdf_files(tmp_path, monkeypatch):
    netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")
    monkeypatch.chdir(tmp_path)
    for kind in ("NETCDF4", "NETCDF3_CLASSIC"):
        for number in range(3):
            with netCDF4.Dataset(f"{number}.nc", "w", format=kind) as file:
                file.createDimension("time", None)
                file.createDimension("x", 30)
                codecs = {"zlib": True, "chunksizes": (1, 30)} if kind == "NETCDF4" else {}
                t = file.createVariable("t", "f4", ("time", "x"), **codecs)
                t[:] = np.arange(60).reshape(2, 30) + 60 * number
                file.createVariable("time", "f8", ("time",))[:] = [2 * number, 2 * number + 1]
        found = joined("0.nc", "1.nc", "2.nc", overwrite=True)
        assert found == {
            "/time": list(range(6)),
            "/t": np.arange(180).reshape(6, 30).tolist(),
        }
        references = references_of("all.json")
        names = [references[f"t/{n}.0"][0][-4:] for n in range(6)]
        assert names == ["0.nc", "0.nc", "1.nc", "1.nc", "2.nc", "2.nc"]


def test_large_data_that_do_not_fit_are_next_to_the_set(store, monkeypatch):
    for place in ("ncz.commands.references", "ncz.zmap.reference.held_values"):
        monkeypatch.setattr(f"{place}.LARGEST_HELD", 10)
    first, second = store("a.zarr", 0, 3), store("b.zarr", 3, 2)
    told: list[Notice] = []

    def reason(*sources: str, **options: Any) -> str:
        told.clear()
        ncz.copy(sources, "all.json", concat="time", inline=0, overwrite=True,
                 notify=told.append, **options)  # fmt: skip
        return next(n.message for n in told if n.code == "values-beside-set")

    assert "/t: the last chunk of a source has 1 of 2 along the dim" in reason(first, second)
    assert values("all.json")["/time"] == [*range(5)]
    ncz.copy("b.zarr", "c.zarr", deflate=9, notify=ignore_notice)
    found = reason("b.zarr", "c.zarr", overlap="keep")
    assert "/t: its chunks or codecs differ between the sources" in found
    assert values("all.json")["/time"] == [3, 4, 3, 4]


def test_on_the_command_line(run, store):
    first, second = store("a.zarr", 0, 4), store("b.zarr", 4, 2)
    done = run("copy", "--mode", "reference", first, second, "all.json", "--concat", "time")
    assert done.code == 0, done.stderr
    assert values("all.json")["/time"] == list(range(6))
    done = run("copy", first, second, "all.zarr")
    assert done.code == 1
    assert "use --concat time" in done.stderr
    done = run("copy", first, second, "part.zarr", "--concat", "time", "--isel", "time=1:5")
    assert done.code == 0, done.stderr
    assert values("part.zarr")["/time"] == [1, 2, 3, 4]
    done = run("copy", first, second, "x.zarr", "--concat", "time", "--new-dimension", "m")
    assert (done.code, "cannot be used together" in done.stderr) == (2, True)


# More sources than the system lets a process open.


def several(folder: Path, kind: str, count: int) -> list[str]:
    """Write files of two times each, with a chunked variable without a fixed length."""
    netcdf4 = pytest.importorskip("netCDF4")
    names = []
    for number in range(count):
        names.append(str(folder / f"{number:03}.nc"))
        with netcdf4.Dataset(names[-1], "w", format=kind) as file:
            file.createDimension("t", None)
            file.createDimension("x", 3)
            options: dict[str, Any] = {}
            if kind == "NETCDF4":
                options = {"zlib": True, "chunksizes": (2, 3)}
            t = file.createVariable("t", "i4", ("t",))
            t.units = f"hours since 2000-01-0{1 if number % 7 else 2}"
            first = 2 * number - (0 if number % 7 else 24)
            t[:] = [first, first + 1]
            file.createVariable("v", "f4", ("t", "x"), **options)[:] = [[number] * 3] * 2
            file.createVariable("x", "f8", ("x",))[:] = [1, 2, 3]
    return names


def with_free_descriptors(count: int) -> int:
    """Return the limit that leaves a number of descriptors free; an HDF5 file needs two."""
    used = {int(number) for number in os.listdir("/proc/self/fd")}
    return next(n for n in itertools.count() if n - sum(each < n for each in used) == count)


@pytest.mark.skipif(not Path("/proc/self/fd").exists(), reason="a system without /proc")
@pytest.mark.parametrize(
    ("kind", "count", "free", "target"),
    [
        # HDF5 files are opened hundreds of times, each in a separate process
        pytest.param("NETCDF4", 60, 110, "all.json", marks=pytest.mark.long),
        ("NETCDF3_CLASSIC", 100, 70, "all.zarr"),
        ("NETCDF3_CLASSIC", 100, 70, "all.json"),
    ],
)
def test_few_of_many_files_are_open(tmp_path, monkeypatch, kind, count, free, target):
    import resource

    names = several(tmp_path, kind, count)
    monkeypatch.chdir(tmp_path)
    options: dict[str, Any] = {"notify": ignore_notice}
    with monkeypatch.context() as patch:
        patch.setattr(scan, "MANY", len(names))
        ncz.copy(names, f"whole-{target}", concat="t", **options)
    monkeypatch.setattr(scan, "MANY", min(count - 1, scan.MANY))
    limits = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (with_free_descriptors(free), limits[1]))
    try:
        ncz.copy(names, target, concat="t", verify=True, **options)
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, limits)
    for name in (target, f"whole-{target}"):
        assert ncz.open(name)["v"][:, 1].tolist() == [n for n in range(count) for _ in range(2)]
    if target == "all.json":
        assert Path(target).read_bytes() == Path(f"whole-{target}").read_bytes()
    else:
        ours, theirs = (
            {str(p.relative_to(name)): p.read_bytes() for p in Path(name).rglob("*") if p.is_file()}
            for name in (target, f"whole-{target}")
        )
        assert ours == theirs


@pytest.mark.parametrize("target", ["all.json", "all.zarr"])
@pytest.mark.parametrize("kind", ["NETCDF4", "NETCDF3_CLASSIC"])
def test_each_of_many_files_is_opened_twice(tmp_path, monkeypatch, kind, target):
    count = 8
    names = several(tmp_path, kind, count)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(scan, "MANY", 2)
    monkeypatch.setattr(open_datasets, "most_open", lambda: 2)
    opened: Counter[str] = Counter()
    variables = open_datasets.OpenDatasets._variables

    def counted(pool, location):
        opened[location.path] += location.exact not in pool._opened
        return variables(pool, location)

    monkeypatch.setattr(open_datasets.OpenDatasets, "_variables", counted)
    ncz.copy(names, target, concat="t", threads=1, notify=ignore_notice)
    # They were opened once before. The places of the records of a variable are looked for together.
    assert max(opened.values(), default=0) <= (2 if target == "all.json" else 1)
    assert ncz.open(target)["v"][:, 1].tolist() == [n for n in range(count) for _ in range(2)]


def test_a_file_that_changes_while_many_are_joined(tmp_path, monkeypatch):
    names = several(tmp_path, "NETCDF3_CLASSIC", 70)
    convert = conversion.converter

    def meanwhile(*numbers):
        Path(names[-1]).write_bytes(Path(names[0]).read_bytes() + b"more")
        return convert(*numbers)

    monkeypatch.setattr(forms, "converter", meanwhile)
    with pytest.raises(ncz.NczError, match=r"069.nc: the file changed while it was read"):
        ncz.copy(names, tmp_path / "all.zarr", concat="t", notify=ignore_notice)
    assert not (tmp_path / "all.zarr").exists()
