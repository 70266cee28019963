"""Spellings of codecs in HDF5, Zarr V3, CDL, JSON and options."""

from __future__ import annotations

import json
from typing import Any

import numcodecs
import numpy as np
import pytest

import ncz
from ncz.codec.catalogue import find, find_hdf5, find_hdf5_name, find_v3, parameter_fault
from ncz.errors import NczError, ignore_notice
from ncz.formats.zarr.documents.codecs_v3 import print_chain, read_chain
from ncz.model.chunks import Shard
from ncz.model.filters import Filter, Hdf5Filter, make_filter
from ncz.model.hdf5_filters import from_hdf5, to_hdf5
from tests.codec.conftest import text
from tests.codec.test_catalogue import CODECS, configuration, ends
from tests.conftest import Run

# --- spellings ------------------------------------------------------------------------------------


def test_hdf5_numbers_and_v3_names_are_unique():
    numbers = [c.hdf5.number for c in CODECS if c.hdf5]
    names = [c.v3.name for c in CODECS if c.v3]
    assert len(numbers) == len(set(numbers))
    assert len(names) == len(set(names))


@pytest.mark.parametrize(
    "codec", [pytest.param(c, id=c.id) for c in CODECS if c.hdf5 and c.can_encode]
)
def test_hdf5_spelling_round_trip(codec):
    assert codec.hdf5 is not None
    assert find_hdf5(codec.hdf5.number) == codec
    assert all(find_hdf5_name(name) == codec for name in (codec.id, *codec.hdf5.names))
    numbered = {p.name for p in codec.hdf5.parameters}
    values = [(p, v) for p in codec.parameters if p.name in numbered for v in ends(p)]
    for parameter, value in values or [(None, None)]:
        parameters = {p.name: p.default for p in codec.parameters if p.name in numbered}
        if parameter is not None:
            parameters[parameter.name] = value
        if codec.item_size_parameter is not None:
            parameters[codec.item_size_parameter] = 4
        given = make_filter(codec.id, **parameters)
        hdf5 = to_hdf5(given)
        if (codec.id, parameters.get("shuffle")) == ("blosc", -1):
            assert hdf5 is None  # HDF5's blosc has no automatic choice
            continue
        assert hdf5 is not None
        assert all(0 <= n < 2**32 for n in hdf5.parameters)
        assert from_hdf5(hdf5, 4) == given


def test_levels_below_zero_are_unsigned_numbers_in_hdf5():
    assert str(to_hdf5(make_filter("zstd", level=-5))) == "32015,4294967291"
    assert to_hdf5(make_filter("zlib", level=-1)) is None
    assert from_hdf5(Hdf5Filter(32015, (2**32 - 5,)), 4) == make_filter("zstd", level=-5)


def spelled(codec: Filter) -> list[Any]:
    return print_chain(Shard(chunks=(4,), order=(0,), codecs=(codec,)), endian="<", item_size=4)


@pytest.mark.parametrize("codec", [pytest.param(c, id=c.id) for c in CODECS if c.v3])
def test_v3_spelling_round_trip(codec):
    assert codec.v3 is not None
    fixed = dict(codec.v3.fixed)
    found = find_v3(codec.v3.name)
    assert found == codec
    if codec.moves_elements or codec.kind == "serializer":
        return  # they are the order of axes and the byte order of a layout
    for parameter in codec.parameters or (None,):
        for value in (ends(parameter) or [parameter.default]) if parameter else [None]:
            parameters = {} if parameter is None or value is None else {parameter.name: value}
            if codec.v3.parameters is not None:  # then every parameter is written
                names = {p.name for p in codec.v3.parameters if not p.is_item_size}
                defaults = {p.name: p.default for p in codec.parameters if p.name in names}
                parameters = {**defaults, **parameters}
            given = Filter.from_json(configuration(codec, **{**parameters, **fixed}))
            codecs = spelled(given)
            assert codec.v3.name in [c["name"] for c in codecs]
            read = read_chain(codecs, (4,), "t").filters
            if given.get("typesize") is not None:
                continue  # V3 always has the size of an element there
            expected = given.to_json()
            if expected.get("shuffle") == -1:
                expected["shuffle"] = 1  # the automatic choice for four bytes
            if expected.get("location") == "start" and fixed:
                continue
            assert [f.to_json() for f in read] == [expected]


