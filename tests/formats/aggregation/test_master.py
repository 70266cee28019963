"""A master, and names in its descriptions."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.errors import FormatError
from ncz.formats.aggregation.master import AggregatedVariable, Master, resolve
from ncz.model.tree import Variable

CDL = b"""netcdf m { dimensions: n = 2 ; len = 3 ; big = 100000 ;
variables: int v ; int lengths(n) ; int absent(n) ; char files(n, len) ; string uris(n) ;
  int large(big, big) ;
data: lengths = 3, 4 ; files = "a", "bcd" ; uris = "x", "y" ;
group: g { variables: int v ; int lengths(n) ; group: h { variables: int w ; } }
}"""
MASTER = Master.of(read_cdl(CDL, source="m"), "m.nca")


def aggregated(fqn: str) -> AggregatedVariable:
    return AggregatedVariable(
        fqn=fqn, stored=MASTER.variables[fqn], dimensions=(), shape=(), master=MASTER
    )


@pytest.mark.parametrize(
    ("name", "group", "fqn"),
    [
        ("lengths", "/g/h", "/g/lengths"),
        ("lengths", "", "/lengths"),
        ("files", "/g/h", "/files"),
        ("/lengths", "/g", "/lengths"),
        ("/w", "/g/h", None),
        ("w", "/g", None),
    ],
)
def test_names_mean_the_nearest_variable(name, group, fqn):
    assert resolve(name, group, MASTER.variables) == fqn


def test_tables():
    v = aggregated("/v")
    values, variable = v.table("lengths", "the lengths")
    assert isinstance(variable, Variable)
    assert values.tolist() == [3, 4]
    assert v.table("files", "the files")[0].tolist() == ["a", "bcd"]
    assert v.table("uris", "the files")[0].tolist() == ["x", "y"]
    assert len(set(v.table("absent", "the lengths")[0].tolist())) == 1


def test_errors_name_the_variable():
    w = aggregated("/g/h/w")
    assert (w.group, w.location) == ("/g/h", "m.nca: /g/h/w")
    with pytest.raises(FormatError, match="the variable 'x', which contains y, does not exist"):
        w.find("x", "y")
    with pytest.raises(FormatError, match="is too large") as caught:
        w.table("large", "y")
    assert "#mode=noaggregation" in str(caught.value.hint)
