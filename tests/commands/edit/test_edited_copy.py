"""Changes of a copy, which leave the dataset as it is."""

from __future__ import annotations

import pytest

import ncz
from ncz.errors import NczError, StoreExists, ignore_notice
from tests.conftest import ROOT, Run


@pytest.fixture(params=["weather.nc", "weather.zarr"])
def source(request, tmp_path):
    path = tmp_path / request.param
    ncz.gen(ROOT / "cdl_examples/weather.cdl", path, notify=ignore_notice)
    return path


@pytest.mark.parametrize("target", ["out.nc", "out.zarr"])
def test_a_copy_is_changed_and_not_the_dataset(source, target, tmp_path, run: Run):
    before = run("dump", source).text
    line = ["edit", source, "temperature:units=C", "--rename", "wind_speed=wind"]
    assert run(*line, "-o", tmp_path / target).code == 0
    assert run("dump", source).text == before
    changed = ncz.open(tmp_path / target)
    assert changed["temperature"].attrs["units"] == "C"
    assert "wind" in changed
    assert "wind_speed" not in changed
    assert changed["temperature"][:].tolist() == ncz.open(source)["temperature"][:].tolist()


def test_nothing_is_written_for_a_change_that_is_not_valid(source, tmp_path):
    with pytest.raises(NczError, match="none"):
        ncz.edit(source, rename="none=other", output=tmp_path / "out.nc", notify=ignore_notice)
    assert not (tmp_path / "out.nc").exists()


def test_a_dry_run_writes_nothing(source, tmp_path, run: Run):
    done = run("edit", "--dry-run", source, "lat:note=x", "-o", tmp_path / "out.nc")
    assert done.text == 'would set /lat:note = "x"\n'
    assert not (tmp_path / "out.nc").exists()


def test_a_target_that_exists_is_replaced_only_if_asked(source, tmp_path, run: Run):
    target = tmp_path / "out.zarr"
    ncz.copy(source, target, notify=ignore_notice)
    with pytest.raises(StoreExists):
        ncz.edit(source, set="lat:n = 1", output=target, notify=ignore_notice)
    ncz.edit(source, set="lat:n = 1", output=target, overwrite=True, notify=ignore_notice)
    assert ncz.open(target)["lat"].attrs["n"] == 1
    done = run("edit", source, "lat:n=2", "--overwrite")
    assert (done.code, "can only be used with -o" in done.stderr) == (2, True)
