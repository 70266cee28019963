"""A dataset as the store that a copy would write."""

from __future__ import annotations

import json

import pytest

from ncz.commands.planned_store import planned_store
from ncz.errors import LossError
from ncz.model.tree import Dataset
from ncz.transfer.planned_zmap import PlannedZmap
from tests.test_round_trip import parsed

MEMORY = 1 << 20


def dataset(more: str = "") -> Dataset:
    text = f"netcdf t {{ dimensions: x = 2 ; variables: int v(x) ; {more} data: v = 1, 2 ; }}"
    return parsed(text.encode())


def document(store: PlannedZmap, key: str) -> dict[str, object]:
    data = store.get(key)
    assert data is not None
    found: dict[str, object] = json.loads(data)
    return found


def test_the_version_of_zarr_is_two_unless_another_is_requested():
    assert document(planned_store(dataset(), memory=MEMORY), ".zgroup") == {"zarr_format": 2}
    store = planned_store(dataset(), zarr_format=3, memory=MEMORY)
    assert document(store, "zarr.json")["zarr_format"] == 3
    assert store.get(".zgroup") is None


def test_nothing_of_a_small_text_is_compressed():
    assert document(planned_store(dataset(), memory=MEMORY), "v/.zarray")["compressor"] is None


def test_values_that_the_store_cannot_represent_are_an_error():
    with pytest.raises(LossError, match="variable /v: attribute _ARRAY_DIMENSIONS"):
        planned_store(dataset('v:_ARRAY_DIMENSIONS = "x" ;'), memory=MEMORY)
