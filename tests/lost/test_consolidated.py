"""Consolidated metadata that differ from the store: the newer documents are read."""

from __future__ import annotations

import shutil

import pytest

import ncz
from tests.lost.stores import CDL, PLAIN, consolidated


@pytest.mark.parametrize("modes", ["zarr", "nczarr", "zarr,v3", "v3"])
def test_consolidated_metadata_that_is_right_is_not_reported(run, modes):
    ran = run("dump", consolidated(run, modes=modes))
    assert ran.code == 0
    assert "consolidated" not in ran.stderr


@pytest.mark.parametrize("modes", ["zarr", "zarr,v3"])
def test_a_consolidated_array_that_is_gone_is_a_loss(run, modes):
    store = consolidated(run, modes=modes)
    shutil.rmtree(store / "v")
    ran = run("dump", "-q", "-h", store)
    assert ran.code == 1
    assert "the consolidated metadata is out of date: missing in the store: /v;" in ran.stderr
    assert "int v(" in ran.text
    ran = run("dump", "-h", "--no-consolidated", store)
    assert ran.code == 0
    assert "consolidated" not in ran.stderr
    assert "int v(" not in ran.text


@pytest.mark.parametrize("modes", ["zarr", "zarr,v3"])
def test_an_array_that_is_not_consolidated_is_read(run, modes):
    store = consolidated(run, modes=modes)
    shutil.copytree(store / "v", store / "new")
    ran = run("dump", "-h", store)
    assert ran.code == 0
    assert "missing in the consolidated metadata: /new; the documents themselves" in ran.stderr
    assert "int new(" in ran.text
    assert run("copy", "-q", store, "t.zarr").code == 0
    assert "int new(" in run("dump", "-h", "t.zarr").text


@pytest.mark.parametrize("modes", ["zarr", "zarr,v3"])
def test_an_array_that_is_not_consolidated_is_a_loss_next_to_one_that_is_gone(run, modes):
    store = consolidated(run, modes=modes)
    shutil.move(store / "v", store / "new")
    ran = run("dump", "-q", "-h", store)
    assert ran.code == 1
    assert "missing in the consolidated metadata: /new; run ncz consolidate" in ran.stderr


def test_a_document_that_is_newer_than_its_copy_is_read(run):
    store = consolidated(run)
    (store / "v" / ".zattrs").write_text('{"units": "K"}')
    ran = run("dump", "-h", store)
    assert ran.code == 0
    assert "different in the store: /v/.zattrs;" in ran.stderr
    assert 'v:units = "K"' in ran.text
    assert 'v:units = "K"' in run("dump", "-h", "--no-consolidated", store).text
    with ncz.open(store, consolidated=False) as dataset:
        assert [a.name for a in ncz.find(dataset, "v").attributes] == ["units"]


@pytest.mark.parametrize("modes", ["zarr", "zarr,v3"])
def test_consolidated_metadata_can_be_required(run, modes):
    assert run(*PLAIN, "-o", f"p.zarr#mode={modes}", stdin=CDL).code == 0
    with (
        pytest.raises(ncz.FormatError, match="the store has no consolidated metadata"),
        ncz.open("p.zarr", consolidated=True),
    ):
        pass
    with ncz.open(consolidated(run, modes=modes), consolidated=True) as dataset:
        assert len(dataset.root.variables) == 4
