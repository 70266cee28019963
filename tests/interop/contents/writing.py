"""Ways to write contents to stores: xarray's ``to_zarr``, or zarr-python's groups."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Literal

Version = Literal[2, 3]

Encoding = Mapping[str, Mapping[str, Any]]
"""Variable -> xarray's encoding of it."""


def by_xarray(
    dataset: Callable[[], Any],
    encoding: Encoding | None = None,
    *,
    write_empty_chunks: bool = True,
    consolidated: bool = False,
) -> Callable[[Path, Version], None]:
    """Return a function that writes `dataset` by ``to_zarr``."""

    def write(store: Path, version: Version) -> None:
        dataset().to_zarr(
            store,
            mode="w",
            zarr_format=version,
            encoding={name: dict(value) for name, value in (encoding or {}).items()},
            consolidated=consolidated,
            write_empty_chunks=write_empty_chunks,
        )

    return write


def no_fill(*names: str) -> Encoding:
    """Return the encoding that keeps xarray from adding a ``_FillValue`` of NaN."""
    return {name: {"_FillValue": None} for name in names}
