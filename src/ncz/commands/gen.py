"""gen: create a dataset from a text, CDL or JSON, as netCDF's ncgen does.

The text is mapped into memory, and its data lists become chunks when the writer needs them. It is
parsed before anything is created, and the dataset is created completely or not at all.
"""

from __future__ import annotations

import contextlib
import math
import mmap
import os
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from ncz.commands import fields
from ncz.commands.creation_options import (
    ANNOTATIONS,
    AUDIENCE,
    CHAR,
    KIND,
    OVERWRITE,
    SHARDS,
    TRUNCATE_STRINGS,
    allow_loss_option,
    consolidated_option,
    modes_option,
    separator_option,
)
from ncz.errors import NO_CALLBACKS, Callbacks, NczError, Notify, UrlError, note_if_interrupted
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.model.tree import Dataset, each_dimension, each_variable, variables_by_fqn
from ncz.model.types import Atomic
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.commands.shards import Shards
    from ncz.zmap.location import Location


@record(kw_only=True)
class GenOptions:
    """The text to read, and how to store its dataset.

    If `target` is None, the text is only checked. `modes` are added to those in the target's
    fragment. `jobs` is the number of processes that read large data; None means one per core. They
    are forked, which is safe only in a process without threads.
    """

    source: str | os.PathLike[str] | BinaryIO
    target: Location | None = None
    name: str | None = fields.option(
        "-N",
        "--name",
        default=None,
        metavar="NAME",
        section="Text",
        common=True,
        help="Name of the dataset, instead of that in CDL.",
        python="The name of the dataset, instead of that in the text.",
    )
    overwrite: bool = OVERWRITE
    header_only: bool = fields.option(
        "-H",
        "--header",
        default=False,
        section="Output",
        common=True,
        help="Write the header only, without data.",
        python="Whether to leave the data out.",
    )
    no_fill: bool = fields.option(
        "-x",
        "--no-fill",
        default=False,
        section="Output",
        help="Do not fill missing data (no-fill mode).",
        python="Whether to leave out the values of variables without data, instead of filling"
        " them.",
    )
    kind: NetcdfKind | None = KIND
    audience: tuple[str, ...] = AUDIENCE
    modes: tuple[str, ...] = modes_option(
        help="Form of the store: nczarr, zarr, v3, noxarray, zip, ... Modes are separated by"
        " commas.",
        python='As in a URL\'s ``#mode=``, for example "zarr" or "consolidated".',
    )
    separator: str | None = separator_option(
        help="Separator in chunk keys: . or /.",
    )
    consolidated: bool | None = consolidated_option(
        common=True,
        help="Write consolidated metadata, or none (default: in pure Zarr, and for xarray).",
        python="Whether to write consolidated metadata; None writes them in pure Zarr, and for"
        " xarray.",
    )
    annotations: bool = ANNOTATIONS
    char: str | None = CHAR
    truncate_strings: bool = TRUNCATE_STRINGS
    allow_loss: bool = allow_loss_option(help="Write even if the target cannot hold everything.")
    shards: tuple[Shards, ...] = SHARDS
    jobs: int | None = 1


def gen(
    options: GenOptions,
    callbacks: Callbacks = NO_CALLBACKS,
) -> None:
    """Create a dataset from CDL or JSON. The same text and options give the same bytes.

    Raises
    ------
    CdlError
        If the text is not valid.
    LossError
        If the target cannot hold something, and `options.allow_loss` is not set.
    NczError
        If the dataset cannot be stored.
    """
    from ncz.model.read_progress import watched
    from ncz.parallel.processes import default_jobs

    jobs = default_jobs() if options.jobs is None else options.jobs
    location = (
        writable(options.target.with_modes(options.modes), options.kind, callbacks.notify)
        if options.target is not None
        else None
    )
    note = "not all of the text was checked"
    if location is not None:
        note = f"{location.display} was not changed"
    with note_if_interrupted(note), text_of(options.source) as (text, label):
        if location is None:
            _read_all(watched(read_text(text, label, callbacks, jobs), callbacks.progress))
            return
        from ncz.formats.kinds import CreateOptions
        from ncz.formats.opening import create_dataset

        if options.shards:
            from ncz.commands.shards import check_shards

            check_shards(options.shards, 3 if "v3" in location.modes else 2)
        # Clients of remote stores have threads of their own, which rule out forked processes.
        jobs = 1 if location.kind == "remote" else jobs
        dataset = _as_asked(read_text(text, label, callbacks, jobs), options)
        _check_chunks(dataset, label)
        create_options = CreateOptions(
            overwrite=options.overwrite,
            kind=options.kind,
            consolidated=options.consolidated,
            separator=options.separator,
            annotations=options.annotations,
            char=options.char,
            truncate_strings=options.truncate_strings,
            allow_loss=options.allow_loss,
            audience=options.audience,
        )
        create_dataset(
            watched(dataset, callbacks.progress), location, create_options, notify=callbacks.notify
        )


