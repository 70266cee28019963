"""``ncz dump --csv``: the table that xarray and pandas make of the same dataset."""

from __future__ import annotations

import csv
import io
import tempfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.errors import Callbacks, NczError, ignore_notice
from ncz.model.data import MemoryArray
from ncz.model.tree import Dataset, Dimension, Group, Variable
from ncz.model.types import Atomic
from ncz.views import csv_table
from tests.conftest import ROOT, Run

CDL = """netcdf s { types: opaque(1) o ;
dimensions: time = 2 ; x = 3 ; n = 2 ;
variables:
  int time(time) ; time:units = "hours since 2026-01-01" ;
  double x(x) ; x:units = "m" ;
  short t(time, x) ; t:scale_factor = 0.5 ; t:add_offset = 10. ; t:_FillValue = -1s ;
  float f(x) ; string name(x) ; int other(n) ; o blob(x) ;
data:
  time = 0, 6 ; x = 0.5, 1, 1.5 ; t = 1, 2, _, 4, 5, 6 ; f = 0.1, NaN, 3 ;
  name = "a", "b, \\"c\\"", "d" ; other = 7, 8 ; blob = 0X01, 0X02, 0X03 ;
}
"""


@pytest.fixture
def store(tmp_path: Path) -> Path:
    (tmp_path / "s.cdl").write_text(CDL)
    ncz.gen(tmp_path / "s.cdl", tmp_path / "s.zarr", notify=ignore_notice)
    return tmp_path / "s.zarr"


def rows_of(text: str) -> list[list[str]]:
    return list(csv.reader(io.StringIO(text)))


def test_a_row_for_each_point(run: Run, store):
    done = run("dump", "--csv", "-v", "t,f,name", store)
    assert run("dump", "--csv", "-t", "-v", "t,f,name", store).text == done.text
    assert (done.code, done.stderr) == (0, "")
    assert rows_of(done.text) == [
        ["time", "x", "t", "f", "name"],
        ["2026-01-01 00:00:00", "0.5", "10.5", "0.1", "a"],
        ["2026-01-01 00:00:00", "1.0", "11.0", "", 'b, "c"'],
        ["2026-01-01 00:00:00", "1.5", "", "3.0", "d"],
        ["2026-01-01 06:00:00", "0.5", "12.0", "0.1", "a"],
        ["2026-01-01 06:00:00", "1.0", "12.5", "", 'b, "c"'],
        ["2026-01-01 06:00:00", "1.5", "13.0", "3.0", "d"],
    ]


def test_characters_are_texts_or_values(run: Run, tmp_path):
    text = """netcdf c { dimensions: station = 2 ; len = 4 ; none = 0 ; variables:
      char station(station, len) ; char code(len) ; char flag(station) ; float t(station) ;
      char empty(station, none) ;
      data: station = "Ås", "b, c" ; code = "one" ; flag = "xy" ; t = 1, 2 ; }"""
    store = tmp_path / "c.zarr"
    assert run("gen", "-", "-o", store, stdin=text.encode()).code == 0
    done = run("dump", "--csv", "-v", "station,code,flag,t,empty", store)
    assert (done.code, done.stderr) == (0, "")
    assert rows_of(done.text) == [
        ["station", "code", "flag", "t", "empty"],
        ["Ås", "one", "x", "1.0", ""],
        ["b, c", "one", "y", "2.0", ""],
    ]
    assert run("dump", "--csv", "-v", "flag,t", store).text == "station,flag,t\n0,x,1.0\n1,y,2.0\n"
    assert run("dump", "--csv", "-v", "code", store).text == "code\none\n"


def test_a_part_and_a_dimension_without_a_coordinate(run: Run, store, tmp_path):
    done = run("dump", "--csv", "-v", "t", "--sel", "x=1", "--isel", "time=1", store)
    assert done.text == "time,x,t\n2026-01-01 06:00:00,1.0,12.5\n"
    assert run("dump", "--csv", "-v", "other", store).text == "n,other\n0,7\n1,8\n"
    assert run("dump", "--csv", "-v", "x", store).text == "x\n0.5\n1.0\n1.5\n"
    assert run("dump", "--csv", "-v", "f", store, "-o", tmp_path / "f.csv").code == 0
    assert (tmp_path / "f.csv").read_text().startswith("x,f\n0.5,0.1\n1.0,\n")


def test_variables_that_do_not_fit_into_one_table_are_named(run: Run, store):
    done = run("dump", "--csv", "-v", "t,other", store)
    assert (done.code, done.text) == (1, "")
    assert "/other cannot be in one table with t" in done.stderr
    assert "choose variables that fit: -v t" in done.stderr
    done = run("dump", "--csv", store)
    assert (done.code, done.text) == (1, "")
    assert "/blob: values of this type cannot be in a table" in done.stderr
    assert run("dump", "--csv", "-p", "3", store).code == 2
    with pytest.raises(NczError, match="cannot be in one table"):
        ncz.dump(store, view="csv", variables=["t", "other"])


