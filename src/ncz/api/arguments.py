"""Arguments of Python functions: paths, URLs, streams and objects as sources and locations."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING, BinaryIO, Protocol, TypeAlias, TypeVar

from ncz.zmap.location import Location, parse_location

if TYPE_CHECKING:
    import xarray

    from ncz.commands.sources import Source
    from ncz.formats.kinds import GivenDataset


Path = str | os.PathLike[str]
"""A path or a URL."""

Words = str | Sequence[str]
"""Several texts, or one."""


class Openable(Protocol):
    """An open dataset, which `ncz.open` returns."""

    def _as_source(self) -> GivenDataset:
        """Return the dataset as the source of a command."""
        ...


SourceLike: TypeAlias = (
    "Path | BinaryIO | Openable | xarray.Dataset | xarray.DataTree | xarray.DataArray"
)
"""A path or a URL, a stream of CDL text, or a dataset of xarray or of `ncz.open`."""

_Text = TypeVar("_Text", bound=str)
_Stream = TypeVar("_Stream", bound=BinaryIO)


def source_of(source: SourceLike) -> Source:
    """Return the location of a store, or an object as a dataset.

    A path of CDL text and an open file are returned as they are.
    """
    if isinstance(source, (str, bytes, os.PathLike)) or hasattr(source, "read"):
        return place_of(source)
    if hasattr(source, "_as_source"):
        return source._as_source()
    from ncz.formats.opening import given_dataset

    given = given_dataset(source)
    if given is not None:
        return given
    raise TypeError(
        f"a path, a URL, a stream or a dataset is expected, not {type(source).__name__}"
    )


def place_of(path: Path | _Stream) -> Location | str | _Stream:
    """Return the location of a store; a path of CDL text and an open file as they are."""
    from ncz.commands.sources import located

    return located(path_of(path) if isinstance(path, (str, bytes, os.PathLike)) else path)


def location_of(path: Path) -> Location:
    """Return the location that a path or a URL means."""
    return parse_location(path_of(path))


def path_of(path: Path) -> str:
    """Return a path or a URL as text; bytes are a path too, as for `open`."""
    try:
        return os.fsdecode(path)
    except TypeError:
        raise TypeError(f"a path or a URL is expected, not {type(path).__name__}") from None


def words(texts: _Text | Collection[_Text]) -> tuple[_Text, ...]:
    """Return several texts; a single one is not taken for its characters."""
    return (texts,) if isinstance(texts, str) else tuple(texts)
