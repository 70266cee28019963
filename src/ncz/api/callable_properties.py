"""Descriptions of objects, as methods or as properties: ncz supports both forms."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any


class Text(str):
    """A text that notebooks and shells print without quotation marks; calling it prints it."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def __call__(self, *_: Any, **__: Any) -> None:
        sys.stdout.write(f"{self}\n")


class Groups(dict[str, Any]):
    """Groups by name; ``groups()`` yields pairs, as in zarr-python."""

    def __call__(self) -> Iterator[tuple[str, Any]]:
        return iter(self.items())


class Filters(tuple[Any, ...]):
    """Filters as zarr-python has them; ``filters()`` is the dictionary of netCDF4."""

    settings: dict[str, Any]

    def __call__(self) -> dict[str, Any]:
        return self.settings
