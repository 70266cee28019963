"""Arrays whose documents are the same bytes are understood once, and told of each by its name."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from ncz.errors import Notice
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.documents import versions
from ncz.formats.zarr.documents.consolidated import consolidate_store
from ncz.formats.zarr.documents.document_v2 import ArrayDocumentV2, read_array
from ncz.formats.zarr.json import print_document
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.types import Atomic
from ncz.zmap.memory import MemoryZmap

DOCUMENT = {
    "zarr_format": 2,
    "shape": [2],
    "chunks": [2],
    "dtype": "<i4",
    "fill_value": 7,
    "order": "C",
    "compressor": None,
    "filters": None,
}


def store(*documents: dict[str, object], **attributes: dict[str, object]) -> MemoryZmap:
    objects = {".zgroup": b'{"zarr_format": 2}'}
    for number, document in enumerate(documents):
        objects[f"v{number}/.zarray"] = json.dumps(document).encode()
        told = attributes.get(f"v{number}")
        if told is not None:
            objects[f"v{number}/.zattrs"] = json.dumps(told).encode()
    return MemoryZmap(objects, "memory://t")


def consolidated(zmap: MemoryZmap) -> MemoryZmap:
    _, key, document = consolidate_store(zmap)
    zmap.put(key, print_document(document))
    return zmap


@pytest.mark.parametrize("prepare", [lambda zmap: zmap, consolidated], ids=["plain", "whole"])
def test_one_document_is_read_once(
    prepare: Callable[[MemoryZmap], MemoryZmap], monkeypatch: pytest.MonkeyPatch
):
    read = []

    def counted(*arguments: Any) -> ArrayDocumentV2:
        read.append(arguments)
        return read_array(*arguments)

    monkeypatch.setattr(versions, "read_array", counted)
    other = {**DOCUMENT, "dtype": "<f8", "fill_value": 0.5}
    zmap = prepare(store(DOCUMENT, other, DOCUMENT, DOCUMENT))
    dataset = open_dataset(zmap, name="t")
    assert len(read) == 2
    layouts = [v.data.layout for v in dataset.root.variables if isinstance(v.data, ZarrArray)]
    assert layouts[0] is layouts[2] is layouts[3] is not layouts[1]
    types = [v.type for v in dataset.root.variables]
    assert types == [Atomic.INT, Atomic.DOUBLE, Atomic.INT, Atomic.INT]
    assert [v.storage.fill for v in dataset.root.variables] == [7, 0.5, 7, 7]


@pytest.mark.parametrize("fills", [("Infinity", "1e999"), ("0", "-0")])
def test_documents_that_are_spelled_differently_are_not_the_same(fills: tuple[str, str]):
    document = json.dumps({**DOCUMENT, "fill_value": "FILL", "dtype": "<f8"})
    texts = [document.replace('"FILL"', fill) for fill in fills]
    members = ", ".join(f'"v{number}/.zarray": {text}' for number, text in enumerate(texts))
    root = '{"zarr_format": 2}'
    whole = f'{{"zarr_consolidated_format": 1, "metadata": {{".zgroup": {root}, {members}}}}}'
    apart = {f"v{number}/.zarray": text.encode() for number, text in enumerate(texts)}
    told: list[list[str]] = []
    for objects in (apart, {**apart, ".zmetadata": whole.encode()}):
        notices: list[Notice] = []
        zmap = MemoryZmap({".zgroup": root.encode(), **objects}, "memory://t")
        dataset = open_dataset(zmap, name="t", notify=notices.append)
        told.append([repr(v.storage.fill) for v in dataset.root.variables])
        told[-1] += [n.code for n in notices]
    assert told[0] == told[1]
    assert len(set(told[0])) == 2


def test_shared_attributes_are_read_once():
    attributes = {f"v{n}": {"units": "K", "number": n} for n in range(3)}
    dataset = open_dataset(store(DOCUMENT, DOCUMENT, DOCUMENT, **attributes), name="t")
    units = [v.attribute("units") for v in dataset.root.variables]
    assert units[0] is units[1] is units[2] is not None
    numbers = [v.attribute("number") for v in dataset.root.variables]
    assert [n.values for n in numbers if n is not None] == [(0,), (1,), (2,)]


def test_what_is_wrong_is_told_of_each():
    notices: list[Notice] = []
    odd = {**DOCUMENT, "dimension_separator": "-"}
    open_dataset(store(odd, odd), name="t", notify=notices.append)
    assert [n.location for n in notices] == ["memory://t: /v0/.zarray", "memory://t: /v1/.zarray"]
    notices.clear()
    unknown = {**DOCUMENT, "dtype": "<q9"}
    open_dataset(store(unknown, unknown), name="t", notify=notices.append)
    assert len(notices) == 2
    assert all(n.lost for n in notices)


def test_types_that_are_defined_have_the_names_of_their_variables():
    record = {**DOCUMENT, "dtype": [["a", "<i2"], ["b", "<f4"]], "fill_value": None}
    dataset = open_dataset(store(record, record), name="t")
    assert [t.name for t in dataset.root.types] == ["/v0_t", "/v1_t"]


def test_notes_next_to_one_document_are_each_heeded():
    zgroup = {"_nczarr_superblock": {"version": "2.0.0"}}
    group = {"dimensions": [], "arrays": ["v0", "v1"], "groups": []}
    chars = {**DOCUMENT, "dtype": "|u1", "fill_value": 0, "shape": [1], "chunks": [1]}
    zmap = store(
        chars,
        chars,
        v0={"_nczarr_array": {"dimension_references": [], "type_alias": "char"}},
        v1={"_nczarr_array": {"dimension_references": []}},
    )
    zmap.put(".zattrs", json.dumps({**zgroup, "_nczarr_group": group}).encode())
    dataset = open_dataset(zmap, name="t")
    assert [v.dimensions for v in dataset.root.variables] == [(), ()]
    assert [v.name for v in dataset.root.variables] == ["v0", "v1"]
