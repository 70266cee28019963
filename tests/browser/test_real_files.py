"""The page of `ncz view` for files that other people made: its values equal xarray's."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.browser.viewer import View
from tests.browser.viewer import tab as tab
from tests.browser.viewer import view as view
from tests.commands.view.test_server import kinds as kinds
from tests.conftest import ROOT

xr = pytest.importorskip("xarray", reason="xarray is not installed (make setup)")
pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")

CORPUS = ROOT / "tests/corpus"


@pytest.mark.parametrize(
    ("file", "name"),
    [
        ("cf-python/example_field_0.nc", "q"),
        ("xncml/CG2006158_120000h_usfc.nc", "CGusfc"),
        ("xncml/jan.nc", "T"),
    ],
)
def test_values_at_places(view, file: str, name: str):
    with xr.open_dataset(CORPUS / file, decode_times=False) as dataset:
        values = dataset[name].load()
    page: View = view(CORPUS / file, variable=name)
    assert page.text("#name") == name
    if "time" in values.dims:
        last = values.sizes["time"] - 1
        if last:
            page.slide("time", last)
        values = values.isel(time=last)
    if "altitude" in values.dims:
        values = values.isel(altitude=0)
    rows, columns = values.sizes["lat"], values.sizes["lon"]
    seen = set()
    for row in (0, rows // 2, rows - 1):
        for column in (0, columns // 2, columns - 1):
            text = page.hover(column, row, columns, rows)
            found = re.fullmatch(r"lat = (\S+)[^,]*, lon = (\S+)[^:]*: (\S+).*", text)
            assert found is not None, (text, row, column)
            lat, lon = float(found[1]), float(found[2])
            found_value = values.sel(lat=lat, lon=lon, method="nearest")
            assert lat == pytest.approx(found_value.lat.item(), rel=1e-6)
            assert lon == pytest.approx(found_value.lon.item(), rel=1e-6)
            value = found_value.item()
            assert (found[3] == "missing") == np.isnan(value)
            if found[3] != "missing":
                assert float(found[3]) == pytest.approx(value, rel=1e-5)
            seen.add((lat, lon))
    assert len(seen) == 9
