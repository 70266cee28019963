"""References by key."""

from __future__ import annotations

import numpy as np

from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.reference.reference_set import Entry, KeyedSet, single_references

TABLE = ByteRanges(
    "f.nc", np.array([[0], [2]]), np.array([10, 30]), np.array([5, 6]),
    lambda rows: [f"v/{n}" for n in rows[:, 0]],
)  # fmt: skip


def test_tables_are_taken_apart():
    entries: dict[str, Entry] = {".zgroup": b"{}", "v": TABLE, "w/0": ByteRange("g.nc")}
    assert list(single_references(entries)) == [
        (".zgroup", b"{}"),
        ("v/0", ByteRange("f.nc", 10, 5)),
        ("v/2", ByteRange("f.nc", 30, 6)),
        ("w/0", ByteRange("g.nc")),
    ]


def test_a_set_in_memory():
    known = KeyedSet({"v/1": ByteRange("f.nc"), ".zgroup": b"{}", "v/0": ByteRange("f.nc", 1, 2)})
    assert known.find(".zgroup") == b"{}"
    assert known.find("absent") is None
    assert list(known.urls()) == ["f.nc"]
    assert known.search("") == [".zgroup", "v"]
    assert list(known.walk("v")) == ["v/0", "v/1"]
    assert (known.numbers_chunks, known.version) == (False, 1)
