"""The codec zfp of Zarr V3, against zfpy."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ncz
from ncz.codec import ArraySpec, chain
from ncz.codec.zfp import _with_header
from ncz.errors import CodecError, NczError, ignore_notice

zfpy = pytest.importorskip("zfpy", reason="the package zfpy is not installed")

SHAPES: list[tuple[int, ...]] = [(), (9,), (5, 6), (3, 5, 6), (2, 3, 4, 5)]
MODES: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"mode": "reversible"}, {}),
    ({"mode": "fixed_accuracy", "tolerance": 0.5}, {"tolerance": 0.5}),
    ({"mode": "fixed_accuracy", "tolerance": 0}, {"tolerance": 0}),
    ({"mode": "fixed_rate", "rate": 11.3}, {"rate": 11.3}),
    ({"mode": "fixed_precision", "precision": 16}, {"precision": 16}),
]


def numbers(dtype: str, shape: tuple[int, ...]) -> Any:
    rng = np.random.default_rng(7)
    if dtype[0] == "f":
        return rng.normal(0, 1000, shape).astype(dtype)
    return rng.integers(0, 100, shape).astype(dtype)


def stored(values: Any, **configuration: Any) -> tuple[bytes, Any]:
    """Return the encoded values, and the values that are decoded again."""
    codec = [{"id": "zfp", **configuration}]
    array = ArraySpec(values.shape, values.dtype.itemsize, values.dtype)
    data = chain.encode_array(codec, values, array, location="v")
    assert data is not None
    return data, chain.decode_array(codec, data, array, location="v")


@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize(("ours", "theirs"), MODES)
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_numbers_match_zfpy(dtype, ours, theirs, shape):
    values = numbers(dtype, shape)
    whole = zfpy.compress_numpy(values.reshape(shape or (1,)), **theirs)
    data, again = stored(values, **ours)
    np.testing.assert_array_equal(again, zfpy.decompress_numpy(whole).reshape(shape))
    assert again.dtype == values.dtype
    if len(whole) - len(data) == 8:  # the header of 12 bytes before words of 8
        assert whole[12:] == data[: len(whole) - 12]
    if ours["mode"] == "reversible":
        np.testing.assert_array_equal(again, values)


@pytest.mark.parametrize("dtype", ["i1", "u1", "i2", "u2", "u4", "u8", "f2", ">i4", ">f8"])
@pytest.mark.parametrize("shape", SHAPES)
def test_other_numbers_are_stored_as_wider_ones(dtype, shape):
    values = numbers(dtype.lstrip(">"), shape).astype(dtype)
    if values.size > 1 and dtype[0] != "f" and values.dtype.itemsize < 4:
        limits = np.iinfo(values.dtype)
        values.reshape(-1)[:2] = limits.min, limits.max
    _, again = stored(values, mode="reversible")
    np.testing.assert_array_equal(again, values)


def test_integers_are_moved_to_the_high_bits():
    # As the functions zfp_promote_int8_to_int32 and zfp_promote_uint16_to_int32 do.
    data, _ = stored(np.array([-128, -1, 0, 127], "i1"), mode="reversible")
    wide = np.array([-(2**30), -(2**23), 0, 127 << 23], "i4")
    assert data == zfpy.compress_numpy(wide, write_header=False)
    data, _ = stored(np.array([0, 1, 32768, 65535], "u2"), mode="reversible")
    wide = np.array([-(2**30), -32767 << 15, 0, 32767 << 15], "i4")
    assert data == zfpy.compress_numpy(wide, write_header=False)


def test_integers_beyond_the_type_become_its_limits():
    wide = np.array([2**31 - 1, -(2**31), 0, 5 << 23], "i4")
    data = zfpy.compress_numpy(wide, write_header=False)
    codec = [{"id": "zfp", "mode": "reversible"}]
    for dtype, expected in [("i1", [127, -128, 0, 5]), ("u1", [255, 0, 128, 133])]:
        array = ArraySpec((4,), 1, np.dtype(dtype))
        assert chain.decode_array(codec, data, array, location="v").tolist() == expected
    array = ArraySpec((4,), 4, np.dtype("u4"))
    assert chain.decode_array(codec, data, array, location="v").tolist() == [
        2**31 - 1, 0, 0, 5 << 23,
    ]  # fmt: skip


@pytest.mark.parametrize("shape", SHAPES[1:])
@pytest.mark.parametrize("dtype", ["f4", "f8", "i4", "i8"])
def test_the_expert_mode_is_decoded(dtype, shape):
    values = numbers(dtype, shape)
    bits = 3000  # more than the short form of the header contains
    rate = bits / 4 ** len(shape)
    expert = {"mode": "expert", "minbits": bits, "maxbits": bits, "maxprec": 64, "minexp": -1074}
    data = zfpy.compress_numpy(values, rate=rate, write_header=False)
    whole = zfpy.compress_numpy(values, rate=rate)
    ours = _with_header(data, expert, shape, values.dtype)
    length = min(len(ours), len(whole))
    assert ours[:length] == whole[:length]
    array = ArraySpec(shape, values.dtype.itemsize, values.dtype)
    again = chain.decode_array([{"id": "zfp", **expert}], data, array, location="v")
    np.testing.assert_array_equal(again, zfpy.decompress_numpy(whole))
    lossless = {"minbits": 1, "maxbits": 16658, "maxprec": 64, "minexp": -1075}
    data = zfpy.compress_numpy(values, write_header=False)
    codec = [{"id": "zfp", "mode": "expert", **lossless}]
    np.testing.assert_array_equal(chain.decode_array(codec, data, array, location="v"), values)


def test_the_expert_mode_has_limits():
    expert = {"mode": "expert", "minbits": 1, "maxbits": 64, "maxprec": 64, "minexp": -1074}
    with pytest.raises(CodecError, match="cannot write the expert mode"):
        stored(numbers("f4", (4,)), **expert)
    array = ArraySpec((4097, 1, 1, 1), 4, np.dtype("f4"))
    with pytest.raises(CodecError, match="axes of at most 4096 elements"):
        chain.decode_array([{"id": "zfp", **expert}], bytes(9), array, location="v")


@pytest.mark.parametrize(
    ("values", "configuration", "message"),
    [
        (numbers("f4", (4,)), {}, "needs a mode"),
        (numbers("f4", (4,)), {"mode": "fixed_rate"}, "has rate"),
        (numbers("f4", (4,)), {"mode": "reversible", "rate": 8}, "has no parameter"),
        (numbers("f4", (4,)), {"mode": "fixed_accuracy", "tolerance": -1}, "not be below zero"),
        (numbers("f4", (1,) * 5), {"mode": "reversible"}, "at most 4 axes"),
        (np.array([True]), {"mode": "reversible"}, "not elements of bool"),
        (np.array([2**31], "u4"), {"mode": "reversible"}, "cannot store 2147483648"),
        (np.array([np.nan], "f4"), {"mode": "fixed_rate", "rate": 8}, "NaN and infinity"),
        (numbers("f4", (9,)), {"mode": "fixed_rate", "rate": 2.3}, "9 bits, and it needs 10"),
        (numbers("f8", (9,)), {"mode": "fixed_rate", "rate": 3}, "12 bits, and it needs 13"),
        (numbers("i2", (9,)), {"mode": "fixed_rate", "rate": 0.1}, "0 bits, and it needs 1"),
        (np.array([np.inf]), {"mode": "fixed_accuracy", "tolerance": 1}, "NaN and infinity"),
    ],
)
def test_types_that_zfp_lacks_are_refused(values, configuration, message):
    with pytest.raises(CodecError, match=message):
        stored(values, **configuration)


@pytest.mark.parametrize("length", [0, 1, 7])
@pytest.mark.parametrize(("configuration", "_"), MODES)
def test_data_that_end_too_early_are_not_read_beyond_their_end(configuration, _, length):
    values = numbers("f8", (9, 9))
    data, _ = stored(values, **configuration)
    array = ArraySpec((9, 9), 8, np.dtype("f8"))
    again = chain.decode_array([{"id": "zfp", **configuration}], data[:length], array, location="v")
    assert again.shape == (9, 9)


def test_a_rate_that_needs_too_much_memory_is_refused():
    array = ArraySpec((4,), 8, np.dtype("f8"))
    codec = [{"id": "zfp", "mode": "fixed_rate", "rate": 1e9}]
    with pytest.raises(CodecError, match="decodes to more than 32 bytes"):
        chain.decode_array(codec, bytes(8), array, location="v")


def store(path: Path, configuration: dict[str, Any]) -> Path:
    values = np.arange(24, dtype="f4").reshape(4, 6)
    document = {
        "zarr_format": 3, "node_type": "array", "shape": [4, 6], "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [4, 6]}},
        "chunk_key_encoding": {"name": "default"}, "fill_value": 0, "attributes": {},
        "codecs": [{"name": "zfp", "configuration": configuration}], "dimension_names": ["y", "x"],
    }  # fmt: skip
    (path / "v/c/0").mkdir(parents=True)
    (path / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    (path / "v/zarr.json").write_text(json.dumps(document))
    (path / "v/c/0/0").write_bytes(zfpy.compress_numpy(values, write_header=False))
    return path


@pytest.mark.parametrize("target", ["v3.zarr", "v2.zarr", "a.nc", "r.json"])
def test_stores_are_read_and_copied(target, tmp_path):
    source = store(tmp_path / "a.zarr", {"mode": "reversible"})
    modes = {"v3.zarr": ["zarr", "v3"], "v2.zarr": ["zarr", "v2"]}.get(target, [])
    ncz.copy(source, tmp_path / target, modes=modes, notify=ignore_notice)
    assert ncz.open(tmp_path / target)["v"][...].ravel().tolist() == list(range(24))
    if target == "v3.zarr":
        document = json.loads((tmp_path / target / "v/zarr.json").read_text())
        assert document["codecs"] == [{"name": "zfp", "configuration": {"mode": "reversible"}}]


def test_without_the_package_the_error_says_what_to_install(tmp_path, monkeypatch):
    source = store(tmp_path / "a.zarr", {"mode": "reversible"})
    monkeypatch.setitem(sys.modules, "zfpy", None)
    with pytest.raises(NczError, match="'zfp' needs the package zfpy") as raised:
        ncz.open(source)["v"][...]
    assert raised.value.hint == "pip install 'ncz[zfp]'"


def test_a_wrong_configuration_is_reported_when_the_store_is_opened(tmp_path):
    source = store(tmp_path / "a.zarr", {"mode": "fixed_rate"})
    told: list[str] = []
    with ncz.open(source, notify=lambda notice: told.append(notice.message)) as dataset:
        assert "v" not in dataset.variables
    assert "the mode fixed_rate has rate" in told[0]
