"""A copy for readers that know the codecs of a store, but not every form of its chunks."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest

zarr = pytest.importorskip("zarr", minversion="3", reason="zarr-python 3 is not installed")


def _document(store: Path, name: str) -> Any:
    return json.loads((store / name / ".zarray").read_text())


FORMS: dict[str, dict[str, Any]] = {
    "big-endian": {"dtype": ">f8"},
    "order F": {"order": "F"},
    "both": {"dtype": ">i2", "order": "F"},
    "fields": {"dtype": [("a", ">i4"), (">b", ">f4")]},
}


@pytest.mark.parametrize("name", FORMS)
@pytest.mark.parametrize("modes", ["zarr,v2", ""])
def test_zarrs_gets_chunks_that_it_decodes_in_v2(run, tmp_path, name, modes):
    form = FORMS[name]
    dtype = np.dtype(form.get("dtype", "<f8"))
    values = np.arange(6).reshape(2, 3).astype("f8")
    if dtype.names:
        values = np.array([[(i, j) for j in range(3)] for i in range(2)], dtype)
    array = zarr.create_array(
        tmp_path / "x.zarr" / "v", shape=(2, 3), chunks=(1, 2), dtype=dtype, zarr_format=2,
        order=form.get("order", "C"), fill_value=None, compressors=None, filters=None,
    )  # fmt: skip
    array[:] = values.astype(dtype)
    (tmp_path / "x.zarr" / ".zgroup").write_text('{"zarr_format": 2}')
    extra = ("--mode", modes) if modes else ()
    ran = run("copy", "--verify", *extra, "--for", "zarrs", tmp_path / "x.zarr",
              tmp_path / "t.zarr")  # fmt: skip
    assert ran.code == 0, ran.stderr
    assert "cannot decode" not in ran.stderr
    stored = _document(tmp_path / "t.zarr", "v")
    assert stored["order"] == "C"
    assert not [d for d in np.dtype(_as_numpy(stored["dtype"])).descr if d[1].startswith(">")]
    copied = zarr.open_array(tmp_path / "t.zarr" / "v", mode="r")
    np.testing.assert_array_equal(copied[:], array[:])


def _as_numpy(dtype: Any) -> Any:
    return [tuple(field) for field in dtype] if isinstance(dtype, list) else dtype


def test_gen_for_zarrs_is_little_endian(run, tmp_path):
    text = """netcdf x { dimensions: n = 2 ; variables: int v(n) ; v:_Endianness = "big" ;
    data: v = 1, 2 ; }"""
    for words, order in (((), ">"), (("--for", "zarrs"), "<")):
        ran = run("gen", "-", "-o", tmp_path / f"{order}.zarr", *words, stdin=text)
        assert ran.code == 0, ran.stderr
        assert _document(tmp_path / f"{order}.zarr", "v")["dtype"] == f"{order}i4"


def test_tensorstore_gets_zstd_without_a_checksum(run, tmp_path):
    array = zarr.create_array(
        tmp_path / "x.zarr" / "v", shape=(4,), dtype="<i4", zarr_format=2,
        compressors=numcodecs.Zstd(level=3, checksum=True),
    )  # fmt: skip
    array[:] = [1, 2, 3, 4]
    (tmp_path / "x.zarr" / ".zgroup").write_text('{"zarr_format": 2}')
    for reader, checksum in (("zarr-python", True), ("tensorstore", False)):
        ran = run("copy", "--verify", "--mode", "zarr,v2", "--for", reader, tmp_path / "x.zarr",
                  tmp_path / f"{reader}.zarr")  # fmt: skip
        assert ran.code == 0, ran.stderr
        assert _document(tmp_path / f"{reader}.zarr", "v")["compressor"].get("checksum", False) is (
            checksum
        )
