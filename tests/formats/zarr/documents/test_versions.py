"""Documents of a store, which are read once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.documents import versions
from ncz.formats.zarr.documents.consolidated_metadata import consolidate_store
from ncz.formats.zarr.documents.document_v2 import ArrayDocumentV2, read_array
from ncz.formats.zarr.json import print_document
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.model.types import Atomic
from ncz.zmap.memory import MemoryZmap
from tests.formats.zarr.documents.test_hierarchy import DOCUMENT, store


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
