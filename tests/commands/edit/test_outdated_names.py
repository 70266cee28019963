"""Attributes that name renamed or removed members: a notice gives the edit."""

from __future__ import annotations

import ncz
from ncz.errors import Notice
from tests.formats.zarr.edit.test_structure import originals as originals
from tests.formats.zarr.edit.test_structure import store as store


def test_notices_give_the_edit_of_attributes_that_name_the_variable(store):
    notices: list[Notice] = []
    ncz.edit(store, rename=["lat=latitude", "time=t1"], notify=notices.append)
    assert [n.code for n in notices] == ["name-outdated"] * 2
    assert [n.message for n in notices] == [
        "cell_methods names time, which is now t1",
        "coordinates names lat, which is now latitude, time, which is now t1",
    ]
    assert notices[1].hint == "use set='t:coordinates = \"latitude t1\"'"
    ncz.edit(store, rename=["variable t1=time"], notify=notices.append)
    assert len(notices) == 2


def test_a_removed_variable_is_named(store):
    notices: list[Notice] = []
    ncz.edit(store, remove=["lat"], notify=notices.append)
    assert [n.message for n in notices] == ["coordinates names lat, which is removed"]
    with_set: list[Notice] = []
    ncz.edit(store, rename=["t=temp"], set=['temp:coordinates = "time"'], notify=with_set.append)
    assert with_set == []


def test_a_global_attribute_with_the_name_of_a_variable_may_be_unintended(store):
    notices: list[Notice] = []
    ncz.edit(store, set=["lat=5", "other=5", "t:time=5"], notify=notices.append)
    assert [n.code for n in notices] == ["attribute-of-dataset"]
    assert notices[0].message.startswith("lat is a global attribute now")
