"""Stored chunks and their codecs."""

from __future__ import annotations

import json
import zlib
from typing import Any

from ncz.errors import NO_PROGRESS
from ncz.formats.zarr.check.chunks import check_chunks, check_codecs
from ncz.formats.zarr.check.contents import StoreContents, read_contents
from ncz.zmap.location import parse_location
from ncz.zmap.memory import MemoryZmap


def contents(codec: dict[str, Any], **chunks: bytes) -> StoreContents:
    array = {
        "zarr_format": 2, "shape": [6], "chunks": [2], "dtype": "<i4", "order": "C",
        "compressor": codec, "filters": None, "fill_value": 0,
    }  # fmt: skip
    objects = {
        ".zgroup": b'{"zarr_format": 2}',
        "v/.zarray": json.dumps(array).encode(),
        **{f"v/{name.removeprefix('c')}": data for name, data in chunks.items()},
    }
    read, _ = read_contents(MemoryZmap(objects), parse_location("memory://chunks"), None)
    assert read is not None
    return read


ZLIB = {"id": "zlib", "level": 1}
GOOD = zlib.compress(bytes(8))


def test_only_damaged_chunks_are_findings():
    read = contents(ZLIB, c0=GOOD, c1=GOOD[:-1], c2=zlib.compress(bytes(12)))
    found = list(check_chunks(read, NO_PROGRESS))
    assert [(each.code, each.key) for each in found] == [
        ("chunk-damaged", "v/1"), ("chunk-damaged", "v/2")
    ]  # fmt: skip
    assert list(check_codecs(read)) == []


def test_a_codec_that_is_not_installed_is_named_once():
    read = contents({"id": "nonsense"}, c0=GOOD, c1=GOOD)
    for findings in (check_codecs(read), check_chunks(read, NO_PROGRESS)):
        assert [(each.code, each.key) for each in findings] == [("codec-missing", "v")]
