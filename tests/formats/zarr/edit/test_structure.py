"""Edits of names: variables, dimensions and groups are renamed, and variables removed."""

from __future__ import annotations

import io
import shutil
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import Notice
from tests.commands.edit.test_edit import contents
from tests.conftest import Run

CDL = b"""netcdf s {
dimensions: time = UNLIMITED ; x = 3 ;
variables: double time(time) ; float lat(x) ; float t(time, x) ; t:coordinates = "lat time" ;
 t:cell_methods = "time: mean x: point" ; int spare(x) ;
data: time = 0.5, 1.5 ; lat = 10, 20, 30 ; t = 1, 2, 3, 4, 5, 6 ; spare = 7, 8, 9 ;
group: g {
 dimensions: y = 2 ;
 variables: int w(y, x) ;
 data: w = 1, 2, 3, 4, 5, 6 ;
 group: h { variables: int u(y) ; data: u = 4, 5 ; }
}
}
"""
MODES = ["nczarr", "zarr", "v3", "zarr,v3"]
EDITS: dict[str, Any] = {
    "remove": ["spare"],
    "rename": [
        "lat=latitude",
        "time=t1",
        "dimension x=lon",
        "/g=/grid",
        "grid/w=z",
        "dimension /grid/y=rows",
    ],
    "set": ['latitude:units = "m"', 'grid/z:a = "new"'],
}


def quiet(_: Notice) -> None:
    """Discard a notice."""


