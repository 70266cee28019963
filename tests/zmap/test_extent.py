"""Which objects belong to a store."""

from __future__ import annotations

import os

import pytest

from ncz.zmap.extent import extent_of_folder, measure
from ncz.zmap.key import MARK


def extent(*keys: str, **given: bool):
    return measure([(key, 10, float(n)) for n, key in enumerate(keys)], **given)


@pytest.mark.parametrize(
    ("keys", "stranger"),
    [
        ([".zgroup", "v/.zarray", "v/0.0", "v/.zattrs"], None),
        (["zarr.json", "v/zarr.json", "v/c/0/1"], None),
        ([".zgroup", "v/.zarray", "v/0/1"], None),
        ([".zgroup", ".DS_Store", "Thumbs.db"], None),
        ([".zgroup", "note.txt"], "note.txt"),
        ([".zgroup", "v/0.0"], "v/0.0"),
        ([".zgroup", "v/.zarray", "w/0.0"], "w/0.0"),
        ([MARK, "v/0.0"], None),
        ([".zgroup", "v/refs.0.parq"], "v/refs.0.parq"),
    ],
)
def test_a_key_that_is_not_part_of_a_store(keys, stranger):
    found = extent(*keys)
    assert found.stranger == stranger
    assert (found.fault is None) == (stranger is None)


def test_tables_of_a_reference_set():
    assert extent(".zmetadata", "v/refs.0.parq", has_records=True).fault is None


@pytest.mark.parametrize(
    ("keys", "reason", "is_empty"),
    [
        ([], "it is empty", True),
        (["v/.zarray", "v/0"], "it has no document of a store", False),
        ([".zgroup", "a b.txt"], "it holds /a b.txt, which is not part of a store", False),
    ],
)
def test_faults(keys, reason, is_empty):
    fault = extent(*keys).fault
    assert fault is not None
    assert (fault.reason, fault.is_empty) == (reason, is_empty)


def test_sizes_and_times():
    found = extent(".zgroup", "v/.zarray", "v/0")
    assert (found.objects, found.size, found.modified) == (3, 30, 2)
    assert measure([(".zgroup", 1, None), ("v/.zarray", 1, 5.0)]).modified is None


def test_a_link_counts_as_a_chunk(tmp_path):
    (tmp_path / "v").mkdir()
    for name in (".zgroup", "v/.zarray", "v/0"):
        (tmp_path / name).write_text("{}")
    assert extent_of_folder(str(tmp_path), None).fault is None
    os.symlink("/", tmp_path / "elsewhere")
    found = extent_of_folder(str(tmp_path), None)
    assert found.objects == 4
    assert not {"elsewhere", "etc"} & found.roots
