"""Longitudes across the seam: the coordinate, its bounds and related coordinates are converted."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from ncz.commands.option_error import OptionError
from ncz.commands.subsets.selection import select_part
from ncz.commands.subsets.spelling import parse_selection
from ncz.errors import Notice, ignore_notice
from ncz.model.data import read_all
from ncz.model.packing import packing_of
from ncz.model.tree import Attribute, Dataset, Variable, each_variable, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import replace
from tests.commands.subsets.test_values import dataset, part, variable

EAST = np.arange(8) * 45.0


def degrees(source: Dataset, sel: str, notify: Any = ignore_notice) -> dict[str, np.ndarray]:
    """Return the unpacked values of the variables of a part."""
    cut = select_part(source, parse_selection(sel=(sel,)), notify)
    found = {}
    for fqn, each in variables_by_fqn(cut.root):
        assert each.data is not None
        found[fqn[1:]] = packing_of(each).decode(read_all(each.data))
    return found


def as_strings(source: Dataset) -> Dataset:
    """Return a dataset whose attributes of text are strings."""

    def change(_: str, one: Variable) -> Variable:
        attributes = [
            replace(a, type=Atomic.STRING) if a.type is Atomic.CHAR else a for a in one.attributes
        ]
        return replace(one, attributes=tuple(attributes))

    return each_variable(source, change)


@pytest.mark.parametrize("attributes", [{}, {"standard_name": "longitude"}])
@pytest.mark.parametrize("name", ["lon", "longitude", "Longitude"])
def test_a_coordinate_without_units_is_known_by_its_name(name: str, attributes: dict[str, str]):
    source = dataset(variable(name, name, EAST, **attributes))
    assert degrees(source, f"{name}=-100:100")[name].tolist() == [-90, -45, 0, 45, 90]


def test_units_prevail_over_the_name():
    source = dataset(variable("lon", "lon", EAST, units="m"))
    assert degrees(source, "lon=-100:100")["lon"].tolist() == [0, 45, 90]


@pytest.mark.parametrize("change", [lambda source: source, as_strings])
def test_bounds_and_auxiliary_longitudes_are_turned_too(change):
    source = dataset(
        variable("lon", "lon", EAST, units="degrees_east", bounds="edges"),
        variable("edges", "lon two", np.stack([EAST - 22.5, EAST + 22.5], 1)),
        variable("around", "y lon", np.tile(EAST, (2, 1)) + 1, units="degrees_east", bounds="b"),
        variable("b", "y lon two", np.tile(EAST, (2, 2, 1)).transpose(0, 2, 1)),
        variable("lat", "y lon", np.zeros((2, 8)), units="degrees_north"),
        variable("v", "y lon", np.arange(16).reshape(2, 8), coordinates="around lat"),
    )
    found = degrees(change(source), "lon=-100:100")
    assert found["lon"].tolist() == [-90, -45, 0, 45, 90]
    assert found["edges"].mean(axis=1).tolist() == found["lon"].tolist()
    assert found["around"].tolist() == [[-89, -44, 1, 46, 91]] * 2
    assert found["b"][0, :, 0].tolist() == found["lon"].tolist()
    assert found["lat"].tolist() == [[0] * 5] * 2
    assert found["v"][0].tolist() == [6, 7, 0, 1, 2]


def test_a_missing_longitude_of_another_coordinate_stays_missing():
    around = np.append(EAST[:-1], -1.0)
    source = dataset(
        variable("lon", "lon", EAST, units="degrees_east"),
        variable("around", "lon", around, units="degrees_east", _FillValue=-1.0),
        variable("v", "lon", np.arange(8), coordinates="around"),
    )
    found = part(source, "lon=-100:0")
    assert found["around"].tolist() == [-90, -1, 0]


def packed(stored: Any, **attributes: Any) -> Dataset:
    """Return a packed longitude and its packed bounds."""
    stored = np.asarray(stored)
    bounds = np.stack([stored - 1, stored + 1], 1).astype(stored.dtype)
    return dataset(
        variable("lon", "lon", stored, units="degrees_east", bounds="edges", **attributes),
        variable("edges", "lon two", bounds, **attributes),
        variable("v", "lon", np.arange(stored.size)),
    )


def test_packed_longitudes():
    source = packed(np.arange(8, dtype="i2") * 90, scale_factor=0.5)
    notices: list[Notice] = []
    cut = select_part(source, parse_selection(sel=("lon=-100:50",)), notices.append)
    lon, edges = (v for v in cut.root.variables if v.name != "v")
    assert (lon.type, edges.type) == (Atomic.SHORT, Atomic.SHORT)
    found = degrees(source, "lon=-100:50")
    assert found["lon"].tolist() == [-90, -45, 0, 45]
    assert found["edges"].tolist() == [[x - 0.5, x + 0.5] for x in found["lon"]]
    assert found["v"].tolist() == [6, 7, 0, 1]
    assert not notices


@pytest.mark.parametrize(
    ("stored", "attributes"),
    [
        (np.arange(8, dtype="u1") * 31 + 2, {"scale_factor": 1.45}),  # 360 is not a multiple
        (np.arange(8, dtype="u2") * 90 + 1, {"scale_factor": 0.5}),  # no negative numbers
        (np.arange(8, dtype="u2") * 9000 + 1, {"scale_factor": 0.005}),
    ],
)
def test_packed_longitudes_that_do_not_fit_are_unpacked(stored, attributes):
    source = packed(stored, **attributes)
    notices: list[Notice] = []
    found = degrees(source, "lon=-100:50", notices.append)
    whole = degrees(source, "lon=0:360")
    places = found["v"].astype(int)
    np.testing.assert_allclose(found["lon"] % 360, whole["lon"][places] % 360)
    assert (np.diff(found["lon"]) > 0).all()
    np.testing.assert_allclose(found["edges"].mean(axis=1), found["lon"], atol=1e-9)
    assert {n.code for n in notices} == {"packing-changed"}


def test_a_turn_that_would_be_the_mask_is_unpacked():
    source = packed(np.arange(8, dtype="i2") * 90, scale_factor=0.5, _FillValue=np.int16(-180))
    found = degrees(source, "lon=-100:50")
    assert found["lon"].tolist() == [-90, -45, 0, 45]


def test_an_integer_that_does_not_fit_is_refused():
    source = dataset(variable("lon", "lon", np.arange(8, dtype="u2") * 45, units="degrees_east"))
    with pytest.raises(OptionError, match="the longitudes do not fit their type uint16"):
        part(source, "lon=-100:50")


def test_ranges_of_another_turn_are_left_out():
    source = dataset(
        variable("lon", "lon", EAST, units="degrees_east", valid_min=0.0, long_name="x")
    )
    cut = select_part(source, parse_selection(sel=("lon=-100:50",)))
    assert [a.name for a in cut.root.variables[0].attributes] == ["units", "long_name"]
    cut = select_part(source, parse_selection(sel=("lon=0:50",)))
    assert Attribute(name="valid_min", type=Atomic.DOUBLE, values=(0.0,)) in (
        cut.root.variables[0].attributes
    )
