"""Chunks that were never written, copied to an aggregation."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ignore_notice

zarr = pytest.importorskip("zarr", reason="zarr-python is not installed")

FILLS = {"i4": (0, 7, -2147483647), "f4": (0, 7.5, np.float32(9.969209968386869e36), np.nan)}
MODES = ["cfa", "cfa0.4", "cf", "cfa,nczarr,v3", "cfa,nczarr"]


@pytest.fixture(scope="module")
def source(tmp_path_factory) -> tuple[Path, dict[str, np.ndarray]]:
    """Write a store whose variables have missing chunks, and return their values."""
    path = tmp_path_factory.mktemp("source") / "s.zarr"
    group = zarr.open_group(path, mode="w", zarr_format=3)
    expected = {}
    for dtype, fills in FILLS.items():
        for number, fill in enumerate(fills):
            for mask in (None, fill, 3):
                name = f"{dtype}_{number}_{'none' if mask is None else int(mask is not fill)}"
                array = group.create_array(
                    name, shape=(6, 3), chunks=(1, 3), dtype=dtype, fill_value=fill,
                    dimension_names=("t", "x"),
                )  # fmt: skip
                array[:2] = 1
                if mask is not None:
                    array[4:] = mask
                    kept = float(mask) if dtype == "f4" else int(mask)
                    array.attrs["_FillValue"] = "NaN" if kept != kept else kept
                expected[name] = array[...]
    return path, expected


@pytest.mark.parametrize("mode", MODES)
def test_they_keep_their_values(source, mode, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path, expected = source
    target = "m.zarr" if "nczarr" in mode else "m.nca"
    ncz.copy(
        path, target, modes=mode.split(","), pieces={"t": 2}, verify=True, allow_loss=True,
        notify=ignore_notice,
    )  # fmt: skip
    with ncz.open(target) as found:
        for name, values in expected.items():
            np.testing.assert_array_equal(found[name][...], values, err_msg=name)
