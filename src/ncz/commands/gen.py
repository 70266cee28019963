"""gen: create a dataset from a text, CDL or JSON, as netCDF's ncgen does.

The text is mapped into memory, and its data lists become chunks when the writer needs them. It is
parsed before anything is created, and the dataset is created completely or not at all.
"""

from __future__ import annotations

import math
import os
from typing import TYPE_CHECKING, BinaryIO

from ncz.commands.arguments import text_source
from ncz.commands.creation_options import create_options
from ncz.commands.functions import Listener, Words, callbacks_of, speaks_python, warn, words
from ncz.commands.shards import ShardLengths, Shards, shards_of
from ncz.errors import NO_CALLBACKS, Callbacks, NczError, Notify, UrlError, note_on_interrupt
from ncz.formats.create_options import AS_DEFAULT, CreateOptions
from ncz.formats.source_text import read_text, text_of
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.model.tree import Dataset, each_dimension, each_variable, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import record, replace
from ncz.zmap.location import Location, Path, location_of

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.formats.create_options import StoreKeywords


@record(kw_only=True)
class GenOptions:
    """The text to read, and how to store its dataset.

    If `target` is None, the text is only checked. `modes` are added to the modes in the target's
    fragment. `jobs` is the number of processes that read large data; None means one per core. They
    are forked, which is safe only in a process without threads.
    """

    source: str | os.PathLike[str] | BinaryIO
    target: Location | None = None
    name: str | None = None
    header_only: bool = False
    no_fill: bool = False
    modes: tuple[str, ...] = ()
    create: CreateOptions = AS_DEFAULT
    shards: tuple[Shards, ...] = ()
    jobs: int | None = 1


@speaks_python
def gen(
    source: Path | BinaryIO,
    target: Path | None,
    *,
    name: str | None = None,
    header_only: bool = False,
    no_fill: bool = False,
    modes: Words = (),
    shards: ShardLengths = (),
    jobs: int | None = 1,
    notify: Listener = warn,
    **store: Unpack[StoreKeywords],
) -> None:
    """Make a store from CDL or JSON text. The store appears completely or not at all.

    Parameters
    ----------
    source
        The path of the text, or a binary stream.
    target
        The path or URL of the new store. If it is None, the text is only checked.
    name
        Name of the dataset, instead of the name in CDL.
    header_only
        Write the header only, without data.
    no_fill
        Do not fill missing data (no-fill mode).
    modes
        Form of the store: nczarr, zarr, v3, noxarray, zip, ... Modes are separated by commas.

        They are added to the modes of a URL's ``#mode=``.
    shards
        Shards in Zarr V3: their largest size, such as 100MB, auto, dim/length,dim/,...,
        var:length,..., / (one shard) or none.

        A number is a size in bytes, and a mapping has lengths by dimension.
    jobs
        Number of processes that read large data; None means one per core.

        They are forked, which is safe only in a process without threads.
    notify
        Receives notices.
    **store
        How the dataset is stored, by the same arguments as in `copy`: `overwrite`, `kind`, ...

    Raises
    ------
    CdlError
        If the text is not valid.
    LossError
        If the target cannot represent everything, and `allow_loss` is not set.

    Examples
    --------
    >>> ncz.gen("weather.cdl", "new.zarr")
    >>> ncz.open("new.zarr").dims
    {'time': 4, 'lat': 3, 'lon': 5}
    """
    options = GenOptions(
        source=text_source(source),
        target=None if target is None else location_of(target),
        name=name,
        header_only=header_only,
        no_fill=no_fill,
        modes=words(modes),
        create=create_options(store),
        shards=shards_of(shards),
        jobs=jobs,
    )
    create_from_text(options, callbacks_of(notify))


