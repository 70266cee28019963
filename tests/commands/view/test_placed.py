"""Maps of values whose longitudes and latitudes are not axes: curved grids, meshes and stations.

The datasets have the dimensions and the attributes of ROMS, WRF, NEMO, CORDEX, ICON and UGRID. A
picture is right if the colour, or the value, at a known place is that of the cell there.
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


def wrf() -> tuple[str, Callable[[Any, Any], Any]]:
    """The longitudes jump from 180 to -180, and Time is the first of their dimensions."""
    east, north = turned(14, 18, -20, 172, -40, 0.8)
    stored = (east + 180) % 360 - 180
    return (
        f"""netcdf wrf {{ dimensions: Time = UNLIMITED ; south_north = 14 ; west_east = 18 ;
        variables: float XLAT(Time, south_north, west_east) ; XLAT:units = "degree_north" ;
          float XLONG(Time, south_north, west_east) ; XLONG:units = "degree_east" ;
          float v(Time, south_north, west_east) ; v:description = "TEMP at 2 M" ;
          v:coordinates = "XLONG XLAT XTIME" ; v:units = "K" ;
        data: XLAT = {listed(np.stack([north, north]))} ;
          XLONG = {listed(np.stack([stored, stored]))} ;
          v = {listed(np.stack([east - north, 0 * east]))} ; }}""",
        lambda lon, lat: lon - lat,
    )


def cordex() -> tuple[str, Callable[[Any, Any], Any]]:
    """A rotated pole: the axes are coordinates of their own, and not longitudes."""
    pole_east, pole_north = -162.0, math.radians(39.25)
    rlat, rlon = np.arange(-12, 12.1, 1.0), np.arange(-14, 14.1, 1.0)
    y, x = np.radians(np.meshgrid(rlat, rlon, indexing="ij"))
    north = np.arcsin(np.sin(pole_north) * np.sin(y) + np.cos(pole_north) * np.cos(y) * np.cos(x))
    east = np.arctan2(
        np.cos(y) * np.sin(x),
        np.cos(y) * np.cos(x) * np.sin(pole_north) - np.sin(y) * np.cos(pole_north),
    )
    east, north = np.degrees(east) + pole_east + 180, np.degrees(north)
    return (
        f"""netcdf cordex {{ dimensions: time = 1 ; rlat = {len(rlat)} ; rlon = {len(rlon)} ;
        variables: double rlat(rlat) ; rlat:standard_name = "grid_latitude" ;
          double rlon(rlon) ; rlon:standard_name = "grid_longitude" ;
          rlat:units = "degrees" ; rlon:units = "degrees" ;
          double lon(rlat, rlon) ; lon:standard_name = "longitude" ; lon:units = "degrees_east" ;
          double lat(rlat, rlon) ; lat:standard_name = "latitude" ; lat:units = "degrees_north" ;
          float v(time, rlat, rlon) ; v:coordinates = "lon lat" ;
        data: rlat = {listed(rlat)} ; rlon = {listed(rlon)} ; lon = {listed(east)} ;
          lat = {listed(north)} ; v = {listed(east + north)} ; }}""",
        lambda lon, lat: lon + lat,
    )


def nemo() -> tuple[str, Callable[[Any, Any], Any]]:
    """Nothing but names, a longitude that is not on a map where land is left out, and an axis y."""
    east, north = turned(10, 16, 12, -20, 50, 0.5)
    values = east * north
    values[8:, :3] = np.nan
    east[8:, :3] = north[8:, :3] = 0
    return (
        f"""netcdf nemo {{ dimensions: y = 10 ; x = 16 ;
        variables: float nav_lon(y, x) ; float nav_lat(y, x) ; double v(y, x) ;
          v:_FillValue = -9. ;
        data: nav_lon = {listed(east)} ; nav_lat = {listed(north)} ; v = {listed(values)} ; }}
        """,
        lambda lon, lat: lon * lat,
    )


def mesh() -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return longitudes and latitudes of nodes, and faces with four or three of them."""
    east, north = turned(7, 9, 25, 4, 50, 0.6)
    numbers = np.arange(63).reshape(7, 9)
    quads = np.stack(
        [numbers[:-1, :-1], numbers[:-1, 1:], numbers[1:, 1:], numbers[1:, :-1]], axis=-1
    ).reshape(-1, 4)
    halves = [
        half
        for row in quads[::3]
        for half in ([*row[:3].tolist(), -1], [row[0], row[2], row[3], -1])
    ]
    whole = [row.tolist() for n, row in enumerate(quads) if n % 3]
    return east.ravel(), north.ravel(), np.array([*halves, *whole])


