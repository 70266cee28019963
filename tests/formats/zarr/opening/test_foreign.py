"""Stores that others wrote, each next to the CDL that it is."""

from __future__ import annotations

import contextlib

import pytest

import ncz
from ncz.errors import Notice, ignore_notice
from tests.conftest import ROOT, Run
from tests.sampled import paired

STORES = sorted(p for p in (ROOT / "tests/stores/foreign").iterdir() if p.is_dir())


@pytest.mark.parametrize("store", STORES, ids=lambda p: p.name)
def test_printed_text(store):
    notices: list[Notice] = []
    assert ncz.dump(store, notify=notices.append) == store.with_suffix(".cdl").read_text()
    assert {notice.code for notice in notices} <= {"digits-left-out", "attribute-as-text"}


@pytest.mark.parametrize(
    ("store", "version"), paired(STORES, ["v2", "v3"]), ids=lambda each: getattr(each, "name", each)
)
def test_a_pure_copy_in_either_version_is_the_same(store, version, run: Run, tmp_path):
    target = f"{tmp_path}/{store.name}.zarr#mode=zarr,{version}"
    ran = run("copy", "--allow-loss", "-q", "--verify", store, target)
    assert ran.code == 0, ran.stderr
    if store.name.endswith(version):  # the other version keeps fill values in another place
        printed = [ncz.dump(place, notify=ignore_notice) for place in (store, target)]
        assert body(printed[1]) == body(printed[0])


@pytest.mark.parametrize("version", ["v2", "v3"])
@pytest.mark.parametrize(
    "store",
    [s for s in STORES if s.name.partition("-v")[0] not in ("zarr-python", "tensorstore")],
    ids=lambda p: p.name,
)
def test_as_nczarr_it_is_the_same(store, version, run: Run, tmp_path):
    target = f"{tmp_path}/{store.name}.zarr#mode=nczarr,{version}"
    ran = run("copy", "-q", "--verify", store, target)
    assert ran.code == 0, ran.stderr
    printed = [ncz.dump(place, notify=ignore_notice) for place in (store, target)]
    assert body(printed[1]) == body(printed[0])


def body(text: str) -> list[str]:
    """Everything but the dataset's name, without regard to the order of dimensions."""
    return sorted(line for line in text.partition("{")[2].splitlines() if line.strip())


@pytest.mark.parametrize("store", [s for s in STORES if "xarray" in s.name], ids=lambda p: p.name)
def test_xarray_reads_a_copy_as_it_reads_the_store(store, run: Run, tmp_path):
    xarray = pytest.importorskip("xarray", reason="the peer xarray is not installed")
    for version in ("v2", "v3"):
        target = f"{tmp_path}/{version}.zarr#mode=zarr,consolidated,{version}"
        assert run("copy", "--allow-loss", "-q", store, target).code == 0
        with contextlib.ExitStack() as stack:
            theirs, ours = (
                stack.enter_context(xarray.open_zarr(str(place)))
                for place in (store, tmp_path / f"{version}.zarr")
            )
            xarray.testing.assert_identical(theirs.load(), ours.load())
