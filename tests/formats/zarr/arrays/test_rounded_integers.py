"""Integers behind the codec bitround of numcodecs, which takes signed ones for floats."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import NczError, ignore_notice

VALUES = [1, 2, 96, -4, 192, 7]


def store(path: Path, dtype: str, version: int) -> Path:
    """Write integers with the codec bitround in two chunks."""
    kept = {"keepbits": 3}
    if version == 2:
        document = {
            "zarr_format": 2, "shape": [6], "chunks": [3], "dtype": f"<{dtype}", "order": "C",
            "fill_value": 0, "filters": [{"id": "bitround", **kept}], "compressor": None,
        }  # fmt: skip
        documents = {".zgroup": {"zarr_format": 2}, "v/.zarray": document,
                     "v/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]}}  # fmt: skip
    else:
        document = {
            "zarr_format": 3, "node_type": "array", "shape": [6], "attributes": {},
            "data_type": np.dtype(dtype).name, "fill_value": 0, "dimension_names": ["x"],
            "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [3]}},
            "chunk_key_encoding": {"name": "v2"},
            "codecs": [{"name": "numcodecs.bitround", "configuration": kept},
                       {"name": "bytes", "configuration": {"endian": "little"}}],
        }  # fmt: skip
        documents = {"zarr.json": {"zarr_format": 3, "node_type": "group"}, "v/zarr.json": document}
    (path / "v").mkdir(parents=True)
    for key, each in documents.items():
        (path / key).write_text(json.dumps(each))
    data = np.array(VALUES).astype(dtype)
    (path / "v/0").write_bytes(data[:3].tobytes())
    (path / "v/1").write_bytes(data[3:].tobytes())
    return path


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("target", [2, 3])
@pytest.mark.parametrize("options", [{}, {"chunks": ["x/4"]}])
@pytest.mark.parametrize("dtype", ["i4", "u2"])
def test_a_copy_has_the_integers_for_zarr_python_too(tmp_path, version, target, options, dtype):
    source = store(tmp_path / "a.zarr", dtype, version)
    expected = np.array(VALUES).astype(dtype).tolist()
    assert ncz.open(source)["v"][...].tolist() == expected
    copied = tmp_path / "b.zarr"
    ncz.copy(source, copied, modes=["zarr", f"v{target}"], notify=ignore_notice, **options)
    assert ncz.open(copied)["v"][...].tolist() == expected
    zarr = pytest.importorskip("zarr", minversion="3", reason="zarr-python 3 is not installed")
    assert zarr.open_array(copied / "v", mode="r")[...].tolist() == expected


@pytest.mark.filterwarnings("ignore:invalid value encountered", "ignore:Numcodecs codecs are not")
def test_check_names_values_that_zarr_python_reads_differently(tmp_path):
    source = store(tmp_path / "a.zarr", "i4", 3)
    (found,) = [f for f in ncz.check(source, audience=["zarr-python"]).findings
                if "bitround" in f.message]  # fmt: skip
    assert "does not decode chunks of bitround of signed integers" in found.message
    zarr = pytest.importorskip("zarr", minversion="3", reason="zarr-python 3 is not installed")
    assert zarr.open_array(source / "v", mode="r")[...].tolist() != VALUES
    for dtype, version in (("u4", 3), ("i4", 2)):
        other = store(tmp_path / f"{dtype}.zarr", dtype, version)
        assert "bitround" not in str(ncz.check(other, audience=["zarr-python"]).findings)
        assert zarr.open_array(other / "v", mode="r")[...].tolist()[:3] == VALUES[:3]


def test_bitround_that_is_chosen_for_integers_is_refused(tmp_path):
    source = store(tmp_path / "a.zarr", "i4", 2)
    with pytest.raises(NczError, match="bitround"):
        ncz.copy(source, tmp_path / "b.zarr", codecs=["bitround:5"], notify=ignore_notice)
