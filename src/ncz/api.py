"""The commands as Python functions. The package `ncz` exports them and loads them on first use.

They raise `ncz.NczError`, whose subclasses are builtin errors too. Notices go to `notify`; by
default they become Python warnings.
"""

from __future__ import annotations

import contextlib
import os
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, BinaryIO

from ncz.errors import FormatError, Notice, Notify
from ncz.model.tree import Dataset, Variable, dimensions_by_fqn, join, shape_of, walk

if TYPE_CHECKING:
    from ncz.commands.dump import View
    from ncz.model.data import Values
    from ncz.transfer.difference import Difference

Path = str | os.PathLike[str]


class NczWarning(UserWarning):
    """A `Notice` as a Python warning."""


def warn(notice: Notice) -> None:
    """Turn a notice into a Python warning; the default of `notify`."""
    warnings.warn(NczWarning(str(notice)), stacklevel=2)


@contextlib.contextmanager
def open(
    url: Path, *, consolidated: bool | None = None, notify: Notify = warn
) -> Iterator[Dataset]:
    """Open a dataset: ``with ncz.open("weather.zarr") as dataset``.

    Metadata is read now and values on demand (see `read`), so that values cannot be read after the
    ``with`` block.

    Parameters
    ----------
    url
        A path or a URL. The format is detected automatically.
    consolidated
        Whether to use consolidated metadata: True requires it, False ignores it, and None uses it
        if it is there.
    notify
        Receives notices; by default they become Python warnings.

    Raises
    ------
    NczError
        If no dataset exists there, or its root is broken.
    """
    from ncz.formats.kinds import OpenOptions
    from ncz.formats.opening import open_dataset

    how = OpenOptions(consolidated=consolidated)
    with open_dataset(os.fspath(url), how, notify=notify) as opened:
        yield opened.dataset


def find(dataset: Dataset, path: str) -> Variable:
    """Return the variable at ``/group/name``; the leading slash is optional.

    Raises
    ------
    FormatError
        If the dataset has no variable of that name.
    """
    wanted = join("", path.lstrip("/"))
    for fqn, group in walk(dataset.root):
        for variable in group.variables:
            if join(fqn, variable.name) == wanted:
                return variable
    raise FormatError(f"no variable {wanted}", location=dataset.name, hint="see 'ncz dump -h'")


def read(dataset: Dataset, path: str) -> Values:
    """Read all values of the variable at ``/group/name``.

    Returns
    -------
    ndarray
        An array of the variable's shape, in native byte order: char as ``S1``, string as objects
        (`str`, or None for NIL). Values that were never written are the fill value.
    """
    from ncz.model.data import fill_array, read_all

    variable = find(dataset, path)
    if variable.data is not None:
        return read_all(variable.data)
    shape = shape_of(variable, dimensions_by_fqn(dataset.root))
    return fill_array(shape, variable.type, variable.storage.fill)


def gen(
    source: Path | BinaryIO,
    target: Path,
    *,
    modes: Sequence[str] = (),
    overwrite: bool = False,
    header_only: bool = False,
    char: str | None = None,
    shards: Sequence[str] = (),
    audience: Sequence[str] = (),
    notify: Notify = warn,
) -> None:
    """Make a store from CDL or JSON text. The store appears completely or not at all.

    Parameters
    ----------
    source
        The path of the text, or a binary stream.
    target
        The path or URL of the new store.
    modes
        As in a URL's ``#mode=``, for example "zarr" or "consolidated".
    overwrite
        Whether to replace an existing store.
    header_only
        Whether to leave the data out.
    char
        The dtype of char: ">S1" or "|S1".
    shards
        Chunkspecs of shards in Zarr V3: "time/1000,lat/" or "v:100,20".
    audience
        Names of programs that must be able to read the store, such as "xarray".
    notify
        Receives notices.

    Raises
    ------
    CdlError
        If the text is not valid.
    LossError
        If the store cannot hold the dataset.
    """
    from ncz.commands.gen import GenOptions
    from ncz.commands.gen import gen as make

    make(
        GenOptions(
            source=source,
            target=os.fspath(target),
            modes=tuple(modes),
            overwrite=overwrite,
            header_only=header_only,
            char=char,
            shards=tuple(shards),
            audience=tuple(audience),
        ),
        notify,
    )


