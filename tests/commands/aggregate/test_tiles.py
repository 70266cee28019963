"""The pieces of a lost master: their numbers and lengths."""

from __future__ import annotations

import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.aggregate.tiles import Tiles, lengths_of, tiles_by_number
from ncz.commands.joining.error import JoinError
from ncz.zmap.location import parse_location


def tiles(*pieces: tuple[str, str], head: str = "int v(t, x) ; int t(t) ;") -> Tiles:
    """Return pieces of names, and of declarations and data."""
    found = Tiles()
    for name, text in pieces:
        count, _, data = text.partition("|")
        data += f" v = {', '.join(['1'] * 2 * int(count))} ;"
        cdl = f"netcdf s {{ dimensions: t = {count} ; x = 2 ; variables: {head} data: {data} }}"
        found.add(read_cdl(cdl.encode(), source=name), parse_location(f"/d/{name}"))
    return found


def test_numbers_of_names():
    found = tiles(("all.v.1.0.nc", "1|t = 7 ;"), ("all.v.0.0.nc", "2|t = 3, 4 ;"))
    numbered = tiles_by_number(found, "/v")
    assert {number: tile.location.path for number, tile in numbered.items()} == {
        (1, 0): "/d/all.v.1.0.nc", (0, 0): "/d/all.v.0.0.nc",
    }  # fmt: skip
    assert lengths_of("/v", numbered) == ((2, 1), (2,))


def test_numbers_of_coordinates():
    found = tiles(("b.nc", "1|t = 7 ;"), ("a.nc", "2|t = 3, 4 ;"))
    numbered = tiles_by_number(found, "/v")
    assert [numbered[number, 0].location.path for number in (0, 1)] == ["/d/a.nc", "/d/b.nc"]


def test_coordinates_that_descend():
    found = tiles(("b.nc", "2|t = 2, 1 ;"), ("a.nc", "2|t = 4, 3 ;"))
    assert tiles_by_number(found, "/v")[0, 0].location.path == "/d/a.nc"


@pytest.mark.parametrize(
    ("pieces", "message"),
    [
        ([("a.nc", "1|t = 7 ;"), ("b.nc", "1|t = 7 ;")], "has the same part in /d/a.nc"),
        ([("a.nc", "2|t = 1, 5 ;"), ("b.nc", "2|t = 3, 9 ;")], "pieces overlap along /t"),
    ],
)
def test_pieces_that_do_not_fit(pieces, message):
    with pytest.raises(JoinError, match=message):
        tiles_by_number(tiles(*pieces), "/v")


def test_attributes_that_are_not_numbers():
    head = "float v(t, x) ; v:_FillValue = NaNf ; int t(t) ; :scale = 1., NaN ;"
    found = tiles(("all.v.0.0.nc", "1|t = 1 ;"), ("all.v.1.0.nc", "1|t = 3 ;"), head=head)
    assert len(found.tiles["/v"]) == 2
    assert not found.differing


def test_a_number_without_a_piece():
    found = tiles(("all.v.0.0.nc", "1|t = 1 ;"), ("all.v.2.0.nc", "1|t = 3 ;"))
    with pytest.raises(JoinError, match="no piece of /v has the number 1 along /t"):
        lengths_of("/v", tiles_by_number(found, "/v"))


def test_variables_that_differ():
    found = tiles(("a.nc", "1|t = 7 ;"))
    text = b"netcdf s { dimensions: t = 1 ; x = 2 ; variables: short v(t, x) ; data: v = 1, 2 ; }"
    other = read_cdl(text, source="s")
    with pytest.raises(JoinError, match="/v does not have the type of other pieces"):
        found.add(other, parse_location("/d/b.nc"))
    with pytest.raises(JoinError, match="no variable of numbers that is divided"):
        found.add(read_cdl(b"netcdf s { }", source="s"), parse_location("/d/c.nc"))
