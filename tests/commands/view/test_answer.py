"""Answers to the page: a text, and numbers after it."""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np
import pytest

from ncz.commands.view.answer import packed_answer, too_large_answer


def unpack(data: bytes) -> tuple[dict[str, Any], bytes]:
    """Return the document of an answer, and the bytes after it."""
    (length,) = struct.unpack_from("<I", data)
    assert (4 + length) % 8 == 0
    return json.loads(data[4 : 4 + length]), data[4 + length :]


@pytest.mark.parametrize("text", ["", "a", "ab" * 9, "é"])
def test_a_text_alone(text: str):
    assert unpack(packed_answer({"text": text}, None)) == ({"text": text}, b"")


@pytest.mark.parametrize(
    ("values", "size"),
    [
        ([[1.5, np.nan], [np.inf, -2]], 4),
        ([[0.1, 1]], 8),
        ([[1e300]], 8),
        ([[float(np.float32(0.1))]], 4),
    ],
)
def test_numbers_are_single_only_if_that_is_exact(values: list[list[float]], size: int):
    array = np.array(values)
    document, data = unpack(packed_answer({"a": 1}, array))
    assert document == {"a": 1, "shape": list(array.shape), "size": size}
    found = np.frombuffer(data, f"<f{size}").reshape(array.shape)
    np.testing.assert_array_equal(found, array)


def test_the_numbers_of_cells_follow():
    document, data = unpack(packed_answer({}, np.zeros(2), np.array([5, -1], "i4")))
    assert document["hasCells"]
    assert np.frombuffer(data[8:], "<i4").tolist() == [5, -1]


def test_a_refusal_names_the_bytes_that_would_be_read():
    answer = too_large_answer("the map", 3_000_000_000, 64 << 20, 8)
    assert (answer["need"], answer["size"], answer["stride"]) == (3_000_000_000, "3 GB", 8)
    assert "3 GB" in answer["text"]
    assert too_large_answer("the map", 10, 1)["stride"] is None
