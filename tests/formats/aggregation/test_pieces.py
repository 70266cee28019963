"""Pieces: their permitted places, their shapes, and the conversion of their values."""

from __future__ import annotations

import sys

import numpy as np
import pytest

from ncz.errors import NczError, Notice
from ncz.formats.aggregation.source import AggregatedSource
from ncz.formats.kinds import OpenedDataset, OpenOptions
from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location
from tests.formats.aggregation.conftest import open_files, read
from tests.formats.aggregation.masters import (
    FILL,
    VALUES,
    expected,
    master_cdl,
    part,
    piece_cdl,
    plain,
    write,
)

NUMBER = (1, 1)
"""The partition whose piece the tests change."""


@pytest.fixture
def master(pieces, tmp_path):
    """Writes a master with another master as a piece."""

    def master(text, form="CF-1.13", suffix="nc"):
        own = tmp_path / f"own.{suffix}"
        write(own, text)

        def name(number):
            return str(own if number == NUMBER else pieces / plain(number))

        path = write(tmp_path / "master.nc", master_cdl(form, name))
        return f"{path}#reference.allow_target={pieces}"

    return master


@pytest.mark.parametrize(
    ("text", "form"),
    [
        (piece_cdl(part(NUMBER) - np.float32(273.15), units="degC"), "CF-1.13"),
        (piece_cdl(part(NUMBER) * 1000, units="mK", kind="double"), "CF-1.13"),
        (piece_cdl(part(NUMBER).astype(int), kind="short"), "CF-1.13"),
        (piece_cdl(part(NUMBER)[None], dimensions=("z", "time", "lat"))
         .replace("tas(z, time, lat)", "tas(time, lat)"), "CFA-0.4"),
        (piece_cdl((part(NUMBER) * 2 + 1).astype(int), kind="short",
                   attributes="tas:scale_factor = 0.5 ; tas:add_offset = -0.5 ;"), "CF-1.13"),
    ],
    ids=["units", "units-and-type", "type", "unused-dimension", "packing"],
)  # fmt: skip
def test_values_are_converted_to_the_canonical_form(master, text, form):
    np.testing.assert_allclose(read(master(text, form)), expected(), rtol=1e-5)


def test_a_piece_may_be_a_zarr_store(master):
    np.testing.assert_array_equal(read(master(piece_cdl(part(NUMBER)), suffix="zarr")), expected())


def test_missing_values_get_the_mask_of_the_variable(master):
    values = part(NUMBER).copy()
    values[0, 0] = -99
    found = read(master(piece_cdl(values, attributes="tas:_FillValue = -99.f ;")))
    wanted = expected()
    wanted[1, 2] = FILL
    np.testing.assert_array_equal(found, wanted)


def test_times_are_converted_between_reference_dates(tmp_path):
    def days(first, date):
        values = ", ".join(str(first + i) for i in range(3))
        return (
            "netcdf p { dimensions: t = 3 ; variables: int t(t) ;"
            f' t:units = "days since {date}" ; data: t = {values} ; }}'
        )

    write(tmp_path / "a.nc", days(0, "2000-01-01"))
    write(tmp_path / "b.nc", days(0, "2000-01-04"))
    text = (
        "netcdf m { dimensions: t = 6 ; i = 1 ; f = 2 ; variables: int t ;"
        ' t:units = "days since 2000-01-01" ; t:aggregated_dimensions = "t" ;'
        ' t:aggregated_data = "map: m uris: u identifiers: a" ; int m(i, f) ; string u(f) ;'
        ' string a ; data: m = 3, 3 ; u = "a.nc", "b.nc" ; a = "t" ; }'
    )
    assert read(write(tmp_path / "m.nc", text), "t").tolist() == [0, 1, 2, 3, 4, 5]


