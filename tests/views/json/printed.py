"""Datasets as JSON in memory."""

from __future__ import annotations

import io
import json
from typing import Any

from ncz.model.tree import Dataset
from ncz.views.json.writer import print_json


def as_json(dataset: Dataset) -> bytes:
    out = io.BytesIO()
    print_json(dataset, out.write)
    return out.getvalue()


def strict(text: bytes) -> Any:
    """The document in a reader that accepts neither NaN nor repeated members."""

    def no_constant(word: str) -> None:
        raise AssertionError(word)

    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        assert len(dict(pairs)) == len(pairs)
        return dict(pairs)

    return json.loads(text, parse_constant=no_constant, object_pairs_hook=once)
