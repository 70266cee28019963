"""A lost master, made again from its pieces."""

from __future__ import annotations

import io
import itertools
import math
import os
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.local import claims
from tests.cli.test_aggregate_growing import contents, described
from tests.cli.test_aggregate_growing import datasets as datasets
from tests.cli.test_aggregate_growing import here as here
from tests.conftest import Run
from tests.sampled import few_or_many, sampled

LENGTHS: list[dict[str, int]] = [{"time": 1}, {"time": 3, "lat": 2, "y": 2, "x": 1}]


@pytest.mark.parametrize(
    ("form", "lengths"),
    sampled(itertools.product(["m.nca", "m.zarr#mode=cfa", "m.nc#mode=cfa0.4"], LENGTHS), 3),
    ids=str,
)
def test_a_lost_master_is_made_again(run: Run, form, lengths):
    master, _, mode = form.partition("#mode=")
    ncz.copy("whole.cdl", form, pieces=lengths, notify=ignore_notice)
    before = described(master)
    claims.remove(master)
    ran = run("aggregate", "-q", "--rebuild", "--mode", mode or "cfa", master, "m")
    assert (ran.code, ran.stderr) == (0, "")
    assert described(master).splitlines() == before.splitlines()
    assert ncz.diff("whole.nc", master, notify=ignore_notice) == []


DIMENSIONS = ("time", "lat", "y", "x")


@st.composite
def tilings(draw: st.DrawFn) -> tuple[str, dict[str, int], str]:
    """Return a dataset as CDL, lengths of pieces, and a form."""
    sizes = {name: draw(st.integers(1, 5), label=name) for name in DIMENSIONS}
    shapes = draw(
        st.lists(
            st.lists(st.sampled_from(DIMENSIONS), min_size=1, max_size=3, unique=True),
            min_size=1,
            max_size=2,
        ),
        label="shapes",
    )
    coordinates = draw(st.sets(st.sampled_from(DIMENSIONS)), label="coordinates")
    used = sorted({name for shape in shapes for name in shape})
    declared = [f"{name} = {sizes[name]} ;" for name in used]
    variables, data = [], []
    for name in used:
        if name in coordinates:
            sign = draw(st.sampled_from([1, -1]))
            variables.append(f"int {name}({name}) ;")
            data.append(f"{name} = {', '.join(str(sign * n) for n in range(sizes[name]))} ;")
    for number, shape in enumerate(shapes):
        count = math.prod(sizes[name] for name in shape)
        variables.append(f'float v{number}({", ".join(shape)}) ; v{number}:units = "K" ;')
        data.append(f"v{number} = {', '.join(map(str, range(1, count + 1)))} ;")
    cdl = f"netcdf w {{ dimensions: {' '.join(declared)} variables: {' '.join(variables)}"
    most = {name: 3 if name == used[0] else 2 for name in used}  # so that pieces are few
    counts = {name: draw(st.integers(1, most[name]), label=f"pieces of {name}") for name in used}
    lengths = {name: -(-sizes[name] // counts[name]) for name in used}
    form = draw(st.sampled_from(["m.nca", "m.zarr#mode=cfa", "m.nc#mode=cfa0.4", "m.nca#mode=cf"]))
    return f"{cdl} data: {' '.join(data)} }}", lengths, form


@few_or_many(8, 100)
def test_any_tiling_is_made_again(tmp_path_factory, examples):
    @settings(max_examples=examples, deadline=None)
    @given(tilings())
    def check(drawn: tuple[str, dict[str, int], str]) -> None:
        cdl, lengths, form = drawn
        folder = tmp_path_factory.mktemp("tiles")
        (folder / "w.cdl").write_text(cdl)
        name, _, mode = form.partition("#mode=")
        master = str(folder / name)
        ncz.copy(folder / "w.cdl", folder / form, pieces=lengths, notify=ignore_notice)
        before, count = described(master), len(os.listdir(folder / "m"))
        assert ncz.diff(folder / "w.cdl", master, data_only=True, notify=ignore_notice) == []
        claims.remove(master)
        chosen: Any = mode or "cfa"
        made = ncz.aggregate(folder / "m", master, rebuild=True, mode=chosen, notify=ignore_notice)
        assert made == count
        # No piece determines the order of values in different pieces.
        assert sorted(described(master).splitlines()) == sorted(before.splitlines())
        assert ncz.diff(folder / "w.cdl", master, data_only=True, notify=ignore_notice) == []

    check()


def test_pieces_without_numbers_are_placed_by_their_coordinates(run: Run):
    os.mkdir("files")
    for name, days, lats in (
        ("a", slice(2, 4), slice(2, 4)), ("b", slice(0, 2), slice(0, 2)),
        ("c", slice(0, 2), slice(2, 4)), ("d", slice(2, 4), slice(0, 2)),
    ):  # fmt: skip
        ncz.copy("whole.nc", f"files/{name}.nc", vars="t", isel={"time": days, "lat": lats})
    assert run("aggregate", "--rebuild", "m.nca", "files").code == 0
    ncz.copy("whole.nc", "t.nc", vars="t")
    assert ncz.diff("t.nc", "m.nca", notify=ignore_notice) == []


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        ("twice", "has the same part in"),
        ("length", "pieces next to it have"),
        ("values", "the values of /lat differ from the values in other pieces"),
        ("attributes", "/t does not have the attributes of other pieces"),
        ("row", "no piece of /t has the number 0 along /time"),
        ("form", "which the form CF cannot leave out"),
        ("nothing", "it has no variable of numbers"),
    ],
)
def test_pieces_that_do_not_fit(run: Run, here, fault, message):
    ncz.copy("whole.nc", "p.nca", vars="t", pieces={"time": 2, "lat": 2})
    os.unlink("p.nca")
    options = ["--mode", "cfa"]
    if fault == "twice":
        os.mkdir("p/other")
        ncz.copy("p/p.t.0.0.nc", "p/other/p.t.0.0.nc")
    elif fault == "length":
        ncz.copy("p/p.t.0.0.nc", "p/p.t.0.0.nc.nc", isel={"time": 0})
        os.replace("p/p.t.0.0.nc.nc", "p/p.t.0.0.nc")
    elif fault in ("values", "attributes"):
        edited = ncz.dump("p/p.t.1.0.nc")
        edited = edited.replace("40, 30", "41, 30") if fault == "values" else edited
        edited = edited.replace('"K"', '"C"') if fault == "attributes" else edited
        ncz.gen(io.BytesIO(edited.encode()), "p/p.t.1.0.nc", overwrite=True)
    elif fault == "row":
        os.unlink("p/p.t.0.0.nc")
        os.unlink("p/p.t.0.1.nc")
    elif fault == "form":
        os.unlink("p/p.t.0.0.nc")
        ncz.copy("whole.nc", "q.nca", vars="/g/u", pieces={"time": 2, "lat": 2})
        os.unlink("q/q.g.u.0.0.nc")
        options = ["--mode", "cf"]
    elif fault == "nothing":
        ncz.gen(io.BytesIO(b"netcdf n { :title = 1 ; }"), "p/n.nc")
    before = contents(here)
    folder = "q" if fault == "form" else "p"
    ran = run("aggregate", "--rebuild", *options, "m.nca", folder)
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert message in ran.stderr
    assert contents(here) == before
