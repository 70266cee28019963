"""Differences of how two variables are stored."""

from __future__ import annotations

import pytest

from ncz.errors import ignore_notice
from ncz.formats.zarr.opening.reader import open_dataset
from ncz.formats.zarr.writing.options import WriteOptions
from ncz.model.filters import Filter
from ncz.model.tree import Storage, Variable
from ncz.model.types import Atomic
from ncz.record import replace
from ncz.transfer.compare_storage import storage_differences
from ncz.zmap.memory import MemoryZmap
from tests.test_round_trip import parsed, stored

Found = dict[str, tuple[object, object]]


def variable(storage: str = "v:_ChunkSizes = 4", *, version: int = 2) -> Variable:
    """Return a variable of a store."""
    text = f"netcdf t {{ dimensions: x = 8 ; variables: int v(x) ; {storage} ; data: v = 1 ; }}"
    objects = stored(parsed(text.encode()), WriteOptions(zarr_format=version))
    dataset = open_dataset(MemoryZmap(objects, "memory://t"), name="t", notify=ignore_notice)
    return dataset.root.variables[0]


def found(ours: Variable, theirs: Variable) -> Found:
    differences = list(storage_differences(ours, theirs, "/v"))
    assert {(d.kind, d.fqn) for d in differences} <= {("storage", "/v")}
    return {str(d.name): (d.expected, d.found) for d in differences}


def test_variables_that_are_stored_alike_do_not_differ():
    assert found(variable(), variable()) == {}


@pytest.mark.parametrize(
    ("storage", "differences"),
    [
        ("v:_ChunkSizes = 2", {"chunks": ((4,), (2,))}),
        ("v:_ChunkSizes = 4 ; v:_DeflateLevel = 3", {"codecs": ("", "zlib(level=3)")}),
        ('v:_ChunkSizes = 4 ; v:_Endianness = "big"', {"byte order": ("little", "big")}),
    ],
)
def test_each_setting_is_a_difference(storage: str, differences: Found):
    assert found(variable(), variable(storage)) == differences


def test_chunks_within_shards_are_compared_with_chunks():
    sharded = variable("v:_ChunkSizes = 4 ; v:_ShardSizes = 8", version=3)
    assert found(variable(version=3), sharded) == {"shards": (None, (8,))}


def test_a_dataset_that_is_not_stored_has_its_requested_settings():
    asked = Storage(chunks=(4,), filters=(Filter.from_json({"id": "zlib", "level": 3}),))
    text = Variable(name="v", type=Atomic.INT, storage=asked)
    other = replace(text, storage=Storage(chunks=(4,), endianness="big"))
    assert found(text, other) == {"codecs": ("zlib(level=3)", ""), "byte order": (None, "big")}
