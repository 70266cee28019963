"""Maps of values whose places are not axes, as the page gets them."""

from __future__ import annotations

import json
import struct
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.commands.sources import open_any
from ncz.commands.view.explorer import Explorer
from ncz.commands.view.request import Request, RequestError
from ncz.errors import NO_CALLBACKS, ignore_notice
from ncz.parallel.threads import ThreadPool
from ncz.zmap.location import location_of
from tests.commands.view.test_placed import REGULAR, listed, roms, turned
from tests.commands.view.test_placed_scene import CURVED, STATIONS


@pytest.fixture
def explored(tmp_path):
    """Return a function that opens a CDL text, and returns the explorer and the variable `v`."""
    from contextlib import ExitStack

    with ExitStack() as stack:

        def explore(text: str, **given: Any) -> tuple[Explorer, int]:
            (tmp_path / "x.cdl").write_text(text)
            dataset = stack.enter_context(open_any(location_of(tmp_path / "x.cdl"), NO_CALLBACKS))
            pool = stack.enter_context(ThreadPool(1 << 28, 1))
            explorer = Explorer(dataset, pool, **given)
            listed = explorer.descriptions.overview()["variables"]
            return explorer, next(each["number"] for each in listed if each["path"] == "v")

        yield explore


def whole_box(placed: dict[str, Any]) -> tuple[float, ...]:
    (west, east), (south, north) = placed["x"], placed["y"]
    return west, south, east, north


