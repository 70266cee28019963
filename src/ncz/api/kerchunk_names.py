"""Reference sets with the classes of kerchunk and VirtualiZarr, such as ``SingleHdf5ToZarr``."""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Mapping, Sequence
from typing import Any

from ncz.api.places import place_of
from ncz.commands.functions import warn
from ncz.errors import NczError, Notice
from ncz.zmap.foreign_stores import with_storage_options
from ncz.zmap.local.creation import create_output

_INLINE = 500
"""The bytes of the largest chunk that kerchunk puts into a set."""


class SingleHdf5ToZarr:
    """A reference set of a file.

    Parameters
    ----------
    h5f
        The path, the URL or the open file of fsspec.
    url
        The path or URL that the references name, if `h5f` is an open file.
    inline_threshold
        Chunks with fewer bytes are in the set.
    storage_options
        Options of a URL, as in fsspec.
    """

    def __init__(
        self,
        h5f: Any,
        url: str | None = None,
        inline_threshold: int | None = _INLINE,
        storage_options: Mapping[str, Any] | None = None,
        **_: Any,
    ) -> None:
        source = url or _place(h5f)
        self._source = with_storage_options(source, storage_options or {})
        self._inline = inline_threshold or 0

    def translate(self, preserve_linked_dsets: bool = True) -> References:
        """Return the set, as kerchunk does: a dictionary with ``refs``.

        It has datasets that links of HDF5 lead to, whatever the argument is.
        """
        del preserve_linked_dsets
        return _write_set([self._source], self._inline, {})


class NetCDF3ToZarr(SingleHdf5ToZarr):
    """A reference set of a file of netCDF's classic format; see `SingleHdf5ToZarr`."""

    def __init__(self, filename: Any, **options: Any) -> None:
        super().__init__(filename, **options)


class MultiZarrToZarr:
    """A reference set of several files or sets, which are joined along a dimension.

    Parameters
    ----------
    path
        The paths of files or sets, or sets that `SingleHdf5ToZarr.translate` returned.
    concat_dims
        The dimension along which they are joined, in a list.
    inline_threshold
        Chunks with fewer bytes are in the set.
    """

    def __init__(
        self,
        path: Sequence[Any],
        concat_dims: Sequence[str] | str | None = None,
        *,
        inline_threshold: int | None = _INLINE,
        **others: Any,
    ) -> None:
        dims = [concat_dims] if isinstance(concat_dims, str) else [*(concat_dims or ())]
        wanted = others.keys() & {"coo_map", "preprocess", "postprocess"}
        if len(dims) > 1 or wanted:
            text = next(iter(sorted(wanted)), "more than one of concat_dims")
            hint = "use ncz.copy(sources, 'refs.json', concat=..., new_dimension=...)"
            raise NczError(f"ncz.MultiZarrToZarr does not take {text}", hint=hint)
        self._sources = [place for part in path for place in _sources_of(part)]
        self._options = {"concat": dims[0]} if dims else {}
        self._inline = inline_threshold or 0

    def translate(
        self, filename: Any = None, storage_options: Mapping[str, Any] | None = None
    ) -> References:
        """Return the set, as kerchunk does: a dictionary with ``refs``.

        It is also written to `filename`, a path, or a URL with options of fsspec.
        """
        found = _write_set(self._sources, self._inline, self._options)
        if filename is not None:
            _write_text(json.dumps(found), os.fspath(filename), storage_options or {})
        return found


def _write_text(text: str, place: str, storage_options: Mapping[str, Any]) -> None:
    """Write a file at a path, complete or not at all, or at a URL."""
    if "://" not in place:
        with create_output(place, overwrite=True) as file:
            file.write(text.encode())
        return
    import fsspec

    with fsspec.open(place, "wt", **storage_options) as file:
        file.write(text)


def open_virtual_dataset(path: Any, *_: Any, **__: Any) -> Any:
    """Raise `NczError`, which names the function that writes a reference set."""
    raise NczError(
        "ncz has no virtual datasets of xarray",
        hint=f"ncz.copy({path!r}, 'refs.json') writes a reference set, which ncz.open and xarray"
        " open",
    )


def _sources_of(part: Any) -> list[str]:
    """Return the files of a set that `translate` returned, or the place of a file or a set."""
    if isinstance(part, References):
        return part.sources
    if isinstance(part, Mapping):
        hint = "write it to a file, and give its path"
        raise NczError("the dictionary is not a set that ncz made", hint=hint)
    return [_place(part)]


def _place(source: Any) -> str:
    """Return the path or the URL of a file, also of one that is open."""
    found = place_of(source)
    if found is None:
        raise TypeError(f"a path or a URL is expected, not {type(source).__name__}; add url=")
    return found


class References(dict[str, Any]):
    """A reference set that `translate` returned, with the files that it refers to."""

    sources: list[str]


def _write_set(sources: Sequence[str], inline: int, options: Mapping[str, Any]) -> References:
    """Return the reference set that `copy` writes of files.

    Raises `NczError` if it needs files next to the set, which a dictionary has not.
    """
    from ncz.commands.copy.command import copy

    def tell(notice: Notice) -> None:
        if notice.code not in _OF_PLACES:
            warn(notice)

    with tempfile.TemporaryDirectory(prefix="ncz-") as folder:
        target = os.path.join(folder, "refs.json")
        source = [*sources] if sources[1:] or options else sources[0]
        copy(source, target, inline=inline, modes=["v2"], notify=tell, **options)
        if os.listdir(folder) != ["refs.json"]:
            hint = f"write it to a path: ncz.copy({source!r}, 'refs.json')"
            raise NczError("the set needs values that are stored next to it", hint=hint)
        with open(target, encoding="utf-8") as file:
            found = References(json.load(file))
    found.sources = [*sources]
    return found


_OF_PLACES = ("permission-needed", "values-beside-set")
"""Codes of notices about the place of the set, which is in memory."""