def create_from_text(
    options: GenOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> None:
    """Create a dataset from CDL or JSON. The same text and options give the same bytes.

    Raises
    ------
    CdlError
        If the text is not valid.
    LossError
        If the target cannot represent something, and `options.create.allow_loss` is not set.
    NczError
        If the dataset cannot be stored.
    """
    from ncz.model.read_progress import with_progress
    from ncz.parallel.processes import default_jobs

    jobs = default_jobs() if options.jobs is None else options.jobs
    location = (
        writable(options.target.with_modes(options.modes), options.create.kind, callbacks.notify)
        if options.target is not None
        else None
    )
    note = "not all of the text was checked"
    if location is not None:
        note = f"{location.display} was not changed"
    with note_on_interrupt(note), text_of(options.source) as (text, label):
        if location is None:
            _read_all(with_progress(read_text(text, label, callbacks, jobs), callbacks.progress))
            return
        from ncz.formats.opening import create_dataset

        if options.shards:
            from ncz.commands.shards import check_shards

            check_shards(options.shards, 3 if "v3" in location.modes else 2)
        # Clients of remote stores have threads, which rule out forked processes.
        jobs = 1 if location.kind == "remote" else jobs
        dataset = _as_asked(read_text(text, label, callbacks, jobs), options)
        _check_chunks(dataset, label)
        create_dataset(
            with_progress(dataset, callbacks.progress),
            location,
            options.create,
            notify=callbacks.notify,
        )


def writable(location: Location, kind: NetcdfKind | None, notify: Notify) -> Location:
    """Return the location of a target, whose kind of netCDF file is `kind` if one was given.

    Notifies of a new store with an unknown suffix.

    Raises `UrlError` for standard output, and for a name of a format that cannot be written.
    """
    from ncz.formats.foreign_names import unknown_suffix
    from ncz.formats.opening import target_format
    from ncz.zmap.kinds import KINDS, kind_of_name

    if location.path == "-":
        raise UrlError(
            "a store cannot be written to standard output", "-", "give a path, such as x.zarr"
        )
    named = kind_of_name(location.path)
    if named is not None and KINDS[named].on_servers:  # only the name says the kind
        location = location.with_modes(KINDS[named].modes)
    if target_format(location, CreateOptions(kind=kind)).is_stored_in_zmap:
        notice = unknown_suffix(location)
        if notice is not None:
            notify(notice)
    return location


def _read_all(dataset: Dataset) -> None:
    """Read every data list, to find errors in them."""
    for _, variable in variables_by_fqn(dataset.root):
        if variable.data is not None:
            for index in variable.data.grid.indices():
                variable.data.chunk(index)


def _as_asked(dataset: Dataset, options: GenOptions) -> Dataset:
    if options.shards:
        from ncz.commands.shards import with_shards

        dataset = with_shards(dataset, options.shards)
    if options.header_only:  # without values, unlimited dimensions have length 0
        dataset = each_variable(dataset, lambda _, v: replace(v, data=None))
        dataset = each_dimension(dataset, lambda _, d: replace(d, size=0) if d.unlimited else d)
    if options.no_fill:
        dataset = each_variable(
            dataset, lambda _, v: replace(v, storage=replace(v.storage, fill=None, no_fill=True))
        )
    return replace(dataset, name=options.name or dataset.name)


_MOST_PADDING = 128 << 20
"""Bytes of a chunk that may be outside its array; they are written too."""


def _check_chunks(dataset: Dataset, label: str) -> None:
    """Raise `NczError` for a chunk that is mostly padding: a short text must not fill the disk."""
    for fqn, variable in variables_by_fqn(dataset.root):
        chunks = variable.storage.chunks
        if variable.data is None or chunks is None:
            continue
        shape = variable.data.grid.shape
        size = variable.type.size if isinstance(variable.type, Atomic) else 0
        within = math.prod(map(min, chunks, shape))
        if (math.prod(chunks) - within) * max(1, size) > _MOST_PADDING:
            raise NczError(
                f"variable {fqn}: a chunk has {math.prod(chunks)} elements, but only {within}"
                " are within the array",
                label,
                "choose smaller chunks (_ChunkSizes)",
            )

        # Not closed, because chunks may still refer to it. It is freed with the last of them.
