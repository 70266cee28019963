"""Formats of datasets: the functions that a format provides to open and create by location.

Each format has a package, which provides a `DatasetFormat`'s functions, and an entry in
`ncz.formats.FORMATS`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from ncz.errors import NO_PROGRESS, NczError, Notify, Progress
from ncz.record import field, record
from ncz.zmap import Zmap
from ncz.zmap.location import Location

if TYPE_CHECKING:
    from ncz.formats.create_options import CreateOptions
    from ncz.formats.edits import Change, Request
    from ncz.formats.maintenance import Maintenance
    from ncz.formats.masters import Masters
    from ncz.formats.native_elements import NativeElements
    from ncz.formats.store_draft import DraftNode
    from ncz.formats.write_plan import WritePlan
    from ncz.model.data import Values
    from ncz.model.tree import Dataset, Provenance, Variable
    from ncz.zmap.source_file import SourceFile


START = 64
"""First bytes of a file, which identify its format."""


FILE_SUFFIXES = (".nc", ".nc3", ".nc4", ".nca", ".netcdf", ".cdf", ".h5", ".hdf5", ".he5", ".hdf")
"""Suffixes of netCDF and HDF5 files, which are looked at first. A file with any other name is
recognised too."""


ARCHIVE_SUFFIXES = (".gz", ".bz2", ".xz", ".zst", ".tar", ".tgz")
"""Suffixes of compressed files and archives, which are looked at first on servers."""


TEXT_SUFFIXES = (".cdl",)
"""Suffixes of texts of datasets, which are CDL for any first bytes."""


class Source:
    """The first look at a location: formats use it before they open the location."""

    def __init__(self, location: Location, suffixes: tuple[str, ...] = ()) -> None:
        self.location = location
        self._suffixes = suffixes

    @cached_property
    def start(self) -> bytes:
        """The first bytes of a file; empty for anything else, or if it cannot be read.

        A file on a server is read only if its name has one of the suffixes, because most names
        there belong to stores.
        """
        if self.location.kind == "memory":
            return b""
        if self.location.kind == "remote":
            return self._remote_start(START)
        try:
            with open(self.location.path, "rb") as file:
                return file.read(START)
        except (OSError, ValueError):  # a directory, or nothing: the format reports it
            return b""

    def holds(self, magic: bytes, offset: int) -> bool:
        """Return whether a file has these bytes at an offset, on a server within its start."""
        if self.location.kind == "memory":
            return False
        if self.location.kind == "remote":
            return self._long_start.startswith(magic, offset)
        try:
            with open(self.location.path, "rb") as file:
                file.seek(offset)
                return file.read(len(magic)) == magic
        except (OSError, ValueError):
            return False

    @cached_property
    def _long_start(self) -> bytes:
        from ncz.zmap.foreign import LONGEST_SIGNATURE

        return self.start if len(self.start) > START else self._remote_start(LONGEST_SIGNATURE)

    def _remote_start(self, count: int) -> bytes:
        if not self._suffixes or not self.location.path.lower().endswith(self._suffixes):
            return b""
        from ncz.zmap.remote.opening import read_start

        try:
            return read_start(self.location, count)
        except NczError:  # the format reports it
            return b""


def no_prefetch(_: Iterable[Variable]) -> None:
    """Fetch nothing: values that are near need no announcement."""


def nothing_changes() -> None:
    """Do nothing: nothing else can change the dataset."""


def refers_to_nothing() -> Iterator[SourceFile]:
    """Yield nothing: all data are in the dataset."""
    return iter(())


@record(kw_only=True)
class GivenDataset:
    """A dataset that a program contains as an object, such as one of xarray.

    `name` is the name in messages. `open` returns the dataset, whose values can be read until the
    context ends. If it gets a dataset as an argument, values without a stored form are encoded as
    in that dataset; its other argument receives notices. `locations` are the places of files with
    values. `is_joined` is true if they are the pieces of the dataset, which must not replace any of
    them.
    """

    name: str
    open: Callable[[Dataset | None, Notify], AbstractContextManager[Dataset]]
    locations: tuple[Location, ...] = ()
    is_joined: bool = False


@record(kw_only=True)
class OpenedDataset:
    """A dataset whose values can be read, until it is closed."""

    dataset: Dataset
    location: Location
    netcdf_kind: str
    """The kind of netCDF file that it corresponds to, as ``ncdump -k`` prints it."""
    survives_fork: bool
    """Whether forked processes can read the values too."""
    prefetch: Callable[[Iterable[Variable]], None] = no_prefetch
    """Announces the variables whose values will be read next, in order."""
    check_unchanged: Callable[[], None] = nothing_changes
    """Raises `ZmapError` if the description of the dataset has changed since it was opened.

    It also reports objects that were found since then, and are left out."""
    sources: Callable[[], Iterator[SourceFile]] = refers_to_nothing
    """Yields the known facts about files that the dataset refers to; no chunk is read."""
    refuse_newer: Callable[[], None] = nothing_changes
    """Lets reading raise `ZmapError` for values that change later, if the store can detect it."""


@record(kw_only=True)
class OpenOptions:
    """A function that opens a dataset.

    `consolidated` says whether to use consolidated metadata: True requires it, False ignores it
    unless the store cannot be listed, and None uses it if it is there. In an aggregation, pieces
    that cannot be read are skipped with `keep_going`, and at most `open_pieces` are open at the
    same time; None is the default. `progress` receives the bytes of a text that are searched.
    """

    consolidated: bool | None = None
    keep_going: bool = False
    open_pieces: int | None = None
    progress: Progress = field(default=NO_PROGRESS, compare=False, repr=False)


Open = Callable[[Location, OpenOptions, Notify], AbstractContextManager[OpenedDataset]]
"""A function that opens the dataset at a location, and closes it when the context ends."""


Plan = Callable[["Dataset", Location, "CreateOptions", Notify], "WritePlan"]
"""A function that plans a new dataset at a location, in a form like its source's.