EXTENSIONS = (
    "scale_offset", "cast_value", "reshape", "packbits", "bitround", "zfp", "n5_default",
    "conditional",
)  # fmt: skip
"""Codecs of zarr-extensions that some versions of zarr-python do not have, or none."""


def test_v3_names_equal_zarr_python_s():
    pytest.importorskip("zarr", reason="the peer zarr is not installed")
    from zarr.registry import get_codec_class

    for codec in CODECS:
        if codec.v3 is not None and codec.v3.name not in EXTENSIONS:
            assert get_codec_class(codec.v3.name)


@pytest.mark.parametrize("name", [c.id for c in CODECS if c.v3 is None])
def test_codecs_without_a_v3_spelling_are_refused(name):
    codec = find(name)
    assert codec is not None
    with pytest.raises(NczError, match=f"Zarr V3 has no codec for {name}"):
        spelled(Filter.from_json(configuration(codec)))


# --- the doors ------------------------------------------------------------------------------------

WRONG = [
    ({"id": "zlib", "level": 99}, "level must be an integer from 0 to 9, not 99"),
    ({"id": "blosc", "clevel": 77}, "clevel must be"),
    ({"id": "blosc", "cname": "snappy"}, "cname must be one of"),
    ({"id": "blosc", "blocksize": -1}, "blocksize must be"),
    ({"id": "zstd", "levle": 1}, "no parameter 'levle'"),
    ({"id": "nosuch"}, "unknown codec 'nosuch'"),
]


@pytest.mark.parametrize(
    ("special", "message"),
    [
        ("_DeflateLevel = 10", "level must be an integer from 0 to 9, not 10"),
        ("_DeflateLevel = -1", "level must be"),
        ('_Filter = "307,10"', "level must be an integer from 1 to 9"),
        ('_Filter = "32015,23"', "level must be"),
        ('_Filter = "32001,0,0,0,0,10,1,1"', "clevel must be"),
        ('_Filter = "32001,0,0,0,0,5,1,3"', "cname must be one of"),
        *((f"_Codecs = {json.dumps(json.dumps([wrong]))}", message) for wrong, message in WRONG),
    ],
)
def test_cdl_is_refused_with_the_position(tmp_path, run: Run, special, message):
    source, target = tmp_path / "f.cdl", tmp_path / "f.zarr"
    source.write_text(text(special))
    ran = run("gen", "-o", target, source)
    assert ran.code == 1
    column = len(f"v:{special.split('=')[0]}= ") + 1
    assert f"f.cdl:2:{column}: " in ran.stderr
    assert message in ran.stderr
    assert not target.exists()


@pytest.mark.parametrize(("wrong", "message"), WRONG, ids=lambda w: str(w)[:30])
def test_json_is_refused_with_the_position(tmp_path, run: Run, wrong, message):
    source, target = tmp_path / "f.json", tmp_path / "f.zarr"
    source.write_text(
        '{"format": "ncz-dataset", "version": 1, "name": "f",'
        ' "dimensions": {"x": {"size": 4}},\n "variables": {"v": {"dimensions": ["/x"],'
        f' "type": "int",\n"storage": {{"codecs": {json.dumps([wrong])}}}}}}}}}'
    )
    ran = run("gen", "-o", target, source)
    assert ran.code == 1
    assert "f.json:3:23: " in ran.stderr
    assert message in ran.stderr
    assert not target.exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["-d", "42"], "-d 42: the codec zlib: level must be an integer from 0 to 9, not 42"),
        (["-d", "-1"], "level must be"),
        (["-F", "v,1,10"], "level must be"),
        (["-F", "*,32001,0,0,0,0,5,1,3"], "cname must be one of"),
        (["--codec", "zlib:99"], "level must be an integer from 0 to 9, not 99"),
        (["--codec", "blosc:foo"], "cname must be one of"),
        (["--codec", "blosc:lz4:5:3"], "shuffle must be"),
        (["--codec", "v=lzma:10"], "preset must be"),
        *((["--codec", json.dumps(wrong)], message) for wrong, message in WRONG),
    ],
)
def test_options_of_copy_are_refused(tmp_path, run: Run, store, options, message):
    ran = run("copy", store, tmp_path / "c.zarr", *options)
    assert ran.code == 2
    assert message in ran.stderr
    assert not (tmp_path / "c.zarr").exists()
    if options[0] == "--codec":
        with pytest.raises(NczError) as caught:
            ncz.copy(store, tmp_path / "c.zarr", codecs=options[1:])
        assert message in str(caught.value)
        assert not (tmp_path / "c.zarr").exists()


