"""Variables of text, as tables."""

from __future__ import annotations

import numpy as np
import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.view.error import ViewError
from ncz.commands.view.text_table import text_table, text_variable, texts_of_chars

CDL = b"""netcdf x {
dimensions: run = 2 ; station = 3 ; n = 4 ; none = 0 ;
variables:
  int station(station) ;
  string name(station) ;
  char code(run, station, n) ;
  char word(n) ;
  string one ;
  string absent(none) ;
data:
  station = 10, 20, 30 ;
  name = "Oslo", "Bergen", "Bodo" ;
  code = "OSL", "BGO", "BOO", "osl", "bgo", "boo" ;
  word = "four" ;
  one = "text" ;
}
"""


@pytest.mark.parametrize(
    ("name", "most", "rows", "more"),
    [
        ("/name", 2, [("10", "Oslo"), ("20", "Bergen")], 1),
        ("/name", 9, [("10", "Oslo"), ("20", "Bergen"), ("30", "Bodo")], 0),
        ("/code", 2, [("10", "OSL"), ("20", "BGO")], 1),
        ("/word", 5, [("", "four")], 0),
        ("/one", 5, [("", "text")], 0),
    ],
)
def test_rows_have_their_coordinates(name, most, rows, more):
    assert text_table(read_cdl(CDL, source="x.cdl"), name, most) == (rows, more)


def test_only_variables_of_text_have_a_table():
    dataset = read_cdl(CDL, source="x.cdl")
    found = [text_variable(dataset, name) for name in ("code", "station", None)]
    assert found == ["/code", None, None]
    with pytest.raises(ViewError, match="no values"):
        text_table(dataset, "/absent", 5)


def test_nulls_end_the_texts_of_chars():
    chars = np.array([[b"a", b"\0"], [b"\xff", b"b"]], "S1")
    assert texts_of_chars(chars) == ["a", "\ufffdb"]
