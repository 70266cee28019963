"""``ncz digest`` and `ncz.digest`: output, parts, and errors."""

from __future__ import annotations

import io
import json
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

CDL = """netcdf s {
dimensions: x = 3 ; y = 2 ;
variables:
  short v(x, y) ; v:scale_factor = 0.5 ; v:_FillValue = -1s ;
  string s(y) ;
data:
  v = 1, 2, 3, _, 5, 6 ;
  s = "a", "b" ;
group: g {
  variables: int n(x) ;
  data: n = 1, 2, 3 ;
}
}
"""


@pytest.fixture
def text(tmp_path: Path) -> Path:
    path = tmp_path / "s.cdl"
    path.write_text(CDL)
    return path


def test_one_line(run: Run, text: Path) -> None:
    ran = run("digest", text)
    found = ncz.digest(text)
    assert ran.text == f"{found}  {text}\n"
    assert found.value is not None
    assert len(found.value) == 32


def test_several_datasets_have_a_line_each(run: Run, text: Path, tmp_path: Path) -> None:
    ncz.gen(text, tmp_path / "s.zarr", notify=ignore_notice)
    ran = run("digest", text, tmp_path / "s.zarr")
    found = ncz.digest(text)
    assert ran.text == f"{found}  {text}\n{found}  {tmp_path / 's.zarr'}\n"
    ran = run("digest", "-v", "v", text, tmp_path / "s.zarr")
    value = found.variables["/v"]
    assert ran.text == f"{value}  /v  {text}\n{value}  /v  {tmp_path / 's.zarr'}\n"
    ran = run("digest", "--all", text, tmp_path / "s.zarr")
    lines = [f"{each}  {path}" for path, each in (*found.groups.items(), *found.variables.items())]
    places = (text, tmp_path / "s.zarr")
    assert ran.text.splitlines() == [f"{line}  {place}" for place in places for line in lines]
    ran = run("digest", "--json", text, tmp_path / "s.zarr")
    by_name = {name: each["digest"] for name, each in json.loads(ran.text).items()}
    assert by_name == {str(text): found.value, str(tmp_path / "s.zarr"): found.value}


def test_a_dataset_without_a_digest_ends_the_list(run: Run, text: Path, tmp_path: Path) -> None:
    ran = run("digest", text, tmp_path / "none.zarr")
    assert ran.code == 1
    assert ran.text == f"{ncz.digest(text)}  {text}\n"
    assert "none.zarr" in ran.stderr


def test_standard_input_and_streams(run: Run, text: Path) -> None:
    expected = ncz.digest(text)
    assert ncz.digest(io.BytesIO(CDL.encode())) == expected
    assert run("digest", "-", stdin=CDL.encode()).text == f"{expected}  -\n"


def test_all_lists_groups_and_variables(run: Run, text: Path) -> None:
    lines = [line.split("  ") for line in run("digest", "--all", text).text.splitlines()]
    assert [path for _, path in lines] == ["/", "/g", "/v", "/s", "/g/n"]
    found = ncz.digest(text)
    assert {path: value for value, path in lines} == {**found.groups, **found.variables}


def test_some_variables(run: Run, text: Path) -> None:
    whole = ncz.digest(text)
    found = ncz.digest(text, variables=["s", "n"])
    assert (found.value, str(found), found.groups) == (None, "", {})
    assert found.variables == {f: whole.variables[f] for f in ("/s", "/g/n")}
    assert run("digest", "-v", "s", text).text == f"{whole.variables['/s']}  /s\n"


def test_json(run: Run, text: Path) -> None:
    found = ncz.digest(text)
    assert json.loads(run("digest", "--json", text).text) == {
        "format": "ncz-digest",
        "version": 1,
        "decoded": False,
        "digest": found.value,
        "groups": found.groups,
        "variables": found.variables,
    }


def test_a_part_has_the_digest_of_a_copy_of_it(text: Path, tmp_path: Path) -> None:
    part = {"x": slice(1, 3)}
    ncz.copy(text, tmp_path / "part.zarr", isel=part, notify=ignore_notice)
    assert ncz.digest(text, isel=part) == ncz.digest(tmp_path / "part.zarr")


