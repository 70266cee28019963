"""Answers to the page of the view command."""

from __future__ import annotations

from typing import Any

from ncz.commands.view.cost import too_large
from ncz.text.sizes import format_size

Answer = dict[str, Any]
"""Values that become a JSON document."""


def too_large_answer(what: str, need: int, limit: int, stride: int | None = None) -> Answer:
    """Return an answer that says how much would be read, and which stride would need less."""
    return {
        "text": too_large(what, need, limit),
        "need": need,
        "size": format_size(need),
        "stride": stride,
    }
