"""Scenes whose values have places on a map."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from ncz.commands.view.scene import Scene
from tests.commands.view.test_placed import listed, roms, scene, turned


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
    """A rotated pole: the axes are rotated coordinates, and not longitudes."""
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