It raises `LossError` for data that the format cannot represent at all.
"""


@record(kw_only=True)
class Overlay:
    """A format whose datasets are stored in another one, and describe values that are elsewhere.

    Attributes
    ----------
    mode_without
        The mode of a location that is opened as stored.
    may_be
        Returns whether a stored dataset may be of the format.
    is_named
        Returns whether the root of a store names the format, without reading the dataset.
    open
        Shows a dataset that is open as the one that it describes. The last argument opens a piece.
    plan
        Plans a new dataset. The last argument plans a piece, or the dataset as stored.
    """

    mode_without: str
    may_be: Callable[[Dataset], bool]
    is_named: Callable[[Zmap], bool]
    open: Callable[
        [
            OpenedDataset,
            OpenOptions,
            Notify,
            Callable[[Location], AbstractContextManager[OpenedDataset]],
        ],
        AbstractContextManager[OpenedDataset],
    ]
    plan: Callable[[Dataset, Location, CreateOptions, Notify, Plan], WritePlan]


KeyKind = Literal["group", "array", "chunk", "piece"]
"""The kind of a key of a `DescribedZmap`."""


class DescribedZmap(Zmap):
    """The parts of a dataset as keys with their kinds, for listing only.

    A piece is a part of an aggregation that is in another dataset.
    """

    @abstractmethod
    def kind(self, key: str) -> KeyKind:
        """Return the kind of a key."""

    @abstractmethod
    def places(self, key: str) -> Sequence[str]:
        """Return the paths or URLs of a piece of an aggregation, in the order of preference."""

    @abstractmethod
    def decode(self, key: str) -> Values:
        """Return the values of a chunk."""


@record
class EditedFile:
    """The changes of a file, and its groups and variables afterwards by their paths."""

    changes: Sequence[Change]
    nodes: Mapping[str, DraftNode]


@record(kw_only=True)
class DatasetFormat:
    """A format of datasets.

    `recognises` decides by content whether the format can open a source; `is_target` decides by
    name, mode and options whether a new dataset at a location has the format. `open` is None for a
    format that is never recognised by content, `plan` for one that can only be read. Files on a
    server whose names end in `suffixes` are recognised before they are opened, and others after
    they turn out not to be stores.
    """

    name: str
    recognises: Callable[[Source], bool]
    is_target: Callable[[Location, CreateOptions], bool]
    open: Open | None = None
    plan: Plan | None = None
    suffixes: tuple[str, ...] = ()
    overlay: Overlay | None = None
    """The functions that make a stored dataset one of this format, instead of `open` and `plan`."""
    given: Callable[[object], GivenDataset | None] | None = None
    """Returns an object of a program as a dataset; None if it is not of this format."""
    mode_of: Callable[[Location], str | None] | None = None
    """Returns the mode of a location that only this format has, or None."""
    is_addressed: Callable[[Location], bool] = lambda _: False
    """Whether a location has the format by its mode alone, and nothing above it is looked at."""
    is_stored_in_zmap: bool = False
    """Whether a dataset has the keys of a zmap; otherwise its parts are listed."""
    maintenance: Callable[[], Maintenance] | None = None
    """Imports how stores of the format are looked after."""
    masters: Callable[[], Masters] | None = None
    """Imports how masters of the format are made."""
    holds_hdf5: Callable[[Location, CreateOptions], bool] = lambda *_: False
    """Whether the values of a new dataset at a location are in netCDF-4 files, with their codecs.

    It raises `UrlError` if mode and options contradict each other."""
    native_elements: Callable[[Variable, Provenance], NativeElements | None] | None = None
    """Returns the elements of a variable as other programs see them; None if it is not stored so.

    The provenance comes from its dataset."""
    contents: Callable[[Location], AbstractContextManager[Location]] | None = None
    """Gives the dataset in a file of this format, as a copy, until the context ends.

    It is opened in place of `open`."""
    edit: Callable[[Location, Sequence[Request], bool, bool], EditedFile] | None = None
    """Changes attributes and names of a file; see `opening.edit_file`."""
    assign: Callable[[Location, str, Sequence[Any], Values], None] | None = None
    """Gives elements of a variable of a file new values, at the product of indices along axes."""
    as_stored: Callable[[Dataset, Provenance], Dataset] | None = None
    """Returns a dataset as one of this format reads it that it was written to.

    The provenance describes the written dataset, which may be of another format."""
