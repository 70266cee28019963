"""ls: list the keys of a store, their kinds, and their sizes."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING, Literal, NamedTuple, overload

from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.commands.key_patterns import LsOptions, select_keys
from ncz.commands.known_keys import open_for_listing
from ncz.errors import NO_CALLBACKS, Callbacks, NczError
from ncz.formats.key_roles import Kind
from ncz.formats.opening import key_roles
from ncz.zmap import Zmap
from ncz.zmap.key import display
from ncz.zmap.location import Path, location_of

if TYPE_CHECKING:
    from ncz.commands.totals import Total
    from ncz.zmap.source_file import State


class Entry(NamedTuple):
    """A key, the size in bytes of its object, and its kind.

    The size is None if the key is only a prefix of others. Size and kind are None without details.
    The kind of a prefix of chunks is "chunk". A piece of an aggregation has its paths or URLs, in
    the order of attempts. `target` is where a key of a reference set leads: the path or the URL of
    a file, and of a part of it the offset and the length in bytes.

    `state` says whether that file, or the piece, has changed since the store
    was written; `source_size` is the number of its bytes now. Both are None for other keys.
    """

    key: str
    size: int | None = None
    kind: Kind | None = None
    places: tuple[str, ...] = ()
    target: tuple[str] | tuple[str, int, int] | None = None
    state: State | None = None
    source_size: int | None = None


@overload
def ls(
    store: Path,
    pattern: Words = ...,
    *,
    exclude: Words = ...,
    kinds: Collection[Kind] | Kind = ...,
    recursive: bool = ...,
    long: Literal[False] = ...,
    totals: Literal[False] = ...,
    notify: Listener = ...,
) -> list[str]: ...


@overload
def ls(
    store: Path,
    pattern: Words = ...,
    *,
    exclude: Words = ...,
    kinds: Collection[Kind] | Kind = ...,
    recursive: bool = ...,
    long: Literal[True],
    totals: Literal[False] = ...,
    notify: Listener = ...,
) -> list[Entry]: ...


@overload
def ls(
    store: Path,
    pattern: Words = ...,
    *,
    exclude: Words = ...,
    kinds: Collection[Kind] | Kind = ...,
    recursive: bool = ...,
    long: bool = ...,
    totals: Literal[True],
    notify: Listener = ...,
) -> list[Total]: ...


@speaks_python
def ls(
    store: Path,
    pattern: Words = (),
    *,
    recursive: bool = False,
    kinds: Collection[Kind] | Kind = (),
    exclude: Words = (),
    long: bool = False,
    totals: bool = False,
    notify: Listener = warn,
) -> list[str] | list[Entry] | list[Total]:
    """List the keys of a store, in order. The store need not be valid.

    Parameters
    ----------
    store
        A path or a URL.
    pattern
        A prefix or a glob, or several.
    recursive
        List all levels, not only one.
    kinds
        Only group, array, attributes, chunk, piece or other.
    exclude
        Leave out matching keys, and all keys below them.
    long
        Look up the size and the kind of each key, and the targets of pieces and references: the
        file, its size, and whether it has changed.
    totals
        Add up the objects, the chunks and the bytes of each group and array instead.
    notify
        Receives a notice if the server cannot list its keys, but consolidated metadata can.

    Returns
    -------
    list of str, list of Entry, or list of Total
        The keys, which begin with a slash; with `long` records of `key`, `size` and `kind`, and
        with `totals`, values of `key`, `kind`, `objects`, `chunks` and `size`.

    Raises
    ------
    KeyMissing
        If no key is selected.

    Examples
    --------
    >>> ncz.ls("weather.zarr", exclude=".z*")
    ['/lat', '/lon', '/station', '/temperature', '/time', '/wind_speed']
    >>> ncz.ls("weather.zarr", "lat", kinds="chunk", long=True)[0].size
    12
    """
    options = LsOptions(
        source=location_of(store),
        patterns=words(pattern),
        recursive=recursive,
        kinds=words(kinds),
        exclude=words(exclude),
        details=long,
    )
    if totals:
        from ncz.commands.totals import totals as add_up

        return list(add_up(options, callbacks_of(notify)))
    listing = list(list_entries(options, callbacks_of(notify)))
    return listing if long else [entry.key for entry in listing]


def list_entries(
    options: LsOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> Iterator[Entry]:
    """Yield the selected keys, for each pattern in order; each key once.

    Parameters
    ----------
    options
        What to list.
    callbacks
        Receives each key that is found, a notice if the server cannot list its keys but
        consolidated metadata can, and the error of a key whose size or kind cannot be read. If it
        continues, the entry has no size and is of the kind "other".

    Raises
    ------
    KeyMissing
        If no key is selected. The error suggests similar names.
    """
    with open_for_listing(options.source, callbacks.notify) as zmap:
        yield from entries(zmap, options, callbacks)


def entries(
    zmap: Zmap,
    options: LsOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> Iterator[Entry]:
    """Yield the selected keys of an open store; see `list_entries`."""
    keys = select_keys(zmap, options, callbacks.progress)
    if not (options.details or options.kinds):
        yield from map(Entry, map(display, keys))
        return
    roles = key_roles(zmap)
    for key in keys:
        target = None
        try:
            target = _target(zmap, key)
            size = zmap.size(key)
            kind = roles.kind(key, is_object=size is not None)
            places = tuple(roles.places(key))
        except NczError as error:
            callbacks.on_error(error)
            size, kind, places = None, "other", ()
        source = zmap.source(key) if options.details else None
        if not options.kinds or kind in options.kinds:
            yield (
                Entry(
                    display(key),
                    size,
                    kind,
                    places,
                    target,
                    source.state if source else None,
                    source.size if source else None,
                )
                if options.details
                else Entry(display(key))
            )


def _target(zmap: Zmap, key: str) -> tuple[str] | tuple[str, int, int] | None:
    """Return the target of a key, as reference sets write it, without the query of a URL."""
    found = zmap.target(key)
    if found is None:
        return None
    url = found.url.partition("?")[0] if "://" in found.url else found.url
    return (url,) if found.length is None else (url, found.offset, found.length)
