"""Numbers that numpy does not have, such as bfloat16 and int4."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.codec.element_types import NARROW, number_type
from ncz.errors import NczError, ignore_notice

ml_dtypes = pytest.importorskip("ml_dtypes", reason="the package ml_dtypes is not installed")

NAMES = [name for name in sorted(NARROW) if hasattr(ml_dtypes, name)]


def values_of(name: str) -> Any:
    known = number_type(name)
    assert known is not None
    if known.kind == "f":
        return np.array([1, 2, 0.5, 1], getattr(ml_dtypes, name))
    return np.array([1, 0, -1 if known.kind == "i" else 3, 1], getattr(ml_dtypes, name))


def store(path: Path, name: str, endian: str = "little", fill: Any = 1) -> Path:
    """Make a store with an array of a type, whose second chunk is missing."""
    values = values_of(name)
    codec = {"name": "bytes", "configuration": {"endian": endian}}
    document = {
        "zarr_format": 3, "node_type": "array", "shape": [8], "data_type": name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": fill, "codecs": [codec],
        "attributes": {}, "dimension_names": ["x"],
    }  # fmt: skip
    (path / "v" / "c").mkdir(parents=True)
    (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (path / "v" / "zarr.json").write_text(json.dumps(document))
    data = values.view(f"u{values.itemsize}")
    stored = data.astype(data.dtype.newbyteorder(">" if endian == "big" else "<"))
    (path / "v" / "c" / "0").write_bytes(stored.tobytes())
    return path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("target", ["v3.zarr", "v2.zarr", "a.nc", "z.zip", "r.json"])
def test_numbers_are_read_and_copied(name, target, tmp_path):
    source = store(tmp_path / "a.zarr", name)
    expected = [*values_of(name).astype("f8").tolist(), 1, 1, 1, 1]
    assert ncz.open(source)["v"][...].astype("f8").tolist() == expected
    modes = {"v3.zarr": ["zarr", "v3"], "v2.zarr": ["zarr", "v2"]}.get(target, [])
    ncz.copy(source, tmp_path / target, modes=modes, notify=ignore_notice)
    copied = ncz.open(tmp_path / target)["v"]
    assert copied[...].astype("f8").tolist() == expected
    if target == "v3.zarr":
        document = json.loads((tmp_path / target / "v" / "zarr.json").read_text())
        assert document["data_type"] == name
        ncz.copy(source, tmp_path / "r.zarr", chunks=["x/3"], notify=ignore_notice)
        assert ncz.open(tmp_path / "r.zarr")["v"][...].astype("f8").tolist() == expected


def test_bytes_of_bfloat16_may_be_big_endian_and_hexadecimal_digits_say_the_fill(tmp_path):
    source = store(tmp_path / "a.zarr", "bfloat16", "big", "0x3f80")
    assert ncz.open(source)["v"][...].tolist() == [1, 2, 0.5, 1, 1, 1, 1, 1]


def test_without_the_package_the_error_names_the_variable_and_the_extra(tmp_path, monkeypatch):
    source = store(tmp_path / "a.zarr", "bfloat16")
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    with pytest.raises(NczError, match="the data type bfloat16 needs the package ml_dtypes") as e:
        ncz.open(source)["v"][...]
    assert "/v/" in str(e.value.location)
    assert e.value.hint == "pip install 'ncz[ml]'"
    with pytest.raises(NczError, match="needs the package ml_dtypes"):
        ncz.copy(source, tmp_path / "a.nc", notify=ignore_notice)
    assert not (tmp_path / "a.nc").exists()


def test_a_number_that_the_type_cannot_hold_is_refused(tmp_path):
    source = store(tmp_path / "a.zarr", "int4")
    dataset = ncz.open(source)
    assert dataset["v"].dtype == np.dtype("i1")
    other = tmp_path / "more.cdl"
    other.write_text(
        "netcdf more { dimensions: x = UNLIMITED ; variables: byte v(x) ; data: v = 99 ; }"
    )
    with pytest.raises(NczError, match="99, which its data type int4"):
        ncz.copy(other, source, append="x", notify=ignore_notice)
