"""Print strings, many of them at a time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ncz.cdl.rows import print_tokens
from ncz.model.types import Value
from ncz.text.format_values import encode_text, quote

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ncz.cdl.rows import Rows
    from ncz.model.data import Values

_AT_ONCE = 1 << 14
"""Strings whose texts are in memory at a time."""


@dataclass(slots=True)
class StringPrinter:
    """Prints strings; `fill` is printed as ``_``."""

    rows: Rows
    fill: Value

    def __call__(self, values: Values, position: int) -> None:
        for start in range(0, values.size, _AT_ONCE):
            tokens = quoted_texts(values[start : start + _AT_ONCE].tolist())
            if self.fill is not None:
                fill = encode_text(quote(self.fill))
                if fill in tokens:
                    tokens = [b"_" if token == fill else token for token in tokens]
            print_tokens(self.rows, tokens, position + start)


def quoted_texts(values: Sequence[Value]) -> list[bytes]:
    """Return strings as constants. Most are printable, so all of them are quoted together."""
    if None not in values:
        lines = "\n".join(values)
        if lines.count("\n") == len(values) - 1 and lines.replace("\n", "").isprintable():
            for mark in "\\\"'":
                lines = lines.replace(mark, f"\\{mark}")
            return (b'"' + encode_text(lines).replace(b"\n", b'"\n"') + b'"').split(b"\n")
    return [encode_text(quote(value)) for value in values]
