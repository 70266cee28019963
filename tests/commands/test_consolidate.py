"""Consolidated metadata of an existing store."""

from __future__ import annotations

import json
import zipfile

import pytest

import ncz
from ncz.errors import ignore_notice

CDL = "netcdf s { dimensions: x = 2 ; variables: int v(x) ; group: g { variables: int w ; } }"


@pytest.fixture
def text(tmp_path):
    (tmp_path / "s.cdl").write_text(CDL)
    return tmp_path / "s.cdl"


@pytest.mark.parametrize(("mode", "name"), [("v2", ".zmetadata"), ("v3", "zarr.json")])
def test_the_documents_of_all_nodes(text, mode, name):
    store = text.with_suffix(".zarr")
    ncz.gen(text, store, modes=["nczarr", mode], notify=ignore_notice)
    document = store / name
    assert not document.exists() or "consolidated_metadata" not in document.read_text()
    count = ncz.consolidate(store, notify=ignore_notice)
    found = json.loads(document.read_text())
    found = found["metadata"] if mode == "v2" else found["consolidated_metadata"]["metadata"]
    assert {"v/.zarray", "g/w/.zarray"} <= set(found) if mode == "v2" else set(found) == {
        "v", "g", "g/w",
    }  # fmt: skip
    assert count >= len(found)


def test_a_zip_file_is_refused(text):
    store = text.with_suffix(".zip")
    ncz.gen(text, store, notify=ignore_notice)
    before = zipfile.ZipFile(store).namelist()
    with pytest.raises(ncz.NczError, match="zip"):
        ncz.consolidate(store, notify=ignore_notice)
    assert zipfile.ZipFile(store).namelist() == before
