"""The kinds of content, each written by xarray or zarr-python as Zarr V2 and V3.

The same kind and format give the same store. No value is random.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from tests.interop.contents import native, numbers, shapes, times
from tests.interop.contents.writing import Version

Write = Callable[[Path, Version], None]

KINDS: Mapping[str, Write] = MappingProxyType(
    {
        **numbers.KINDS,
        **times.KINDS,
        **shapes.KINDS,
        **native.KINDS,
    }
)
"""Name of a kind -> the function that writes it."""

VERSIONS: tuple[Version, Version] = (2, 3)


def write_kind(kind: str, version: Version, folder: Path) -> Path:
    """Write the store of a kind into `folder`, once.

    Returns
    -------
    Path
        The store, a directory.
    """
    store = folder / f"{kind}-v{version}.zarr"
    if not store.exists():
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of types that Zarr V3 does not specify yet
            KINDS[kind](store, version)
    return store
