"""Consolidated metadata of Zarr V2: read, or ignored with a notice."""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncz.errors import Notice
from ncz.formats.zarr.documents.consolidated_v2 import names_by_node, read_consolidated

WHOLE = b'{"zarr_consolidated_format": 1, "metadata": {"/.zgroup": {"zarr_format": 2}}}'


def test_documents_by_their_keys():
    notices: list[Notice] = []
    found = read_consolidated(WHOLE, "x", notices.append)
    assert found is not None
    assert found.documents == {".zgroup": {"zarr_format": 2}}
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
def test_malformed_lines_are_ignored(data):
    notices: list[Notice] = []
    assert read_consolidated(data, "x", notices.append) is None
    assert [notice.code for notice in notices] == ["consolidated-damaged"]


PARTS = st.sampled_from(["a", "b", "a.b", "é", "..", ".zarray", ".zgroup", ".zattrs"])


@given(st.lists(st.lists(PARTS, min_size=1, max_size=4).map("/".join)))
@example(["a/b/.zarray", "a/.zgroup", "a-b/.zarray", "a/b/c/.zattrs", ".zgroup"])
def test_names_include_every_key_below_a_node(keys: list[str]):
    found = names_by_node(keys)
    nodes = {key.rpartition("/")[0] for key in keys} | {""}
    for node in nodes:
        start = f"{node}/" if node else ""
        names = {key[len(start) :].split("/")[0] for key in keys if key.startswith(start)}
        names -= {".zarray", ".zgroup", ".zattrs"}
        listed = found.get(node, [])
        assert set(listed) - {".zarray", ".zgroup", ".zattrs"} == names
        assert listed == sorted(listed, key=str.encode)
