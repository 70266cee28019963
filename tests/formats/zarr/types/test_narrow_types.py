"""Numbers that numpy does not have, such as bfloat16 and int4."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.codec.element_types import NARROW, NARROW_COMPLEX, narrow_part, number_type
from ncz.errors import NczError, ignore_notice
from ncz.formats.zarr.types import elements
from tests.sampled import paired

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


@pytest.mark.parametrize(
    ("name", "target"), paired(NAMES, ["v3.zarr", "v2.zarr", "a.nc", "z.zip", "r.json"])
)
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
    elements._dtype_of_text.cache_clear()  # another test had the package
    with pytest.raises(NczError, match="the data type bfloat16 needs the package ml_dtypes") as e:
        ncz.open(source)["v"][...]
    assert "/v/" in str(e.value.location)
    assert e.value.hint == "pip install 'ncz[ml]'"
    with pytest.raises(NczError, match="needs the package ml_dtypes"):
        ncz.copy(source, tmp_path / "a.nc", notify=ignore_notice)
    assert not (tmp_path / "a.nc").exists()


def test_a_number_that_the_type_cannot_represent_is_refused(tmp_path):
    source = store(tmp_path / "a.zarr", "int4")
    dataset = ncz.open(source)
    assert dataset["v"].dtype == np.dtype("i1")
    other = tmp_path / "more.cdl"
    other.write_text(
        "netcdf more { dimensions: x = UNLIMITED ; variables: byte v(x) ; data: v = 99 ; }"
    )
    with pytest.raises(NczError, match="99, which its data type int4"):
        ncz.copy(other, source, append="x", notify=ignore_notice)


COMPLEX = [
    "complex_float16",
    *(name for name in sorted(NARROW_COMPLEX) if hasattr(ml_dtypes, narrow_part(name) or "")),
]


def pairs_of(name: str) -> Any:
    """Return complex numbers that every type has, as the bits of their parts."""
    part = narrow_part(name)
    dtype = np.dtype("f2") if part == "float16" else np.dtype(getattr(ml_dtypes, str(part)))
    parts = np.array([[1, 2], [0.5, 1], [2, 2], [1, 0.5]]).astype(dtype)
    return parts.view(f"u{dtype.itemsize}")


def complex_store(path: Path, name: str, codecs: list[Any], chunk: bytes) -> Path:
    """Make a store with an array of complex numbers, whose second chunk is missing."""
    document = {
        "zarr_format": 3, "node_type": "array", "shape": [8], "data_type": name,
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": [1, 2], "codecs": codecs,
        "attributes": {}, "dimension_names": ["x"],
    }  # fmt: skip
    (path / "v" / "c").mkdir(parents=True)
    (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (path / "v" / "zarr.json").write_text(json.dumps(document))
    (path / "v" / "c" / "0").write_bytes(chunk)
    return path


PAIRS = [(1, 2), (0.5, 1), (2, 2), (1, 0.5), *[(1, 2)] * 4]
TARGETS = {"v3.zarr": ["zarr", "v3"], "v2.zarr": ["zarr", "v2"], "n.zarr": ["nczarr"]}


@pytest.mark.parametrize("name", COMPLEX)
@pytest.mark.parametrize("endian", ["little", "big"])
def test_complex_numbers_are_read_and_copied(name, endian, tmp_path):
    codes = pairs_of(name)
    stored = codes.astype(codes.dtype.newbyteorder(">" if endian == "big" else "<")).tobytes()
    codecs = [{"name": "bytes", "configuration": {"endian": endian}}]
    source = complex_store(tmp_path / "a.zarr", name, codecs, stored)
    assert ncz.open(source)["v"][...].tolist() == PAIRS
    for target in (*TARGETS, "a.nc", "r.json"):
        modes = TARGETS.get(target, [])
        ncz.copy(source, tmp_path / target, modes=modes, notify=ignore_notice)
        assert ncz.open(tmp_path / target)["v"][...].tolist() == PAIRS
    documents = [
        json.loads((tmp_path / n / "v/zarr.json").read_text()) for n in ("a.zarr", "v3.zarr")
    ]
    assert [d["data_type"] for d in documents] == [name, name]
    assert documents[1]["fill_value"] == [1, 2]
    assert (tmp_path / "v3.zarr/v/c/0").read_bytes() == stored
    assert json.loads((tmp_path / "v2.zarr/v/.zarray").read_text())["dtype"] == "<c8"
    ncz.copy(source, tmp_path / "c.zarr", chunks=["x/3"], modes=["zarr", "v3"],
             notify=ignore_notice)  # fmt: skip
    assert ncz.open(tmp_path / "c.zarr")["v"][...].tolist() == PAIRS


@pytest.mark.parametrize(
    ("name", "bits"), [("complex_float4_e2m1fn", 4), ("complex_bfloat16", 16), ("complex64", 32)]
)
def test_packed_complex_numbers(name, bits, tmp_path):
    if name == "complex64":
        codes = np.array([[1, 2], [0.5, 1], [2, 2], [1, 0.5]], "f4").view("u4")
    else:
        codes = pairs_of(name)
    total = sum(int(code) << bits * n for n, code in enumerate(codes.reshape(-1)))
    packed = total.to_bytes(bits, "little")  # eight numbers
    source = complex_store(tmp_path / "a.zarr", name, [{"name": "packbits"}], packed)
    assert ncz.open(source)["v"][...].tolist() == PAIRS
    ncz.copy(source, tmp_path / "b.zarr", chunks=["x/3"], modes=["zarr", "v3"],
             notify=ignore_notice)  # fmt: skip
    assert ncz.open(tmp_path / "b.zarr")["v"][...].tolist() == PAIRS
    document = json.loads((tmp_path / "b.zarr/v/zarr.json").read_text())
    assert document["codecs"][0]["name"] == "packbits"


def test_a_complex_number_that_the_type_cannot_represent_is_refused(tmp_path):
    stored = pairs_of("complex_bfloat16").tobytes()
    source = complex_store(tmp_path / "a.zarr", "complex_bfloat16", [{"name": "bytes"}], stored)
    more = np.array([[1, 1.01]] * 4, "f4").tobytes()
    other = complex_store(tmp_path / "b.zarr", "complex64", [{"name": "bytes"}], more)
    with pytest.raises(NczError, match="which its data type complex_bfloat16"):
        ncz.copy(other, source, append="x", notify=ignore_notice)


def test_a_fill_value_of_complex_numbers_may_be_not_a_number(tmp_path):
    stored = pairs_of("complex_float16").tobytes()
    source = complex_store(tmp_path / "a.zarr", "complex_float16", [{"name": "bytes"}], stored)
    path = source / "v/zarr.json"
    document = json.loads(path.read_text())
    document["fill_value"] = ["NaN", "0x3c00"]
    path.write_text(json.dumps(document))
    real, imaginary = ncz.open(source)["v"][...].tolist()[7]
    assert (np.isnan(real), imaginary) == (True, 1)
    ncz.copy(source, tmp_path / "b.zarr", modes=["zarr", "v3"], notify=ignore_notice)
    again = json.loads((tmp_path / "b.zarr/v/zarr.json").read_text())
    assert again["fill_value"] == ["NaN", 1.0]
