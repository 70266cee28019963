"""An open dataset, shared by all the groups and variables that read from it."""

from __future__ import annotations

import contextlib
import os
import threading
import weakref
from collections.abc import Callable
from typing import TYPE_CHECKING

from ncz.errors import Notify, ZmapError, ignore_notice
from ncz.formats.kinds import OpenOptions
from ncz.formats.opening import open_dataset
from ncz.model.selection import Selection
from ncz.model.tree import Dataset as DatasetRecord
from ncz.model.tree import Dimension, Variable, dimensions_by_fqn, variables_by_fqn
from ncz.record import replace
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.api.given_sources import BytesSource, ObjectSource
    from ncz.commands.copy.joined_source import JoinedSource

    HeldSource = JoinedSource | ObjectSource | BytesSource

_MOST_THREADS = 16
"""Most threads that read a local dataset."""


class Handle:
    """An open dataset. It is closed by `close`, or when nothing refers to it any more.

    Many threads can read safely.
    """

    def __init__(self, source: Location | HeldSource, options: OpenOptions, notify: Notify) -> None:
        with contextlib.ExitStack() as stack:
            if isinstance(source, Location):
                opening = open_dataset(source, options, notify=notify)
            else:
                opening = source.open(options, notify)
            self.opened = stack.enter_context(opening)
            end = stack.pop_all().close
        self.source = source
        """The location of the dataset, or the locations of joined datasets."""
        self.options = options
        self.notify = notify
        self.dataset: DatasetRecord = self.opened.dataset
        """The records of the dataset, or of the part that was selected."""
        self.dimensions: dict[str, Dimension] = dimensions_by_fqn(self.dataset.root)
        self.generation = 0
        """The number of times that the dataset was opened again."""
        self.is_writable = False
        """Whether values may be assigned."""
        self.is_unpacked = False
        """Whether packed variables are shown unpacked."""
        self.told: set[str] | None = set()
        """The variables that need no notice, or have had one; None if no notice is wanted."""
        self.new_dimensions: dict[str, Dimension] = {}
        """Dimensions that were created, and no variable has yet."""
        self.own_lengths: dict[tuple[str, int], int] = {}
        """The lengths of axes of variables that became longer with others; see `ncz.api.growth`."""
        self.parts: tuple[Selection, ...] = ()
        """The selections that led to this part of the dataset, step by step."""
        self._whole: Handle | None = None
        self._finalizer = weakref.finalize(self, end)

    def reopen(self) -> None:
        """Open the dataset again, which has changed."""
        end = self._finalizer.detach()
        again = Handle(self.source, self.options, self.notify)
        if end is not None:
            end[1]()
        self.opened, self.dataset = again.opened, again.dataset
        self.dimensions = {**self.new_dimensions, **again.dimensions}
        for fqn, each in self.new_dimensions.items():  # pure Zarr does not record that it can grow
            self.dimensions[fqn] = replace(self.dimensions[fqn], unlimited=each.unlimited)
        self.generation += 1
        closing = again._finalizer.detach()
        assert closing is not None
        self._finalizer = weakref.finalize(self, closing[1])

    @property
    def is_plain(self) -> bool:
        """Whether the dataset is pure Zarr without annotations, where each dimension can grow."""
        return self.dataset.provenance.is_unannotated_zarr

    def variables(self) -> dict[str, Variable]:
        """Return the records of all variables by their paths."""
        return dict(variables_by_fqn(self.dataset.root))

    def unpack(self) -> Handle:
        """Return a handle whose packed variables are unpacked, and which keeps this one open."""
        if self.is_unpacked:
            return self
        from ncz.commands.number_types.dataset import unpacked_dataset

        shown = self._over(unpacked_dataset(self.dataset, self.location.display))
        shown.is_unpacked = True
        return shown

    def stored_handle(self) -> Handle:
        """Return the handle whose variables are as stored."""
        return self._whole if self.is_unpacked and self._whole is not None else self

    def _over(self, dataset: DatasetRecord) -> Handle:
        """Return a handle of a dataset that is made of this one."""
        handle = Handle.__new__(Handle)
        handle.__dict__.update(self.__dict__)
        handle._whole = self
        handle.dataset = dataset
        handle.dimensions = dimensions_by_fqn(dataset.root)
        return handle

    def part(self, subset: Selection) -> Handle:
        """Return a handle of a part of the dataset, which keeps the whole open.

        Raises `OptionError` if the dataset lacks a selected part.
        """
        from ncz.commands.subsets.selection import select_part

        part = self._over(select_part(self.dataset, subset, self.notify))
        part.parts = (*self.parts, subset)
        return part

    @property
    def location(self) -> Location:
        """The location of the dataset."""
        return self.opened.location

    @property
    def locations(self) -> tuple[Location, ...]:
        """The locations of the sources of values."""
        return (self.source,) if isinstance(self.source, Location) else self.source.locations

    @property
    def is_closed(self) -> bool:
        """Whether values can no longer be read."""
        return not self._finalizer.alive

    @property
    def is_remote(self) -> bool:
        """Whether reads wait for a server."""
        return self.location.kind == "remote"

    @property
    def threads(self) -> int:
        """Number of threads that read chunks: one per core, or more if they wait for a server."""
        from ncz.parallel.processors import threads_for

        count = threads_for(is_remote=self.is_remote)
        return count if self.is_remote else min(_MOST_THREADS, count)

    def close(self) -> None:
        """Close the dataset. Values cannot be read afterwards; closing again does nothing."""
        self._finalizer()

    def check_open(self) -> None:
        """Raise `ZmapError` if the dataset is closed."""
        if self.is_closed:
            raise ZmapError(
                "the dataset is closed", self.location.display, "open it again with ncz.open"
            )

    def __reduce__(self) -> tuple[Callable[..., Handle], tuple[object, ...]]:
        return reopen, (_absolute(self.source), self.options, self.parts, self.is_unpacked)


_reopened: weakref.WeakValueDictionary[tuple[object, bool | None], Handle] = (
    weakref.WeakValueDictionary()
)
_lock = threading.Lock()


def reopen(
    source: Location | HeldSource,
    options: OpenOptions,
    parts: tuple[Selection, ...] = (),
    is_unpacked: bool = False,
) -> Handle:
    """Open a dataset whose handle was pickled; its handles in this process are shared."""
    handle = _shared_handle(source, options)
    handle = handle.unpack() if is_unpacked else handle
    for subset in parts:
        handle = handle.part(subset)
    return handle


def _shared_handle(source: Location | HeldSource, options: OpenOptions) -> Handle:
    place = source.exact if isinstance(source, Location) else source
    key = place, options.consolidated
    with _lock:
        handle = _reopened.get(key)
        if handle is None or handle.is_closed:
            handle = _reopened[key] = Handle(source, options, ignore_notice)
        return handle


def _absolute(source: Location | HeldSource) -> Location | HeldSource:
    """Return the place of a dataset for processes with another working directory."""
    if isinstance(source, Location):
        return _absolute_location(source)
    sources = getattr(source, "sources", None)
    if sources is None:
        return source
    places = tuple(
        _absolute_location(each) if isinstance(each, Location) else each for each in sources
    )
    return replace(source, sources=places)


def _absolute_location(location: Location) -> Location:
    if location.kind in ("remote", "memory") or "://" in location.path:
        return location
    return replace(location, path=os.path.abspath(location.path))
