"""A store on a server that is appended to; Zarr V3 is long."""

from __future__ import annotations

import pytest

import ncz
from tests.commands.test_append import cdl, quiet
from tests.sampled import paired, sampled

pytest.importorskip("s3fs", reason="s3fs is not installed")


@pytest.mark.parametrize("mode", sampled(["nczarr", "zarr,v3"], 2))
def test_a_store_on_s3_grows(s3, tmp_path, mode):
    for name, times in (("old", range(5)), ("new", range(5, 9)), ("all", range(9))):
        (tmp_path / f"{name}.cdl").write_text(cdl(times))
    url = f"{s3}/s.zarr#mode=s3"
    ncz.gen(tmp_path / "old.cdl", f"{url},{mode},consolidated", notify=quiet)
    summary = ncz.copy(tmp_path / "new.cdl", url, append="time", verify=True, notify=quiet)
    assert summary.compared > 0
    ncz.gen(tmp_path / "all.cdl", f"{tmp_path}/all.zarr#mode={mode},consolidated", notify=quiet)
    texts = [ncz.dump(place, notify=quiet) for place in (url, tmp_path / "all.zarr")]
    assert texts[0].partition("{")[2] == texts[1].partition("{")[2]
    assert ncz.check(url).is_clean


@pytest.mark.long
@pytest.mark.parametrize(
    ("mode", "first"), paired(["zarr,v2", "zarr,v3", "nczarr"], [2, 4]), ids=str
)
def test_values_in_the_middle_of_a_store_on_s3_are_replaced(s3, tmp_path, mode, first):
    (tmp_path / "old.cdl").write_text(cdl(range(6)))
    (tmp_path / "new.cdl").write_text(cdl(range(first, 8)).replace(" t = {", " t = {7", 1))
    url = f"{s3}/s.zarr#mode=s3"
    ncz.gen(tmp_path / "old.cdl", f"{url},{mode}", notify=quiet)
    ncz.gen(tmp_path / "new.cdl", tmp_path / "new.zarr", notify=quiet)
    ncz.copy(tmp_path / "new.zarr", url, append="time", overlap="last", notify=quiet)
    ncz.gen(tmp_path / "old.cdl", f"{tmp_path}/all.zarr#mode={mode}", notify=quiet)
    place = str(tmp_path / "all.zarr")
    ncz.copy(tmp_path / "new.zarr", place, append="time", overlap="last", notify=quiet)
    texts = [ncz.dump(each, notify=quiet).partition("{")[2] for each in (url, place)]
    assert texts[0] == texts[1]
    assert ncz.check(url).is_clean
    with ncz.open(url) as dataset:
        assert dataset["time"].shape == (8,)
