"""ncz for Python: the deeds as functions. `ncz` gives these names, loaded on first use.

Everything here raises `ncz.NczError`, whose subclasses are builtin errors too, and reports
what is worth knowing through `notify`, by default as a Python warning.
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

Path = str | os.PathLike[str]


class NczWarning(UserWarning):
    """A `Notice` that nobody else asked for."""


def warn(notice: Notice) -> None:
    """The default `Notify`: a Python warning."""
    warnings.warn(NczWarning(str(notice)), stacklevel=2)


@contextlib.contextmanager
def open(url: Path, *, notify: Notify = warn) -> Iterator[Dataset]:
    """Open a dataset: ``with ncz.open("weather.zarr") as dataset``.

    Metadata is read now and values on demand (see `read`), so that values cannot be read after the
    ``with`` block.

    Parameters
    ----------
    url
        A path or a URL. The format is detected automatically.
    notify
        Receives notices; by default they become Python warnings.

    Raises
    ------
    NczError
        If no dataset exists there, or its root is broken.
    """
    from ncz.formats.opening import open_dataset

    with open_dataset(os.fspath(url), notify=notify) as opened:
        yield opened.dataset


def find(dataset: Dataset, path: str) -> Variable:
    """Return the variable at ``/group/name``; the leading slash is optional.

    Raises `FormatError` if there is no such variable.
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
    notify: Notify = warn,
) -> None:
    """Make the store `target` from CDL or JSON, which is a path or a binary stream.

    `modes` are those of a URL's ``#mode=``, such as "zarr" or "consolidated"; `char` is the dtype
    of char, ">S1" or "|S1". The store appears whole or not at all.
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
    codecs: Sequence[str] = (),
    variables: Sequence[str] | None = None,
    overwrite: bool = False,
    allow_loss: bool = False,
    memory: int | None = None,
    verify: bool = False,
    notify: Notify = warn,
) -> None:
    """Copy a dataset to another form or place; `target` appears whole or not at all.

    `chunks` are chunkspecs ("time/100,lat/", "v:10,20"), `codecs` are "zstd:5" and the like;
    `variables` copies those alone; `memory` is bytes to keep to. Raises `LossError` for what the
    target cannot hold unless `allow_loss`. With `verify` both are read back and compared.
    """
    from ncz.commands.copy.command import copy as carry_out
    from ncz.commands.copy.options import CopyOptions
    from ncz.commands.copy.reshape import Reshape

    carry_out(
        CopyOptions(
            source=os.fspath(source) if isinstance(source, (str, os.PathLike)) else source,
            target=os.fspath(target) if isinstance(target, (str, os.PathLike)) else target,
            modes=tuple(modes),
            reshape=Reshape(
                chunkspecs=tuple(chunks),
                chunk_size=chunk_size,
                codecs=tuple(codecs),
                only=None if variables is None else tuple(variables),
            ),
            overwrite=overwrite,
            allow_loss=allow_loss,
            memory=memory,
            verify=verify,
        ),
        notify,
    )


def consolidate(store: Path) -> None:
    """Write consolidated metadata to a store that is there, in place."""
    from ncz.commands.consolidate import consolidate as carry_out

    carry_out(os.fspath(store))


def ls(store: Path, pattern: str = "", *, recursive: bool = False) -> list[str]:
    """The keys of a store, with a leading slash, in order; the store need not be valid.

    `pattern` is a prefix or a glob; without `recursive`, one level of keys.
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
    notify: Notify = warn,
) -> str:
    """The store as text; with `variables`, the data of those alone.

    `view` is "cdl", "json" (docs/json.md), "ncml" or "summary".
    """
    from ncz.cdl.print.printer import CdlOptions
    from ncz.commands.dump import DumpOptions
    from ncz.commands.dump import dump as write_cdl

    cdl = CdlOptions(
        header_only=header_only,
        variables=None if variables is None else tuple(variables),
    )
    parts: list[bytes] = []
    write_cdl(os.fspath(store), DumpOptions(cdl=cdl, view=view), parts.append, notify)
    return b"".join(parts).decode("utf-8", "surrogateescape")