@pytest.mark.parametrize("name", sorted(c.id for c in CODECS if c.short is not None))
def test_every_short_form(tmp_path, store, name):
    codec = find(name)
    assert codec is not None
    assert codec.short is not None
    spec = ":".join([name, *(str(value) for _, value in codec.short)])
    target = tmp_path / "c.zarr"
    # A notice names the readers that cannot decode some of the codecs.
    ncz.copy(store, target, modes=["zarr"], codecs=[spec], verify=True, notify=ignore_notice)
    array = json.loads((target / "v" / ".zarray").read_text())
    written = [*(array["filters"] or []), *([array["compressor"]] if array["compressor"] else [])]
    assert [w["id"] for w in written] == [name]
    # Readers look for compressors in this member.
    assert (array["compressor"] is not None) == (codec.kind == "compressor")


def test_text_codecs_without_a_v3_spelling_are_replaced(tmp_path):
    values = np.array(["é", "b"], object)
    codec = numcodecs.JSON()
    array = {
        "zarr_format": 2,
        "shape": [2],
        "chunks": [2],
        "dtype": "|O",
        "fill_value": None,
        "order": "C",
        "filters": [codec.get_config()],
        "compressor": None,
    }
    source = tmp_path / "a.zarr"
    (source / "s").mkdir(parents=True)
    (source / ".zgroup").write_text('{"zarr_format": 2}')
    (source / "s" / ".zarray").write_text(json.dumps(array))
    (source / "s" / "0").write_bytes(codec.encode(values))
    target = tmp_path / "b.zarr"
    ncz.copy(source, target, modes=["zarr", "v3"], allow_loss=True, notify=ignore_notice)
    document = json.loads((target / "s" / "zarr.json").read_text())
    assert [c["name"] for c in document["codecs"]] == ["vlen-utf8"]
    with ncz.open(target) as dataset:
        assert list(ncz.read(dataset, "/s")) == ["é", "b"]


def test_integers_as_text_are_taken_as_netcdf_c_takes_them(tmp_path):
    codecs = [{"id": "shuffle", "elementsize": "0"}, {"id": "zlib", "level": "5"}]
    source, target = tmp_path / "f.cdl", tmp_path / "f.zarr"
    special = f"_Codecs = {json.dumps(json.dumps(codecs))}"
    source.write_text(text(special).replace("\n}", "\ndata: v = 1, 2, 3, 4 ;\n}"))
    ncz.gen(source, target)
    array = json.loads((target / "v" / ".zarray").read_text())
    assert array["filters"] == [{"id": "shuffle", "elementsize": 4}]
    assert array["compressor"] == {"id": "zlib", "level": 5}
    printed = ncz.dump(target)
    assert "1, 2, 3, 4" in printed
    (target / "v" / ".zarray").write_text(
        json.dumps({**array, "filters": codecs[:1], "compressor": codecs[1]})
    )
    assert ncz.dump(target) == printed
    assert "elementsize-zero" in [found.code for found in ncz.check(target).findings]
    ncz.check(target, fix=True)
    mended = json.loads((target / "v" / ".zarray").read_text())
    assert mended["filters"] == [{"id": "shuffle", "elementsize": 4}]


@pytest.mark.parametrize("level", ["x", "1.5", "", "99999999999"])
def test_texts_that_contain_no_integer_of_the_range_are_refused(level):
    given = Filter.from_json({"id": "zlib", "level": level}).to_json()
    assert "level must be an integer" in str(parameter_fault(given))
