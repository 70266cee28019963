"""Lists, patterns and folders that `ncz.open` opens as one dataset."""

from __future__ import annotations

import io
import itertools
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.errors import ignore_notice
from tests.sampled import share_of


def day(folder: Path, name: str, times: list[int], *, units: str = "days since 2024-01-01",
        first: int = 0, variable: str = "v") -> Path:  # fmt: skip
    values = ", ".join(str(first + 10 * time + x) for time in times for x in range(2))
    text = f"""netcdf a {{ dimensions: time = UNLIMITED ; x = 2 ; variables:
        int time(time) ; time:units = "{units}" ; float x(x) ; int {variable}(time, x) ;
        data: time = {", ".join(map(str, times))} ; x = 5, 6 ; {variable} = {values} ; }}"""
    ncz.gen(io.BytesIO(text.encode()), folder / name, notify=ignore_notice)
    return folder / name


@pytest.fixture
def days(tmp_path):
    folder = tmp_path / "days"
    folder.mkdir()
    return [day(folder, f"d{number}.nc", [number]) for number in range(3)]


def of(ds: ncz.Dataset) -> list[int]:
    found: list[int] = ds["v"][:, 0].tolist()
    return found


def test_a_list_a_pattern_a_folder_and_an_iterator(days):
    folder = days[0].parent
    several = [
        days, tuple(map(str, days)), set(days), folder / "d*.nc", str(folder), f"{folder}/",
        folder.glob("*.nc"), sorted(map(str, days)), days[::-1],
    ]  # fmt: skip
    for paths in several:
        with ncz.open(paths) as ds:
            assert ds.dims == {"time": 3, "x": 2}
            assert of(ds) == [0, 10, 20]
            assert ds["x"][:].tolist() == [5, 6]


@settings(max_examples=share_of(30))
@given(st.lists(st.integers(1, 3), min_size=2, max_size=5), st.booleans(), st.randoms())
def test_pieces_in_any_order_are_the_whole(tmp_path_factory, lengths, is_down, chance):
    folder = tmp_path_factory.mktemp("pieces")
    is_down = is_down and max(lengths) > 1  # single values ascend
    ends = np.cumsum([0, *lengths]).tolist()
    steps = list(range(ends[-1]))[:: -1 if is_down else 1]
    runs = [steps[a:b] for a, b in itertools.pairwise(ends)]
    paths = [day(folder, f"{i}.nc", run) for i, run in enumerate(runs)]
    if not is_down:
        random.Random(chance.random()).shuffle(paths)
    with ncz.open(paths) as ds:
        assert ds["time"][:].tolist() == steps
        assert of(ds) == [10 * step for step in steps]


def test_the_same_as_xarray(days, tmp_path):
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("dask")
    pytest.importorskip("netCDF4")
    theirs = xarray.open_mfdataset([*map(str, days)])
    assert ncz.open(days).to_xarray().equals(theirs)
    assert xarray.open_dataset(str(days[0].parent / "*.nc"), engine="ncz").equals(theirs)
    ncz.copy(ncz.open(days), tmp_path / "all.nc")
    assert xarray.open_dataset(tmp_path / "all.nc").equals(theirs)


def test_different_variables_are_merged(tmp_path, days):
    others = [day(days[0].parent, f"w{number}.nc", [number], variable="w") for number in range(3)]
    with ncz.open([*days, *others]) as ds:
        assert set(ds) == {"time", "x", "v", "w"}
        assert ds["w"][:].tolist() == ds["v"][:].tolist()


def test_units_are_converted(tmp_path):
    paths = [
        day(tmp_path, "a.nc", [0]),
        day(tmp_path, "b.nc", [24], units="hours since 2024-01-01"),
    ]
    with pytest.warns(ncz.NczWarning, match="are converted to 'days since"):
        ds = ncz.open(paths)
    assert ds["time"][:].tolist() == [0, 1]


def test_members_have_a_new_dimension(tmp_path):
    paths = [day(tmp_path, f"r{number}.nc", [0], first=100 * number) for number in range(3)]
    with pytest.raises(ncz.NczError, match='or new_dimension="member"'):
        ncz.open(paths)
    ways: list[dict[str, str]] = [
        {"new_dimension": "member"}, {"concat": "member"},
        {"concat_dim": "member", "combine": "nested"},
    ]  # fmt: skip
    for way in ways:
        with ncz.open(paths, **way) as ds:  # type: ignore[arg-type]
            assert ds["v"].dims == ("member", "time", "x")
            assert ds["v"][:, 0, 0].tolist() == [0, 100, 200]
    with pytest.raises(ncz.NczError, match="the dimension tim does not exist"):
        ncz.open(paths, concat="tim")


def test_scalar_times_and_records_without_coordinate(tmp_path):
    scalars, records = [], []
    for number in range(3):
        text = f"""netcdf a {{ dimensions: x = 1 ; variables: int time ; int v(x) ;
            time:units = "days since 2024-01-01" ; data: time = {number} ; v = {number} ; }}"""
        scalars.append(tmp_path / f"s{number}.nc")
        ncz.gen(io.BytesIO(text.encode()), scalars[-1], notify=ignore_notice)
        text = (
            f"netcdf a {{ dimensions: r = UNLIMITED ; variables: int v(r) ; data: v = {number} ; }}"
        )
        records.append(tmp_path / f"r{number}.nc")
        ncz.gen(io.BytesIO(text.encode()), records[-1], notify=ignore_notice)
    with ncz.open(scalars[::-1]) as ds:
        assert ds["time"][:].tolist() == [0, 1, 2]
        assert ds["v"][:].tolist() == [[0], [1], [2]]
    with ncz.open(records) as ds:
        assert ds["v"][:].tolist() == [0, 1, 2]


@pytest.mark.parametrize("number", [3, 70])
def test_it_can_be_pickled_and_selected(tmp_path, number):
    paths = [day(tmp_path, f"d{i}.nc", [i]) for i in range(number)]
    ds = ncz.open(paths)
    part = pickle.loads(pickle.dumps(ds.isel(time=slice(1, None))))
    assert of(part) == [10 * i for i in range(1, number)]
    again = pickle.loads(pickle.dumps(ds))
    assert again["v"][-1, 1] == 10 * number - 9


def test_datasets_that_cannot_be_opened_together(tmp_path, days):
    other = day(tmp_path, "other.nc", [7])
    with pytest.raises(TypeError, match="several datasets are opened for reading only"):
        ncz.open(days, "r+")
    with ncz.open(days) as ds, pytest.raises(TypeError, match="open to read"):
        ds["v"][0, 0] = 1
    with pytest.raises(TypeError, match="a path or a URL is expected"):
        ncz.open([])
    with pytest.raises(TypeError, match=r"ncz\.open_mfdataset"):
        ncz.open([[days[0]], [days[1]]])
    with pytest.raises(ncz.NczError, match="no file matches this pattern"):
        ncz.open(tmp_path / "none*.nc")
    whole = ncz.open([*days, other], notify=ignore_notice)
    with pytest.raises(ncz.NczError, match="source"):
        ncz.copy(whole, other, overwrite=True)
    assert ncz.open(other)["v"][0, 0] == 70