@pytest.mark.parametrize(
    ("text", "form", "message"),
    [
        (piece_cdl(VALUES), "CF-1.13", "has the shape 4x6, not 3x2"),
        (piece_cdl(part(NUMBER), units="m"), "CF-1.13", "'m' cannot be converted to 'K'"),
        (piece_cdl(part(NUMBER), kind="double"), "CFA-0.5", "has the type double, not float"),
        (piece_cdl(part(NUMBER)).replace("tas", "other"), "CFA-0.4", "has no variable 'tas'"),
        (piece_cdl(part(NUMBER), dimensions=("lat", "time")), "CF-1.13",
         r"has the dimensions \(lat, time\), not \(time, lat\)"),
        (master_cdl("CF-1.13"), "CF-1.13", "'tas' is an aggregation itself"),
    ],
    ids=["shape", "units", "type", "name", "order", "nested"],
)  # fmt: skip
def test_a_piece_that_does_not_fit_is_named_with_its_partition(master, text, form, message):
    path = master(text, form)
    with pytest.raises(NczError, match=message) as caught:
        read(path)
    assert "own.nc" in str(caught.value)
    assert caught.value.location is not None
    assert caught.value.location.endswith("master.nc: /tas, partition 1.1")


def aggregated(opened: OpenedDataset) -> AggregatedSource:
    data = opened.dataset.root.variables[1].data
    assert isinstance(data, AggregatedSource)
    return data


def test_pieces_that_cannot_be_read_are_skipped_on_request(pieces, tmp_path):
    path = write(tmp_path / "master.nc", master_cdl("CFA-0.5", lambda n: f"gone/{plain(n)}"))
    notices: list[Notice] = []
    with open_dataset(
        parse_location(str(path)), OpenOptions(keep_going=True), notify=notices.append
    ) as opened:
        data = aggregated(opened)
        assert data.chunk((0, 0)) is None
        assert data.chunk((0, 0)) is None
    assert [n.code for n in notices] == ["piece-unreadable"]
    assert notices[0].lost


def test_a_master_may_not_lead_out_of_its_folder(pieces, tmp_path):
    path = write(tmp_path / "master.nc", master_cdl("CF-1.13", lambda n: str(pieces / plain(n))))
    with pytest.raises(NczError, match="leads to a file outside") as caught:
        read(path)
    assert "--allow-target" in str(caught.value)


def test_a_uri_is_decoded(pieces, tmp_path):
    write(tmp_path / "a b.nc", piece_cdl(part(NUMBER)))

    def name(number):
        return "a%20b.nc" if number == NUMBER else f"file://{pieces}/{plain(number)}"

    path = write(tmp_path / "master.nc", master_cdl("CF-1.13", name))
    found = read(f"{path}#reference.allow_target={pieces}")
    np.testing.assert_array_equal(found, expected())


@pytest.mark.skipif(sys.platform != "linux", reason="Linux reports files")
def test_the_piece_that_was_not_used_for_longest_is_closed_first(pieces):
    path = write(pieces / "budget.nc", master_cdl("CF-1.13"), overwrite=True)
    with open_dataset(parse_location(str(path)), OpenOptions(open_pieces=2)) as dataset:
        data = aggregated(dataset)
        assert open_files(pieces) <= {"budget.nc"}
        np.testing.assert_array_equal(data.chunk((1, 1)), part((1, 1)))
        used = [(0, 0), (1, 1), (1, 2), (1, 1), (0, 1)]
        for index, is_open in zip(used, [[0, 1], [0, 1], [1, 2], [1, 2], [3, 1]], strict=True):
            data.chunk(index)
            names = {plain(((0, 0), (1, 1), (1, 2), (0, 1))[i]) for i in is_open}
            assert open_files(pieces / "m") == {name.removeprefix("m/") for name in names}
    assert open_files(pieces) == set()


@pytest.mark.skipif(sys.platform != "linux", reason="Linux reports files")
def test_the_configuration_limits_open_pieces(pieces, tmp_path, monkeypatch):
    path = write(pieces / "budget.nc", master_cdl("CF-1.13"), overwrite=True)
    (tmp_path / "s3nc.json").write_text('{"resource_allocation": {"filehandles": 3}}')
    monkeypatch.setenv("S3_NC_CONFIG", str(tmp_path / "s3nc.json"))
    with open_dataset(parse_location(str(path))) as dataset:
        data = aggregated(dataset)
        most = 0
        for index in data.grid.indices():
            data.chunk(index)
            most = max(most, len(open_files(pieces / "m")))
    assert most == 3