def copy(
    source: Path | BinaryIO,
    target: Path | BinaryIO,
    *,
    modes: Sequence[str] = (),
    chunks: Sequence[str] = (),
    chunk_size: int | None = None,
    shards: Sequence[str] = (),
    codecs: Sequence[str] = (),
    variables: Sequence[str] | None = None,
    overwrite: bool = False,
    allow_loss: bool = False,
    audience: Sequence[str] = (),
    memory: int | None = None,
    verify: bool = False,
    check_data: bool = False,
    keep_going: bool = False,
    notify: Notify = warn,
) -> None:
    """Copy a dataset to another form or place. The target appears completely or not at all.

    Parameters
    ----------
    source, target
        Paths or URLs of stores; paths that end in ".cdl", and binary streams, are CDL text.
    modes
        As in a URL's ``#mode=``, for the target.
    chunks
        Chunkspecs: "time/100,lat/" for dimensions, "v:10,20" for a variable.
    chunk_size
        Largest size of a chunk in bytes; all variables are rechunked.
    shards
        Chunkspecs of shards in Zarr V3, or "none" to remove shards.
    codecs
        Codecs such as "zstd:5", for all variables or for one: "t2m=zlib:4".
    variables
        The variables to copy; by default all.
    overwrite
        Whether to replace an existing store.
    allow_loss
        Whether to go on if the target cannot hold everything; notices name what is lost.
    audience
        Names of programs that must be able to read the target, such as "xarray".
    memory
        Memory limit in bytes.
    verify
        Whether to read both datasets back and compare them.
    check_data
        Whether to decode chunks that are copied without decoding, as a check.
    keep_going
        Whether to copy damaged chunks as they are, where chunks are not decoded. `CodecError` is
        raised after the copy.
    notify
        Receives notices.

    Raises
    ------
    LossError
        If the target cannot hold everything, or part of the source cannot be read, and `allow_loss`
        is not set.
    CodecError
        If a chunk of the source is damaged.
    """
    from ncz.commands.copy.command import copy as carry_out
    from ncz.commands.copy.options import CopyOptions
    from ncz.commands.copy.reshape import Reshape

    summary = carry_out(
        CopyOptions(
            source=os.fspath(source) if isinstance(source, (str, os.PathLike)) else source,
            target=os.fspath(target) if isinstance(target, (str, os.PathLike)) else target,
            modes=tuple(modes),
            reshape=Reshape(
                chunkspecs=tuple(chunks),
                chunk_size=chunk_size,
                shards=tuple(shards),
                codecs=tuple(codecs),
                only=None if variables is None else tuple(variables),
            ),
            overwrite=overwrite,
            allow_loss=allow_loss,
            audience=tuple(audience),
            memory=memory,
            verify=verify,
            check_data=check_data,
            keep_going=keep_going,
        ),
        notify,
    )
    summary.refuse_damage(str(target))


def consolidate(store: Path) -> None:
    """Write consolidated metadata to an existing store, in place."""
    from ncz.commands.consolidate import consolidate as carry_out

    carry_out(os.fspath(store))


def diff(
    first: Path | BinaryIO,
    second: Path | BinaryIO,
    *,
    variables: Sequence[str] | None = None,
    header_only: bool = False,
    storage: bool = False,
    tolerance: float = 0,
    rtol: float = 0,
    ulp: int = 0,
    most: int = 20,
    memory: int | None = None,
    notify: Notify = warn,
) -> list[Difference]:
    """Return everything that differs between two datasets; an empty list if they are equal.

    Parameters
    ----------
    first, second
        Paths or URLs of datasets; paths that end in ".cdl", and binary streams, are CDL text.
    variables
        The variables to compare; by default everything is compared.
    header_only
        Whether to compare metadata only.
    storage
        Whether to compare chunks, shards, codecs and byte order.
    tolerance, rtol, ulp
        Numbers are equal if they keep to one of these limits: of the difference, of the difference
        as a part of the larger magnitude, and of the number of representable numbers between them.
    most
        Most values that are listed for a variable; a difference of kind "values" sums up all.
    memory
        Memory limit for data in bytes.
    notify
        Receives notices.

    Raises
    ------
    NczError
        If a dataset cannot be read.
    """
    from ncz.commands.diff import DiffOptions
    from ncz.commands.diff import diff as find_differences
    from ncz.transfer.tolerance import Tolerance

    options = DiffOptions(
        first=os.fspath(first) if isinstance(first, (str, os.PathLike)) else first,
        second=os.fspath(second) if isinstance(second, (str, os.PathLike)) else second,
        variables=None if variables is None else tuple(variables),
        header_only=header_only,
        storage=storage,
        tolerance=Tolerance(absolute=tolerance, relative=rtol, ulp=ulp),
        most=most,
        memory=memory,
    )
    return list(find_differences(options, notify))


def ls(store: Path, pattern: str = "", *, recursive: bool = False) -> list[str]:
    """Return the keys of a store, with a leading slash, in order. The store need not be valid.

    `pattern` is a prefix or a glob. Without `recursive`, only one level of keys is listed.
    """
    from ncz.commands.ls import LsOptions
    from ncz.commands.ls import ls as entries

    options = LsOptions(source=os.fspath(store), pattern=pattern, recursive=recursive)
    return [entry.key for entry in entries(options)]


def dump(
    store: Path,
    *,
    header_only: bool = False,
    variables: Sequence[str] | None = None,
    view: View = "cdl",
    allow_loss: bool = False,
    consolidated: bool | None = None,
    notify: Notify = warn,
) -> str:
    """Return a store as text.

    Parameters
    ----------
    store
        A path or a URL.
    header_only
        Whether to leave the data out.
    variables
        The variables whose data are printed; by default all.
    view
        "cdl", "json" (docs/json.md), "ncml" or "summary".
    allow_loss
        Whether to report data that cannot be read as a notice, and to return the rest.
    consolidated
        Whether to use consolidated metadata, as in `open`.
    notify
        Receives notices.

    Raises
    ------
    NczError
        If the store cannot be read, or part of its data and `allow_loss` is not set.
    """
    from ncz.cdl.print.printer import CdlOptions
    from ncz.commands.dump import DumpOptions
    from ncz.commands.dump import dump as write_cdl

    cdl = CdlOptions(
        header_only=header_only,
        variables=None if variables is None else tuple(variables),
    )
    parts: list[bytes] = []
    options = DumpOptions(cdl=cdl, view=view, partial=allow_loss, consolidated=consolidated)
    write_cdl(os.fspath(store), options, parts.append, notify)
    return b"".join(parts).decode("utf-8", "surrogateescape")
