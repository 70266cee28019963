"""Codecs of the catalogue beside numcodecs."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numcodecs
import numpy as np
import pytest
from numcodecs.registry import codec_registry

import ncz
from ncz.codec import chain
from ncz.codec.catalogue import (
    for_readers_of_v2,
    is_kind,
    is_object_codec,
    parameter_fault,
    writing_fault,
)
from ncz.codec.chain import encoding_fault
from ncz.errors import LossError, ignore_notice
from tests.codec.test_catalogue import (
    BOTH,
    BYTES,
    CODECS,
    OBJECTS,
    REQUIRED,
    VALUES,
    beyond,
    configuration,
    ends,
    named,
    pairs,
)


def test_every_codec_of_numcodecs_has_one_entry():
    ids = [codec.id for codec in CODECS]
    assert len(ids) == len(set(ids))
    # kerchunk and other packages register other codecs.
    theirs = {name for name, made in codec_registry.items() if made.__module__[:9] == "numcodecs"}
    assert theirs <= set(ids), "a codec of numcodecs is not in the catalogue"
    for codec in CODECS:
        if not codec.can_encode:
            assert codec.id not in codec_registry, "numcodecs implements it"


@pytest.mark.parametrize("codec", BOTH, ids=named)
def test_the_parameters_and_defaults_match_numcodecs(codec):
    theirs = numcodecs.get_codec(configuration(codec)).get_config()
    ours = {p.name: p.default for p in codec.parameters if not p.required}
    assert parameter_fault(theirs) is None
    known = {p.name for p in codec.parameters}
    assert set(theirs) - {"id"} <= known
    for name in known & set(theirs) & set(ours) - set(REQUIRED.get(codec.id, {})):
        # numcodecs derives these from other parameters, or from the Python release.
        if name not in ("astype", "protocol", "separators", "compression_kwargs"):
            assert theirs[name] == ours[name], name


def round_trip(given: dict[str, Any]) -> None:
    item_size = VALUES.itemsize
    stored = chain.encode([given], VALUES, item_size=item_size, location="t")
    decoded = chain.decode([given], stored, count=VALUES.size, item_size=item_size, location="t")
    assert decoded == VALUES.tobytes()


@pytest.mark.parametrize("codec", BYTES, ids=named)
def test_both_ends_of_every_range_encode_and_decode(codec):
    round_trip(configuration(codec))
    for parameter in codec.parameters:
        for value in ends(parameter):
            given = configuration(codec, **{parameter.name: value})
            if given == {"id": "lzma", "format": 3}:  # the raw format needs filters
                given["filters"] = [{"id": 0x21, "preset": 1}]
            if (codec.id, parameter.name) == ("lzma", "check"):
                given["format"] = 1
            assert parameter_fault(given) is None
            round_trip(given)


@pytest.mark.parametrize(
    "codec", [codec for codec in BOTH if codec.kind == "array filter"], ids=named
)
def test_array_filters_encode_and_decode(codec):
    if codec.id == "packbits":
        given, values = {"id": codec.id}, np.array([True, False, True])
    elif codec.id == "categorize":
        given, values = configuration(codec), np.array(["a", "b", "a"], object)
    else:
        given, values = configuration(codec), VALUES
    item_size = 0 if values.dtype == object else values.itemsize
    stored = chain.encode([given], values, item_size=item_size, location="t")
    decoded = chain.decode([given], stored, count=values.size, item_size=item_size, location="t")
    if item_size:
        assert decoded == values.tobytes()
    else:
        assert list(np.asarray(decoded)) == list(values)
    assert codec.place == "array to array"


@pytest.mark.parametrize(
    "codec",
    [codec for codec in BOTH if codec.kind == "object codec" and codec.id != "pickle"],
    ids=named,
)
def test_object_codecs_encode_and_decode(codec):
    values = np.empty(2, object)
    values[:] = OBJECTS.get(codec.id, ["é", ""])
    given = configuration(codec)
    stored = chain.encode([given], values, item_size=0, location="t")
    counts = int.from_bytes(stored[:4], "little") == 2
    assert (codec.objects is not None) == counts
    decoded = np.asarray(chain.decode([given], stored, count=2, item_size=0, location="t"))
    assert all(np.array_equal(a, b) for a, b in zip(decoded, values, strict=True))
    assert is_object_codec(given)


@pytest.mark.parametrize("codec", BYTES, ids=named)
def test_codecs_that_keep_the_size_do(codec):
    for size in (1, 16, 401):
        noise = np.frombuffer(np.random.default_rng(size).bytes(4 * size), "u1")
        given = configuration(codec)
        grown = len(chain.encode([given], noise, item_size=1, location="t")) - noise.size
        if codec.added_bytes is not None:
            assert grown == codec.added_bytes
        elif codec.keeps_size:
            assert grown == 0


def test_categorize_is_an_object_codec_only_of_objects():
    objects = {"id": "categorize", "labels": ["a"], "dtype": "|O"}
    assert is_object_codec(objects)
    assert not is_object_codec({**objects, "dtype": "<U3"})
    assert is_kind(objects, "array filter")


@pytest.mark.parametrize(("codec", "parameter"), list(pairs()))
def test_values_out_of_range_are_faults_that_name_the_parameter(codec, parameter):
    for value in beyond(parameter):
        fault = parameter_fault(configuration(codec, **{parameter.name: value}))
        assert fault is not None, value
        assert codec.id in fault
        assert parameter.name in fault
    if parameter.required:
        without = {k: v for k, v in configuration(codec).items() if k != parameter.name}
        assert "needs" in str(parameter_fault(without))
    else:
        assert parameter_fault(configuration(codec, **{parameter.name: parameter.default})) is None


def test_faults_of_codecs_that_nobody_knows_and_of_unknown_parameters():
    assert writing_fault({"id": "nosuch"}) == "unknown codec 'nosuch'"
    assert "no parameter 'lvl'" in str(writing_fault({"id": "zlib", "lvl": 1}))
    assert writing_fault({"id": "numcodecs.zlib", "level": 1}) is None
    assert writing_fault({"id": "crc32"}) is None


def test_a_codec_that_another_package_registers_can_be_used(monkeypatch):
    class Plain(numcodecs.abc.Codec):  # type: ignore[misc]
        codec_id = "plain_of_a_plugin"

        def encode(self, buf):
            return bytes(buf)

        def decode(self, buf, out=None):
            return bytes(buf)

    monkeypatch.setitem(codec_registry, Plain.codec_id, Plain)
    assert writing_fault({"id": Plain.codec_id}) is None
    round_trip({"id": Plain.codec_id})


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"id": "bitround", "keepbits": 40}, "bitround"),  # a float has 23 bits
        ({"id": "lzma", "format": 3}, "lzma"),
        ({"id": "szip"}, "szip"),
        ({"id": "pickle"}, "pickle"),
    ],
)
def test_an_element_is_encoded_if_the_ranges_do_not_decide(given, message):
    assert writing_fault(given) is None
    size = 0 if given["id"] == "pickle" else 4
    assert message in str(encoding_fault([given], "<f4", size))


def broken(store: Path, codec: dict[str, Any]) -> None:
    """Give the store's array parameters that no encoder takes."""
    document = store / "v" / ".zarray"
    array = json.loads(document.read_text())
    document.write_text(json.dumps({**array, "compressor": codec}))
    (store / ".zmetadata").unlink(missing_ok=True)


