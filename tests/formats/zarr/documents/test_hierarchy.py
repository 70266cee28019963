"""Arrays whose documents are the same bytes are parsed once, and reported of each by its name."""

from __future__ import annotations

import json
from collections.abc import Iterable

import pytest

from ncz.errors import Notice
from ncz.formats.zarr.documents.hierarchy import DEEPEST_GROUP
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.tree import walk
from ncz.zmap.key import LARGEST_DOCUMENT
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


def test_errors_are_reported_for_each():
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


GROUP = json.dumps({"zarr_format": 3, "node_type": "group"}).encode()


def test_the_deepest_group_is_read_and_those_below_it_are_left_out():
    keys = ["g/" * depth + "zarr.json" for depth in range(DEEPEST_GROUP + 2)]
    notices: list[str] = []
    zmap = MemoryZmap(dict.fromkeys(keys, GROUP))
    dataset = open_dataset(zmap, name="t", notify=lambda notice: notices.append(notice.code))
    assert len(list(walk(dataset.root))) == 1 + DEEPEST_GROUP
    assert notices == ["group-left-out"]


class Distant(MemoryZmap):
    """Records which keys were announced, and which were read without."""

    is_distant = True

    def __init__(self, objects: dict[str, bytes]) -> None:
        super().__init__(objects)
        self.announced: set[str] = set()
        self.unannounced: list[str] = []

    def expect(self, wanted: Iterable[tuple[str, int]]) -> None:
        self.announced.update(key for key, _ in wanted)

    def get(self, key: str, limit: int = LARGEST_DOCUMENT) -> bytes | None:
        if key not in self.announced:
            self.unannounced.append(key)
        return super().get(key, limit)


def test_all_documents_are_announced_to_a_distant_store():
    keys = ["zarr.json", "a/zarr.json", "a/c/zarr.json", "b/zarr.json"]
    zmap = Distant(dict.fromkeys(keys, GROUP))
    open_dataset(zmap, name="t")
    assert zmap.announced >= set(keys)
    assert zmap.unannounced == []
