"""The examples of Appendix L of CF 1.13, with fragments that exist.

Where the text contradicts the section on aggregation variables, the section is followed: in L.2,
``time`` has its own URIs, because the URIs of ``temperature`` have four dimensions; in L.4,
aggregation variables are scalars.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from tests.formats.aggregation.conftest import read
from tests.formats.aggregation.masters import listed, write

SHAPE = (12, 1, 73, 144)
NAMES = ("time", "level", "latitude", "longitude")
VALUES = np.arange(np.prod(SHAPE), dtype="f8").reshape(SHAPE) / 8
DAYS = np.array([0, 31, 59, 90, 120, 151, 181, 212, 243, 273, 304, 334], "f8")
UNITS = "days since 2001-01-01"
HALVES = {"January-March.nc": slice(0, 3), "April-December.nc": slice(3, 12)}
MAP = [[3, 9], [1, None], [73, None], [144, None]]


def fragment(path: Path, variables: dict[str, tuple[Sequence[str], np.ndarray, str]]) -> None:
    """Write a fragment with variables of dimensions, values and units."""
    sizes: dict[str, int] = {}
    declared, data = [], []
    for name, (dimensions, values, units) in variables.items():
        sizes |= dict(zip(dimensions, values.shape, strict=True))
        kind = {"f8": "double", "f4": "float"}[values.dtype.str[1:]]
        along = f"({', '.join(dimensions)})" if dimensions else ""
        declared.append(f'{kind} {name}{along} ; {name}:units = "{units}" ;')
        data.append(f"{name} = {listed(values)} ;")
    lengths = " ".join(f"{name} = {size} ;" for name, size in sizes.items())
    text = f"dimensions: {lengths} variables: {' '.join(declared)} data: {' '.join(data)}"
    write(path, f"netcdf f {{ {text} }}", kind="classic")


@pytest.fixture(scope="module")
def halves(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the two fragments of most examples."""
    folder = tmp_path_factory.mktemp("fragments")
    for name, part in HALVES.items():
        fragment(
            folder / name,
            {"temperature": (NAMES, VALUES[part], "K"), "time": (("time",), DAYS[part], UNITS)},
        )
    return folder


def master(path: Path, dimensions: str, variables: str, data: str, attributes: str = "") -> Path:
    """Write a master with the common parts of all examples of this variable."""
    return write(
        path,
        "netcdf m { dimensions: time = 12 ; level = 1 ; latitude = 73 ; longitude = 144 ; "
        f"{dimensions} variables: double temperature ; "
        'temperature:standard_name = "air_temperature" ; temperature:units = "K" ; '
        'temperature:cell_methods = "time: mean" ; '
        'temperature:aggregated_dimensions = "time level latitude longitude" ; '
        'temperature:aggregated_data = "uris: fragment_uris identifiers: fragment_identifiers'
        f' map: fragment_map" ; {attributes} '
        "string fragment_uris(f_time, f_level, f_latitude, f_longitude) ; "
        f"string fragment_identifiers ; int fragment_map(j, i) ; {variables} "
        f':Conventions = "CF-1.13" ; data: fragment_identifiers = "temperature" ; {data} }}',
    )  # fmt: skip


TWO = "f_time = 2 ; f_level = 1 ; f_latitude = 1 ; f_longitude = 1 ; j = 4 ; i = 2 ;"
TIME = f'double time(time) ; time:units = "{UNITS}" ;'
TIME_DATA = f"time = {listed(DAYS)} ;"


def test_l1_relative_uris(halves):
    path = master(
        halves / "l1.nc", TWO, TIME,
        f"fragment_map = {listed(MAP)} ; fragment_uris = {listed(list(HALVES))} ;"
        f" {TIME_DATA}",
    )  # fmt: skip
    np.testing.assert_array_equal(read(path, "temperature"), VALUES)


def test_l2_absolute_uris_and_an_aggregated_coordinate(halves, tmp_path, web):
    """One fragment is on the disk and the other on a web server."""
    far = (halves / "April-December.nc").read_bytes()
    web.objects["data/April-December.nc"] = far
    uris = listed([f"file://{halves}/January-March.nc", f"{web.endpoint}/data/April-December.nc"])
    path = master(
        tmp_path / "l2.nc", f"{TWO} j_time = 1 ;",
        f'double time ; time:units = "{UNITS}" ; time:aggregated_dimensions = "time" ; '
        'time:aggregated_data = "uris: fragment_uris_time identifiers: fragment_identifiers_time '
        'map: fragment_map_time" ; int fragment_map_time(j_time, i) ; '
        "string fragment_uris_time(f_time) ; string fragment_identifiers_time ;",
        f"fragment_map = {listed(MAP)} ; fragment_uris = {uris} ; "
        f"fragment_map_time = 3, 9 ; fragment_uris_time = {uris} ; "
        'fragment_identifiers_time = "time" ;',
    )  # fmt: skip
    allowed = f"{path}#reference.allow_target=file://{halves} {web.endpoint}/data"
    np.testing.assert_array_equal(read(allowed, "temperature"), VALUES)
    np.testing.assert_array_equal(read(allowed, "time"), DAYS)
    assert web.asked("GET /data/April-December.nc")