def test_parameters_of_other_peoples_stores_do_not_stop_decoding(tmp_path, store):
    broken(store, {"id": "zlib", "level": 99, "lvl": 1})
    assert "1, 2, 3, 4" in ncz.dump(store, notify=ignore_notice)
    ncz.copy(store, tmp_path / "raw.zarr", modes=["zarr"])
    ncz.copy(store, tmp_path / "other.zarr", modes=["zarr"], codecs=["zstd"], verify=True)
    for modes in (["zarr"], ["zarr", "v3"]):
        with pytest.raises(LossError, match=r"variable /v: .*(level must be|no parameter)"):
            ncz.copy(store, tmp_path / "new.zarr", modes=modes, chunks=["x/2"])
        assert not (tmp_path / "new.zarr").exists()


def test_a_codec_that_is_not_available_is_refused_before_writing(tmp_path, store):
    broken(store, {"id": "snappy"})
    ncz.copy(store, tmp_path / "raw.zarr", modes=["zarr"])
    with pytest.raises(LossError, match="snappy"):
        ncz.copy(store, tmp_path / "new.zarr", modes=["zarr"], chunks=["x/2"])
    assert not (tmp_path / "new.zarr").exists()


@pytest.mark.parametrize(
    ("configuration", "written"),
    [
        ({"id": "zstd", "level": 3, "checksum": False}, {"id": "zstd", "level": 3}),
        ({"id": "zstd", "level": 3, "checksum": True}, None),
        ({"id": "blosc", "cname": "lz4", "typesize": None}, {"id": "blosc", "cname": "lz4"}),
        ({"id": "zlib", "level": 1}, None),
        ({"id": "unknown", "checksum": False}, None),
    ],
)
def test_defaults_that_some_readers_of_v2_refuse_are_not_written(configuration, written):
    assert for_readers_of_v2(configuration) == (written or configuration)