@pytest.fixture(scope="module")
def originals(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """A store of every mode, with consolidated metadata."""
    folder = tmp_path_factory.mktemp("originals")
    stores = {mode: folder / f"{mode}.zarr" for mode in MODES}
    for mode, store in stores.items():
        ncz.gen(io.BytesIO(CDL), f"{store}#mode={mode},consolidated", notify=quiet)
    return stores


@pytest.fixture(params=MODES)
def store(originals, tmp_path, request) -> Path:
    """A copy that a test may change."""
    target: Path = tmp_path / "s.zarr"
    shutil.copytree(originals[request.param], target)
    return target


def expected(before: str) -> str:
    """Return the CDL of the store after `EDITS`, from the CDL before them."""
    removed = "\tint spare(x) ;\n"
    assert removed in before
    text = before.replace(removed, "").replace(" spare = 7, 8, 9 ;\n\n", "")
    for old, new in [
        ("float lat(x)", "float latitude(lon)"),
        ("\n lat = ", "\n latitude = "),
        ("\tx = 3 ;", "\tlon = 3 ;"),
        ("float t(time, x)", "float t(t1, lon)"),
        ("double time(time)", "double t1(t1)"),
        ("\ttime = ", "\tt1 = "),
        ("\n time = ", "\n t1 = "),
        ("group: g {", "group: grid {"),
        ("} // group g", "} // group grid"),
        ("int w(y, x)", "int z(rows, lon)"),
        ("   w =\n", "   z =\n"),
        ("int u(y)", "int u(rows)"),
        ("\ty = 2 ;", "\trows = 2 ;"),
    ]:
        assert old in text, old
        text = text.replace(old, new)
    return text


def without_set(text: str) -> str:
    lines = [line for line in text.splitlines(True) if "units" not in line and ":a =" not in line]
    return "".join(lines)


@pytest.mark.parametrize("mode", ["nczarr", "v3"])
@pytest.mark.parametrize("form", ["directory", "zip"])
def test_all_kinds_of_names(originals, tmp_path, mode, form):
    store = tmp_path / "s.zip" if form == "zip" else tmp_path / "s.zarr"
    if form == "zip":
        ncz.copy(originals[mode], f"{store}#mode={mode},consolidated", notify=quiet)
    else:
        shutil.copytree(originals[mode], store)
    before = ncz.dump(store, notify=quiet)
    ncz.edit(store, **EDITS, notify=quiet)
    after = ncz.dump(store, notify=quiet)
    assert without_set(after) == expected(before)
    assert 'latitude:units = "m" ;' in after
    assert 'z:a = "new" ;' in after
    assert ncz.dump(store, consolidated=False, notify=quiet) == after
    assert ncz.check(store, data=True).is_clean
    assert [p.name for p in tmp_path.iterdir()] == [store.name]


@pytest.mark.parametrize("mode", ["zarr", "zarr,v3"])
def test_pure_stores_as_xarray_and_zarr_python_see_them(originals, tmp_path, mode):
    xarray = pytest.importorskip("xarray")
    zarr = pytest.importorskip("zarr")
    store = tmp_path / "s.zarr"
    shutil.copytree(originals[mode], store)
    ncz.edit(
        store,
        remove=["spare"],
        rename=["lat=latitude", "time=t1", "dimension x=lon", "g=grid", "variable grid/w=z"],
        notify=quiet,
    )
    for consolidated in (True, False):
        with xarray.open_zarr(store, consolidated=consolidated, decode_times=False) as dataset:
            assert dict(dataset.sizes) == {"t1": 2, "lon": 3}
            assert sorted(dataset.variables) == ["latitude", "t", "t1"]
            assert dataset.t.dims == ("t1", "lon")
            assert dataset.t.values.tolist() == [[1, 2, 3], [4, 5, 6]]
    group = zarr.open_group(store, mode="r")
    assert sorted(group.keys()) == ["grid", "latitude", "t", "t1"]
    assert group["grid/z"][:].tolist() == [[1, 2, 3], [4, 5, 6]]
    assert ncz.check(store, data=True).is_clean


def test_names_can_be_exchanged(store):
    renames = ["lat=tmp", "spare=lat", "variable tmp=spare"]
    ncz.edit(store, rename=renames, notify=quiet)
    assert ncz.open(store)["spare"][:].tolist() == [10, 20, 30]
    assert ncz.open(store)["lat"][:].tolist() == [7, 8, 9]
    assert ncz.check(store, data=True).is_clean


@pytest.mark.parametrize(
    ("edits", "message"),
    [
        ({"remove": ["nothing"]}, "no variable or group /nothing"),
        ({"rename": ["nothing=n"]}, "no variable, group or dimension /nothing"),
        ({"rename": ["group lat=n"]}, "no group /lat"),
        ({"rename": ["dimension lat=n"]}, "no dimension /lat"),
        ({"rename": ["lat=t"]}, "/t already exists"),
        ({"rename": ["lat=g"]}, "/g already exists"),
        ({"rename": ["x=time"]}, "dimension /time already exists"),
        ({"rename": ["lat=/g/lat"]}, "moves a variable to another group"),
        ({"rename": ["lat=.zarray"]}, "cannot be named"),
        ({"remove": ["lat"], "rename": ["lat=n"]}, "no variable, group or dimension /lat"),
        ({"remove": ["/"]}, "not the name of a variable or group"),
    ],
)
def test_a_wrong_edit_changes_nothing(store, edits, message):
    before = contents(store)
    with pytest.raises(ncz.NczError, match=message):
        ncz.edit(store, set=[':title = "b"'], **edits, notify=quiet)
    assert contents(store) == before


def test_a_dry_run_prints_names(store, run: Run):
    before = contents(store)
    ran = run(
        "edit", store, "--dry-run", "-q", "--remove", "spare", "--rename", "time=t1",
        "--rename", "g=grid", "--set", 't:units = "K"',
    )  # fmt: skip
    assert (ran.code, ran.stderr) == (0, "")
    assert ran.text.splitlines() == [
        "would remove variable /spare",
        "would rename variable /time to /t1",
        "would rename dimension /time to /t1",
        "would rename group /g to /grid",
        'would set /t:units = "K"',
    ]
    assert contents(store) == before
    ran = run("edit", store, "--json", "-q", "--rename", "variable lat=latitude")
    assert ran.text == (
        '{"dry_run": false, "changes": [{"kind": "variable", "node": "/lat", "name": null,'
        ' "before": "/lat", "after": "/latitude"}]}\n'
    )


def test_names_change_in_a_store_in_memory():
    ncz.gen(io.BytesIO(CDL), "memory://renamed", notify=quiet)
    ncz.edit("memory://renamed", **EDITS, notify=quiet)
    with ncz.open("memory://renamed") as dataset:
        assert dataset["/grid/z"][:].tolist() == [[1, 2, 3], [4, 5, 6]]
        assert dataset["latitude"][:].tolist() == [10, 20, 30]
        assert "spare" not in dataset.variables
