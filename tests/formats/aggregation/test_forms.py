"""Masters of every form, stored as netCDF and as Zarr."""

from __future__ import annotations

import json

import numpy as np
import pytest

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


def test_the_stored_master_is_shown_on_request(pieces):
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


def test_a_scalar_has_one_piece(pieces):
    write(pieces / "m" / "scalar.nc", "netcdf s { variables: int v ; data: v = 5 ; }")
    text = (
        'netcdf m { variables: int v ; v:aggregated_dimensions = "" ;'
        ' v:aggregated_data = "map: m uris: u identifiers: a" ; int m ; string u ; string a ;'
        ' data: m = 1 ; u = "m/scalar.nc" ; a = "v" ; }'
    )
    assert read(write(pieces / "scalar.nc", text), "v").tolist() == 5
