"""Masters of every form, stored as netCDF and as Zarr."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ncz.errors import FormatError
from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location
from tests.formats.aggregation.conftest import read
from tests.formats.aggregation.masters import FORMS, VALUES, expected, master_cdl, write


@pytest.mark.parametrize("group", ["", "g"])
@pytest.mark.parametrize("suffix", ["nc", "zarr"])
@pytest.mark.parametrize("form", FORMS)
def test_every_form_reads_as_one_dataset(pieces, form, suffix, group):
    path = write(pieces / f"{form}{group}.{suffix}", master_cdl(form, group=group))
    with open_dataset(parse_location(str(path))) as opened:
        root = opened.dataset.root
        assert opened.dataset.provenance.aggregation == form
        shown = root.groups[0] if group else root
        assert [v.name for v in shown.variables] == ["time", "tas"]
        assert [d.name for d in shown.dimensions] == ["time", "lat"]
        assert [a.name for a in shown.variables[1].attributes] == ["units", "_FillValue"]
        assert [g.name for g in root.groups] == ([group] if group else [])
        assert root.attributes[0].values[0].split() == ["CF-1.13"]
    np.testing.assert_array_equal(read(path), expected())


def test_the_master_is_shown_as_it_is_stored_on_request(pieces):
    path = write(pieces / "stored.nc", master_cdl("CFA-0.5"))
    with open_dataset(parse_location(f"{path}#mode=noaggregation")) as opened:
        assert [g.name for g in opened.dataset.root.groups] == ["cfa_tas"]
        assert opened.dataset.root.variables[1].dimensions == ()


def test_a_classic_file_has_texts_as_char(pieces):
    uris = [f"m/tas.1.{i}.nc" for i in range(3)]
    path = write(
        pieces / "classic.nc",
        "netcdf m { dimensions: time = 3 ; lat = 6 ; f_time = 1 ; f_lat = 3 ; i = 2 ; n = 20 ;"
        ' variables: float tas ; tas:aggregated_dimensions = "time lat" ;'
        ' tas:aggregated_data = "map: m uris: u identifiers: a" ;'
        " int m(i, f_lat) ; char u(f_time, f_lat, n) ; char a(n) ;"
        f' data: m = 3, _, _, 2, 2, 2 ; u = {", ".join(map(json.dumps, uris))} ; a = "tas" ; }}',
        kind="classic",
    )
    np.testing.assert_array_equal(read(path), VALUES[1:])


def test_other_roles_are_not_aggregations(pieces):
    text = 'netcdf m { variables: int id ; id:cf_role = "timeseries_id" ; data: id = 7 ; }'
    assert read(write(pieces / "role.nc", text), "id") == 7


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


def test_a_scalar_has_one_piece(pieces):
    write(pieces / "m" / "scalar.nc", "netcdf s { variables: int v ; data: v = 5 ; }")
    text = (
        'netcdf m { variables: int v ; v:aggregated_dimensions = "" ;'
        ' v:aggregated_data = "map: m uris: u identifiers: a" ; int m ; string u ; string a ;'
        ' data: m = 1 ; u = "m/scalar.nc" ; a = "v" ; }'
    )
    assert read(write(pieces / "scalar.nc", text), "v").tolist() == 5


def cfa04(*partitions: object, **members: object) -> str:
    array = json.dumps(json.dumps({"Partitions": partitions, **members}))
    return (
        "netcdf m { dimensions: x = 4 ; variables: int v ; int w(x) ; int part(x) ;"
        ' v:cf_role = "cfa_variable" ; v:cfa_dimensions = "x" ;'
        f" v:cfa_array = {array} ; data: w = 1, 2, 3, 4 ; }}"
    )


def entry(index: int, first: int, last: int, **members: object) -> dict[str, object]:
    own = {"ncvar": "w", "shape": [4]}
    return {"index": [index], "location": [[first, last]], "subarray": own, **members}


def test_a_partition_without_a_file_is_in_the_master(pieces):
    path = write(pieces / "own.nc", cfa04(entry(0, 0, 3)))
    assert read(path, "v").tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (cfa04(entry(0, 0, 2), entry(1, 2, 3)), "partition 0 does not fit a grid"),
        (cfa04(entry(0, 0, 1), entry(1, 0, 1)), "partition 1 is defined twice"),
        (cfa04(entry(0, 0, 4)), "partition 0 covers 0 to 5 of a dimension of length 4"),
        (cfa04(entry(0, 3, 1)), "partition 0 covers 3 to 2"),
        (cfa04(entry(0, 0, 3, flip=["x"])), "partition 0 has 'flip', which ncz cannot read"),
        (cfa04({"index": [0]}), "a partition of cfa_array has no object subarray"),
        (cfa04(entry(0, 0, True)), "a location that is not integers"),
        (cfa04().replace("[", "[" * 2000), "cfa_array is not valid JSON"),
    ],
)
def test_a_description_that_is_not_valid_is_an_error(pieces, text, message):
    path = write(pieces / "bad.nc", text, overwrite=True)
    with pytest.raises(FormatError, match=message):
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