@pytest.mark.parametrize("name", CURVED)
def test_a_pixel_has_the_value_of_its_cell(explored, name):
    explorer, number = explored(CURVED[name][0][0])
    placed = explorer.descriptions.description(Request(variable=number))["placed"]
    request = Request(variable=number, box=whole_box(placed), pixels=(150, 110))
    answer, values, cells = explorer.placed.picture(request)
    assert values is not None
    assert cells is not None
    assert values.shape == cells.shape == (110, 150)
    x, y = answer["x"], answer["y"]
    assert (x["coordinates"][0] - x["step"] / 2, y["goesUp"]) == (pytest.approx(x["start"]), True)
    assert y["coordinates"] == sorted(y["coordinates"])
    expected, most = CURVED[name][0][1], CURVED[name][1]
    east, north = np.meshgrid(x["coordinates"], y["coordinates"])
    is_known = np.isfinite(values)
    assert abs(values - expected(east, north))[is_known].max() < most
    # the number of a cell is its place among the axes of the variable
    row, column = (int(n) for n in np.argwhere(is_known)[len(values) // 2])
    at = [0] * len(answer["at"])
    for axis, index in zip(
        placed["axes"], np.unravel_index(cells[row, column], placed["shape"]), strict=True
    ):
        at[axis] = int(index)
    found = explorer.series(Request(variable=number, at=tuple(at)))
    assert float(found["text"]) == pytest.approx(values[row, column], rel=1e-6)
    assert (cells >= 0)[is_known].all()


def test_a_box_shows_the_requested_part(explored):
    explorer, number = explored(roms()[0])
    box = (-72.0, 34.0, -71.0, 35.0)
    answer, values, _ = explorer.placed.picture(
        Request(variable=number, at=(1, 1), box=box, pixels=(60, 60))
    )
    assert values is not None
    east, north = np.meshgrid(answer["x"]["coordinates"], answer["y"]["coordinates"])
    is_known = np.isfinite(values)
    assert is_known.mean() > 0.9
    assert abs(values - (east + 2 * north + 11))[is_known].max() < 1.6
    assert answer["at"][:2] == ["2024-06-01 12", "[1]"]


def test_other_variables_have_no_places(explored):
    explorer, number = explored(REGULAR.format(2, 2, "1, 2", "1, 2", "1, 2, 3, 4"))
    assert explorer.descriptions.description(Request(variable=number))["placed"] is None
    with pytest.raises(RequestError, match="no places"):
        explorer.placed.picture(Request(variable=number, box=(0, 0, 1, 1)))


def test_the_option_axes_chooses_the_picture_by_index(explored):
    explorer, number = explored(roms()[0])
    axes = ("xi_rho", "eta_rho")
    assert explorer.descriptions.description(Request(variable=number), axes)["placed"] is None


def test_a_map_has_a_limit(explored):
    explorer, number = explored(STATIONS.format("station", "1, 2, 3, 4"), limit=1000)
    assert explorer.descriptions.description(Request(variable=number))["placed"] is None
    answer, values, cells = explorer.placed.picture(
        Request(variable=number, box=(0.0, 40.0, 40.0, 60.0))
    )
    assert (values, cells) == (None, None)
    need = answer["tooLarge"]["need"]
    values = explorer.placed.picture(
        Request(variable=number, box=(0.0, 40.0, 40.0, 61.0), limit=need)
    )[1]
    assert values is not None
    assert {1, 2, 3, 4} <= set(values[np.isfinite(values)].tolist())


def test_a_large_grid_becomes_finer_in_a_small_box(explored, monkeypatch):
    from ncz.commands.view import placed_pictures

    monkeypatch.setattr(placed_pictures, "MOST_CELLS", 1000)
    east, north = turned(100, 100, 20, 0, 0, 0.1)
    text = f"""netcdf x {{ dimensions: y = 100 ; x = 100 ;
      variables: double lon(y, x) ; double lat(y, x) ; int v(y, x) ;
      data: lon = {listed(east)} ; lat = {listed(north)} ; v = {listed(np.arange(10_000))} ; }}"""
    explorer, number = explored(text)
    placed = explorer.descriptions.description(Request(variable=number))["placed"]
    whole = explorer.placed.picture(
        Request(variable=number, box=whole_box(placed), pixels=(200, 200))
    )[1]
    x, y = float(east[50, 50]), float(north[50, 50])
    box = (x - 0.25, y - 0.25, x + 0.25, y + 0.25)
    _, values, cells = explorer.placed.picture(Request(variable=number, box=box, pixels=(51, 51)))
    assert whole is not None
    assert values is not None
    assert cells is not None
    assert len(np.unique(whole[np.isfinite(whole)])) <= 1000
    assert values[25, 25] == cells[25, 25] == 5050
    assert {4950, 5049, 5051, 5150} <= set(values.ravel().tolist())


def test_the_numbers_of_cells_follow_the_values(explored):
    explorer, number = explored(STATIONS.format("station", "1, 2, 3, 4"))
    body = explorer.packed_picture(
        Request(variable=number, box=(0.0, 40.0, 40.0, 61.0), pixels=(100, 52))
    )
    (length,) = struct.unpack("<I", body[:4])
    answer = json.loads(body[4 : 4 + length])
    count = answer["shape"][0] * answer["shape"][1]
    values = np.frombuffer(body, f"<f{answer['size']}", count, 4 + length)
    cells = np.frombuffer(body, "<i4", count, 4 + length + count * answer["size"])
    assert answer["hasCells"] is True
    assert (values[cells >= 0] == cells[cells >= 0] + 1).all()
    assert set(cells.tolist()) == {-1, 0, 1, 2, 3}
    assert len(body) == 4 + length + count * (answer["size"] + 4)


def answers_of(page: Path) -> dict[str, Any]:
    text = page.read_text().partition('<script id="answers" type="application/json">')[2]
    found: dict[str, Any] = json.loads(text.partition("</script>")[0])
    return found


def test_a_recorded_map_has_the_coasts_of_its_window(tmp_path):
    lat, lon = np.arange(-85, 90, 10.0), np.arange(5, 360, 10.0)
    values = np.zeros((len(lat), len(lon)))
    text = REGULAR.format(len(lat), len(lon), listed(lat), listed(lon), listed(values))
    (tmp_path / "g.cdl").write_text(text)
    ncz.view(tmp_path / "g.cdl", "v", html=tmp_path / "g.html", notify=ignore_notice)
    lines = answers_of(tmp_path / "g.html")["coast"]["lines"]
    longitudes = [each for line in lines for each in line[::2]]
    assert 0 <= min(longitudes) < 10
    assert 350 < max(longitudes) <= 360
    (tmp_path / "i.cdl").write_text("netcdf i { dimensions: y = 2 ; x = 2 ; variables: int v(y, x)"
                                    " ; data: v = 1, 2, 3, 4 ; }")  # fmt: skip
    ncz.view(tmp_path / "i.cdl", "v", html=tmp_path / "i.html", notify=ignore_notice)
    assert answers_of(tmp_path / "i.html")["coast"]["lines"] == []
