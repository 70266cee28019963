"""Names that are changed in an open dataset, and members that are removed."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.errors import NczError, ignore_notice

CDL = b"""netcdf n { dimensions: x = 2 ; variables: int x(x) ; int v(x) ; v:units = "K" ;
 data: x = 1, 2 ; v = 3, 4 ; group: g { variables: int w(x) ; data: w = 5, 6 ; } }"""


@pytest.fixture
def url() -> str:
    ncz.gen(io.BytesIO(CDL), "memory://names", overwrite=True, notify=ignore_notice)
    return "memory://names"


def test_a_variable_and_its_attribute_get_other_names(url):
    with ncz.open(url, "a", notify=ignore_notice) as ds:
        ds.renameVariable("v", "t")
        assert list(ds.variables) == ["x", "t"]
        ds["t"].renameAttribute("units", "unit")
        assert ds["t"].attrs == {"unit": "K"}
        ds.renameDimension("x", "y")
        ds.renameGroup("g", "h")
        assert ds["h"]["w"].dims == ("y",)
    with ncz.open(url) as ds:
        assert ds["t"][:].tolist() == [3, 4]


def test_a_variable_and_a_group_are_removed(url):
    with ncz.open(url, "a", notify=ignore_notice) as ds:
        del ds["v"]
        del ds["g"]
        assert list(ds) == ["x"]
    with ncz.open(url) as ds:
        assert list(ds) == ["x"]


def test_a_name_that_exists_and_one_that_does_not_are_errors(url):
    with ncz.open(url, "a", notify=ignore_notice) as ds:
        with pytest.raises(NczError, match="already exists"):
            ds.renameVariable("v", "x")
        with pytest.raises((NczError, KeyError), match="nothing"):
            ds.renameVariable("nothing", "y")
        with pytest.raises(AttributeError, match="missing"):
            ds["v"].renameAttribute("missing", "y")
        assert list(ds.variables) == ["x", "v"]


def test_a_dataset_that_is_only_read_is_not_changed(url):
    with ncz.open(url) as ds, pytest.raises(TypeError):
        ds.renameVariable("v", "t")
    with pytest.raises(NczError, match="closed"):
        ds.renameVariable("v", "t")
