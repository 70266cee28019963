"""Functions that create stores and files: `gen`, `copy`, `concat`, `merge` and `aggregate`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Literal

from ncz.api.selections import fields_from
from ncz.commands.arguments import SourceLike, place_of, several, source_of, text_source
from ncz.commands.functions import Words, speaks_python, translate, warn
from ncz.errors import Callbacks, NczError, Notify
from ncz.zmap.location import Path, location_of

if TYPE_CHECKING:
    from ncz.commands.copy.summary import Summary
    from ncz.commands.sources import Source
    from ncz.model.netcdf_kinds import NetcdfKind


@speaks_python
def gen(
    source: Path | BinaryIO,
    target: Path | None,
    *,
    name: str | None = None,
    overwrite: bool = False,
    header_only: bool = False,
    no_fill: bool = False,
    kind: NetcdfKind | None = None,
    audience: Words = (),
    modes: Words = (),
    separator: str | None = None,
    consolidated: bool | None = None,
    annotations: bool = True,
    char: str | None = None,
    truncate_strings: bool = False,
    allow_loss: bool = False,
    shards: Words = (),
    notify: Notify = warn,
) -> None:
    """Make a store from CDL or JSON text. The store appears completely or not at all.

    Parameters
    ----------
    source
        The path of the text, or a binary stream.
    target
        The path or URL of the new store. If it is None, the text is only checked.
    name
        The name of the dataset, instead of that in the text.
    overwrite
        Whether to replace an existing store.
    header_only
        Whether to leave the data out.
    no_fill
        Whether to leave out the values of variables without data, instead of filling them.
    kind
        The kind of netCDF file to write: "netCDF-4", "netCDF-4 classic model", "classic", "64-bit
        offset" or "cdf5".
    audience
        Names of programs that must be able to read the target, such as "xarray".
    modes
        As in a URL's ``#mode=``, for example "zarr" or "consolidated".
    separator
        The character between the indices in the keys of chunks: "." or "/".
    consolidated
        Whether to write consolidated metadata; None writes them in pure Zarr, and for xarray.
    annotations
        Whether pure Zarr notes beside consolidated metadata what pure Zarr cannot say.
    char
        The dtype of char: ``">S1"`` or ``"|S1"``.
    truncate_strings
        Whether to truncate strings that are longer than declared.
    allow_loss
        Whether to go on if the target cannot hold everything; notices name what is lost.
    shards
        Chunkspecs of shards in Zarr V3, such as "time/1000,lat/" or "v:100,20", or their largest
        size, such as "100MB"; "auto" chooses it, and "none" removes shards.
    notify
        Receives notices.

    Raises
    ------
    CdlError
        If the text is not valid.
    LossError
        If the target cannot hold everything, and `allow_loss` is not set.

    Examples
    --------
    >>> ncz.gen("weather.cdl", "new.zarr")
    >>> ncz.open("new.zarr").dims
    {'time': 4, 'lat': 3, 'lon': 5}
    """
    from ncz.commands.gen import GenOptions
    from ncz.commands.gen import gen as make

    place = None if target is None else location_of(target)
    make(
        GenOptions(source=text_source(source), target=place, **fields_from(GenOptions, locals())),
        Callbacks(notify),
    )


@speaks_python
def copy(
    source: SourceLike | Sequence[SourceLike],
    target: Path | BinaryIO,
    *,
    isel: Mapping[str, Any] | None = None,
    sel: Mapping[str, Any] | None = None,
    nearest: bool = False,
    vars: Words = (),
    exclude: Words = (),
    variables: Words | None = None,
    data_of: Words | None = None,
    only_groups: Words | None = None,
    data_of_groups: Words | None = None,
    drop_attributes: Words = (),
    chunks: Words | Mapping[str, int | None] = (),
    chunk_size: int | None = None,
    chunking: Literal["balanced", "netcdf"] = "balanced",
    min_chunk_size: int | None = None,
    shards: Words = (),
    fixed: bool = False,
    codecs: Words = (),
    attributes: Literal["identical", "first", "agreeing", "none"] | None = None,
    unpack: bool = False,
    repack: str | None = None,
    tolerance: float | None = None,
    sort: bool = False,
    overlap: Literal["first", "last", "keep"] | None = None,
    overwrite: bool = False,
    concat: str | None = None,
    new_dimension: str | None = None,
    append: str | None = None,
    resume: bool = False,
    verify: bool = False,
    check_data: bool = False,
    keep_going: bool = False,
    kind: NetcdfKind | None = None,
    audience: Words = (),
    cloud: bool = False,
    modes: Words = (),
    consolidated: bool | None = None,
    annotations: bool = True,
    separator: str | None = None,
    char: str | None = None,
    truncate_strings: bool = False,
    allow_loss: bool = False,
    memory: int | None = None,
    threads: int | None = None,
    dask: str | None = None,
    max_piece: int | None = None,
    pieces: Mapping[str, int] | None = None,
    piece_format: Literal["netcdf", "zarr"] | None = None,
    inline: int | None = None,
    record_size: int | None = None,
    notify: Notify = warn,
) -> Summary:
    """Copy a dataset to another form or place. The target appears completely or not at all.

    With `append`, the source is added to an existing store; see docs/reference/copy.md. Other
    options than `allow_loss`, `memory`, `threads`, `verify` and `notify` have no effect then.

    Parameters
    ----------
    source
        A path or a URL; a path that ends in ".cdl", and a binary stream, are CDL text. It can be a
        Dataset, a DataTree or a DataArray of xarray, whose values are computed as they are written,
        or a dataset of `ncz.open`. Several are joined along the dimension `concat` or, without it,
        merged.
    target
        The path or the URL of the new store or file; a path that ends in ".cdl", and a binary
        stream, get CDL text.
    isel
        The part to use, by indices of dimensions; see `Dataset.isel`.
    sel
        The part to use, by values of coordinates; see `Dataset.sel`.
    nearest
        Whether a single value of `sel` selects the coordinate that is nearest to it.
    vars
        Names or globs of the variables to use, with all that they refer to, such as coordinates,
        bounds and grid mappings.
    exclude
        Names or globs of the variables to leave out, unless others refer to them.
    variables
        The variables to copy; by default all.
    data_of
        The variables whose data are copied; by default all.
    only_groups
        The groups to copy; by default all.
    data_of_groups
        The groups whose data are copied; by default all.
    drop_attributes
        Attributes to leave out: "history", "v:history", or ":history" of groups.
    chunks
        Lengths by dimension, such as {"time": 100, "lat": -1}, or chunkspecs: "time/100,lat/" for
        dimensions, "v:10,20" for a variable.
    chunk_size
        Largest size of a chunk in bytes; all variables are rechunked.
    chunking
        The shape of chunks of a given size: "balanced", or "netcdf" as netCDF-C shapes them.
    min_chunk_size
        Variables of fixed shape with chunks of fewer bytes are written as one chunk.
    shards
        Chunkspecs of shards in Zarr V3, such as "time/1000,lat/" or "v:100,20", or their largest
        size, such as "100MB"; "auto" chooses it, and "none" removes shards.
    fixed
        Whether to make unlimited dimensions fixed.
    codecs
        Codecs such as "zstd:5", for all variables or for one: "t2m=zlib:4".
    attributes
        What becomes of attributes that differ: "identical" (an error), "first", "agreeing" (they
        are left out) or "none" (all are left out). By default, those of variables must be
        identical, and groups have those of the first source.
    unpack
        Whether to unpack variables whose scale_factor or add_offset differs.
    repack
        The type to repack variables as, if their scale_factor or add_offset differs.
    tolerance
        By how much the values of variables without the joined dimension may differ. Those of the
        first source are kept.
    sort
        Whether to sort values by the coordinate of the joined dimension.
    overlap
        Which values to keep where sources overlap: "first", "last", or "keep" for all. By default,
        an overlap is an error.
    overwrite
        Whether to replace an existing store.
    concat
        The dimension to join several sources along; without it, they are merged.
    new_dimension
        The name of a new dimension to join several sources along; each source becomes one index.
    append
        The dimension of an existing store to append the source along.
    resume
        Whether to continue a copy that was interrupted.
    verify
        Whether to read both datasets back and compare them, also with the programs of `audience`
        that are installed.
    check_data
        Whether to decode chunks that are copied without decoding, as a check.
    keep_going
        Whether to copy damaged chunks as they are, where chunks are not decoded. `CodecError` is
        raised after the copy, unless `allow_loss` is set.
    kind
        The kind of netCDF file to write: "netCDF-4", "netCDF-4 classic model", "classic", "64-bit
        offset" or "cdf5".
    audience
        Names of programs that must be able to read the target, such as "xarray".
    cloud
        Whether to write pure Zarr V3 for object stores, in chunks of about 16 MB with blosc.
    modes
        As in a URL's ``#mode=``, for the target.
    consolidated
        Whether to write consolidated metadata; None writes them if the source has them, for xarray,
        and for a new store of pure Zarr.
    annotations
        Whether pure Zarr notes beside consolidated metadata what pure Zarr cannot say.
    separator
        The character between the indices in the keys of chunks: "." or "/".
    char
        The dtype of char: ``">S1"`` or ``"|S1"``.
    truncate_strings
        Whether to truncate strings that are longer than declared.
    allow_loss
        Whether to go on if the target cannot hold everything; notices name what is lost.
    memory
        Memory limit for data in bytes; by default a quarter of what is free, between 256 MiB and 4
        GiB.
    threads
        Number of threads; by default one per core.
    dask
        The address of a Dask scheduler whose workers write the chunks.
    max_piece
        The largest size of a piece of a new aggregation in bytes.
    pieces
        The length of the pieces of a new aggregation along dimensions.
    piece_format
        The format of the pieces of a new aggregation.
    inline
        Bytes up to which a new reference set holds an object itself.
    record_size
        Chunks in each file of a new reference set in the Parquet layout.
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

    Examples
    --------
    >>> summary = ncz.copy("weather.zarr", "zstd.zarr", codecs="zstd:5")
    >>> summary.variables
    6
    >>> ncz.diff("weather.zarr", "zstd.zarr")
    []
    """
    from ncz.commands.copy.command import copy as carry_out
    from ncz.commands.copy.options import CopyOptions

    sources = _sources(source)
    options = CopyOptions(
        source=sources[0],
        more_sources=tuple(sources[1:]),
        target=place_of(target),
        **fields_from(CopyOptions, locals()),
    )
    if append is not None:
        from ncz.commands.append.command import append as carry_out_append

        return carry_out_append(options, Callbacks(notify))
    summary = carry_out(options, Callbacks(notify))
    for error in summary.damaged:
        translate(error)
    if not allow_loss:
        summary.refuse_damage(str(target))
    return summary


@speaks_python
def concat(
    sources: Sequence[SourceLike],
    target: Path | BinaryIO,
    dim: str,
    *,
    attributes: Literal["identical", "first", "agreeing", "none"] | None = None,
    unpack: bool = False,
    repack: str | None = None,
    tolerance: float | None = None,
    sort: bool = False,
    overlap: Literal["first", "last", "keep"] | None = None,
    **options: Any,
) -> Summary:
    """Join datasets along a dimension in a new store or file.

    Variables that do not have the dimension must be equal. Times are converted to the units of the
    first source. The same as `copy` with several sources and its option `concat`.

    Parameters
    ----------
    sources
        Paths, URLs and datasets, as for `copy`.
    target
        The path or the URL of the new store or file.
    dim
        The dimension along which the sources follow each other.
    attributes
        What becomes of attributes that differ: "identical" (an error), "first", "agreeing" (they
        are left out) or "none" (all are left out). By default, those of variables must be
        identical, and groups have those of the first source.
    unpack
        Whether to unpack variables whose scale_factor or add_offset differs.
    repack
        The type to repack variables as, if their scale_factor or add_offset differs.
    tolerance
        By how much the values of variables without the joined dimension may differ. Those of the
        first source are kept.
    sort
        Whether to sort values by the coordinate of the joined dimension.
    overlap
        Which values to keep where sources overlap: "first", "last", or "keep" for all. By default,
        an overlap is an error.
    **options
        As for `copy`: ``chunks="time/100"``, ``cloud=True``, ``overwrite=True``, ...

    Returns
    -------
    Summary
        What was written: the number of variables and chunks, and their size in bytes.

    Raises
    ------
    NczError
        If the sources do not fit together, or one cannot be read.

    Examples
    --------
    >>> days = [ncz.open("weather.zarr").isel(time=i) for i in range(4)]
    >>> ncz.concat(days, "again.zarr", "time").variables
    6
    >>> ncz.diff("weather.zarr", "again.zarr", data_only=True)
    []
    """
    return copy(
        sources,
        target,
        concat=dim,
        attributes=attributes,
        unpack=unpack,
        repack=repack,
        sort=sort,
        overlap=overlap,
        **options,
    )


@speaks_python
def merge(
    sources: Sequence[SourceLike],
    target: Path | BinaryIO,
    *,
    attributes: Literal["identical", "first", "agreeing", "none"] | None = None,
    **options: Any,
) -> Summary:
    """Put the variables and groups of several datasets into a new store or file.

    What two of them have must be equal. The same as `copy` with several sources.

    Parameters
    ----------
    sources
        Paths, URLs and datasets, as for `copy`.
    target
        The path or the URL of the new store or file.
    attributes
        What becomes of attributes that differ, as for `concat`.
    **options
        As for `copy`: ``chunks="time/100"``, ``cloud=True``, ``overwrite=True``, ...

    Returns
    -------
    Summary
        What was written: the number of variables and chunks, and their size in bytes.

    Raises
    ------
    NczError
        If the sources do not fit together, or one cannot be read.

    Examples
    --------
    >>> ds = ncz.open("weather.zarr")
    >>> parts = [ds.select("temperature"), ds.select("wind_speed")]
    >>> ncz.merge(parts, "both.zarr").variables
    5
    """
    return copy(sources, target, attributes=attributes, **options)


def _sources(source: SourceLike | Sequence[SourceLike]) -> list[Source]:
    """Return the sources of a copy."""
    if not isinstance(source, Sequence) or isinstance(source, str):
        return [source_of(source)]
    if not source:
        raise NczError("the list of sources is empty", "source")
    return [source_of(one) for one in source]


@speaks_python
def aggregate(
    sources: Path | Sequence[Path],
    target: Path,
    *,
    axis: str | None = None,
    mode: Literal["cfa", "cfa0.5", "cfa0.4", "cf"] = "cfa",
    rebuild: bool = False,
    attributes: Literal["identical", "first", "agreeing", "none"] | None = None,
    unpack: bool = False,
    tolerance: float | None = None,
    overlap: Literal["first", "last", "keep"] | None = None,
    overwrite: bool = False,
    allow_loss: bool = False,
    move: str | None = None,
    notify: Notify = warn,
) -> int:
    """Make a master over files or stores that exist, without moving their data.

    They must agree but along the dimension `axis`, by whose coordinate variable they are sorted.
    The master holds the coordinates, and refers to the files for other variables.

    Parameters
    ----------
    sources
        Paths or URLs of the files or stores.
    target
        The path or URL of the master: a netCDF file, or a Zarr store if it ends in ``.zarr``.
    axis
        The dimension along which the files follow each other.
    mode
        The form of the master: "cfa" for CFA 0.5, "cfa0.4", or "cf" for CF 1.13.
    rebuild
        Whether to make a lost master again; the sources are its pieces, or the folders of these.
    attributes
        What becomes of attributes that differ: "identical" (an error), "first", "agreeing" (they
        are left out) or "none" (all are left out). By default, those of variables must be
        identical, and groups have those of the first source.
    unpack
        Whether to unpack variables whose scale_factor or add_offset differs.
    tolerance
        By how much the values of variables without the joined dimension may differ. Those of the
        first source are kept.
    overlap
        Which values to keep where sources overlap: "first", "last", or "keep" for all. By default,
        an overlap is an error.
    overwrite
        Whether to replace an existing store.
    allow_loss
        Whether to go on if the target cannot hold everything; notices name what is lost.
    move
        The folder or URL in which the pieces of `target` are now, without `sources`; no file is
        moved.
    notify
        Receives notices.

    Returns
    -------
    int
        The number of files, or with `move` of names.

    Raises
    ------
    NczError
        If the files do not agree or overlap. The target is as it was before.

    Examples
    --------
    >>> ncz.copy("weather.zarr", "a.zarr", isel={"time": slice(0, 2)}).variables
    6
    >>> ncz.copy("weather.zarr", "b.zarr", isel={"time": slice(2, 4)}).variables
    6
    >>> ncz.aggregate(["a.zarr", "b.zarr"], "all.zarr", axis="time")
    2
    >>> ncz.open("all.zarr").dims["time"]
    4
    """
    from ncz.commands.aggregate.command import aggregate as carry_out
    from ncz.commands.aggregate.options import AggregateOptions
    from ncz.commands.aggregate.relocation import move as carry_out_move

    places = several(sources)
    options = AggregateOptions(
        target=location_of(target),
        sources=tuple(location_of(each) for each in places),
        **fields_from(AggregateOptions, locals()),
    )
    if (move is None) == (not options.sources):
        raise NczError("give sources, or move and no sources", options.target.display)
    if move is not None:
        return carry_out_move(options.target, move, notify)
    return carry_out(options, Callbacks(notify))
