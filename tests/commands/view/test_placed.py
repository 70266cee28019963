"""Maps of values whose longitudes and latitudes are not axes: curved grids, meshes and stations.

The datasets have the dimensions and the attributes of ROMS, WRF, NEMO, CORDEX, ICON and UGRID. A
picture is right if the colour, or the value, at a known place belongs to the cell there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.commands.sources import open_any
from ncz.commands.view.error import ViewError
from ncz.commands.view.scene import Scene, scene_of
from ncz.errors import NO_CALLBACKS
from ncz.zmap.location import location_of


def listed(values: Any) -> str:
    return ", ".join("_" if v != v else repr(v) for v in np.asarray(values).ravel().tolist())


def turned(rows: int, columns: int, degrees: float, west: float, south: float, step: float):
    """Return longitudes and latitudes of a grid that is turned."""
    y, x = np.mgrid[:rows, :columns] * step
    angle = math.radians(degrees)
    east = west + x * math.cos(angle) - y * math.sin(angle)
    return east, south + x * math.sin(angle) + y * math.cos(angle)


def roms() -> tuple[str, Callable[[Any, Any], Any]]:
    east, north = turned(12, 20, 30, -75, 32, 0.5)
    values = np.stack([np.stack([east + 2 * north + level + 10 * time for level in (0, 1)])
                       for time in (0, 1)])  # fmt: skip
    return (
        f"""netcdf roms {{ dimensions: ocean_time = 2 ; s_rho = 2 ; eta_rho = 12 ; xi_rho = 20 ;
        variables: double ocean_time(ocean_time) ;
          ocean_time:units = "seconds since 2024-06-01" ;
          double lon_rho(eta_rho, xi_rho) ; lon_rho:units = "degree_east" ;
          double lat_rho(eta_rho, xi_rho) ; lat_rho:units = "degree_north" ;
          float v(ocean_time, s_rho, eta_rho, xi_rho) ; v:units = "Celsius" ;
          v:coordinates = "lon_rho lat_rho s_rho ocean_time" ; v:_FillValue = 1e37f ;
        data: ocean_time = 0, 43200 ; lon_rho = {listed(east)} ; lat_rho = {listed(north)} ;
          v = {listed(values)} ; }}""",
        lambda lon, lat: lon + 2 * lat,
    )


def scene(folder: Path, text: str, **given: Any) -> Scene:
    path = folder / "x.cdl"
    path.write_text(text)
    with open_any(location_of(path), NO_CALLBACKS) as dataset:
        return scene_of(dataset, "/v", **{"most": (120, 160), **given})


def test_other_dimensions_are_cut_as_requested(tmp_path, run):
    (tmp_path / "r.cdl").write_text(roms()[0])
    first, later = (
        run("view", tmp_path / "r.cdl", "v", "--text", *given).text
        for given in ([], ["--isel", "ocean_time=1,s_rho=1"])
    )
    assert first.splitlines()[1].startswith("ocean_time = 2024-06-01, s_rho = [0]")
    assert later.splitlines()[1].startswith("ocean_time = 2024-06-01 12")
    low = [float(text.splitlines()[-1].split()[0]) for text in (first, later)]
    assert low[1] - low[0] == pytest.approx(11, abs=0.01)


def test_the_option_axes_gives_the_picture_by_index(tmp_path):
    found = scene(tmp_path, roms()[0], axes=("xi_rho", "eta_rho"))
    assert found.window is None
    assert found.values.shape == (12, 20)


def test_no_station_is_lost_in_a_terminal(tmp_path):
    """Sixty stations are on a map of few characters: each has a character, or shares one."""
    rng = np.random.default_rng(5)
    east, north = rng.uniform(-100, 100, 60), rng.uniform(-60, 60, 60)
    text = f"""netcdf s {{ dimensions: n = 60 ; variables: double lon(n) ; double lat(n) ;
      int v(n) ; data: lon = {listed(east)} ; lat = {listed(north)} ; v = {listed([1] * 60)} ; }}"""
    (tmp_path / "s.cdl").write_text(text)
    lines = ncz.view(tmp_path / "s.cdl", "v", width=140, height=60).splitlines()
    assert sum(line.count("░") for line in lines[1:-2]) >= 55


PATH = """netcdf p { dimensions: time = 4 ; depth = 3 ;
variables: double time(time) ; time:units = "days since 2026-01-01" ;
  float lon(time) ; float lat(time) ; float v(time, depth) ; float surface(time) ;
data: time = 0, 1, 2, 3 ; lon = 1, 2, 3, 4 ; lat = 5, 6, 7, 8 ; v = 1 ; surface = 1, 2, 3, 4 ; }"""


def test_a_section_along_a_path_is_not_a_map(tmp_path):
    (tmp_path / "p.cdl").write_text(PATH)
    with open_any(location_of(tmp_path / "p.cdl"), NO_CALLBACKS) as dataset:
        section, track = (scene_of(dataset, name, most=(50, 50)) for name in ("/v", "/surface"))
    assert section.window is None
    assert track.window is not None


def test_places_count_as_read(tmp_path, run):
    (tmp_path / "r.cdl").write_text(roms()[0])
    ran = run("view", tmp_path / "r.cdl", "v", "--text", "--memory", "4000")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert "the picture needs" in ran.stderr
    with pytest.raises(ViewError, match="the picture needs"):
        scene(tmp_path, roms()[0], limit=4000)


@pytest.mark.parametrize(
    "table", [[[1, 2, 99]], [[0, 0, 0]], [[-5, 2, 3]], [[1, 2, 2147483647]]], ids=str
)
def test_faces_without_their_nodes_are_left_out(tmp_path, table):
    text = f"""netcdf m {{ dimensions: node = 4 ; face = 2 ; three = 3 ;
      variables: int m ; m:cf_role = "mesh_topology" ; m:node_coordinates = "x y" ;
        m:face_node_connectivity = "table" ; double x(node) ; x:units = "degrees_east" ;
        double y(node) ; y:units = "degrees_north" ; int table(face, three) ;
        table:start_index = 1 ; float v(face) ; v:mesh = "m" ; v:location = "face" ;
      data: x = 0, 1, 0, 1 ; y = 0, 0, 1, 1 ; table = {listed(table)}, 2, 4, 3 ; v = 1, 2 ; }}"""
    values = scene(tmp_path, text).values
    assert set(values[np.isfinite(values)].tolist()) == {2.0}


REGULAR = """netcdf g {{ dimensions: lat = {0} ; lon = {1} ;
variables: double lat(lat) ; lat:units = "degrees_north" ; double lon(lon) ;
  lon:units = "degrees_east" ; float v(lat, lon) ; data: lat = {2} ; lon = {3} ; v = {4} ; }}"""


def regular(lat: Any, lon: Any) -> str:
    values = np.add.outer(np.asarray(lat), np.asarray(lon) / 1000)
    return REGULAR.format(len(lat), len(lon), listed(lat), listed(lon), listed(values))


@pytest.mark.parametrize(
    "lat", [np.arange(-89, 90, 2.0), np.arange(89, -90, -2.0)], ids=["up", "down"]
)
@pytest.mark.parametrize(
    "lon",
    [np.arange(0, 360, 3.0), np.arange(-180, 180, 3.0), (np.arange(0, 360, 3.0) + 180) % 360],
    ids=["0", "-180", "180"],
)
def test_a_globe_is_twice_as_wide_as_high(tmp_path, lat, lon):
    found = scene(tmp_path, regular(lat, lon))
    assert found.window is not None
    assert (found.window.width, found.window.height) == (360, 180)
    assert found.values[0, 0] > 80  # north is above
    (tmp_path / "g.cdl").write_text(regular(lat, lon))
    lines = ncz.view(tmp_path / "g.cdl", "v", width=92, height=40).splitlines()
    rows = [line for line in lines[1:-3] if set(line[12:]) & set("░▒▓█")]
    assert len(rows[0][12:]) / len(rows) == pytest.approx(4, rel=0.15)  # characters are high


def test_uneven_latitudes_are_drawn_at_their_places(tmp_path):
    lat = [-60.0, -20.0, -10.0, 0.0, 30.0, 70.0]
    found = scene(tmp_path, regular(lat, np.arange(0, 40, 5.0)))
    assert found.window is not None
    rows = np.linspace(found.window.north, found.window.south, len(found.values) * 2 + 1)[1::2]
    nearest = [min(lat, key=lambda each: abs(each - row)) for row in rows]
    shown = found.values[:, 0]
    assert np.mean(np.abs(shown - nearest) < 1) > 0.97


def test_the_default_variable_is_not_a_table_of_a_mesh(tmp_path):
    (tmp_path / "m.cdl").write_text(
        """netcdf m { dimensions: node = 4 ; face = 2 ; three = 3 ;
      variables: int m ; m:cf_role = "mesh_topology" ; m:node_coordinates = "x y" ;
        m:face_node_connectivity = "table" ; double x(node) ; x:units = "degrees_east" ;
        double y(node) ; y:units = "degrees_north" ; int table(face, three) ;
        float v(face) ; v:mesh = "m" ; v:location = "face" ;
      data: x = 0, 1, 0, 1 ; y = 0, 0, 1, 1 ; table = 0, 1, 2, 1, 3, 2 ; v = 1, 2 ; }"""
    )
    assert ncz.view(tmp_path / "m.cdl").splitlines()[0] == "v"
