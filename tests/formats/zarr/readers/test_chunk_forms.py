"""Chunks and codecs that readers can read."""

from __future__ import annotations

from ncz.formats.zarr.readers.chunk_forms import common_codecs
from ncz.formats.zarr.readers.programs import Reader


def test_the_codecs_that_all_readers_decode():
    def reader(v2: set[str] | None, v3: set[str] | None) -> Reader:
        known = [None if ids is None else frozenset(ids) for ids in (v2, v3)]
        return Reader(
            name="r", version="1", unread=frozenset(), codecs_v2=known[0], codecs_v3=known[1]
        )

    every, some, other = (
        reader(None, None), reader({"zlib", "zstd"}, {"gzip"}), reader({"zlib", "lz4"}, None),
    )  # fmt: skip
    assert common_codecs([], 2) is common_codecs([every], 2) is None
    assert common_codecs([every, some], 2) == frozenset({"zlib", "zstd"})
    assert common_codecs([some, every, other], 2) == frozenset({"zlib"})
    assert common_codecs([some, other], 3) == frozenset({"gzip"})
    assert common_codecs([other], 3) is None