def ugrid(location: str, *, has_middles: bool = False) -> tuple[str, Callable[[Any, Any], Any]]:
    east, north, faces = mesh()
    middles = [np.array([one[face[face >= 0]].mean() for face in faces]) for one in (east, north)]
    x, y = middles if location == "face" else (east, north)
    named = 'm:face_coordinates = "fx fy" ;' if has_middles else ""
    return (
        f"""netcdf mesh {{ dimensions: time = 2 ; node = {len(east)} ; face = {len(faces)} ;
          four = 4 ;
        variables: int m ; m:cf_role = "mesh_topology" ; m:topology_dimension = 2 ;
          m:node_coordinates = "nx ny" ; m:face_node_connectivity = "table" ; {named}
          double nx(node) ; nx:standard_name = "longitude" ; nx:units = "degrees_east" ;
          double ny(node) ; ny:standard_name = "latitude" ; ny:units = "degrees_north" ;
          double fx(face) ; fx:units = "degrees_east" ; double fy(face) ;
          fy:units = "degrees_north" ;
          int table(face, four) ; table:start_index = 1 ; table:_FillValue = 0 ;
          double v(time, {location}) ; v:mesh = "m" ; v:location = "{location}" ;
        data: nx = {listed(east)} ; ny = {listed(north)} ; table = {listed(faces + 1)} ;
          fx = {listed(middles[0])} ; fy = {listed(middles[1])} ;
          v = {listed(np.stack([x + y, x - y]))} ; }}""",
        lambda lon, lat: lon + lat,
    )


def icon() -> tuple[str, Callable[[Any, Any], Any]]:
    """Cells of one dimension with bounds, in radians."""
    east, north, faces = mesh()
    faces = np.where(faces < 0, faces[:, 2:3], faces)
    x, y = np.radians(east)[faces], np.radians(north)[faces]
    values = np.degrees(x.mean(1)) * 2 + np.degrees(y.mean(1))
    return (
        f"""netcdf icon {{ dimensions: ncells = {len(faces)} ; vertices = 4 ;
        variables: double clon(ncells) ; clon:standard_name = "longitude" ;
          double clat(ncells) ; clat:standard_name = "latitude" ;
          clon:units = "radian" ; clat:units = "radian" ;
          clon:bounds = "clon_vertices" ; clat:bounds = "clat_vertices" ;
          double clon_vertices(ncells, vertices) ; double clat_vertices(ncells, vertices) ;
          float v(ncells) ; v:coordinates = "clat clon" ;
        data: clon = {listed(x.mean(1))} ; clat = {listed(y.mean(1))} ;
          clon_vertices = {listed(x)} ; clat_vertices = {listed(y)} ; v = {listed(values)} ; }}
        """,
        lambda lon, lat: 2 * lon + lat,
    )


CURVED = {
    "ROMS": (roms(), 1.6),
    "WRF": (wrf(), 1.6),
    "CORDEX": (cordex(), 3.5),
    "NEMO": (nemo(), 26.0),
    "faces": (ugrid("face"), 0.8),
    "faces with middles": (ugrid("face", has_middles=True), 0.8),
    "nodes": (ugrid("node"), 0.8),
    "cells with bounds": (icon(), 1.3),
}  # fmt: skip
"""CDL, the values by place, and the most that values differ within a cell."""


