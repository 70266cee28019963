"""Errors in documents: damaged ones, and documents that some parsers refuse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ncz.errors import NO_PROGRESS
from ncz.formats.zarr.check.documents import (
    check_documents,
    ordered_byte,
    read_documents,
    unquoted_texts,
    zero_element_sizes,
)
from ncz.formats.zarr.json import parse_document
from ncz.zmap.memory import MemoryZmap


@pytest.mark.parametrize(
    ("data", "codes"),
    [
        (b'{"a": 1}', []),
        (b"{", ["document-damaged"]),
        (b'{"a": NaN}', ["document-not-finite"]),
        (b'{"a": 1, "a": 2}', ["document-not-strict"]),
        (b'{"a": "\xff"}', ["document-not-strict"]),
    ],
)
def test_each_document_has_its_findings(data: bytes, codes: list[str]):
    zmap = MemoryZmap({".zattrs": data})
    documents, findings = read_documents(zmap, [".zattrs", "gone/.zattrs"], NO_PROGRESS)
    assert [(each.code, each.key) for each in findings] == [(code, ".zattrs") for code in codes]
    assert (".zattrs" in documents) == ("document-damaged" not in codes)


def found(**documents: Any) -> list[str]:
    parsed = {
        {
            "array": "v/.zarray",
            "attributes": "v/.zattrs",
            "root": ".zattrs",
            "v3": "v/zarr.json",
        }[name]: parse_document(json.dumps(document).encode(), name)
        for name, document in documents.items()
    }
    return [each.code for each in check_documents(parsed)]


@pytest.mark.parametrize(
    ("array", "codes"),
    [
        ({"dtype": "<i4"}, []),
        ({"dtype": "|u1"}, []),
        ({"dtype": "<u1"}, ["dtype-byte-order"]),
        ({"filters": [{"id": "shuffle", "elementsize": 0}]}, ["elementsize-zero"]),
        ({"filters": [{"id": "shuffle", "elementsize": 4}], "compressor": {"id": "zlib"}}, []),
        ({"filters": [{"id": "shuffle", "elementsize": "0"}]}, ["elementsize-zero"]),
    ],
)
def test_arrays_of_netcdf_c(array: dict[str, Any], codes: list[str]):
    assert found(array=array) == codes


@pytest.mark.parametrize("member", [{}, {"fill_value": None}, {"fill_value": 0}])
def test_zarr_v3_requires_a_fill_value(member: dict[str, Any], tmp_path: Path):
    zarr = pytest.importorskip("zarr")
    group = zarr.open_group(tmp_path, mode="w", zarr_format=3)
    group.create_array("v", shape=1, dtype="i4")
    path = tmp_path / "v" / "zarr.json"
    document = json.loads(path.read_text())
    del document["fill_value"]
    path.write_text(json.dumps({**document, **member}))
    codes = found(v3={**document, **member})
    if member == {"fill_value": 0}:
        assert codes == []
        return
    assert codes == ["fill-value-type"]
    with pytest.raises((KeyError, TypeError)):  # or the finding can go
        zarr.open_array(tmp_path / "v", mode="r")


def test_text_that_is_stored_as_a_number():
    note = {"_nczarr_attr": {"types": {"a": ">S1", "b": ">S1", "c": "<i4"}}}
    assert found(attributes={**note, "a": 5, "b": "text", "c": 5}) == ["attribute-not-text"]
    assert [*unquoted_texts({**note, "a": 5})] == [("a", "5")]


@pytest.mark.parametrize(
    ("number", "program", "codes"),
    [
        (1.23456, "netcdf=4.9.2", ["attribute-six-digits"]),
        (1.2345, "netcdf=4.9.2", []),
        (1.23456, "netcdf=4.9.2,ncz=1", []),
        (1.23456, "other=1", []),
    ],
)
def test_numbers_that_netcdf_c_may_have_rounded(number: float, program: str, codes: list[str]):
    root = {"_NCProperties": f"version=2,{program}"}
    assert found(root=root, attributes={"a": number}) == codes


def test_parts_of_documents():
    assert ordered_byte({"dtype": ">b1"}) == "|b1"
    assert ordered_byte({"dtype": [["a", "<u1"]]}) is None
    assert zero_element_sizes({"compressor": None}) == []
