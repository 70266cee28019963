"""Requests to a store, reported one by one."""

from __future__ import annotations

from ncz.zmap import tracing
from ncz.zmap.local.directory import DirectoryZmap
from ncz.zmap.local.writable import WritableDirectoryZmap
from tests.zmap.local.test_file_copy import folders as folders


def test_a_traced_store_is_written_one_by_one(folders):
    lines: list[str] = []
    zmap = WritableDirectoryZmap(str(folders.target), building=True)
    tracing.tracer(lines.append)(zmap, "target")
    keys = ("v/0", "v/1")
    sizes = zmap.put_many_from(keys, DirectoryZmap(str(folders.source)), keys, lambda _: True)
    assert list(sizes) == [None, None]