def scene(folder: Path, text: str, **given: Any) -> Scene:
    path = folder / "x.cdl"
    path.write_text(text)
    with open_any(str(path), NO_CALLBACKS) as dataset:
        return scene_of(dataset, "/v", **{"most": (120, 160), **given})


def places(found: Scene) -> tuple[np.ndarray, np.ndarray]:
    assert found.down is not None
    return np.meshgrid(found.across.coordinates, found.down.coordinates)


@pytest.mark.parametrize("name", CURVED)
def test_each_value_is_at_its_place(tmp_path, name):
    (text, expected), most = CURVED[name]
    found = scene(tmp_path, text)
    east, north = places(found)
    is_known = np.isfinite(found.values)
    assert is_known.mean() > 0.25
    difference = np.abs(found.values - expected(east, north))[is_known]
    assert difference.max() < most
    assert abs(np.mean((found.values - expected(east, north))[is_known])) < most / 10


@pytest.mark.parametrize("name", CURVED)
def test_there_are_no_gaps_between_cells(tmp_path, name):
    (text, _), _ = CURVED[name]
    is_known = np.pad(np.isfinite(scene(tmp_path, text).values), 1)
    outside = np.zeros_like(is_known)
    outside[0] = True
    while True:  # spread from the edge of the picture
        wider = outside.copy()
        for axis in (0, 1):
            for step in (-1, 1):
                wider |= np.roll(outside, step, axis)
        wider &= ~is_known
        if (wider == outside).all():
            break
        outside = wider
    assert (is_known | outside).all()


@pytest.mark.parametrize("name", CURVED)
def test_a_degree_is_as_long_in_both_directions(tmp_path, name):
    found = scene(tmp_path, CURVED[name][0][0])
    assert found.window is not None
    rows, columns = found.values.shape
    assert max(rows / 120, columns / 160) == pytest.approx(1, abs=0.02)
    ratio = found.window.width / found.window.height
    assert columns / rows == pytest.approx(ratio, rel=0.02)


def test_a_map_across_180_degrees_is_in_one_piece(tmp_path):
    found = scene(tmp_path, wrf()[0])
    assert found.window is not None
    assert 165 < found.window.west < 180 < found.window.east < 195


def test_other_dimensions_are_cut_as_they_are_asked(tmp_path, run):
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


def test_values_at_missing_places_are_left_out(tmp_path):
    found = scene(tmp_path, nemo()[0])
    assert found.window is not None
    assert found.window.north > 50
    assert found.window.south > 45


STATIONS = """netcdf s {{ dimensions: station = 4 ; time = 3 ; strlen = 4 ;
variables: float lon(station) ; lon:units = "degrees_east" ;
  float lat(station) ; lat:units = "degrees_north" ; char name(station, strlen) ;
  float v({}) ; v:coordinates = "lat lon name" ; :featureType = "timeSeries" ;
data: lon = 10, 20, 30, 20 ; lat = 50, 60, 50, 55 ; v = {} ; }}"""


@pytest.mark.parametrize("dimensions", ["station", "station, time", "time, station"])
def test_stations_are_marks_on_a_map(tmp_path, dimensions):
    values = {"station": [1, 2, 3, 4], "station, time": np.repeat([1, 2, 3, 4], 3)}
    shown = listed(values.get(dimensions, np.tile([1, 2, 3, 4], 3)))
    found = scene(tmp_path, STATIONS.format(dimensions, shown), most=(400, 640))
    east, north = places(found)
    for lon, lat, value in ((10, 50, 1), (20, 60, 2), (30, 50, 3), (20, 55, 4)):
        at = np.hypot(east - lon, north - lat)
        assert found.values.flat[at.argmin()] == value
        assert (found.values[at < 0.15] == value).all()
    assert 0 < np.isfinite(found.values).mean() < 0.05


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
    with open_any(str(tmp_path / "p.cdl"), NO_CALLBACKS) as dataset:
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
