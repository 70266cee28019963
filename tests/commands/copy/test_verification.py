"""Copies that are compared with their source: the findings of --verify."""

from __future__ import annotations

import json

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.transfer.difference import DifferenceError
from tests.commands.copy.test_forms_copy import gen
from tests.conftest import ROOT


@pytest.mark.parametrize(
    ("key", "old", "new", "message"),
    [
        (".zattrs", b"title", b"titel", "attribute title of / is missing"),
        (".zattrs", b'"lat": 3', b'"lat": 4', "dimension lat of / differs"),
        ("lat/.zattrs", b"degrees_north", b"degrees_south", "attribute units of /lat differs"),
        (
            "temperature/.zarray",
            b'"shape": [4,3,5]',
            b'"shape": [4,3,4]',
            "dimension _Anonymous_Dim_4 of / is not expected",
        ),
    ],
)
def test_verify_finds_a_changed_document(tmp_path, key, old, new, message):
    source, target = tmp_path / "a.zarr", tmp_path / "b.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    ncz.copy(source, target)
    document = (target / key).read_bytes()
    assert old in document
    (target / key).write_bytes(document.replace(old, new, 1))
    with pytest.raises(ncz.NczError, match=message):
        ncz.copy(source, target, verify=True)


@pytest.mark.parametrize("zarr_format", ["v2", "v3"])
@pytest.mark.parametrize(("node", "named"), [("", "/"), ("lat/", "/lat")])
def test_verify_finds_an_extra_attribute_in_nczarr(tmp_path, zarr_format, node, named):
    source, target = tmp_path / "a.zarr", tmp_path / "b.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    location = f"{target}#mode=nczarr,{zarr_format}"
    ncz.copy(source, location, verify=True, notify=ignore_notice)
    path = target / node / (".zattrs" if zarr_format == "v2" else "zarr.json")
    document = json.loads(path.read_text())
    (document if zarr_format == "v2" else document["attributes"])["extra"] = "new"
    path.write_text(json.dumps(document))
    with pytest.raises(DifferenceError, match=f"attribute extra of {named} is not expected"):
        ncz.copy(source, location, verify=True, notify=ignore_notice)


def test_verify_finds_one_wrong_value(tmp_path):
    source, target = tmp_path / "a.zarr", tmp_path / "b.zarr"
    gen(ROOT / "cdl_examples/weather.cdl", str(source))
    ncz.copy(source, target, codecs=["none"], chunks=["time/1"])
    ncz.copy(source, target, verify=True)
    chunk = bytearray((target / "temperature/1.0.0").read_bytes())
    chunk[4 * 7] ^= 1
    (target / "temperature/1.0.0").write_bytes(chunk)
    with pytest.raises(DifferenceError) as caught:
        ncz.copy(source, target, verify=True)
    assert "/temperature: [1,1,2] is " in str(caught.value)
    (target / "temperature/1.0.0").unlink()
    with pytest.raises(DifferenceError, match=r"/temperature: \[1,0,0\]"):
        ncz.copy(source, target, verify=True)
