"""The chunks and the codecs of a copy."""

from __future__ import annotations

from typing import Any

import pytest

from ncz.cdl.reader import read_cdl
from ncz.commands.chunkspec import parse_chunkspec
from ncz.commands.copy.codec_specs import cloud_codec, parse_codecs, parse_filterspec
from ncz.commands.copy.reshape_options import Reshape
from ncz.commands.copy.storage import with_storage
from ncz.model.tree import Storage

CDL = b"""netcdf s { dimensions: x = 100 ; y = 200 ; t = UNLIMITED ; few = 3 ;
variables: double v(x, y) ; float c(x, y) ; c:_ChunkSizes = 10, 10 ; c:_DeflateLevel = 3 ;
  short small(few) ; int g(t, few) ; string s(x) ; int scalar ;
data: g = 1, 2, 3, 4, 5, 6 ; }"""


def storage(name: str, **options: Any) -> Storage:
    found = with_storage(read_cdl(CDL, source="s"), Reshape(**options))
    return next(v.storage for v in found.root.variables if v.name == name)


def ids(name: str, **options: Any) -> list[str]:
    return [each.id for each in storage(name, **options).filters or ()]


@pytest.mark.parametrize(
    ("name", "options", "chunks"),
    [
        ("c", {}, (10, 10)),
        ("c", {"chunkspecs": (parse_chunkspec("x/50"),)}, (50, 10)),
        ("c", {"least_chunk": 1000}, (100, 200)),
        ("c", {"least_chunk": 400}, (10, 10)),
        ("scalar", {"chunk_size": 64}, None),
    ],
)
def test_chunks(name, options, chunks):
    assert storage(name, **options).chunks == chunks


@pytest.mark.parametrize("chunking", ["balanced", "netcdf"])
def test_chunks_of_a_size(chunking):
    chunks = storage("v", chunk_size=8000, chunking=chunking).chunks
    assert chunks is not None
    assert chunks[0] * chunks[1] * 8 <= 8000


@pytest.mark.parametrize(
    ("name", "options", "codecs"),
    [
        ("c", {}, ["zlib"]),
        ("v", {}, []),
        ("v", {"plain_codec": cloud_codec()}, ["blosc"]),
        ("small", {"plain_codec": cloud_codec()}, []),
        ("s", {"plain_codec": cloud_codec()}, []),
        ("c", {"plain_codec": cloud_codec()}, ["zlib"]),
        ("v", {"plain_codec": cloud_codec(), "deflate": 1}, ["zlib"]),
        ("c", {"deflate": 0}, []),
        ("c", {"shuffle": True}, ["shuffle", "zlib"]),
        ("v", {"codecs": (parse_codecs("v=delta+zstd"),)}, ["delta", "zstd"]),
        ("c", {"codecs": (parse_codecs("v=delta+zstd"),)}, ["zlib"]),
        ("c", {"codecs": (parse_codecs("none"),)}, []),
        ("c", {"filters": (parse_filterspec("c,32015,3"),)}, ["zstd"]),
    ],
)
def test_codecs(name, options, codecs):
    assert ids(name, **options) == codecs


def test_the_dtype_of_a_codec():
    (delta,) = storage("v", codecs=(parse_codecs("delta"),)).filters or ()
    assert delta.get("dtype") == "<f8"


def test_nothing_changes_without_options():
    dataset = read_cdl(CDL, source="s")
    found = with_storage(dataset, Reshape())
    pairs = zip(found.root.variables, dataset.root.variables, strict=True)
    for ours, theirs in pairs:
        assert ours.storage.chunks == theirs.storage.chunks
        assert (ours.storage.filters or ()) == (theirs.storage.filters or ())
