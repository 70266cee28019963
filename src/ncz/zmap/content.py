"""The content of an object, which is checked before it is copied."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, overload


class Content(Protocol):
    """The bytes of an object; an index or a slice reads a part of them. `bytes` are such."""

    def __len__(self) -> int: ...

    @overload
    def __getitem__(self, part: int, /) -> int: ...
    @overload
    def __getitem__(self, part: slice, /) -> bytes: ...


Check = Callable[[Content], None]
"""A check of an object's content, which raises an error if the object must not be copied."""


Accept = Callable[[Content], bool]
"""Returns whether an object may be copied without a closer look."""
