"""Differences of two datasets: their values, their errors, and their pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from ncz.zmap.location import location_of, parse_location
from tests.commands.view.test_placed import listed, roms

LAT, LON = np.array([-60.0, 0.0, 60.0]), np.arange(0, 360, 60.0)


def cdl(values: Any, **changed: Any) -> str:
    given = {
        "lat": LAT, "lon": LON, "units": "K", "type": "float", "more": "", "name": "t",
        "attributes": "", "stored": values, **changed,
    }  # fmt: skip
    rows, columns = len(given["lat"]), len(given["lon"])
    return f"""netcdf x {{ dimensions: lat = {rows} ; lon = {columns} ; m = 2 ;
      variables: double lat(lat) ; lat:units = "degrees_north" ; double lon(lon) ;
        lon:units = "degrees_east" ; {given["type"]} {given["name"]}(lat, lon) ;
        {given["name"]}:units = "{given["units"]}" ; {given["name"]}:long_name = "temperature" ;
        {given["name"]}:standard_name = "air_temperature" ; {given["attributes"]} {given["more"]}
      data: lat = {listed(given["lat"])} ; lon = {listed(given["lon"])} ;
        {given["name"]} = {listed(given["stored"])} ; }}"""


VALUES = np.arange(18.0).reshape(3, 6)


@pytest.fixture
def pair(tmp_path):
    """Return a function that writes two datasets, and returns their paths."""

    def write(first: str, second: str, suffix: str = ".cdl") -> tuple[Path, Path]:
        paths = []
        for name, text in (("new", first), ("old", second)):
            path = tmp_path / f"{name}.cdl"
            path.write_text(text)
            if suffix != ".cdl":
                ncz.gen(path, tmp_path / f"{name}{suffix}", overwrite=True, notify=ignore_notice)
                path = tmp_path / f"{name}{suffix}"
            paths.append(path)
        return paths[0], paths[1]

    return write


def shown(first: Path, second: Path, name: str | None = None, **given: Any) -> np.ndarray:
    """Return the values of a picture, rows from north to south."""
    from ncz.commands.view.difference import shown_datasets
    from ncz.commands.view.scene import scene_of
    from ncz.commands.view.variables import choose_variable
    from ncz.commands.view.view_options import ViewOptions

    sources = [str(p) if p.suffix == ".cdl" else parse_location(str(p)) for p in (first, second)]
    options = ViewOptions(
        source=location_of(sources[0]), minus=location_of(sources[1]), variable=name
    )
    with shown_datasets(options, ignore_notice) as datasets:
        fqn, _ = choose_variable(datasets.difference, name)
        return scene_of(datasets.difference, fqn, most=(50, 50), **given).values


@pytest.mark.parametrize("suffix", [".cdl", ".zarr", ".nc"])
def test_values_of_the_second_are_subtracted(pair, suffix):
    first, second = pair(cdl(VALUES**2), cdl(VALUES), suffix)
    assert shown(first, second).tolist() == (VALUES**2 - VALUES)[::-1].tolist()


def test_packed_and_missing_values_are_decoded_first(pair):
    packed = cdl(VALUES, type="short", stored=VALUES * 10, attributes="t:scale_factor = 0.1f ;"
                 ' t:_FillValue = 170s ;')  # fmt: skip
    first, second = pair(packed, cdl(VALUES - 1))
    expected = np.ones((3, 6))
    expected[0, 5] = np.nan  # the largest is missing; it is in the north
    np.testing.assert_allclose(shown(first, second), expected, rtol=1e-5)


def test_chunks_of_other_shapes_are_subtracted(pair):
    first, second = pair(
        cdl(VALUES, attributes="t:_ChunkSizes = 2, 4 ;"),
        cdl(VALUES * 3, attributes="t:_ChunkSizes = 3, 1 ;"), ".zarr",
    )  # fmt: skip
    assert shown(first, second).tolist() == (-2 * VALUES)[::-1].tolist()


@pytest.mark.parametrize(
    ("second", "message"),
    [
        (cdl(VALUES, name="q"), "old.cdl has no variable of that name"),
        (cdl(VALUES, units="degC"), "the units differ: K and degC"),
        (cdl(VALUES[:2], lat=LAT[:2]), "the shapes differ: lat=3, lon=6 and lat=2, lon=6"),
        (cdl(VALUES).replace("float t(lat, lon)", "string t(lat, lon)").replace(
            listed(VALUES), ", ".join(['"a"'] * 18)), "are not numbers"),
    ],
)  # fmt: skip
def test_different_coordinates_are_named(run, pair, second, message):
    first, other = pair(cdl(VALUES), second)
    for given in (["t"], []):
        ran = run("view", first, other, *given, "--text")
        assert (ran.code, ran.stderr.count("\n")) == (1, 1)
        assert message in ran.stderr


def test_variables_that_cannot_be_subtracted_are_left_out(pair):
    more = "float q(lat, lon) ; int only(m) ;"
    first, second = pair(cdl(VALUES, more=more), cdl(VALUES - 2, more="float q(lon) ;"))
    assert set(shown(first, second).ravel().tolist()) == {2.0}
    with pytest.raises(ncz.NczError, match="the shapes differ: lat=3, lon=6 and lon=6"):
        ncz.view(first, "q", minus=second)
    with pytest.raises(ncz.NczError, match="has no variable of that name"):
        ncz.view(first, "only", minus=second)
    with pytest.raises(ncz.NczError, match="it is a coordinate"):
        ncz.view(first, "lat", minus=second)


def test_other_coordinates_are_reported(pair):
    first, second = pair(cdl(VALUES), cdl(VALUES, lat=LAT[::-1]))
    notices: list[Notice] = []
    ncz.view(first, minus=second, notify=notices.append)
    (notice,) = notices
    assert notice.code == "coordinates-differ"
    assert "the coordinates of lat differ" in notice.message
    notices.clear()
    ncz.view(first, minus=first, notify=notices.append)
    assert notices == []


def test_the_picture_describes_its_contents(run, pair):
    first, second = pair(cdl(VALUES), cdl(VALUES * 2))
    lines = run("view", first, second, "--text", "--colors", "none").text.splitlines()
    assert lines[0] == "t: temperature (new.cdl minus old.cdl) (K)"
    assert lines[-1].split()[0] == "-17"
    assert lines[-1].split()[-1] == "17"  # a diverging map has zero in the middle
    assert run("view", first, "--minus", second, "--text", "--colors", "none").text == "\n".join(
        [*lines, ""]
    )
    plain = run("view", first, second, "t", "--text", "--colormap", "dusk").text.splitlines()
    assert plain[-1].split()[-1] == "0"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ("/data/new.nc", "old.nc", ("new.nc", "old.nc")),
        ("/runs/a/t.nc", "/runs/b/t.nc", ("a/t.nc", "b/t.nc")),
        ("s3://x/t.zarr", "t.zarr", ("x/t.zarr", "t.zarr")),
        ("t.nc", "t.nc", ("t.nc", "t.nc")),
        ("/long/way/t.nc", "/long/way/t.nc", ("t.nc", "t.nc")),
    ],
)
def test_titles_distinguish_the_datasets(one, other, expected):
    from ncz.commands.view.difference import distinct_names

    assert distinct_names(one, other) == expected


def test_a_selection_matches_both(pair, run):
    first, second = pair(cdl(VALUES), cdl(VALUES + 1))
    text = run("view", first, second, "--text", "--isel", "lat=0:2").text
    assert "-1" in text.splitlines()[-1]


def test_a_name_may_belong_to_a_variable_or_to_a_dataset(pair, run, monkeypatch, tmp_path):
    pair(cdl(VALUES), cdl(VALUES * 2), ".zarr")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t").mkdir()  # a folder with the name of the variable
    assert run("view", "new.zarr", "t", "--text").text.startswith("t: temperature (K)")
    assert "minus" in run("view", "new.zarr", "old.zarr", "--text").text
    assert run("view", "new.zarr", "gone.zarr", "--text").code == 1
    assert run("view", "new.zarr", "old.zarr", "t", "--minus", "old.zarr", "--text").code == 2


def test_curved_grids_are_subtracted_at_their_places(pair):
    text = roms()[0]
    first, second = pair(text, text)
    values = shown(first, second, "v")
    assert set(values[np.isfinite(values)].tolist()) == {0.0}
    assert values.shape[0] > 20


def test_a_slide_of_a_difference(pair, tmp_path):
    image = pytest.importorskip("PIL.Image")
    first, second = pair(cdl(VALUES), cdl(VALUES * 2))
    ncz.view(first, minus=second, png=tmp_path / "d.png")
    with image.open(tmp_path / "d.png") as picture:
        assert picture.size == (1280, 720)


def test_little_is_read_if_chunks_do_not_fit(pair):
    """A chunk of one may meet many of the other; both count as read."""
    first, second = pair(
        cdl(VALUES, attributes="t:_ChunkSizes = 1, 6 ;"),
        cdl(VALUES, attributes="t:_ChunkSizes = 3, 1 ;"), ".zarr",
    )  # fmt: skip
    with pytest.raises(ncz.NczError, match="needs 72 B of chunks"):
        ncz.view(first, minus=second, memory=20)
