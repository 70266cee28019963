"""The zmap in memory."""

from __future__ import annotations

import pytest

from ncz.zmap.memory import MemoryZmap
from tests.zmap.contract import WritableZmapContract


class TestMemory(WritableZmapContract):
    @pytest.fixture
    def store(self):
        return lambda objects: MemoryZmap(dict(objects))

    @pytest.fixture
    def empty(self):
        return MemoryZmap()


def test_its_maker_sees_new_objects():
    objects: dict[str, bytes] = {}
    MemoryZmap(objects).put("a/b", b"1")
    assert objects == {"a/b": b"1"}


def test_a_deleted_object_frees_its_prefixes():
    zmap = MemoryZmap()
    zmap.put("a/b/c", b"")
    zmap.put("a/d", b"")
    zmap.delete("a/b/c")
    zmap.put("a/b", b"now an object")
    assert list(zmap.walk()) == ["a/b", "a/d"]