def test_a_change_of_a_group_is_one_of_all_above(text: Path, tmp_path: Path) -> None:
    other = tmp_path / "t.cdl"
    other.write_text(CDL.replace("n = 1, 2, 3", "n = 1, 3, 2"))
    one, two = ncz.digest(text), ncz.digest(other)
    changed = {path for path, value in one.variables.items() if two.variables[path] != value}
    groups = {path for path, value in one.groups.items() if two.groups[path] != value}
    assert (changed, groups) == ({"/g/n"}, {"/", "/g"})


UNPACKED = CDL.replace(
    "short v(x, y) ; v:scale_factor = 0.5 ; v:_FillValue = -1s", "double v(x, y)"
)
UNPACKED = UNPACKED.replace("v = 1, 2, 3, _, 5, 6", "v = 0.5, 1, 1.5, NaN, 2.5, 3")


def test_decoded_values_match_xarray(text: Path, tmp_path: Path) -> None:
    other = tmp_path / "t.cdl"
    other.write_text(UNPACKED)
    assert ncz.digest(text).value != ncz.digest(other).value
    assert ncz.digest(text, decoded=True) == ncz.digest(other, decoded=True)
    moved = tmp_path / "u.cdl"
    moved.write_text(UNPACKED.replace("NaN, 2.5", "2.5, NaN"))
    assert ncz.digest(text, decoded=True) != ncz.digest(moved, decoded=True)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("ubyte v ; data: v = 200 ;", 'byte v ; v:_Unsigned = "true" ; data: v = -56 ;'),
        ("float v ; data: v = NaNf ;", "float v ; v:missing_value = 3.f ; data: v = 3 ;"),
        ("double v ; data: v = 1.5 ;", "float v ; data: v = 1.5 ;"),
    ],
)
def test_ways_to_store_a_number(tmp_path: Path, one: str, other: str) -> None:
    found = []
    for name, variable in (("a", one), ("b", other)):
        path = tmp_path / f"{name}.cdl"
        path.write_text(f"netcdf {name} {{ variables: {variable} }}")
        found.append((ncz.digest(path).value, ncz.digest(path, decoded=True).value))
    assert found[0][0] != found[1][0]
    is_integer = one.startswith("ubyte")  # without unpacking, an integer stays one
    assert (found[0][1] == found[1][1]) == (not is_integer)


def test_integers_without_masks_keep_all_digits(tmp_path):
    values = []
    for number in (2**60, 2**60 + 1):
        path = tmp_path / "n.cdl"
        path.write_text(f"netcdf n {{ variables: int64 v ; data: v = {number}LL ; }}")
        values.append(ncz.digest(path, decoded=True).value)
    assert values[0] != values[1]


def test_data_that_cannot_be_read_have_no_digest(run: Run, text: Path, tmp_path: Path) -> None:
    store = tmp_path / "s.zarr"
    ncz.copy(text, store, codecs="zlib", notify=ignore_notice)
    (chunk,) = [p for p in (store / "v").rglob("0*") if p.is_file()]
    chunk.write_bytes(b"no")
    ran = run("digest", store)
    assert (ran.code, ran.text) == (1, "")
    assert "/v/" in ran.stderr
    assert run("digest", "-v", "s", store).code == 0


def test_masters_have_the_digest_of_their_pieces(text: Path, tmp_path: Path) -> None:
    pytest.importorskip("h5py")
    flat = tmp_path / "f.cdl"
    flat.write_text("netcdf f { dimensions: x = 4 ; variables: int n(x) ; data: n = 1, 2, 3, 4 ; }")
    ncz.copy(flat, tmp_path / "f.nc", modes="cfa", pieces={"x": 2}, notify=ignore_notice)
    assert ncz.diff(flat, tmp_path / "f.nc", notify=ignore_notice) == []
    assert ncz.digest(flat) == ncz.digest(tmp_path / "f.nc")


def test_attributes_are_left_out(text: Path, tmp_path: Path, run: Run) -> None:
    paths = [tmp_path / f"{name}.zarr" for name in ("made", "moved")]
    for path in paths:
        ncz.copy(text, path, notify=ignore_notice)
        ncz.edit(path, set=f"history={path.stem}")
    assert ncz.digest(paths[0]).value != ncz.digest(paths[1]).value
    without = [ncz.digest(each, drop_attributes="history") for each in paths]
    assert without[0] == without[1]
    assert without[0].value == ncz.digest(text).value
    done = run("digest", "--drop-attribute", "history", paths[0])
    assert done.text.split()[0] == without[0].value
