"""Open the input of a command: a dataset at a location, in a stream, or of a program."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO, TypeVar

from ncz.errors import Callbacks, Notify
from ncz.formats.kinds import GivenDataset, OpenedDataset
from ncz.zmap.location import Location, display_of, parse_location

if TYPE_CHECKING:
    from ncz.model.selection import Selection
    from ncz.model.tree import Dataset

Source = Location | BinaryIO | GivenDataset
"""A location, a stream with the bytes or the text of a dataset, or an object of a program."""


class SourceCheck:
    """Calling it raises `ZmapError` if a dataset has changed since it was opened."""

    def __init__(self) -> None:
        self._opened: list[OpenedDataset] = []

    def watch(self, opened: OpenedDataset) -> None:
        """Watch a dataset."""
        self._opened.append(opened)

    def __call__(self) -> None:
        for opened in self._opened:
            opened.check_unchanged()

    def refuse_newer(self) -> None:
        """Let reading raise `ZmapError` for later changes, if the stores can detect them."""
        for opened in self._opened:
            opened.refuse_newer()


@contextlib.contextmanager
def open_any(
    source: Source,
    callbacks: Callbacks,
    *,
    consolidated: bool | None = None,
    subset: Selection | None = None,
    keep_going: bool = False,
    check: SourceCheck | None = None,
    like: Dataset | None = None,
) -> Iterator[Dataset]:
    """Open a dataset, whose values can be read until the context ends.

    Parameters
    ----------
    source
        The location of a dataset, a stream with its bytes or its text, or an object.
    callbacks
        Receives notices, and the bytes of a text that are scanned.
    consolidated
        Whether to use consolidated metadata, as in `ncz.formats.kinds.OpenOptions`.
    subset
        The part of the dataset to use; by default all.
    keep_going
        Whether pieces of an aggregation that cannot be read are skipped.
    check
        Receives the dataset, to find out later whether it has changed.
    like
        A dataset whose encoding an object uses for its values, such as times, if it has a choice.

    Raises
    ------
    NczError
        If the dataset cannot be opened.
    """
    if isinstance(source, GivenDataset):
        with source.open(like, callbacks.notify) as dataset:
            yield _part(dataset, subset, callbacks.notify)
        return
    from ncz.formats.kinds import OpenOptions
    from ncz.formats.streams import open_place

    how = OpenOptions(consolidated=consolidated, keep_going=keep_going, progress=callbacks.progress)
    with open_place(source, how, callbacks.notify) as opened:
        if check is not None:
            check.watch(opened)
        yield _part(opened.dataset, subset, callbacks.notify)


def _part(dataset: Dataset, subset: Selection | None, notify: Notify) -> Dataset:
    if subset is None:
        return dataset
    from ncz.commands.subsets.selection import select_part

    return select_part(dataset, subset, notify)


def is_cdl(path: str) -> bool:
    """Return whether a path of a target names CDL text rather than a store."""
    return path.lower().endswith(".cdl") and "://" not in path and not os.path.isdir(path)


_Stream = TypeVar("_Stream", bound=BinaryIO)


def location_of_target(target: str | _Stream) -> Location | str | _Stream:
    """Return the location of a target. A path of CDL text and a stream are returned unchanged."""
    if not isinstance(target, str) or is_cdl(target):
        return target
    return parse_location(target)


def threads_for(*places: object) -> int:
    """Return the number of threads that read or write at these places."""
    from ncz.parallel import processors

    is_remote = any(isinstance(place, Location) and place.kind == "remote" for place in places)
    return processors.threads_for(is_remote=is_remote)


def name_of(source: Source | str) -> str:
    """Return a source or a target as messages show it."""
    if isinstance(source, GivenDataset):
        return source.name
    if isinstance(source, Location):
        return source.display
    return display_of(source) if isinstance(source, str) else "-"
