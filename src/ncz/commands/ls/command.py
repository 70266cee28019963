"""List the keys of a store."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import NamedTuple

from ncz.commands.ls.known import open_listed
from ncz.commands.ls.roles import Kind, Roles
from ncz.commands.ls.select import excluder, select
from ncz.errors import NczError, Notify, OnError, ignore_notice, raise_error
from ncz.formats.kinds import DescribedZmap
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.record import record
from ncz.zmap import Zmap
from ncz.zmap.key import display


@record(kw_only=True)
class LsOptions:
    """The keys to list.

    Each of `patterns` is a prefix or a glob: ``*``, ``?`` and ``[...]`` match within one name,
    ``**`` any number of names; without any, the whole store is listed. `exclude` are globs of keys
    to leave out, with what is below them; one without a slash matches a name anywhere. With
    `recursive`, all objects at and below a match are listed; otherwise a prefix lists the names
    directly below it. `details` adds size and kind, which are looked up for each key. Only keys of
    `kinds` are listed, if any are given.
    """

    source: str
    patterns: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    kinds: Collection[Kind] = ()
    recursive: bool = False
    details: bool = False


class Entry(NamedTuple):
    """A key, the size in bytes of its object, and its kind.

    The size is None if the key is only a prefix of others. Size and kind are None without details.
    The kind of a prefix of chunks is "chunk". A piece of an aggregation has the paths or URLs where
    it is, in the order in which they are tried.
    """

    key: str
    size: int | None = None
    kind: Kind | None = None
    places: tuple[str, ...] = ()


def ls(
    options: LsOptions,
    on_error: OnError = raise_error,
    notify: Notify = ignore_notice,
    progress: Progress = NO_PROGRESS,
) -> Iterator[Entry]:
    """Yield the selected keys, for each pattern in order; each key once.

    Parameters
    ----------
    options
        What to list.
    on_error
        Called if the size or kind of a key cannot be read. If it returns, the entry has no size and
        is of the kind "other".
    notify
        Receives a notice if the server cannot list its keys, but consolidated metadata can.
    progress
        Receives each key that is found.

    Raises
    ------
    KeyMissing
        If no key is selected. The error suggests similar names.
    """
    with open_listed(options.source, notify) as zmap:
        yield from entries(zmap, options, on_error, progress)


def entries(
    zmap: Zmap,
    options: LsOptions,
    on_error: OnError = raise_error,
    progress: Progress = NO_PROGRESS,
) -> Iterator[Entry]:
    """Yield the selected keys of an open store; see `ls`."""
    roles = Roles(zmap)
    for key in selected(zmap, options, progress):
        if not (options.details or options.kinds):
            yield Entry(display(key))
            continue
        try:
            size = zmap.size(key)
            kind = roles.kind(key, is_object=size is not None)
            places = tuple(zmap.places(key)) if isinstance(zmap, DescribedZmap) else ()
        except NczError as error:
            on_error(error)
            size, kind, places = None, "other", ()
        if not options.kinds or kind in options.kinds:
            yield (
                Entry(display(key), size, kind, places) if options.details else Entry(display(key))
            )


def selected(zmap: Zmap, options: LsOptions, progress: Progress = NO_PROGRESS) -> Iterator[str]:
    """Yield the keys that the patterns select, without those that are excluded."""
    progress.expect(None, "keys")
    excludes = excluder(options.exclude)
    several = len(options.patterns) > 1
    seen: set[str] = set()
    for pattern in options.patterns or ("",):
        for key in select(zmap, pattern, options.recursive):
            progress.moved(display(key), 1, 0)
            if options.exclude and excludes(key):
                continue
            if several:
                if key in seen:
                    continue
                seen.add(key)
            yield key