def read_text(
    text: bytes | mmap.mmap,
    label: str,
    callbacks: Callbacks = NO_CALLBACKS,
    jobs: int = 1,
) -> Dataset:
    """Read the dataset that a text declares, in JSON if it begins with a brace, else in CDL."""
    if text[:1] in b"{\xef \t\r\n":  # avoids an import
        from ncz.views.json_reader import looks_like_json, read_json

        if looks_like_json(text):
            return read_json(text, source=label, notify=callbacks.notify)
    from ncz.cdl.reader import read_cdl

    return read_cdl(text, source=label, callbacks=callbacks, jobs=jobs)


def writable(location: Location, kind: NetcdfKind | None, notify: Notify) -> Location:
    """Return the location of a target, whose kind of netCDF file is `kind` if one was given.

    Notifies of a new store with a suffix that says nothing.

    Raises `UrlError` for standard output, and for a name of a format that cannot be written.
    """
    from ncz.formats.foreign_names import unknown_suffix
    from ncz.formats.kinds import CreateOptions
    from ncz.formats.opening import target_format
    from ncz.zmap.kinds import KINDS, kind_of_name

    if location.path == "-":
        raise UrlError(
            "a store cannot be written to standard output", "-", "give a path, such as x.zarr"
        )
    named = kind_of_name(location.path)
    if named is not None and KINDS[named].on_servers:  # the name says what a URL cannot
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
"""Bytes of a chunk that may lie outside its array; they are written too."""


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
                f"variable {fqn}: a chunk has {math.prod(chunks)} elements, of which only {within}"
                " are within the array",
                label,
                "choose smaller chunks (_ChunkSizes)",
            )


@contextlib.contextmanager
def text_of(
    source: str | os.PathLike[str] | BinaryIO,
) -> Iterator[tuple[bytes | mmap.mmap, str]]:
    """Give the bytes of the text, and its name for messages."""
    if isinstance(source, (str, os.PathLike)):
        from ncz.zmap.location import display_of

        path = os.fspath(source)
        label = display_of(path)
        with _opened(path, label) as stream, _mapped(stream) as text:
            yield text, label
    else:
        with _mapped(source) as text:
            yield text, "stdin"


def _opened(path: str, label: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        hint = "give a CDL file" if isinstance(error, IsADirectoryError) else "check the path"
        raise NczError(f"cannot read: {reason}", location=label, hint=hint) from error


@contextlib.contextmanager
def _mapped(stream: BinaryIO) -> Iterator[bytes | mmap.mmap]:
    """Map a file into memory; a pipe or a stream is first spooled to a temporary file."""
    with contextlib.ExitStack() as stack:
        text: bytes | mmap.mmap | None = _map(stream)
        if text is None:
            text = _map(stack.enter_context(_spooled(stream)))
        yield text or b""
        # Not closed, because chunks may still refer to it. It is freed with the last of them.


def _map(stream: BinaryIO) -> mmap.mmap | None:
    """Map the whole file; None if it is empty, partly read, or not a file."""
    try:
        if stream.tell() != 0:
            return None
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None


def _spooled(stream: BinaryIO) -> BinaryIO:
    """Copy the rest of `stream` to an unnamed temporary file."""
    import shutil
    import tempfile

    spool = tempfile.TemporaryFile(prefix="ncz-gen-")  # noqa: SIM115 (closed by the caller)
    try:
        shutil.copyfileobj(stream, spool, 1 << 20)
        spool.flush()
        spool.seek(0)
    except OSError as error:
        spool.close()
        raise NczError(
            f"cannot write a temporary file: {error.strerror or error}",
            location=tempfile.gettempdir(),
            hint="set TMPDIR to a folder with enough space for the text",
        ) from error
    return spool
