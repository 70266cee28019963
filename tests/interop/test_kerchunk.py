"""Reference sets that kerchunk wrote, read by ncz."""

from __future__ import annotations

import numpy as np
import pytest

import ncz
from ncz.formats.opening import open_dataset
from ncz.model.data import read_all
from ncz.model.tree import variables_by_fqn
from ncz.zmap.location import parse_location
from tests.conftest import ROOT

netCDF4 = pytest.importorskip("netCDF4", reason="netCDF4 is not installed (make setup)")
pytest.importorskip("pyarrow", reason="pyarrow is not installed (make setup)")

FOLDER = ROOT / "tests" / "stores" / "kerchunk"
"""The sets that tests/stores/make_kerchunk.py wrote."""

SETS = ("ranges.json", "inline.json", "ranges.parq", "inline.parq")


def values_of(location):
    with open_dataset(parse_location(str(location))) as opened:
        return {
            fqn: read_all(variable.data)
            for fqn, variable in variables_by_fqn(opened.dataset.root)
            if variable.data is not None
        }


@pytest.mark.parametrize("name", SETS)
def test_values_are_equal(name):
    found = values_of(FOLDER / name)
    with netCDF4.Dataset(FOLDER / "a.nc") as file:
        file.set_auto_mask(False)
        wanted = {f"/{name}": file[name][...] for name in ("t", "time", "scalar", "g/y")}
    assert found.keys() == wanted.keys()
    for fqn, values in wanted.items():
        np.testing.assert_array_equal(found[fqn], values, err_msg=fqn)


def test_all_forms_are_one_dataset():
    texts = {ncz.dump(FOLDER / name).partition("\n")[2] for name in SETS}
    assert len(texts) == 1
    text = texts.pop()
    for line in ('t:units = "K" ;', ':title = "Kühe" ;', "group: g {", "t:_FillValue = -1.f ;"):
        assert line in text


@pytest.mark.parametrize("name", SETS)
def test_a_copy_is_an_independent_store(tmp_path, name):
    ncz.copy(FOLDER / name, tmp_path / "out.zarr")
    for fqn, values in values_of(FOLDER / name).items():
        np.testing.assert_array_equal(values_of(tmp_path / "out.zarr")[fqn], values)
