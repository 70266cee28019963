"""The tree of a V3 store: how deep it is read, and what a distant store is told before."""

from __future__ import annotations

import json
from collections.abc import Iterable

from ncz.formats.zarr.documents.hierarchy import DEEPEST_GROUP
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.tree import walk
from ncz.zmap.key import LARGEST_DOCUMENT
from ncz.zmap.memory import MemoryZmap

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