@pytest.mark.long
def test_l3_fragments_along_several_dimensions(tmp_path):
    lengths = [[1] * 12, [1], [37, 36], [36] * 4]
    starts = [[0, *itertools.accumulate(n)] for n in lengths]
    numbers = list(itertools.product(*(range(len(n)) for n in lengths)))
    assert len(numbers) == 96
    for number in numbers:
        part = VALUES[tuple(slice(s[i], s[i + 1]) for s, i in zip(starts, number, strict=True))]
        name = "-".join(map(str, number))
        fragment(tmp_path / f"{name}.nc", {"temperature": (NAMES, part, "K")})
    uris = listed(["-".join(map(str, number)) + ".nc" for number in numbers])
    rows = [row + [None] * (12 - len(row)) for row in lengths]
    path = master(
        tmp_path / "l3.nc",
        "f_time = 12 ; f_level = 1 ; f_latitude = 2 ; f_longitude = 4 ; j = 4 ; i = 12 ;",
        f"{TIME} double pressure(time, level, latitude, longitude) ;",
        f"fragment_map = {listed(rows)} ; fragment_uris = {uris} ; {TIME_DATA}"
        f" pressure = {listed(VALUES)} ;",
    )
    np.testing.assert_array_equal(read(path, "temperature"), VALUES)
    np.testing.assert_array_equal(read(path, "pressure"), VALUES)


def test_l4_discrete_samplings(tmp_path):
    stations = {"Harwell.nc": 5000, "Abingdon.nc": 4000, "Lambourne.nc": 6000}
    tas = np.arange(15000, dtype="f4")
    ends = np.cumsum([0, *stations.values()])
    for i, name in enumerate(stations):
        part = tas[ends[i] : ends[i + 1]]
        fragment(
            tmp_path / name,
            {
                "tas": (("obs",), part, "K"),
                f"t{i + 1}": (("obs",), part / 2, "days since 1970-01-01"),
                "lat": ((), np.array(50 + i, "f4"), "degrees_north"),
                "lon": ((), np.array(-i, "f4"), "degrees_east"),
            },
        )

    def variable(name: str, dimension: str, units: str, identifiers: str, sizes: str) -> str:
        return (
            f'float {name} ; {name}:units = "{units}" ; '
            f'{name}:aggregated_dimensions = "{dimension}" ; {name}:aggregated_data = '
            f'"uris: fragment_uris identifiers: fragment_identifiers{identifiers} map: {sizes}" ; '
        )

    path = write(
        tmp_path / "l4.nc",
        "netcdf m { dimensions: station = 3 ; obs = 15000 ; f_station = 3 ; j = 1 ; i = 3 ; "
        "variables: "
        + variable("tas", "obs", "K", "", "fragment_map")
        + variable("time", "obs", "days since 1970-01-01", "_time", "fragment_map")
        + variable("lon", "station", "degrees_east", "_lon", "fragment_map_latlon")
        + variable("lat", "station", "degrees_north", "_lat", "fragment_map_latlon")
        + 'int row_size(station) ; row_size:sample_dimension = "obs" ; '
        "int fragment_map(j, i) ; string fragment_uris(f_station) ; string fragment_identifiers ; "
        "int fragment_map_latlon(j, i) ; string fragment_identifiers_time(f_station) ; "
        "string fragment_identifiers_lat ; string fragment_identifiers_lon ; "
        ':featureType = "timeSeries" ; data: row_size = 5000, 4000, 6000 ; '
        f"fragment_map = 5000, 4000, 6000 ; fragment_uris = {listed(list(stations))} ; "
        'fragment_identifiers = "tas" ; fragment_map_latlon = 1, 1, 1 ; '
        'fragment_identifiers_time = "t1", "t2", "t3" ; fragment_identifiers_lat = "lat" ; '
        'fragment_identifiers_lon = "lon" ; }',
    )
    np.testing.assert_array_equal(read(path, "tas"), tas)
    np.testing.assert_array_equal(read(path, "time"), tas / 2)
    np.testing.assert_array_equal(read(path, "lat"), [50, 51, 52])
    np.testing.assert_array_equal(read(path, "lon"), [0, -1, -2])


def test_l5_unique_values(halves):
    path = master(
        halves / "l5.nc", f"{TWO} j_uid = 1 ;",
        f'{TIME} string uid ; uid:missing_value = "" ; uid:aggregated_dimensions = "time" ; '
        'uid:aggregated_data = "unique_values: fragment_unique_values map: fragment_map_uid" ; '
        "int fragment_map_uid(j_uid, i) ; string fragment_unique_values(f_time) ;",
        f"fragment_map = {listed(MAP)} ; fragment_uris = {listed(list(HALVES))} ; "
        f'{TIME_DATA} fragment_map_uid = 3, 9 ; fragment_unique_values = "04b9", "05ee0" ;',
        'temperature:ancillary_variables = "uid" ;',
    )  # fmt: skip
    np.testing.assert_array_equal(read(path, "temperature"), VALUES)
    assert read(path, "uid").tolist() == ["04b9"] * 3 + ["05ee0"] * 9


def test_l6_a_scalar_map(tmp_path):
    fragment(tmp_path / "file.nc", {"tas": ((), np.array(280.5), "K")})
    path = write(
        tmp_path / "l6.nc",
        'netcdf m { variables: double temperature ; temperature:units = "K" ; '
        'temperature:aggregated_dimensions = "" ; temperature:aggregated_data = '
        '"uris: fragment_uris identifiers: fragment_identifiers map: fragment_map" ; '
        "double time ; double height ; int fragment_map ; string fragment_uris ; "
        "string fragment_identifiers ; data: time = 0 ; height = 1.5 ; fragment_map = 1 ; "
        'fragment_uris = "file.nc" ; fragment_identifiers = "tas" ; }',
    )
    assert read(path, "temperature") == 280.5
