"""Chunks that are longer than their array."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.formats.zarr.types import elements


def test_elements_beyond_the_edge_are_not_converted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An unlimited dimension may have few values in chunks of millions."""
    document = {
        "zarr_format": 2,
        "shape": [2, 3],
        "chunks": [64, 64],
        "dtype": "|S1",
        "compressor": None,
        "filters": None,
        "fill_value": None,
        "order": "C",
    }
    chunk = np.zeros((64, 64), "S1")
    chunk[:2, :3] = [[b"a", b"b", b"c"], [b"d", b"e", b"f"]]
    chunk[10, 10] = b"\xff"
    (tmp_path / ".zgroup").write_text('{"zarr_format": 2}')
    (tmp_path / "v").mkdir()
    (tmp_path / "v/.zarray").write_text(json.dumps(document))
    (tmp_path / "v/0.0").write_bytes(chunk.tobytes())
    sizes = []
    to_values = elements.to_values

    def counted(stored: Any, *rest: Any) -> Any:
        sizes.append(stored.size)
        return to_values(stored, *rest)

    monkeypatch.setattr(elements, "to_values", counted)
    assert ncz.open(f"{tmp_path}#mode=zarr")["v"][:].tolist() == [["a", "b", "c"], ["d", "e", "f"]]
    assert len(ncz.digest(f"{tmp_path}#mode=zarr").value or "") == 32
    assert sizes
    assert max(sizes) == 6
