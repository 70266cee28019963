"""Text of JSON as `ncz.views.json.writer` prints it: one member, or one row of values, per line."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ncz.model.json_encoding import to_json

_BUFFER = 1 << 18
"""Characters that are collected before they are written."""


@dataclass(slots=True)
class Output:
    """A buffer of text to be written. `level` is the indentation of a member."""

    write: Callable[[bytes], object]
    pending: list[str] = field(default_factory=list)
    size: int = 0
    has_failed: bool = False
    """Whether `write` raised an error, which is not one of reading."""

    def text(self, text: str) -> None:
        self.pending.append(text)
        self.size += len(text)
        if self.size >= _BUFFER:
            self.flush()

    def flush(self) -> None:
        data = "".join(self.pending).encode()
        self.pending.clear()
        self.size = 0
        try:
            self.write(data)
        except BaseException:
            self.has_failed = True
            raise

    def key(self, key: str, level: int, *, first: bool = False) -> None:
        """Write the key of a member on a new line."""
        self.text(f"{'' if first else ','}\n{'  ' * level}{to_json(key)}: ")

    def member(self, key: str, value: Any, level: int, *, first: bool = False) -> None:
        """Write a member on one line."""
        self.key(key, level, first=first)
        self.text(to_json(value))

    def open_object(self, key: str, level: int, *, first: bool = False) -> None:
        """Begin an object with one member per line."""
        self.key(key, level, first=first)
        self.text("{")

    def close_object(self, level: int, has_members: bool) -> None:
        """End an object."""
        self.text(f"\n{'  ' * level}}}" if has_members else "}")

    def members(
        self, key: str, members: Mapping[str, Any], level: int, *, first: bool = False
    ) -> None:
        """Write an object with one member per line."""
        self.open_object(key, level, first=first)
        for number, (name, value) in enumerate(members.items()):
            self.member(name, value, level + 1, first=number == 0)
        self.close_object(level, bool(members))


class Rows:
    """Writes the values of an array in order, with the brackets of its dimensions.

    If there are several rows, runs along the last dimension, each is on a separate line.
    """

    def __init__(self, out: Output, shape: tuple[int, ...], margin: str) -> None:
        self.out = out
        self.shape = shape
        self.margin = margin
        self.position = 0
        self.spans = [math.prod(shape[axis:]) for axis in range(len(shape))]

    def items(self, text: str, count: int) -> None:
        """Write `count` encoded values, which belong to one row."""
        start = self.position
        self.position += count
        if not self.shape:
            self.out.text(text)
        else:
            self.out.text(self.before(start) + text + self.after(self.position))

    def break_off(self) -> None:
        """Close the open lists; write null if there are no values."""
        if self.position == 0:
            self.out.text("null")
        elif self.shape:
            self.out.text("]" * sum(self.position % span != 0 for span in self.spans))

    def before(self, start: int) -> str:
        """Return the text before the value number `start`."""
        if start % self.shape[-1]:
            return ", "
        brackets = "[" * sum(start % span == 0 for span in self.spans)
        if len(self.shape) == 1:
            return brackets
        if start == 0:  # the outermost bracket is on the line of the key
            return f"[\n{self.margin}{brackets[1:]}"
        return f",\n{self.margin}{brackets}"

    def after(self, stop: int) -> str:
        """Return the text after the value number `stop` - 1."""
        if stop % self.shape[-1]:
            return ""
        brackets = "]" * sum(stop % span == 0 for span in self.spans)
        if len(self.shape) > 1 and stop == self.spans[0]:
            return f"{brackets[1:]}\n{self.margin[2:]}]"
        return brackets
