"""Answers of DAP4: values in chunks of any sizes, and answers that are damaged."""

from __future__ import annotations

import zlib
from typing import Literal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ncz.errors import FormatError
from ncz.formats.dap.chunked_answers import values_of
from ncz.model.types import Atomic

LAST, ERROR, LITTLE = 1, 2, 4


def answer(parts: list[bytes], *, is_little: bool = True) -> bytes:
    """Return an answer with a DMR and these chunks."""
    chunks = [b"<Dataset/>", *parts]
    order = LITTLE if is_little else 0
    heads = [order | (LAST if n == len(chunks) - 1 else 0) for n in range(len(chunks))]
    return b"".join(
        bytes([head]) + len(data).to_bytes(3, "big") + data
        for head, data in zip(heads, chunks, strict=True)
    )


def read(body: bytes, nc_type: Atomic, shape: tuple[int, ...], *, checks: bool = True):
    return values_of(body, nc_type, shape, FormatError, checks=checks)


@st.composite
def divided(draw: st.DrawFn, data: bytes) -> list[bytes]:
    """Return bytes in parts, including empty ones."""
    ends = sorted(draw(st.lists(st.integers(0, len(data)), max_size=4)))
    return [data[a:b] for a, b in zip([0, *ends], [*ends, len(data)], strict=True)]


@given(
    st.data(), st.sampled_from([(Atomic.INT, "i4"), (Atomic.DOUBLE, "f8"), (Atomic.UBYTE, "u1")]),
    st.integers(0, 3), st.integers(0, 4), st.booleans(), st.booleans(),
)  # fmt: skip
def test_numbers_in_any_chunks(data, kind, rows, columns, is_little, has_sum):
    nc_type, code = kind
    wanted = np.arange(rows * columns).reshape(rows, columns).astype(code)
    order: Literal["<", ">"] = "<" if is_little else ">"
    stored = wanted.astype(wanted.dtype.newbyteorder(order)).tobytes()
    if has_sum:
        stored += zlib.crc32(stored).to_bytes(4, "little" if is_little else "big")
    body = answer(data.draw(divided(stored)), is_little=is_little)
    found = read(body, nc_type, (rows, columns))
    assert found.shape == wanted.shape
    assert np.array_equal(found, wanted)
    for end in range(len(body)):
        with pytest.raises(FormatError, match="ends before all values"):
            read(body[:end], nc_type, (rows, columns))


@given(st.data(), st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=3)))
def test_texts_in_any_chunks(data, texts):
    parts = [text.encode() for text in texts]
    stored = b"".join(len(part).to_bytes(8, "little") + part for part in parts)
    found = read(answer(data.draw(divided(stored))), Atomic.STRING, (len(texts),))
    assert found.tolist() == texts


def test_errors_are_reported():
    stored = np.arange(3, dtype="<i4").tobytes()
    wrong = answer([stored + b"\1\2\3\4"])
    with pytest.raises(FormatError, match="do not match the checksum"):
        read(wrong, Atomic.INT, (3,))
    assert read(wrong, Atomic.INT, (3,), checks=False).tolist() == [0, 1, 2]
    assert read(answer([stored + bytes(4)]), Atomic.INT, (3,)).tolist() == [0, 1, 2]
    with pytest.raises(FormatError, match="sends 13 bytes, where 8 and a checksum are expected"):
        read(answer([stored + b"x"]), Atomic.INT, (2,))
    huge = (1 << 60).to_bytes(8, "little")
    with pytest.raises(FormatError, match="ends before all values"):
        read(answer([huge]), Atomic.STRING, (1,))
