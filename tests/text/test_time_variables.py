"""Variables that have times."""

from __future__ import annotations

from ncz.cdl.reader import read_cdl
from ncz.errors import Notice
from ncz.text.time_variables import find_times


def test_bounds_have_the_times_of_their_coordinate():
    group = read_cdl(
        b"""netcdf b { dimensions: t = 1 ; n = 2 ;
        variables: double b(t, n) ; double c(t, n) ; c:units = "K" ; double t(t) ;
          t:units = "days since 2000-01-01" ; t:bounds = "b" ; t:climatology = "c" ;
          double other ; other:bounds = "b" ; string s ; s:units = "days since 2000-01-01" ;
          char k ; k:units = "days since 2000-01-01" ; double bad ; bad:units = "days since x" ;
        group: g { variables: double b(t, n) ; } }""",
        source="t",
    ).root
    notices: list[Notice] = []
    assert set(find_times(group, " ", notices.append)) == {"t", "b"}
    assert find_times(group.groups[0], " ") == {}
    assert [str(n) for n in notices] == [
        "bad: the units 'days since x' are not a valid time: 'x' is not a date;"
        " numbers are printed instead of dates"
    ]
