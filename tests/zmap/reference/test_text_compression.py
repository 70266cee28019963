"""Compressed texts of reference sets."""

from __future__ import annotations

import gzip

import pytest

from ncz.errors import FormatError
from ncz.zmap.reference.text_compression import compress_text, decompress_text

TEXT = b'{"version": 1, "refs": {}}' * 50


@pytest.mark.parametrize("name", ["x.json", "x.JSON.gz", "x.json.zst"])
def test_the_name_chooses_the_compression(name):
    data = compress_text(TEXT, name)
    assert (len(data) < len(TEXT)) == (name != "x.json")
    assert decompress_text(data, name) == TEXT
    if name == "x.JSON.gz":
        assert gzip.decompress(data) == TEXT


@pytest.mark.parametrize("name", ["x.json.gz", "x.json.zst"])
def test_damaged_text_is_an_error(name):
    with pytest.raises(FormatError, match="the compressed text is damaged"):
        decompress_text(compress_text(TEXT, name)[:-9], name)
