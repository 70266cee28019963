"""Copies to CDL text."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import ncz
from ncz.errors import StoreExists, ignore_notice
from tests.conftest import Run

CDL = """netcdf a {
dimensions:
	x = 2 ;
variables:
	int v(x) ;
	int w(x) ;
data:

 v = 1, 2 ;

 w = 3, 4 ;
}
"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    ncz.gen(io.BytesIO(CDL.encode()), "a.zarr", notify=ignore_notice)
    return "a.zarr"


def test_the_text_equals_dump_s(store: str, run: Run):
    summary = ncz.copy(store, "a.cdl")
    assert Path("a.cdl").read_text() == CDL
    assert summary.variables == 2
    assert run("dump", store).text == CDL


def test_only_chosen_variables_have_data(store: str, run: Run):
    assert run("copy", "-q", "--data-of", "v", store, "a.cdl").code == 0
    assert Path("a.cdl").read_text() == CDL.replace("\n w = 3, 4 ;\n", "")


def test_a_text_is_replaced_only_on_request(store: str):
    Path("a.cdl").write_text("mine")
    with pytest.raises(StoreExists):
        ncz.copy(store, "a.cdl")
    assert Path("a.cdl").read_text() == "mine"
    ncz.copy(store, "a.cdl", overwrite=True)
    assert Path("a.cdl").read_text() == CDL


def test_a_damaged_chunk_leaves_no_text(store: str):
    Path("a.zarr/w/0").write_bytes(b"x")
    with pytest.raises(ncz.CodecError):
        ncz.copy(store, "a.cdl")
    assert not Path("a.cdl").exists()


def test_parts_that_a_text_lacks_are_losses(store: str):
    document = Path("a.zarr/v/.zarray")
    document.write_text(document.read_text().replace('"<i4"', '"<q9"'))
    with pytest.raises(ncz.NczError, match="allow_loss=True"):
        ncz.copy(store, "a.cdl")
    assert not Path("a.cdl").exists()
    ncz.copy(store, "a.cdl", allow_loss=True, notify=ignore_notice)
    assert "int w(x)" in Path("a.cdl").read_text()
    assert "int v(x)" not in Path("a.cdl").read_text()
