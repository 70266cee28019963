"""The values that options take, for the completion of a line."""

from __future__ import annotations

import pytest

from ncz.cli.candidates import VALUES
from tests.conftest import ROOT

WORDS = ["dump", str(ROOT / "cdl_examples" / "weather.cdl")]


@pytest.mark.parametrize(
    ("kind", "start", "found"),
    [
        ("kinds", "nc3", ["nc3"]),
        ("codecs", "zst", ["zstd"]),
        ("modes", "nczarr,zi", ["nczarr,zip"]),
        ("modes", "zip,zi", []),
        ("readers", "xarr", ["xarray"]),
    ],
)
def test_known_values(kind, start, found):
    assert [*VALUES[kind](WORDS, start)] == found


def test_names_of_the_dataset_in_the_line(tmp_path):
    import ncz
    from ncz.errors import ignore_notice

    store = tmp_path / "x.zarr"
    ncz.gen(WORDS[1], store, notify=ignore_notice)
    words = ["dump", str(store)]
    variables = [name for name in VALUES["variables"](words, "") if name]
    assert "lat" in variables
    assert [*VALUES["variables"](words, "lat,lo")] == ["lat,lon"]
    assert [*VALUES["selection"](words, "la")] == ["lat="]
    assert [*VALUES["chunks"](words, "lat/2,lo")] == ["lat/2,lon/"]
