"""Properties that must agree in datasets that are joined."""

from __future__ import annotations

from pathlib import Path

import pytest

import ncz
from tests.commands.joining.making import copied, make, values
from tests.conftest import Run


def test_coordinates_that_differ_little(run: Run):
    first = make("a.zarr", [0], x="-88.75, 88.75")
    other = make("b.zarr", [1], x="-88.7501, 88.75")
    done = run("copy", first, other, "all.zarr", "--concat", "time")
    assert done.code == 1
    assert "/x: [0] is -88.7501, not -88.75 (" in done.stderr
    assert "use --tolerance 1e-03 to take them for equal" in done.stderr
    (notice,) = copied(first, other, concat="time", tolerance=1e-3)
    assert (notice.code, notice.location) == ("values-differ", other)
    assert (
        "the values of /x differ by at most 9.92e-05 from the values of the first" in notice.message
    )
    assert values("all.zarr", "x") == [-88.75, 88.75]
    copied(other, target=first, append="time", tolerance=1e-3)
    done = run("copy", first, other, "y.zarr", "--concat", "time", "--tolerance", "1e-5")
    assert done.code == 1


def test_a_tolerance_does_not_take_missing_data_for_equal(run: Run):
    first, other = make("a.zarr", [0], x="1, NaN"), make("b.zarr", [1], x="1, 2")
    done = run("copy", first, other, "x.zarr", "--concat", "time", "--tolerance", "1e9")
    assert (done.code, "/x: [1] is 2.0, not nan" in done.stderr) == (1, True)


def test_missing_data_get_the_mask_of_the_first_source():
    first = make("a.zarr", [0], packing="v:_FillValue = -1.f ;", values=["_", 1])
    other = make("b.zarr", [1], packing="v:missing_value = -2.f ;", values=[-2, 5])
    (notice,) = copied(first, other, concat="time")
    assert (notice.code, notice.location) == ("masks-converted", other)
    assert values("all.zarr", "v") == [[-1, 1], [-1, 5]]


def test_a_mask_that_only_a_later_source_has():
    first = make("a.zarr", [0], type="short", values=[1, 2])
    other = make("b.zarr", [1], type="short", packing="v:_FillValue = -9s ;", values=["_", 5])
    copied(first, other, concat="time")
    assert values("all.zarr", "v") == [[1, 2], [-9, 5]]
    assert ncz.open("all.zarr")["v"].attrs["_FillValue"] == -9


def test_a_value_that_is_the_mask_of_another_source(run: Run):
    first = make("a.zarr", [0], type="short", values=[-9, 2])
    other = make("b.zarr", [1], type="short", packing="v:_FillValue = -9s ;", values=["_", 5])
    done = run("copy", first, other, "x.zarr", "--concat", "time")
    assert (done.code, "a.zarr: /v: the value -9 would become missing" in done.stderr) == (1, True)
    assert not Path("x.zarr").exists()


def test_one_mask_in_two_attributes():
    first = make("a.zarr", [0], packing="v:_FillValue = -1.f ;", values=["_", 1])
    packing = "v:_FillValue = -1.f ; v:missing_value = -1.f ;"
    other = make("b.zarr", [1], packing=packing, values=["_", 5])
    assert copied(first, other, concat="time") == []
    assert values("all.zarr", "v") == [[-1, 1], [-1, 5]]


@pytest.mark.parametrize(
    ("rule", "expected"),
    [
        ("first", {"units": "K", "long_name": "one", "note": "same"}),
        ("agreeing", {"units": "K", "note": "same", "more": "m"}),
        ("none", {"units": "K"}),
    ],
)
def test_attributes_that_differ(run: Run, rule, expected):
    first = make("a.zarr", [0], packing='v:long_name = "one" ; v:note = "same" ;')
    other = make("b.zarr", [1], packing='v:long_name = "two" ; v:note = "same" ; v:more = "m" ;')
    done = run("copy", first, other, "all.zarr", "--concat", "time")
    assert 'attribute long_name of /v is "two", but "one" in a.zarr' in done.stderr
    assert "--attributes first, agreeing or none" in done.stderr
    copied(first, other, concat="time", attributes=rule)
    assert ncz.open("all.zarr")["v"].attrs == expected
    arguments = ["aggregate", "all.nca", first, other, "--axis", "time", "--attributes", rule]
    assert run(*arguments).code == 0
    assert ncz.open("all.nca")["v"].attrs == expected


def test_coordinates_that_the_first_names_too(run: Run):
    first = make("a.zarr", [0], packing='v:coordinates = "height x" ;')
    fewer = [make("b.zarr", [1]), make("c.zarr", [2], packing='v:coordinates = "x" ;')]
    assert copied(first, *fewer, concat="time") == []
    assert ncz.open("all.zarr")["v"].attrs["coordinates"] == "height x"
    other = make("d.zarr", [1], packing='v:coordinates = "lat" ;')
    done = run("copy", first, other, "x.zarr", "--concat", "time")
    assert (done.code, 'coordinates of /v is "lat", but "height x" in' in done.stderr) == (1, True)


def test_units_that_only_look_different(run: Run):
    first, other = make("a.zarr", [0]), make("b.zarr", [1], x_units="degree_N")
    copied(first, other, concat="time", attributes="first")
    east = make("c.zarr", [2], x_units="degrees_east")
    done = run("copy", first, east, "x.zarr", "--concat", "time", "--attributes", "first")
    assert (done.code, 'units of /x is "degrees_east"' in done.stderr) == (1, True)


def test_attributes_of_groups_must_be_identical_on_request(run: Run):
    first, other = make("a.zarr", [0]), make("b.zarr", [1], history="other")
    done = run("copy", first, other, "x.zarr", "--concat", "time", "--attributes", "identical")
    assert (done.code, 'history of / is "other", but "h"' in done.stderr) == (1, True)
    assert [n.code for n in copied(first, other, concat="time")] == ["attributes-differ"]


def test_the_history_of_variables_may_differ(run: Run):
    first = make("a.zarr", [0], packing='v:history = "made in May" ;')
    other, without = make("b.zarr", [1], packing='v:history = "June" ;'), make("c.zarr", [2])
    (notice,) = copied(first, other, without, concat="time")
    assert (notice.code, notice.location) == ("attributes-differ", "b.zarr")
    assert "the history of /v differs from the history of the first source" in notice.message
    assert ncz.open("all.zarr")["v"].history == "made in May"
    identical = ("--concat", "time", "--attributes", "identical", "--overwrite")
    done = run("copy", first, other, "x.zarr", *identical)
    assert (done.code, 'history of /v is "June"' in done.stderr) == (1, True)
