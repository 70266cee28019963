"""Stores of a few bytes that would fill the memory: each is refused, or read in little memory.

The limit is the size of a chunk and 64 MiB, for each codec and each place of a document. ``make
test`` takes two of the compressors of a string, and one document.
"""

from __future__ import annotations

import pytest

from tests.bombs import is_refused, run
from tests.stores.bombs import BOMBS, SERVED, array, served_bomb, store, zipped

SELDOM = {"a string, lz4", "a string, lzma", "a string, zlib", "a string, zstd", "a string, bz2"}
SELDOM |= {".zattrs in a zip file", ".zmetadata in a zip file", "zarr.json in a zip file"}


@pytest.mark.parametrize(
    "name",
    [pytest.param(n, marks=pytest.mark.long) if n in SELDOM else n for n in BOMBS],
)
def test_a_bomb_is_refused(name, tmp_path):
    done = run("dump", *["-h"] * ("in a zip file" in name), BOMBS[name](tmp_path))
    assert is_refused(done)
    assert "1,024" not in name or "share bytes" in done.error


@pytest.mark.parametrize("name", SERVED)
def test_a_bomb_of_a_server_is_refused(name, monkeypatch, tmp_path):
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "any")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "thing")
    with served_bomb(name) as url:
        done = run("dump", url)
    assert is_refused(done)
    assert "/v/0" in done.error


@pytest.mark.parametrize("name", [".zgroup", "v/.zarray", "v/.zattrs"])
def test_a_document_of_two_gigabytes_in_a_directory(name, tmp_path):
    document = array("|u1", [4], None, None)
    target = store(tmp_path / "s", document, b"abcd")
    with (target / name).open("r+b") as file:
        file.truncate(2 << 30)
    assert is_refused(run("dump", "-h", target))


@pytest.mark.parametrize("kind", ["directory", "zip"])
def test_a_chunk_that_is_larger_than_its_codecs_allow(kind, tmp_path):
    target = store(tmp_path / "s", array("|u1", [4], None, None), b"abcd")
    with (target / "v" / "0").open("r+b") as file:
        file.truncate(1 << 28)
    if kind == "zip":
        target = zipped(target, tmp_path / "s.zip")
    assert is_refused(run("dump", target))
