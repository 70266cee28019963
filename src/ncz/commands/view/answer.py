"""Answers to the page of the view command."""

from __future__ import annotations

import json
import struct
from typing import TYPE_CHECKING, Any

from ncz.commands.view.cost import too_large
from ncz.late import numpy as np
from ncz.text.sizes import format_size

if TYPE_CHECKING:
    from numpy.typing import NDArray

Answer = dict[str, Any]
"""Values that become a JSON document."""


def too_large_answer(what: str, need: int, limit: int, stride: int | None = None) -> Answer:
    """Return a response with the bytes that would be read, and a stride that needs fewer."""
    return {
        "text": too_large(what, need, limit),
        "need": need,
        "size": format_size(need),
        "stride": stride,
    }


def packed_answer(
    answer: Answer, values: NDArray[np.float64] | None, cells: NDArray[np.int32] | None = None
) -> bytes:
    """Return an answer and values: the length of the JSON text, the text, and the numbers.

    The numbers begin at a multiple of 8 bytes. They are of single precision if that is exact. The
    numbers of their cells follow, with 4 bytes each.
    """
    data = b""
    if values is not None:
        with np.errstate(all="ignore"):
            single = values.astype("<f4")
        is_exact = np.array_equal(single.astype("f8"), values, equal_nan=True)
        data = np.ascontiguousarray(single if is_exact else values.astype("<f8")).tobytes()
        answer = {**answer, "shape": list(values.shape), "size": 4 if is_exact else 8}
    if cells is not None:
        answer = {**answer, "hasCells": True}
        data += np.ascontiguousarray(cells.astype("<i4")).tobytes()
    text = json.dumps(answer).encode()
    text += b" " * (-(len(text) + 4) % 8)
    return struct.pack("<I", len(text)) + text + data
