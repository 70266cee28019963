"""Functions that write: `gen`, `copy`, `consolidate` and `edit`."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, BinaryIO

from ncz.api.arguments import Path, Words, path_or_stream, words
from ncz.api.notices import warn
from ncz.api.options import speaks_python
from ncz.errors import Notify

if TYPE_CHECKING:
    from ncz.commands.copy.summary import Summary
    from ncz.commands.edit.change import Change
    from ncz.model.netcdf_kind import NetcdfKind


@speaks_python
def gen(
    source: Path | BinaryIO,
    target: Path,
    *,
    modes: Words = (),
    overwrite: bool = False,
    header_only: bool = False,
    char: str | None = None,
    kind: NetcdfKind | None = None,
    separator: str | None = None,
    truncate_strings: bool = False,
    shards: Words = (),
    audience: Words = (),
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
        The dtype of char: ``">S1"`` or ``"|S1"``.
    kind
        The kind of netCDF file to write: "netCDF-4", "netCDF-4 classic model", "classic",
        "64-bit offset" or "cdf5".
    separator
        The character between the indices in the keys of chunks: "." or "/".
    truncate_strings
        Whether to truncate strings that are longer than declared.
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
            modes=words(modes),
            overwrite=overwrite,
            header_only=header_only,
            char=char,
            kind=kind,
            separator=separator,
            truncate_strings=truncate_strings,
            shards=words(shards),
            audience=words(audience),
        ),
        notify,
    )


@speaks_python
def copy(
    source: Path | BinaryIO,
    target: Path | BinaryIO,
    *,
    modes: Words = (),
    chunks: Words = (),
    chunk_size: int | None = None,
    shards: Words = (),
    codecs: Words = (),
    variables: Words | None = None,
    overwrite: bool = False,
    append: str | None = None,
    allow_loss: bool = False,
    audience: Words = (),
    memory: int | None = None,
    char: str | None = None,
    kind: NetcdfKind | None = None,
    separator: str | None = None,
    truncate_strings: bool = False,
    consolidated: bool | None = None,
    resume: bool = False,
    threads: int | None = None,
    dask: str | None = None,
    verify: bool = False,
    check_data: bool = False,
    keep_going: bool = False,
    notify: Notify = warn,
) -> Summary:
    """Copy a dataset to another form or place. The target appears completely or not at all.

    With `append`, the source is added to an existing store; see docs/copy.md. Other options than
    `allow_loss`, `memory`, `threads`, `verify` and `notify` have no effect then.

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
    append
        The dimension along which to append the source to an existing store.
    allow_loss
        Whether to go on if the target cannot hold everything; notices name what is lost.
    audience
        Names of programs that must be able to read the target, such as "xarray".
    memory
        Memory limit in bytes.
    char
        The dtype of char: ``">S1"`` or ``"|S1"``.
    kind
        The kind of netCDF file to write: "netCDF-4", "netCDF-4 classic model", "classic",
        "64-bit offset" or "cdf5".
    separator
        The character between the indices in the keys of chunks: "." or "/".
    truncate_strings
        Whether to truncate strings that are longer than declared.
    consolidated
        Whether to write consolidated metadata; None writes them if the source has them, or for
        xarray.
    resume
        Whether to continue a copy that was interrupted.
    threads
        Number of threads; by default one per core.
    dask
        The address of a Dask scheduler whose workers write the chunks.
    verify
        Whether to read both datasets back and compare them.
    check_data
        Whether to decode chunks that are copied without decoding, as a check.
    keep_going
        Whether to copy damaged chunks as they are, where chunks are not decoded. `CodecError` is
        raised after the copy, unless `allow_loss` is set.
    notify
        Receives notices.

    Returns
    -------
    Summary
        What was copied: the number of variables and chunks, and their size in bytes.

    Raises
    ------
    LossError
        If the target cannot hold everything, or part of the source cannot be read, and `allow_loss`
        is not set.
    CodecError
        If a chunk of the source is damaged, and `allow_loss` is not set.
    """
    from ncz.commands.copy.command import copy as carry_out
    from ncz.commands.copy.options import CopyOptions
    from ncz.commands.copy.reshape import Reshape

    options = CopyOptions(
        source=path_or_stream(source),
        target=path_or_stream(target),
        modes=words(modes),
        reshape=Reshape(
            chunkspecs=words(chunks),
            chunk_size=chunk_size,
            shards=words(shards),
            codecs=words(codecs),
            only=None if variables is None else words(variables),
        ),
        overwrite=overwrite,
        append=append,
        allow_loss=allow_loss,
        audience=words(audience),
        memory=memory,
        char=char,
        kind=kind,
        separator=separator,
        truncate_strings=truncate_strings,
        consolidated=consolidated,
        resume=resume,
        threads=threads,
        dask=dask,
        verify=verify,
        check_data=check_data,
        keep_going=keep_going,
    )
    if append is not None:
        from ncz.commands.append.command import append as carry_out_append

        return carry_out_append(options, notify)
    summary = carry_out(options, notify)
    if not allow_loss:
        summary.refuse_damage(str(target))
    return summary


@speaks_python
def consolidate(store: Path) -> int:
    """Write consolidated metadata to an existing store, in place.

    Returns
    -------
    int
        Number of documents that were consolidated.
    """
    from ncz.commands.consolidate import consolidate as carry_out

    return carry_out(os.fspath(store))


@speaks_python
def edit(
    store: Path,
    *,
    remove: Words = (),
    delete: Words = (),
    rename: Words = (),
    set: Words = (),
    dry_run: bool = False,
    notify: Notify = warn,
) -> list[Change]:
    """Change attributes and names of an existing store: all that is asked for, or nothing.

    What is removed and deleted comes first, then new names, then attributes; see docs/edit.md.

    Parameters
    ----------
    store
        A path or a URL.
    remove
        Variables and groups to remove, such as ``"v"`` or ``"/g/v"``.
    delete
        Attributes to delete, such as ``"v:old"``.
    rename
        Attributes, variables, groups and dimensions to rename: ``"v:old=v:new"``, ``"v=w"``,
        ``"dimension x=lon"``.
    set
        Attributes to create or replace, written as in CDL: ``'v:units = "K"'``.
    dry_run
        Whether to change nothing.
    notify
        Receives notices.

    Returns
    -------
    list of Change
        What has changed, or would change.

    Raises
    ------
    NczError
        If an edit is not valid, or the store cannot be changed. Nothing is changed then.
    """
    from ncz.commands.edit.command import EditOptions
    from ncz.commands.edit.command import edit as carry_out

    options = EditOptions(
        source=os.fspath(store),
        remove=words(remove),
        delete=words(delete),
        rename=words(rename),
        set=words(set),
        dry_run=dry_run,
    )
    return carry_out(options, notify)
