"""Arguments of Python functions: paths, URLs, streams and objects as sources and locations."""

from __future__ import annotations

import io
import os
import re
from collections.abc import Collection
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias, TypeVar, cast

from ncz.formats.kinds import GivenDataset
from ncz.zmap.foreign_stores import url_of_store
from ncz.zmap.location import Location, Path, location_of, path_of

if TYPE_CHECKING:
    import xarray

    from ncz.commands.sources import Source


class Openable(Protocol):
    """An open dataset, which `ncz.open` returns."""

    def _as_source(self) -> GivenDataset:
        """Return the dataset as the source of a command."""
        ...


SourceLike: TypeAlias = (
    "Path | BinaryIO | Openable | xarray.Dataset | xarray.DataTree | xarray.DataArray"
)
"""A path or a URL, a stream of bytes or of CDL text, or a dataset of xarray or of `ncz.open`."""

_PLACES = (str, bytes, os.PathLike, Location)

_Stream = TypeVar("_Stream", bound=BinaryIO)


def source_of(source: SourceLike) -> Source:
    """Return the location of a dataset, or an object as one; an open file of text unchanged."""
    if isinstance(source, _PLACES):
        return location_of(cast("Path", source))
    if hasattr(source, "read"):
        return cast("BinaryIO", source)
    if isinstance(source, GivenDataset):
        return source
    if hasattr(source, "_as_source"):
        return source._as_source()
    url = None if type(source).__module__.startswith("xarray.") else url_of_store(source)
    if url is not None:
        return location_of(url)
    from ncz.formats.opening import given_dataset

    given = given_dataset(source)
    if given is not None:
        return given
    raise TypeError(
        f"a path, a URL, a stream or a dataset is expected, not {type(source).__name__}"
    )


def place_of(path: Path | _Stream) -> Location | str | _Stream:
    """Return the location of a target; a path of CDL text and an open file unchanged."""
    from ncz.commands.sources import location_of_target

    if isinstance(path, Location):
        return path
    if isinstance(path, _PLACES):
        return location_of_target(path_of(path))
    url = None if hasattr(path, "read") else url_of_store(path)
    if url is None and not (hasattr(path, "read") or hasattr(path, "write")):
        raise TypeError(
            f"a path, a URL or a stream is expected, not {type(path).__name__}; a store of"
            " Icechunk is written by ncz.open(...).to_xarray().to_zarr(store)"
        )
    return path if url is None else location_of_target(url)


_CDL = re.compile(r"\s*netcdf\s+\S+\s*\{")
"""The start of CDL text, which no path has."""


def text_source(source: Path | _Stream) -> str | _Stream | BinaryIO:
    """Return the path of a text, or the stream that has it; CDL itself becomes a stream."""
    if isinstance(source, str) and _CDL.match(source):
        return io.BytesIO(source.encode("utf-8", "surrogateescape"))
    return path_of(source) if isinstance(source, _PLACES) else source


def several(paths: Path | Collection[Path]) -> tuple[Path, ...]:
    """Return several paths; a single one is not taken for its characters."""
    if isinstance(paths, (str, bytes)) or not isinstance(paths, Collection):
        return (paths,)
    return tuple(paths)
