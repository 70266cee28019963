"""Durations of Zarr whose numbers other programs show in a copy."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ncz


def store(path: Path, dtype: str) -> Path:
    document = {"zarr_format": 2, "shape": [2], "chunks": [2], "dtype": dtype, "order": "C",
                "fill_value": None, "filters": None, "compressor": None}  # fmt: skip
    (path / "t").mkdir(parents=True)
    (path / ".zgroup").write_text('{"zarr_format": 2}')
    (path / "t/.zarray").write_text(json.dumps(document))
    (path / "t/.zattrs").write_text('{"_ARRAY_DIMENSIONS": ["x"]}')
    (path / "t/0").write_bytes(bytes(16))
    return path


@pytest.mark.parametrize("target", ["a.nc", "n.zarr", "p.zarr"])
@pytest.mark.parametrize(
    ("dtype", "is_decoded"),
    [("<m8[Y]", False), ("<m8[3M]", False), ("<m8[ps]", False), ("<m8[as]", False),
     ("<m8[W]", True), ("<m8[ns]", True), ("<M8[Y]", True)],
)  # fmt: skip
def test_copies_without_the_dtype_are_reported(tmp_path, dtype, is_decoded, target):
    source = store(tmp_path / "a.zarr", dtype)
    told: list[ncz.Notice] = []
    modes = {"n.zarr": ["nczarr"], "p.zarr": ["zarr"]}.get(target, [])
    ncz.copy(source, tmp_path / target, modes=modes, notify=told.append)
    found = [notice.message for notice in told if notice.code == "times-as-numbers"]
    assert len(found) == (not is_decoded and target != "p.zarr")
    assert all(message.endswith(": /t") for message in found)
