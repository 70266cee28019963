"""Annotated stores that other programs changed: ncz reads the present documents."""

from __future__ import annotations

import io
import json
import shutil
import subprocess
import sys
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import Notice, ignore_notice
from tests.conftest import ROOT
from tests.interop.peers.change import Change, change_with_tensorstore, change_with_zarr, seen
from tests.interop.peers.peers import absent, python_of
from tests.sampled import few_or_many

pytest.importorskip("zarr", reason="zarr is not installed")

CDL = b"""netcdf s {
types: byte enum flag { off = 0, on = 1 } ;
dimensions: time = UNLIMITED ; x = 3 ;
variables:
 float t(time, x) ; t:units = "K" ; t:valid_range = 1s, 2s ; t:_FillValue = -1.f ; t:n = 5LL ;
 int time(time) ; time:units = "days since 2000-01-01" ;
 flag e(x) ; double lazy(x) ; int crs ; char c(x) ;
data: t = 1, 2, 3, 4, 5, 6 ; time = 0, 1 ; e = off, on, off ; crs = 5 ; c = "abc" ;
group: g { variables: short v(time) ; v:scale_factor = 0.5f ; data: v = 1, 2 ; } }
"""
VERSIONS = {"2": "zarr,v2,consolidated", "3": "zarr,v3,consolidated"}
SHAPES = {"t": 2, "time": 1, "lazy": 1, "g/v": 1}
"""The number of axes of the arrays that are changed."""

values = st.sampled_from(["m", 7, 2.5, [1, 3], [70000, -1], [0.5], "", 2**40, True])
names = st.sampled_from(["units", "valid_range", "n", "scale_factor", "new"])
paths = st.sampled_from(sorted(SHAPES))
lengths = st.integers(1, 5)


@st.composite
def shapes(draw: st.DrawFn) -> Change:
    path = draw(paths)
    return "resize", path, [draw(lengths) for _ in range(SHAPES[path])]


numbers = st.tuples(st.just("write"), paths, st.integers(0, 90))
"""Changes of values."""

CHANGES = st.one_of(
    st.tuples(st.just("set"), paths, names, values),
    st.tuples(st.just("unset"), paths, names),
    shapes(),
    numbers,
    st.tuples(
        st.just("add"),
        st.sampled_from(["a", "g/b"]),
        st.sampled_from([["x"], ["time"], ["y"]]),
        st.tuples(lengths),
    ),
    st.just(("consolidate",)),
)


@pytest.fixture(scope="module", params=sorted(VERSIONS))
def annotated(tmp_path_factory: pytest.TempPathFactory, request: Any) -> tuple[Path, int]:
    """An annotated store, and its version of Zarr."""
    store = tmp_path_factory.mktemp("annotated") / "s.zarr"
    modes = VERSIONS[request.param].split(",")
    ncz.gen(io.BytesIO(CDL), store, modes=modes, notify=ignore_notice)
    return store, int(request.param)


def once_each(changes: list[Change]) -> list[Change]:
    """Return changes that each add an array of another name."""
    added = set()
    kept = []
    for change in changes:
        if change[0] == "add":
            if change[1] in added:
                continue
            added.add(change[1])
        kept.append(change)
    return kept


def check(store: Path, expected: dict[str, dict[str, Any]]) -> None:
    """Check that ncz sees the same as the other program, before and after it renews annotations."""
    for _ in range(2):
        told: list[Notice] = []
        with ncz.open(store, notify=told.append) as dataset:
            assert not [notice for notice in told if notice.lost]
            for path, array in expected.items():
                variable = dataset[path]
                assert list(variable.shape) == array["shape"], path
                found = np.asarray(variable[...])
                if found.dtype.kind == "S":
                    found = found.astype("U")
                if array["values"] is not None:
                    np.testing.assert_array_equal(found, np.array(array["values"]), err_msg=path)
                theirs = {n: v for n, v in array["attributes"].items() if not n.startswith("_")}
                ours = {n: v for n, v in variable.attrs.items() if not n.startswith("_")}
                assert ours.keys() == theirs.keys(), path
                for name, value in theirs.items():
                    np.testing.assert_array_equal(
                        np.squeeze(ours[name]), np.squeeze(value), err_msg=f"{path}:{name}"
                    )
        ncz.consolidate(store)
    assert "annotation-outdated" not in {notice.code for notice in told}


