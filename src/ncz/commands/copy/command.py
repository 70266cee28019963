"""copy: one store becomes another, as with netCDF's nccopy."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

from ncz.commands.arguments import SourceLike, place_of, source_of
from ncz.commands.chunkspec import ChunkLengths, chunkspecs_of
from ncz.commands.copy.codec_specs import CodecSpec, codecs_of, filters_of
from ncz.commands.copy.exclusive import refuse_exclusive
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.reshape_options import Reshape
from ncz.commands.creation_options import create_options
from ncz.commands.functions import (
    Listener,
    Words,
    callbacks_of,
    speaks_python,
    translate,
    warn,
    words,
)
from ncz.commands.joining.members import named_members
from ncz.commands.joining.options import JoinOptions
from ncz.commands.keyword_groups import (
    AgreementKeywords,
    OrderKeywords,
    SelectionKeywords,
    of_group,
)
from ncz.commands.number_types.options import (
    NumberTypes,
    masks_of,
    packings_of,
    quantizations_of,
    types_of,
)
from ncz.commands.selected_part import region_of, selected_part
from ncz.commands.shards import ShardLengths, shards_of
from ncz.commands.sources import Source
from ncz.errors import Callbacks, NczError, ignore_notice
from ncz.formats.create_options import PieceOptions, StoreKeywords
from ncz.zmap.location import Path

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.commands.copy.summary import Summary
    from ncz.commands.keyword_groups import CopyKeywords
    from ncz.formats.edits import Request


@speaks_python
def copy(
    source: SourceLike | Sequence[SourceLike],
    target: Path | BinaryIO,
    *,
    variables: Words | None = None,
    data_of: Words | None = None,
    only_groups: Words | None = None,
    data_of_groups: Words | None = None,
    drop_attributes: Words = (),
    chunks: ChunkLengths = (),
    chunk_size: int | None = None,
    chunking: Literal["balanced", "netcdf"] = "balanced",
    min_chunk_size: int | None = None,
    shards: ShardLengths = (),
    fixed: bool = False,
    unlimited: Words = (),
    transpose: Words = (),
    codecs: str | Sequence[str | CodecSpec] = (),
    pack: str | Mapping[str, str] | None = None,
    types: str | Mapping[str, str] = "",
    missing_value: float | Mapping[str, float] | None = None,
    quantize: int | str | Mapping[str, int | str] | None = None,
    rename: Words | Mapping[str, str] = (),
    set: Words | Mapping[str, Any] = (),
    concat: str | None = None,
    new_dimension: str | None = None,
    append: str | None = None,
    into: Literal["auto"] | Mapping[str, Any] | None = None,
    add: bool = False,
    each: bool = False,
    split: str | None = None,
    resume: bool | None = None,
    verify: bool = False,
    digest: bool = False,
    preserve_time: bool = False,
    check_data: bool = False,
    keep_going: bool = False,
    verbatim: bool = False,
    dry_run: bool = False,
    cloud: bool = False,
    modes: Words = (),
    dask: str | None = None,
    on_plan: Callable[[Any], bool] | None = None,
    notify: Listener = warn,
    **options: Unpack[CopyKeywords],
) -> Summary:
    """Copy a dataset to another form or place. The target appears completely or not at all.

    With `append`, the source is added to an existing dataset; see docs/reference/copy.md. Only the
    options `allow_loss`, `memory`, `threads`, `verify` and `notify` then have an effect.

    Parameters
    ----------
    source
        A path or a URL, or a binary stream with the bytes of a file, or CDL text. It can be a
        Dataset, a DataTree or a DataArray of xarray, whose values are computed while they are
        written, or a dataset of `ncz.open`. Several are joined along the dimension `concat` or,
        without it, merged.
    target
        The path or the URL of the new store or file; a path that ends in ".cdl", and a binary
        stream, get CDL text.
    variables
        Copy these variables only.
    data_of
        Copy the data of these variables, and of variables that they need, such as coordinates.
    only_groups
        Copy these groups only.
    data_of_groups
        Copy the data of these groups, and of variables that they need.
    drop_attributes
        Copy without these attributes: NAME or a glob anywhere, V:NAME of a variable, :NAME of
        groups.
    chunks
        Lengths by dimension, such as {"time": 100, "lat": -1}, or chunkspecs: "time/100,lat/" for
        dimensions, "v:10,20" for a variable.
    chunk_size
        Largest size of a chunk in bytes; all variables are rechunked.
    chunking
        The shape of chunks of a given size: balanced (for time series and maps alike), or netcdf as
        netCDF-C shapes them.
    min_chunk_size
        Write a variable of fixed shape as one chunk if its chunks have less than N bytes.
    shards
        Shards in Zarr V3: their largest size, such as 100MB, auto, dim/length,dim/,...,
        var:length,..., / (one shard) or none.

        A number is a size in bytes, and a mapping has lengths by dimension.
    fixed
        Make unlimited dimensions fixed.
    unlimited
        Make these dimensions unlimited: time.
    transpose
        Dimensions of variables in their new order: lat,lon,time.

        Other dimensions do not move.
    codecs
        Codecs such as "zstd:5", for all variables or for one: "t2m=zlib:4".
    pack
        Pack floating-point data as this type, in the range of their values: short, or
        short:SCALE:OFFSET. V=short packs one variable.

        Coordinates, and data that are packed already, stay unchanged. A mapping has packings by
        variable.
    types
        Convert floating-point data to this type, such as float, or variables: V=short.

        A mapping has types by variable.
    missing_value
        Write missing data as this value, and name it in ``_FillValue``: of floating-point data that
        are neither packed nor coordinates, or of variables that a mapping names.
    quantize
        Round floating-point data to this number of significant digits, or to bits: bitround:9.

        Digits are rounded with the algorithm GranularBitRound of netCDF-C, or with "bitgroom:3".
        Packed data, coordinates and missing data stay unchanged. A mapping has digits by variable.
    rename
        Rename variables, dimensions, groups or attributes in the copy, as `edit` does:
        ``{"temp": "tas"}``.

        `isel`, `sel`, `vars`, `exclude`, `concat` and `split` have the old names, and other
        options the new ones.
    set
        Create or replace attributes in the copy, as `edit` does: ``{"tas:units": "degC"}``.
    concat
        Join several sources along this dimension, or along a new one if no source has it. Without
        it, they are merged.
    new_dimension
        Join several sources along a new dimension; each source becomes one index. The text
        ``"member=r1,r2"`` has its values, one for each source.
    append
        The dimension of an existing store or netCDF file to append the source along.
    into
        Write into a part of an existing store, which equal coordinates or indices choose.

        "auto" places every dimension by its coordinates, and ``{"time": slice(10, 20)}`` one by
        indices.
    add
        Add the variables to an existing store or netCDF file.

        Variables of the same name are replaced, and others stay. Dimensions must have the same
        lengths.
    each
        Copy each source to a separate target, named after the source.

        The target is a folder, or has a place for the name: ``"out/{}.zarr"``.
    split
        Divide the copy along a dimension: time=year, month, day or a length, or station.

        Each part has a separate target, such as ``"out-{}.nc"``.
    resume
        Resume an interrupted copy. If interrupted again, keep the written data.

        By default, a copy that an interrupt or the network stopped is resumed if its sources are
        the same. True keeps the written data after any error, and False begins again.
    verify
        Read both datasets back and compare them, also with the programs of `audience` that are
        installed.
    digest
        Keep a digest of the values of each variable, which `check --data` compares with them; see
        docs/reference/digest.md.
    preserve_time
        Give the target the time of the last change of the source.

        Both are paths on this computer.
    check_data
        Decode chunks that are copied without decoding, as a check.
    keep_going
        Copy damaged raw chunks unchanged, and skip pieces of an aggregation that cannot be read,
        and incomplete parts of a truncated file.

        `CodecError` is raised after the copy, unless `allow_loss` is set.
    verbatim
        Copy every object of a store unchanged, even if ncz cannot read it.
    dry_run
        Write nothing.
    cloud
        Write pure Zarr V3 for object stores. Chunks have about 16 MB and are compressed with blosc.
    modes
        Form of the target: zarr, nczarr, v3, zip, reference, cfa, ...

        They are added to the modes of a URL's ``#mode=``; (default: as the source).
    dask
        Address of a Dask scheduler whose workers write the chunks.
    on_plan
        Called with the plan before anything is written; the copy ends there if it returns False.
    notify
        Receives notices.
    **options
        The part of the source to copy: `isel`, `sel`, `nearest`, `vars` and `exclude`; see `open`.
        How the target is stored: `overwrite`, `kind` (of a netCDF file), `audience` (names of
        programs that must be able to read it), `consolidated`, `annotations`, `separator`, `char`,
        `truncate_strings` and `allow_loss` (if the target cannot represent everything). Rules for
        differences between several sources: `attributes`, `unpack`, `repack`, `tolerance`, `sort`
        and `overlap`. Filters as in nccopy: `deflate`, `shuffle` and `filters`. Aggregations
        and reference sets: `max_piece`, `pieces`, `piece_format`, `inline`, `record_size`,
        `relative_to` and `prefix`. Limits: `memory` in bytes and `threads`.

    Returns
    -------
    Summary
        The number of copied variables and chunks, and their size in bytes.

    Raises
    ------
    LossError
        If the target cannot represent everything, or part of the source cannot be read, and
        `allow_loss` is not set.
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
    given: dict[str, Any] = {**options}
    refuse_exclusive(
        given
        | {"append": append, "into": into, "add": add, "each": each, "split": split}
        | {"concat": concat, "new_dimension": new_dimension, "preserve_time": preserve_time}
        | {"verbatim": verbatim, "dask": dask, "resume": resume}
        | {"digest": digest, "verify": verify}
    )
    store = of_group(given, StoreKeywords)
    if dry_run:
        store["allow_loss"] = True
    pieces = PieceOptions(
        largest=given.get("max_piece"),
        lengths=tuple((given.get("pieces") or {}).items()),
        format=given.get("piece_format"),
    )
    sources = _sources(source, is_joined=bool(concat or new_dimension or append))
    is_joined = bool(sources[1:] or concat or new_dimension or append)
    concat, members = named_members(concat)
    new_dimension, new_members = named_members(new_dimension)
    wanted = CopyOptions(
        source=sources[0],
        more_sources=tuple(sources[1:]),
        target=place_of(target),
        subset=selected_part(cast("SelectionKeywords", of_group(given, SelectionKeywords))),
        reshape=Reshape(
            only=_names(variables),
            data_of=_names(data_of),
            only_groups=_names(only_groups),
            data_of_groups=_names(data_of_groups),
            drop_attributes=words(drop_attributes),
            chunkspecs=chunkspecs_of(chunks),
            chunk_size=chunk_size,
            chunking=chunking,
            least_chunk=min_chunk_size,
            shards=shards_of(shards),
            fixed=fixed,
            unlimited=words(unlimited),
            transpose=words(transpose),
            deflate=given.get("deflate"),
            shuffle=given.get("shuffle", False),
            filters=filters_of(given.get("filters", ())),
            codecs=codecs_of(codecs),
        ),
        join=JoinOptions(**of_group(given, AgreementKeywords), **of_group(given, OrderKeywords)),
        numbers=NumberTypes(
            unpack=bool(given.get("unpack")) and not is_joined,
            pack=packings_of(pack),
            types=types_of(types),
            masks=masks_of(missing_value),
            quantize=quantizations_of(quantize),
        ),
        edits=_edits(rename, set),
        concat=concat,
        new_dimension=new_dimension,
        members=members or new_members,
        append=append,
        into=region_of(into),
        add=add,
        resume=resume,
        verify=verify and not dry_run,
        digest=digest,
        check_data=check_data,
        keep_going=keep_going,
        verbatim=verbatim,
        dry_run=dry_run,
        cloud=cloud,
        modes=words(modes),
        create=create_options(cast("StoreKeywords", store), pieces=pieces),
        memory=given.get("memory"),
        threads=given.get("threads"),
        dask=dask,
        inline=given.get("inline"),
        record_size=given.get("record_size"),
        relative_to=given.get("relative_to"),
        prefix=given.get("prefix"),
    )
    callbacks = callbacks_of(notify)

    def is_wanted(plan: Any) -> bool:
        """Show the plan, and return whether it is carried out."""
        return (on_plan is None or on_plan(plan)) and not dry_run

    if into is not None:
        from ncz.commands.region.command import write_region

        return write_region(wanted, callbacks, is_wanted)
    if append is not None:
        from ncz.commands.append.command import append as append_to

        return append_to(wanted, callbacks, is_wanted)
    if add:
        from ncz.commands.add.command import add as add_to

        return add_to(wanted, callbacks, is_wanted)

    def copy_one(one: CopyOptions, listening: Callbacks) -> Summary:
        """Copy to one target, and let it have the time of its sources."""
        from ncz.commands.copy.dataset import copy_dataset

        if not preserve_time or dry_run:
            return copy_dataset(one, listening, is_wanted)
        from ncz.commands.copy.kept_time import keep_time, refuse_elsewhere

        refuse_elsewhere(one)
        summary = copy_dataset(one, listening, is_wanted)
        keep_time(one)
        return summary

    if each or split is not None:
        from ncz.commands.copy.dataset import exists, target_of
        from ncz.commands.copy.several_targets import Division, copy_to_several, split_of

        summary = copy_to_several(
            wanted,
            Division(each=each, split=split_of(split)),
            copy_one,
            lambda place: exists(target_of(place, wanted, ignore_notice)),
            callbacks,
        )
    else:
        summary = copy_one(wanted, callbacks)
    if not isinstance(notify, Callbacks):  # who gives them looks at the summary
        for error in summary.damaged:
            translate(error)
        if not wanted.create.allow_loss:
            summary.refuse_damage(str(target))
    return summary


def _edits(
    rename: Words | Mapping[str, str], attributes: Words | Mapping[str, Any]
) -> tuple[Request, ...]:
    """Return the requests for other names and attributes."""
    if not rename and not attributes:
        return ()
    from ncz.commands.edit.request import renames_and_values

    return tuple(renames_and_values(rename, attributes))


def _names(names: Words | None) -> tuple[str, ...] | None:
    return None if names is None else words(names)


def _sources(source: SourceLike | Sequence[SourceLike], *, is_joined: bool) -> list[Source]:
    """Return the sources of a copy; a pattern means the paths that it matches."""
    from ncz.commands.copy.expanded_sources import expand_sources

    several = source if isinstance(source, Sequence) and not isinstance(source, str) else [source]
    if not several:
        raise NczError("the list of sources is empty", "source")
    return [
        source_of(one)
        for each in several
        for one in (expand_sources(each, is_joined) if isinstance(each, str) else (each,))
    ]
