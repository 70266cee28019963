"""Codecs are spelled alike wherever a name of one can be given."""

from __future__ import annotations

import json

import numcodecs
import numpy as np
import pytest

import ncz
from ncz.codec.catalogue import find, parameter_fault
from ncz.errors import NczError, ignore_notice
from ncz.model.filters import Filter
from tests.codec.conftest import text
from tests.codec.test_catalogue import CODECS
from tests.conftest import Run

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
