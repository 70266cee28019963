"""Datasets of different variables, merged."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.commands.joining.making import copied, values
from tests.conftest import Run


def part(name: str, variable: str, declared: str, data: str, more: str = "") -> str:
    text = f"""netcdf p {{ dimensions: t = 2 ; x = 3 ;
      variables: double t(t) ; t:units = "hours since 2000-01-01" ; {variable}({declared}) ; {more}
      data: t = 0, 24 ; {data} }}"""
    Path(name).write_text(text)
    return name


def test_variables_dimensions_and_groups_of_all():
    one = part("a.cdl", "int v", "t, x", "v = 1, 2, 3, 4, 5, 6 ;", ':title = "a" ;')
    two = part("b.cdl", "float w", "t", "w = 7, 8 ;", ':title = "b" ;')
    Path("c.cdl").write_text(
        "netcdf c { dimensions: y = 1 ; group: g { variables: int u(y) ; data: u = 9 ; } }"
    )
    notices = copied(one, two, "c.cdl")
    assert [(n.code, n.location) for n in notices] == [("attributes-differ", "b.cdl")]
    found = ncz.open("all.zarr")
    assert found["v"][...].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert (found["w"][...].tolist(), found["/g/u"][...].tolist()) == ([7, 8], [9])
    assert found.attrs["title"] == "a"


def test_common_times_in_other_units_are_equal_times():
    part("a.cdl", "int v", "t", "v = 1, 2 ;")
    bounds = 't:bounds = "b" ; double b(t, x) ;'
    part("b.cdl", "int w", "t", "w = 3, 4 ; b = 0, 1, 2, 1, 2, 3 ;", bounds)
    text = Path("b.cdl").read_text().replace("hours", "days").replace("0, 24", "0, 1")
    Path("b.cdl").write_text(text)
    copied("a.cdl", "b.cdl", attributes="agreeing")
    assert values("all.zarr", "t") == [0, 24]
    assert values("all.zarr", "b") == [[0, 24, 48], [24, 48, 72]]  # in the units of t


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("t = 0, 24", "t = 0, 25", "/t: [1] is 25.0, not 24.0 (compared with a.cdl)"),
        ("x = 3", "x = 4", "dimension /x has the length 4, but 3 in a.cdl"),
        (
            "int w",
            "int v",
            "/v: [0,0] is 3, not 1 (compared with a.cdl); to join the sources along t, use"
            " --concat t",
        ),
        ("int w", "float v", "/v: [0,0] is 3.0, not 1.0 (compared with a.cdl)"),
        ('t:units = "hours', 't:units = "m', 'units of /t is "m since 2000-01-01", but'),
    ],
)
def test_conflicts_are_named(run: Run, old, new, message):
    part("a.cdl", "int v", "t, x", "v = 1, 2, 3, 4, 5, 6 ;")
    part("b.cdl", "int w", "t, x", "w = 3, 3, 3, 3, 3, 3 ;")
    text = Path("b.cdl").read_text().replace(old, new)
    Path("b.cdl").write_text(text.replace("w = 3", "v = 3") if " v" in new else text)
    if "x = 4" in new:
        Path("b.cdl").write_text(text.replace("w = 3, 3", "w = 3, 3, 3, 3"))
    done = run("copy", "a.cdl", "b.cdl", "all.zarr")
    assert (done.code, message in done.stderr) == (1, True), done.stderr
    assert done.stderr.startswith("ncz: b.cdl: ")
    assert done.stderr.count("\n") == 1
    assert not os.path.exists("all.zarr")


def test_chunks_that_were_never_written_keep_their_value():
    """Zarr V2 gets the mask as its fill value, so that chunks of zeros must be written."""
    text = "netcdf f { dimensions: t = 2 ; variables: int v(t) ; }"
    for name in ("a.zarr", "b.zarr"):
        Path("made.cdl").write_text(text)
        ncz.gen("made.cdl", name, modes=["zarr", "v3"], notify=ignore_notice)
        path = Path(name) / "v" / "zarr.json"
        document = json.loads(path.read_text())
        document |= {"fill_value": 0, "attributes": {"_FillValue": 7}}
        path.write_text(json.dumps(document))
        consolidated = Path(name) / "zarr.json"
        root = json.loads(consolidated.read_text())
        root.pop("consolidated_metadata", None)
        consolidated.write_text(json.dumps(root))
    copied("a.zarr", "b.zarr", target="all.zarr", concat="t", modes=["v2", "zarr"])
    assert values("all.zarr", "v") == [0, 0, 0, 0]
