"""Attributes with names that netCDF cannot represent: refused, or left out with a notice."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ncz
from ncz.errors import LossError, Notice

NAMES = ["a/b", "", ".", "x" * 300]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    path = tmp_path / "s.zarr"
    (path / "v").mkdir(parents=True)
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    (path / ".zattrs").write_text(json.dumps({"title": "t", **dict.fromkeys(NAMES, "q")}))
    array = {
        "zarr_format": 2, "shape": [2], "chunks": [2], "dtype": "|u1", "fill_value": None,
        "order": "C", "filters": None, "compressor": None,
    }  # fmt: skip
    (path / "v" / ".zarray").write_text(json.dumps(array))
    (path / "v" / ".zattrs").write_text(json.dumps({"u/v": "q", "units": "K"}))
    (path / "v" / "0").write_bytes(b"\1\2")
    return path


def test_they_are_refused_and_left_out_on_request(store: Path):
    target = store.with_suffix(".nc")
    with pytest.raises(
        LossError, match="netCDF cannot represent the names of these attributes: v:u/v, :a/b"
    ):
        ncz.copy(store, target)
    assert not target.exists()
    notices: list[Notice] = []
    ncz.copy(store, target, allow_loss=True, notify=notices.append)
    assert [notice.code for notice in notices] == ["attribute-left-out"]
    with ncz.open(target) as dataset:
        assert dataset["v"][:].tolist() == [1, 2]
        assert dataset["v"].attrs == {"units": "K"}
        assert dataset.attrs == {"title": "t"}
