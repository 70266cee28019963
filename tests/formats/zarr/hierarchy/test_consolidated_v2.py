"""Consolidated metadata of Zarr V2: what is read, and what is ignored with a notice."""

from __future__ import annotations

import pytest

from ncz.errors import Notice
from ncz.formats.zarr.hierarchy.consolidated_v2 import read_consolidated

WHOLE = b'{"zarr_consolidated_format": 1, "metadata": {"/.zgroup": {"zarr_format": 2}}}'


def test_documents_by_their_keys():
    notices: list[Notice] = []
    assert read_consolidated(WHOLE, "x", notices.append) == {".zgroup": {"zarr_format": 2}}
    assert notices == []


@pytest.mark.parametrize(
    "data",
    [
        b"[",
        b"{}",
        WHOLE.replace(b'format": 1', b'format": 2'),
        b'{"zarr_consolidated_format": 1, "metadata": {}}',
        b'{"zarr_consolidated_format": 1, "metadata": ["a"]}',
    ],
)
def test_what_is_not_well_formed_is_ignored(data):
    notices: list[Notice] = []
    assert read_consolidated(data, "x", notices.append) is None
    assert [notice.code for notice in notices] == ["consolidated-damaged"]
