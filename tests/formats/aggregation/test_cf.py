"""Terms of CF 1.13 and CFA 0.6."""

from __future__ import annotations

import pytest

from ncz.errors import FormatError
from tests.formats.aggregation.conftest import read
from tests.formats.aggregation.masters import write

UNIQUE = (
    "netcdf m {{ dimensions: x = 5 ; i = 1 ; f = 3 ; variables: int v ; v:_FillValue = -9 ;"
    ' v:aggregated_dimensions = "x" ; v:aggregated_data = "map: m unique_values: u" ;'
    " int m(i, f) ; int u(f) ; u:_FillValue = -1 ; data: m = {lengths} ; u = 7, _, 8 ; }}"
)


def test_unique_values_need_no_pieces(pieces):
    path = write(pieces / "unique.nc", UNIQUE.format(lengths="2, 1, 2"))
    assert read(path, "v").tolist() == [7, 7, -9, 8, 8]


def test_lengths_must_add_up(pieces):
    path = write(pieces / "lengths.nc", UNIQUE.format(lengths="2, 2, 2"))
    with pytest.raises(FormatError, match=r"/v: .*are 2, 2, 2, which do not add up to 5"):
        read(path, "v")


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ("uris: u identifiers: a", "no term map"),
        ("map: m uris: u", "no term identifiers"),
        ("map: none uris: u identifiers: a", "'none', which contains .*, does not exist"),
        ("map: m uris: a identifiers: u", "'a' has the shape"),
    ],
)
def test_terms_must_be_complete(pieces, data, message):
    text = (
        "netcdf m { dimensions: x = 4 ; i = 1 ; f = 2 ; variables: int v ;"
        f' v:aggregated_dimensions = "x" ; v:aggregated_data = "{data}" ;'
        ' int m(i, f) ; string u(f) ; string a ; data: m = 2, 2 ; u = "p", "q" ; a = "v" ; }'
    )
    path = write(pieces / "terms.nc", text, overwrite=True)
    with pytest.raises(FormatError, match=message):
        read(path, "v")
