"""Codecs and types of zarr-extensions that ncz does not have: refused by their names."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import NczError, Notice

CODECS = (
    "arrow-ipc", "jpeg", "jpegxl", "label_multiset", "lzw", "n5", "n5_label_multiset",
    "n5_varlen", "nanovdb", "offset", "optional", "pad", "singleton_dim",
    "zarrs.gdeflate", "zarrs.squeeze", "zarrs.vlen", "zarrs.vlen_v2",
)  # fmt: skip

TYPES = ("complex_int8", "complex_float8", "float8", "zarrs.optional")


def write(path: Path, **members: Any) -> Path:
    """Write a group with an array that has the given members."""
    document = {
        "zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "uint8",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0,
        "codecs": [{"name": "bytes"}], "dimension_names": ["x"],
    }  # fmt: skip
    (path / "v" / "c").mkdir(parents=True)
    (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (path / "v" / "zarr.json").write_text(json.dumps({**document, **members}))
    (path / "v" / "c" / "0").write_bytes(bytes(64))
    return path


def refused(store: Path, name: str) -> None:
    """Assert that no value is read, and that the reason names the unknown codec."""
    told: list[Notice] = []
    with ncz.open(store, notify=told.append) as dataset:
        assert "v" not in dataset.variables
    assert [name in notice.message for notice in told] == [True]
    with pytest.raises(NczError, match=name):
        ncz.copy(store, store.with_name("copy.zarr"))
    assert not store.with_name("copy.zarr").exists()


@pytest.mark.parametrize("name", CODECS)
def test_a_codec_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    codecs = [{"name": "bytes"}, {"name": name, "configuration": {"mode": "reversible"}}]
    refused(write(tmp_path / "s.zarr", codecs=codecs), name)


@pytest.mark.parametrize("name", TYPES)
def test_a_type_is_refused_by_its_name(tmp_path: Path, name: str) -> None:
    refused(write(tmp_path / "s.zarr", data_type=name, fill_value=[0, 0]), name)