def test_a_scalar(run: Run, tmp_path):
    text = 'netcdf s { variables: int v ; string s ; data: v = 5 ; s = "a" ; }'
    (tmp_path / "s.cdl").write_text(text)
    ncz.gen(tmp_path / "s.cdl", tmp_path / "s.nc", notify=ignore_notice)
    assert run("dump", "--csv", tmp_path / "s.nc").text == "v,s\n5,a\n"


def test_a_scalar_beside_other_variables(run: Run, tmp_path):
    declared = "dimensions: x = 2 ; variables: int v(x) ; string s ;"
    text = f'netcdf s {{ {declared} data: v = 5, 6 ; s = "a" ; }}'
    (tmp_path / "s.cdl").write_text(text)
    ncz.gen(tmp_path / "s.cdl", tmp_path / "s.nc", notify=ignore_notice)
    assert run("dump", "--csv", tmp_path / "s.nc").text == "x,v,s\n0,5,a\n1,6,a\n"


def test_the_table_of_pandas(run: Run, tmp_path):
    pandas = pytest.importorskip("pandas")
    xarray = pytest.importorskip("xarray")
    ncz.gen(ROOT / "cdl_examples/weather.cdl", tmp_path / "w.nc", notify=ignore_notice)
    found = pandas.read_csv(
        io.StringIO(run("dump", "--csv", tmp_path / "w.nc").text), parse_dates=["time"]
    )
    with xarray.open_dataset(tmp_path / "w.nc", engine="ncz") as ds:
        expected = ds.to_dataframe(["time", "lat", "lon"]).reset_index()
    assert [*found] == [*expected]
    for name in found:
        if found[name].dtype.kind == "f":
            assert found[name].astype(expected[name].dtype).equals(expected[name]), name
        else:
            assert (found[name] == expected[name]).all(), name


@given(
    order=st.permutations("xyz"),
    sizes=st.tuples(*[st.integers(1, 4)] * 3),
    count=st.integers(1, 3),
)
def test_a_variable_over_some_of_the_dimensions(order, sizes, count):
    """Values repeat along the dimensions that a variable lacks, in any order."""
    lengths = dict(zip("xyz", sizes, strict=True))
    part = order[:count]
    total = 1
    for name in part:
        total *= lengths[name]
    whole = sizes[0] * sizes[1] * sizes[2]
    cdl = (
        f"netcdf s {{ dimensions: x = {sizes[0]} ; y = {sizes[1]} ; z = {sizes[2]} ; variables:"
        f" int a(x, y, z) ; int b({', '.join(part)}) ;"
        f" data: a = {', '.join(map(str, range(whole)))} ;"
        f" b = {', '.join(map(str, range(total)))} ; }}"
    )
    with tempfile.TemporaryDirectory() as folder:
        target = Path(folder) / "s.zarr"
        ncz.gen(io.BytesIO(cdl.encode()), target, notify=ignore_notice)
        title, *rows = rows_of(ncz.dump(target, view="csv", variables=["a", "b"]))
    assert title == ["x", "y", "z", "a", "b"]
    assert [int(row[3]) for row in rows] == list(range(whole))
    for row in rows:
        at = dict(zip("xyz", map(int, row[:3]), strict=True))
        index = 0
        for name in part:
            index = index * lengths[name] + at[name]
        assert int(row[4]) == index


@pytest.mark.parametrize(
    ("dtype", "nc_type", "length"),
    [("i4", Atomic.INT, 1), ("S1", Atomic.CHAR, 6), ("O", Atomic.STRING, 1)],
)
def test_large_chunks_are_read_once(dtype, nc_type, length, monkeypatch):
    read = []

    class Counted(MemoryArray):
        def values_of(self, indices):
            read.extend(indices)
            return super().values_of(indices)

    texts = [str(number) if nc_type is Atomic.INT else chr(65 + number) for number in range(42)]
    values = np.array(texts).astype(dtype).reshape(7, 6)
    dimensions = Dimension(name="y", size=7), Dimension(name="x", size=6)
    names = tuple(f"/{each.name}" for each in dimensions)
    source = Counted(values, nc_type, (4, 3))
    variable = Variable(name="v", type=nc_type, dimensions=names, data=source)
    dataset = Dataset(name="s", root=Group(dimensions=dimensions, variables=(variable,)))
    written: list[bytes] = []
    monkeypatch.setattr(csv_table, "_MOST", 5)  # rows that are written at a time
    csv_table.print_csv(dataset, written.append, has_variable=lambda _: True, callbacks=Callbacks())
    assert sorted(read) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    rows = rows_of(b"".join(written).decode())[1:]
    cells = ["".join(texts[start : start + length]) for start in range(0, 42, length)]
    assert [row[-1] for row in rows] == cells
    assert len(written) > 2
