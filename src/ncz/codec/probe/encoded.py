"""Encoded bytes of which any part can be read: in memory or in a file."""

from __future__ import annotations

from typing import Protocol, overload


class Encoded(Protocol):
    """Encoded bytes; an index or a slice reads a part of them. `bytes` are such."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, part: int, /) -> int: ...
    @overload
    def __getitem__(self, part: slice, /) -> bytes: ...
