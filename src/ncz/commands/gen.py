"""gen: a text, CDL or JSON, becomes a store. What netCDF's ncgen does.

The text is mapped into memory, not read: its data lists are turned to chunks as the writer asks for
them. It is parsed before anything is created, and the store appears whole or not at all.
"""

from __future__ import annotations

import contextlib
import mmap
import os
import shutil
import tempfile
from collections.abc import Iterator
from typing import TYPE_CHECKING, BinaryIO

from ncz.errors import NczError, Notify, ignore_notice
from ncz.model.tree import Dataset, Dimension, Group, Variable, walk
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.formats.zarr.plan import WriteOptions
    from ncz.zmap.location import Location


@record(kw_only=True)
class GenOptions:
    """What to make of which text.

    `target` None only checks the text. `modes` are added to those in the target's fragment. `jobs`
    is how many processes read data that are many; None is one for each core. They are forked, which
    only a process without threads should do.
    """

    source: str | os.PathLike[str] | BinaryIO
    target: str | None = None
    modes: tuple[str, ...] = ()
    name: str | None = None
    header_only: bool = False
    no_fill: bool = False
    overwrite: bool = False
    char: str | None = None
    separator: str | None = None
    jobs: int | None = 1


def gen(options: GenOptions, notify: Notify = ignore_notice) -> None:
    """Make a store from CDL, or JSON. Raises `CdlError` for the text, and what storing adds.

    The same text and options give the same bytes, a zip file's included.
    """
    from ncz.parallel.processes import default_jobs

    jobs = default_jobs() if options.jobs is None else options.jobs
    location = (
        target_location(options.target, options.modes) if options.target is not None else None
    )
    with text_of(options.source) as (text, label):
        if location is None:
            _read_all(read_text(text, label, notify, jobs))
            return
        from ncz.formats.zarr.writer import write_dataset
        from ncz.zmap.opening import create_zmap

        # What talks to a remote store has threads of its own, besides which nothing may be forked.
        jobs = 1 if location.kind == "remote" else jobs
        dataset = _as_asked(read_text(text, label, notify, jobs), options)
        with create_zmap(location, overwrite=options.overwrite) as zmap:
            write_dataset(dataset, zmap, _write_options(location, options), notify)


def read_text(
    text: bytes | mmap.mmap, label: str, notify: Notify = ignore_notice, jobs: int = 1
) -> Dataset:
    """The dataset that a text declares, in CDL or, if it begins with a brace, in JSON."""
    if text[:1] in b"{\xef \t\r\n":  # rather look than import
        from ncz.views.json.reader import looks_like_json, read_json

        if looks_like_json(text):
            return read_json(text, source=label, notify=notify)
    from ncz.cdl.parse.reader import read_cdl

    return read_cdl(text, source=label, notify=notify, jobs=jobs)


def target_location(target: str, modes: tuple[str, ...]) -> Location:
    """The target's location, with the modes of the options added to its own."""
    from ncz.zmap.location import parse_location

    location = parse_location(target)
    if modes:
        joint = "&" if location.modes or location.options else "#"
        location = parse_location(f"{location.display}{joint}mode={','.join(modes)}")
    return location


def _write_options(location: Location, options: GenOptions) -> WriteOptions:
    from ncz.formats.zarr.plan import WriteOptions

    return WriteOptions(
        flavour="zarr" if location.pure else "nczarr",
        zarr_format=3 if "v3" in location.modes else 2,
        xarray="noxarray" not in location.modes,
        consolidated="consolidated" in location.modes,
        separator=options.separator,
        char=options.char,
    )


def _read_all(dataset: Dataset) -> None:
    """Read every data list, for the errors that stand in them."""
    for _, group in walk(dataset.root):
        for variable in group.variables:
            if variable.data is not None:
                for index in variable.data.grid.indices():
                    variable.data.chunk(index)


def _as_asked(dataset: Dataset, options: GenOptions) -> Dataset:
    root = dataset.root
    if options.header_only:
        root = _without_data(root)
    if options.no_fill:
        root = _without_fill(root)
    return replace(dataset, name=options.name or dataset.name, root=root)


def _without_data(group: Group) -> Group:
    """The group as declared: no values, so unlimited dimensions have no length yet."""
    return replace(
        group,
        dimensions=tuple(_unwritten(d) for d in group.dimensions),
        variables=tuple(replace(v, data=None) for v in group.variables),
        groups=tuple(_without_data(g) for g in group.groups),
    )


def _unwritten(dimension: Dimension) -> Dimension:
    return replace(dimension, size=0) if dimension.unlimited else dimension


def _without_fill(group: Group) -> Group:
    def no_fill(variable: Variable) -> Variable:
        return replace(variable, storage=replace(variable.storage, no_fill=True))

    return replace(
        group,
        variables=tuple(no_fill(v) for v in group.variables),
        groups=tuple(_without_fill(g) for g in group.groups),
    )


@contextlib.contextmanager
def text_of(
    source: str | os.PathLike[str] | BinaryIO,
) -> Iterator[tuple[bytes | mmap.mmap, str]]:
    """Give the bytes of the text, and what messages call it."""
    if isinstance(source, (str, os.PathLike)):
        label = os.fspath(source)
        with _opened(label) as stream, _mapped(stream) as text:
            yield text, label
    else:
        with _mapped(source) as text:
            yield text, "stdin"


def _opened(path: str) -> BinaryIO:
    try:
        return open(path, "rb")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        hint = "give a CDL file" if isinstance(error, IsADirectoryError) else "check the path"
        raise NczError(f"cannot read: {reason}", location=path, hint=hint) from error


@contextlib.contextmanager
def _mapped(stream: BinaryIO) -> Iterator[bytes | mmap.mmap]:
    """Map a file; what cannot be mapped (a pipe, a stream in memory) is spooled to one first."""
    with contextlib.ExitStack() as stack:
        text: bytes | mmap.mmap | None = _map(stream)
        if text is None:
            text = _map(stack.enter_context(_spooled(stream)))
        yield text or b""
        # Not closed: a chunk of the dataset may still refer to it. It goes with the last of them.


def _map(stream: BinaryIO) -> mmap.mmap | None:
    """The whole file as memory; None if it is empty, partly read, or no file at all."""
    try:
        if stream.tell() != 0:
            return None
        return mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ)
    except (OSError, ValueError):
        return None


def _spooled(stream: BinaryIO) -> BinaryIO:
    """What is left in `stream`, in an unnamed temporary file."""
    spool = tempfile.TemporaryFile(prefix="ncz-gen-")  # noqa: SIM115 (closed by the caller)
    try:
        shutil.copyfileobj(stream, spool, 1 << 20)
        spool.flush()
        spool.seek(0)
    except OSError as error:
        spool.close()
        raise NczError(
            f"cannot keep what was read: {error.strerror or error}",
            location=tempfile.gettempdir(),
            hint="set TMPDIR to a folder with room for the whole text",
        ) from error
    return spool
