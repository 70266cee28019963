"""The blocks of a data list."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.cdl.data_list import block_index
from ncz.model.data import read_all
from tests.cdl.data_list.test_array import bits, lists, source_of


@settings(deadline=None)
@given(lists(), st.integers(1, 40))
def test_the_size_of_a_block_does_not_show(case, size):
    nc_type, shape, values, text = case
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_index, "BLOCK", size)
        found = read_all(source_of(text, nc_type.word, shape))
    assert bits(found, nc_type) == bits(np.array(values, nc_type.dtype), nc_type)


ESCAPES = [
    ("a", b"a"), (", ", b", "), ("\n", b"\n"), (r"\n", b"\n"), (r"\"", b'"'), (r"\\", b"\\"),
    (r"\?", b"\x7f"), (r"\101", b"A"), (r"\377", b"\xff"), (r"\x4a", b"J"), (r"\0011", b"\x011"),
    (r"\y", b"y"), (r"\8", b"8"),
]  # fmt: skip


@settings(deadline=None)
@given(
    st.lists(st.lists(st.sampled_from(ESCAPES), max_size=5), min_size=1, max_size=8),
    st.integers(1, 40),
    st.integers(1, 6),
)
def test_escapes_are_read_wherever_a_block_ends(texts, size, width):
    encoded = [b"".join(meant for _, meant in text) for text in texts]
    spelled_texts = ['"' + "".join(written for written, _ in text) + '"' for text in texts]
    lengths = [max(1, -(-len(text) // width)) * width for text in encoded]
    chars = b"".join(map(bytes.ljust, encoded, lengths, [b"\0"] * len(texts)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(block_index, "BLOCK", size)
        source = source_of(" ,".join(spelled_texts), "char", (len(chars) // width, width))
        assert read_all(source).tobytes() == chars
        strings = read_all(source_of(",\n".join(spelled_texts), "string", (len(texts),)))
    assert [text.encode("utf-8", "surrogateescape") for text in strings] == encoded
