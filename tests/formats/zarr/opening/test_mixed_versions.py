"""Stores that have documents of Zarr V3 and of V2."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from ncz.errors import Notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.zmap.memory import MemoryZmap
from tests.test_round_trip import parsed, stored

CDL = b"""netcdf t { dimensions: x = 2 ; variables: int v(x) ; v:_ChunkSizes = 2 ; v:a = "b" ;
data: v = 1, 2 ; group: g { :c = "d" ; } }"""


def objects(text: bytes = CDL) -> dict[str, bytes]:
    """Return a store of both versions; the V2 one has its own text."""
    options = {"flavour": "zarr", "xarray": True}
    v3 = stored(parsed(CDL), WriteOptions(zarr_format=3, **options))  # type: ignore[arg-type]
    v2 = stored(parsed(text), WriteOptions(zarr_format=2, **options))  # type: ignore[arg-type]
    array = json.loads(v3["v/zarr.json"])
    array["chunk_key_encoding"] = {"name": "v2", "configuration": {"separator": "."}}
    both = {**v3, **v2, "v/zarr.json": json.dumps(array).encode()}
    del both["v/c/0"]  # the chunk is an object of both versions
    return both


def notices(found: dict[str, bytes]) -> list[Notice]:
    told: list[Notice] = []
    open_dataset(MemoryZmap(found, "memory://t"), name="t", notify=told.append)
    return [notice for notice in told if notice.code == "stray-document"]


def test_documents_of_another_content_are_a_loss_with_a_hint():
    found = objects(CDL.replace(b'"b"', b'"other"'))
    reports = notices(found)
    assert "memory://t: /.zgroup" in {n.location for n in reports}
    assert any(n.lost for n in reports)
    assert all("is not read" in n.message for n in reports)
    assert any("#mode=v3 or #mode=v2" in (n.hint or "") for n in reports)


def test_the_same_store_in_both_versions_is_no_loss():
    reports = notices(objects())
    assert reports
    assert not any(n.lost or n.hint for n in reports)
    assert all("says the same" in n.message for n in reports)


@pytest.mark.parametrize("key", [".zattrs", ".zgroup"])
def test_an_empty_document_is_no_loss(key: str):
    v3 = {k: d for k, d in objects().items() if not Path(k).name.startswith(".z")}
    for data in (b"", b"{}", b" {} \n"):
        reports = notices({**v3, key: data})
        assert [n.lost for n in reports] == [False]


def test_a_document_that_cannot_be_read_is_a_loss():
    v3 = {k: d for k, d in objects().items() if not Path(k).name.startswith(".z")}
    (report,) = notices({**v3, ".zgroup": b"{"})
    assert report.lost


def test_one_version_alone_has_no_strays():
    for version in (2, 3):
        found = stored(parsed(CDL), WriteOptions(zarr_format=version))
        told: list[Notice] = []
        open_dataset(MemoryZmap(found, "memory://t"), name="t", notify=told.append)
        assert told == []