def changed_copy(annotated: tuple[Path, int], folder: Path) -> str:
    target = folder / "changed.zarr"
    shutil.rmtree(target, ignore_errors=True)
    shutil.copytree(annotated[0], target)
    return str(target)


@few_or_many(15, 120)
def test_by_zarr_python(annotated, tmp_path_factory, examples):
    folder = tmp_path_factory.mktemp("changed")

    @settings(deadline=None, max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.lists(CHANGES, max_size=5))
    def holds(changes):
        store = changed_copy(annotated, folder)
        change_with_zarr(store, annotated[1], once_each(changes))
        check(Path(store), seen(store, annotated[1]))

    holds()


@few_or_many(10, 120)
def test_by_tensorstore(annotated, tmp_path_factory, examples):
    pytest.importorskip("tensorstore", reason="tensorstore is not installed (make interop)")
    folder = tmp_path_factory.mktemp("changed")

    @settings(deadline=None, max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.one_of(shapes(), numbers), max_size=5))
    def holds(changes):
        store = changed_copy(annotated, folder)
        change_with_tensorstore(store, annotated[1], changes)
        check(Path(store), seen(store, annotated[1]))

    holds()


@few_or_many(8, 100)
@pytest.mark.parametrize("annotated", ["2"], indirect=True)
def test_by_zarr_python_2(annotated, tmp_path_factory, examples):
    if reason := absent("zarr-2"):
        pytest.skip(reason)
    folder = tmp_path_factory.mktemp("changed")
    command = [python_of("zarr-2"), "-m", "tests.interop.peers.change", "zarr"]
    peer = subprocess.Popen(
        command, cwd=ROOT, text=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert peer.stdin is not None
    assert peer.stdout is not None
    requests, answers = peer.stdin, peer.stdout

    @settings(deadline=None, max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.lists(CHANGES, max_size=5))
    def holds(changes):
        store = changed_copy(annotated, folder)
        request = {"store": store, "format": 2, "changes": once_each(changes)}
        print(json.dumps(request), file=requests, flush=True)
        check(Path(store), json.loads(answers.readline()))

    with peer:
        holds()


XARRAY = ["append", "region", "add", "attributes", "rewrite"]


@pytest.mark.parametrize("examples", [6, pytest.param(30, marks=pytest.mark.long)])
def test_by_xarray(annotated, tmp_path_factory, examples):
    xarray = pytest.importorskip("xarray", reason="xarray is not installed")
    folder = tmp_path_factory.mktemp("changed")

    def change(store: str, action: str) -> None:
        with xarray.open_zarr(store, decode_times=False) as opened:
            dataset = opened.load()
        if action == "append":
            part = dataset[["t", "time"]].isel(time=slice(0, 2))
            part.to_zarr(store, append_dim="time")
        elif action == "region":
            part = dataset[["t"]].isel(time=slice(0, 1)) * 0 + 9
            part["t"].attrs = dataset["t"].attrs
            part.to_zarr(store, region={"time": slice(0, 1)})
        elif action == "add":
            more = np.arange(float(dataset.sizes["x"]))
            xarray.Dataset({"more": ("x", more)}).to_zarr(store, mode="a")
        elif action == "attributes":
            dataset["t"].attrs["units"] = "degC"
            dataset[["t"]].to_zarr(store, mode="a")
        else:
            dataset.isel(x=slice(0, 2)).to_zarr(store, mode="w", zarr_format=annotated[1])

    @settings(deadline=None, max_examples=examples, suppress_health_check=list(HealthCheck))
    @given(st.lists(st.sampled_from(XARRAY), min_size=1, max_size=3))
    def holds(actions):
        store = changed_copy(annotated, folder)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            for action in dict.fromkeys(actions):
                change(store, action)
            check(Path(store), seen(store, annotated[1]))

    holds()


def test_the_program_that_changes_stores_answers_with_its_view(annotated, tmp_path):
    """The program of other environments is the one that the other tests call."""
    store = changed_copy(annotated, tmp_path)
    request = {"store": store, "format": annotated[1], "changes": [["set", "t", "units", "m"]]}
    done = subprocess.run(
        [sys.executable, "-m", "tests.interop.peers.change", "zarr"],
        input=json.dumps(request),
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    assert json.loads(done.stdout)["t"]["attributes"]["units"] == "m"
