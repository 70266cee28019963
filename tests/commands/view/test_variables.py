"""The variable that is shown, by its name or by its shape."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.option_error import OptionError
from ncz.commands.view.error import ViewError
from ncz.commands.view.variables import (
    choose_variable,
    find_variable,
    names_in_attributes,
    title_of,
    viewable,
)

CDL = b"""netcdf s { types: ubyte enum flag { a = 1 } ;
dimensions: x = 3 ; y = 4 ; one = 1 ;
variables:
  float x(x) ; x:bounds = "edges" ;
  float edges(x, y) ;
  float t(x) ; t:coordinates = "lat lon" ; t:long_name = " two\\n  lines " ;
  float lat(x, y) ; float lon(x, y) ; flag f(x) ; char text(x, y) ; int single(one) ;
group: g { variables: float t(x) ; t:standard_name = "air_temperature" ;
  double deep(x, y) ; deep:cell_measures = "area: cells" ; }
}"""
DATASET = read_cdl(CDL, source="s")


def test_variables_with_pictures():
    assert viewable(DATASET) == ["/x", "/t", "/lat", "/lon", "/g/t", "/g/deep"]
    assert names_in_attributes(DATASET, ["coordinates", "bounds"]) == {"lat", "lon", "edges"}
    assert names_in_attributes(DATASET, ["cell_measures"]) == {"area", "cells"}


def test_the_one_with_most_dimensions_that_is_not_a_coordinate():
    assert choose_variable(DATASET, None)[0] == "/g/deep"


@pytest.mark.parametrize(
    ("name", "fqn"),
    [("t", "/t"), ("/g/t", "/g/t"), ("g/t", "/g/t"), ("deep", "/g/deep"), ("f", "/f")],
)
def test_names(name, fqn):
    assert choose_variable(DATASET, name)[0] == find_variable(DATASET, name)[0] == fqn


def test_errors():
    with pytest.raises(OptionError, match="no variable is named 'depp'; did you mean 'g/deep'"):
        find_variable(DATASET, "depp")
    with pytest.raises(ViewError, match="/text: its values are not numbers"):
        choose_variable(DATASET, "text")
    with pytest.raises(ViewError, match="no variable has numbers to show"):
        choose_variable(read_cdl(b"netcdf e { variables: int v ; }", source="e"), None)


def test_titles_are_one_line():
    variables = {fqn: find_variable(DATASET, fqn)[1] for fqn in ("/t", "/g/t", "/x")}
    assert [title_of(v) for v in variables.values()] == ["two lines", "air_temperature", ""]
