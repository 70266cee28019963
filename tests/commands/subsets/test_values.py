"""Selection by value: packed coordinates, auxiliary coordinates, dates and distances."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import xarray
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.selection import select_part
from ncz.commands.subsets.spelling import parse_selection
from ncz.errors import Notice, ignore_notice
from ncz.model.data import MemoryArray, read_all
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Variable, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import replace
from tests.sampled import share_of

TYPES = {np.dtype(t.dtype): t for t in Atomic if t.kind in "iuf"}


def variable(name: str, dimensions: str, values: Any, **attributes: Any) -> Variable:
    """Return a variable over dimensions of the root, whose names are separated by blanks."""
    values = np.asarray(values)
    nc_type = {"S": Atomic.CHAR, "O": Atomic.STRING}.get(values.dtype.kind) or TYPES[values.dtype]
    found = []
    for key, value in attributes.items():
        if isinstance(value, str):
            found.append(Attribute(name=key, type=Atomic.CHAR, values=(value,)))
        else:
            number = np.asarray(value)
            found.append(Attribute(name=key, type=TYPES[number.dtype], values=(number.item(),)))
    return Variable(
        name=name,
        type=nc_type,
        dimensions=tuple(f"/{d}" for d in dimensions.split()),
        data=MemoryArray(values, nc_type),
        attributes=tuple(found),
    )


def dataset(*variables: Variable) -> Dataset:
    sizes: dict[str, int] = {}
    for each in variables:
        assert each.data is not None
        sizes.update(zip(each.dimensions, each.data.grid.shape, strict=True))
    dimensions = tuple(Dimension(name=fqn[1:], size=size) for fqn, size in sizes.items())
    return Dataset(name="d", root=Group(dimensions=dimensions, variables=variables))


def part(source: Dataset, *sel: str, notify: Any = ignore_notice, nearest: bool = False) -> Any:
    """Return the values of the variables of a part, by name."""
    cut = select_part(source, replace(parse_selection(sel=sel), nearest=nearest), notify)
    found = {}
    for fqn, each in variables_by_fqn(cut.root):
        assert each.data is not None
        found[fqn[1:]] = read_all(each.data)
    return found


def with_index(coordinate: Variable) -> Dataset:
    """Return a dataset of a coordinate variable and the indices along it."""
    assert coordinate.data is not None
    size = coordinate.data.grid.shape[0]
    return dataset(coordinate, variable("v", coordinate.name, np.arange(size)))


@given(
    st.data(),
    st.sampled_from(["i1", "i2", "u1", "f4"]),
    st.sampled_from([np.float32(0.5), 0.01, -0.25, None]),
    st.sampled_from([np.float32(-2), 300.0, None]),
    st.sampled_from([None, "true", "false"]),
    st.booleans(),
)
@settings(max_examples=share_of(200))
def test_packed_coordinates_match_xarray(data, dtype, scale, offset, unsigned, is_masked):
    stored = np.arange(-20, 20, 3, dtype="i2").astype(dtype)
    attributes: dict[str, Any] = {"scale_factor": scale, "add_offset": offset}
    if dtype != "f4":
        attributes["_Unsigned"] = unsigned
    if is_masked:
        attributes["_FillValue"] = stored[-1]
    attributes = {k: v for k, v in attributes.items() if v is not None}
    raw = xarray.Dataset({"v": ("x", np.arange(stored.size)), "x": ("x", stored, attributes)})
    decoded = xarray.decode_cf(raw)
    decoded = decoded.isel(x=np.flatnonzero(~np.isnan(decoded.x.values.astype("f8"))))
    values = decoded.x.values
    if not (np.all(np.diff(values.astype("f8")) > 0) or np.all(np.diff(values.astype("f8")) < 0)):
        return
    # Between coordinates, so that roundings in the last digit make no difference.
    places = sorted(data.draw(st.tuples(st.integers(0, 2 * values.size), st.integers(0, 9))))
    ascending = np.sort(values.astype("f8"))
    middles = np.concatenate(
        [[ascending[0] - 1], (ascending[1:] + ascending[:-1]) / 2, [ascending[-1] + 1]]
    )
    low, high = (float(middles[min(p, middles.size - 1)]) for p in places)
    bounds = slice(low, high) if values[0] < values[-1] else slice(high, low)
    expected = decoded.sel(x=bounds).v.values.tolist()
    source = with_index(variable("x", "x", stored, **attributes))
    if expected:
        assert part(source, f"x={low!r}/{high!r}")["v"].tolist() == expected
    else:
        with pytest.raises(OptionError, match="selects nothing"):
            part(source, f"x={low!r}/{high!r}")
    nearest = decoded.sel(x=low, method="nearest").v.values.tolist()
    found = part(source, f"x={low!r}", nearest=True)["v"].tolist()
    assert abs(ascending - low).min() == pytest.approx(
        abs(float(decoded.x.values[decoded.v.values.tolist().index(found[0])]) - low)
    )
    assert nearest == found[0] or abs(nearest - found[0]) == 1


@pytest.mark.parametrize("asked", ["0.01", "0.07", "-0.02"])
def test_an_unpacked_value_is_equal_except_for_its_rounding(asked):
    """0.01 is 0.009999999999999998 after it is unpacked, which no program prints."""
    x = variable("x", "x", np.arange(10, dtype="i2"), scale_factor=0.01, add_offset=-0.02)
    assert part(with_index(x), f"x={asked}")["v"].tolist() == [round(float(asked) * 100) + 2]


def test_another_value_is_not_equal():
    x = variable("x", "x", np.arange(10, dtype="i2"), scale_factor=0.01)
    with pytest.raises(OptionError, match="no coordinate has this value"):
        part(with_index(x), "x=0.0101")


def test_dates_of_packed_times():
    times = variable("t", "t", [0, 1, 2, 3], scale_factor=0.5, units="days since 2000-01-01")
    assert part(with_index(times), "t=2000-01-02")["v"].tolist() == [2, 3]


def test_missing_times_are_not_selected():
    times = variable("t", "t", [0, -(2**63), 2], units="days since 2000-01-01")
    assert part(with_index(times), "t=2000-01-01:")["v"].tolist() == [0, 2]


def test_a_day_of_floats_ends_before_the_next():
    """A float has no number between the last microsecond of a day and the next day."""
    times = variable("t", "t", np.array([59, 60, 61], "f4"), units="days since 2000-01-01")
    assert part(with_index(times), "t=2000-03-01")["v"].tolist() == [1]


# Auxiliary coordinates.

WRF = dataset(
    variable("XTIME", "Time", np.array([0, 60, 120, 180], "f4"), units="minutes since 2020-01-01"),
    variable("T2", "Time x", np.arange(8).reshape(4, 2), coordinates="XTIME XLAT"),
    variable("XLAT", "Time x", np.zeros((4, 2))),
    variable(
        "Times",
        "Time length",
        np.array([list(f"2020-01-01_{h:02}:00:00") for h in range(4)], "S1"),
    ),
)
DATES = dataset(
    variable("when", "t", np.array(["2020-01-01", "2020-01-02", "2021-01-01"], "O")),
    variable("v", "t", [0, 1, 2]),
)


@pytest.mark.parametrize(
    ("sel", "expected"),
    [
        ("XTIME=60:120", [2, 4]),
        ("XTIME=2020-01-01T01:2020-01-01T02", [2, 4]),
        ("Time=2020-01-01T01:2020-01-01T02", [2, 4]),
        ("Time=2020-01-01_01:2020-01-01_02", [2, 4]),
        ("Times=2020-01-01_01:00:00", [2]),
        ("Times=2020-01-01T01:", [2, 4, 6]),
        ("Time=120", [4]),
    ],
)
def test_times_of_wrf(sel, expected):
    assert part(WRF, sel)["T2"][:, 0].tolist() == expected


@pytest.mark.parametrize(("sel", "expected"), [("t=2020", [0, 1]), ("when=2020-01-02:", [1, 2])])
def test_texts_that_are_dates(sel, expected):
    assert part(DATES, sel)["v"].tolist() == expected


def test_a_coordinate_in_a_group_below_its_dimension():
    inner = Group(name="g", variables=(variable("x", "x", [10, 20, 30]),))
    size = (Dimension(name="x", size=3),)
    root = Group(dimensions=size, variables=(variable("v", "x", [0, 1, 2]),), groups=(inner,))
    assert part(Dataset(name="d", root=root), "x=20:")["v"].tolist() == [1, 2]


def test_names_of_stations():
    named = dataset(
        variable("name", "station", np.array(["Oslo", "Rome"], "O"), cf_role="timeseries_id"),
        variable("v", "station", [0, 1]),
    )
    assert part(named, "station=Rome")["v"].tolist() == [1]


@pytest.mark.parametrize(
    ("source", "sel", "message"),
    [
        (WRF, "XLAT=1", "/XLAT has 2 dimensions, and a coordinate has one; select by index"),
        (WRF, "Tme=1", "no dimension or coordinate is named 'Tme'; did you mean 'Time'"),
        (WRF, "x=1", "the dimension has no coordinate variable of numbers or texts"),
        (DATES, "t=3", "the dimension has no coordinate variable of numbers or texts"),
        (DATES, "t=2022", "selects nothing: /when has no coordinate within the limits"),
        (DATES, "when=soon", "no coordinate of /when has this name"),
    ],
)
def test_dimensions_without_a_coordinate(source, sel, message):
    with pytest.raises(OptionError) as caught:
        part(source, sel)
    assert message in str(caught.value)


STATIONS = dataset(
    variable("lat", "station", [60.0, 10.0, 50.0, 55.0], units="degrees_north"),
    variable("lon", "station", [5.0, 350.0, 20.0, 355.0], units="degrees_east"),
    variable("v", "station", [0, 1, 2, 3], coordinates="lat lon"),
)


@pytest.mark.parametrize(
    ("sel", "expected", "longitudes"),
    [
        (["lat=40:60"], [0, 2, 3], [5, 20, 355]),
        (["lat=55"], [3], [355]),
        (["lat=40:60", "lon=-10:10"], [0, 3], [5, -5]),
        (["lon=-10:10", "lat=40:60"], [0, 3], [5, -5]),
        (["lon=340:6"], [0, 1, 3], [5, -10, -5]),
    ],
)
def test_coordinates_in_any_order(sel, expected, longitudes):
    found = part(STATIONS, *sel)
    assert found["v"].tolist() == expected
    assert found["lon"].tolist() == longitudes


@pytest.mark.parametrize(
    ("sel", "message"),
    [
        (["station=40:60"], "the dimension has several coordinates: /lat, /lon"),
        (["lat=0:20", "lon=0:20"], "no index of /station is selected by all of /lat, /lon"),
        (["lat=0:20", "lat=40:60"], "selects from a dimension that is already selected from"),
    ],
)
def test_ambiguous_words(sel, message):
    with pytest.raises(OptionError) as caught:
        part(STATIONS, *sel)
    assert message in str(caught.value)


# Distances of the nearest coordinate.


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ("12", None),
        ("-9", None),
        ("45", "'x=45': the nearest coordinate of /x is 30.0, which is 15 away"),
    ],
)
def test_a_nearest_coordinate_that_is_far_away(asked, message):
    notices: list[Notice] = []
    x = variable("x", "x", [0.0, 10.0, 20.0, 30.0])
    part(with_index(x), f"x={asked}", nearest=True, notify=notices.append)
    assert [notice.message for notice in notices] == ([message] if message else [])


def test_the_distance_of_a_time_has_its_unit():
    notices: list[Notice] = []
    times = variable("t", "t", [0, 6], units="hours since 2000-01-01")
    part(with_index(times), "t=2000-01-02", nearest=True, notify=notices.append)
    assert [notice.message for notice in notices] == [
        "'t=2000-01-02': the nearest coordinate of /t is 2000-01-01 06, which is 18 hours away"
    ]


def test_a_single_coordinate_is_only_near_itself():
    notices: list[Notice] = []
    source = with_index(variable("x", "x", [5.0]))
    part(source, "x=5", nearest=True, notify=notices.append)
    assert not notices
    part(source, "x=6", nearest=True, notify=notices.append)
    assert [notice.code for notice in notices] == ["limit-outside"]


@pytest.mark.parametrize("step", [1, 2, -2, 5])
@pytest.mark.parametrize(
    ("name", "limits"), [("lat", (20, 50)), ("lat", (None, None)), ("time", ("2000-01-02", None))]
)
def test_steps_match_xarray(name, limits, step):
    source = dataset(
        variable("lat", "lat", [10.0, 20, 30, 40, 50, 60]),
        variable("time", "time", range(5), units="days since 2000-01-01"),
        variable("station", "station", np.array(["a", "b", "c", "d"], object)),
    )
    low, high = limits
    text = f"{name}={low or ''}:{high or ''}:{step}"
    coordinate = {
        "lat": xarray.DataArray([10.0, 20, 30, 40, 50, 60], dims="lat"),
        "time": xarray.date_range("2000-01-01", periods=5),
    }[name]
    theirs = xarray.Dataset({"v": (name, range(len(coordinate)))}, {name: coordinate})
    found = theirs.sel({name: slice(low, high)})["v"].values[::step]
    ours = part(source, text)[name]
    np.testing.assert_array_equal(ours, part(source)[name][found])
    np.testing.assert_array_equal(part(source, "station=::-2")["station"], ["d", "b"])


def test_a_step_that_selects_nothing_or_has_no_coordinate():
    source = dataset(variable("lat", "lat", [10.0, 20]), variable("v", "x", [1, 2]))
    with pytest.raises(OptionError, match="the step cannot be 0"):
        part(source, "lat=::0")
    with pytest.raises(OptionError, match="select by index: --isel x=::2"):
        part(source, "x=::2")
