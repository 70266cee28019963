"""copy: one store becomes another, as with netCDF's nccopy.

The copy is planned first: what the target cannot hold, and for each variable whether its chunks are
copied raw, recoded or rechunked. The plan is then shown, or carried out. Source and target may be
CDL text instead of stores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, BinaryIO, Literal, cast

from ncz.commands.arguments import SourceLike, place_of, source_of
from ncz.commands.chunkspec import ChunkLengths, chunkspecs_of
from ncz.commands.copy.codec_specs import CodecSpec, codecs_of, filters_of
from ncz.commands.copy.options import CopyOptions, for_cloud, thread_count
from ncz.commands.copy.plan import CopyPlan, change_notice, plan_copy
from ncz.commands.copy.refused_targets import explained, refuse_target
from ncz.commands.copy.reshape_options import Reshape
from ncz.commands.copy.resumption import is_complete
from ncz.commands.copy.several_targets import Division, copy_divided, split_of
from ncz.commands.copy.source import open_source
from ncz.commands.copy.summary import Summary
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
from ncz.commands.joining.options import JoinOptions
from ncz.commands.keyword_groups import (
    AgreementKeywords,
    OrderKeywords,
    SelectionKeywords,
    of_group,
)
from ncz.commands.number_types.options import NumberTypes, types_of
from ncz.commands.option_error import OptionError
from ncz.commands.references import (
    inline_of,
    refuse_large,
    refuse_query,
    remarks,
    trusted,
    with_options,
)
from ncz.commands.selected_part import region_of, selected_part
from ncz.commands.shards import ShardLengths, shards_of
from ncz.commands.sources import Source, SourceCheck
from ncz.errors import (
    NO_CALLBACKS,
    Callbacks,
    NczError,
    Notice,
    Notify,
    StoreExists,
    StoreMissing,
    ignore_notice,
    note_if_interrupted,
    option,
)
from ncz.formats.create_options import PieceOptions, StoreKeywords
from ncz.record import replace
from ncz.zmap.location import Location, Path
from ncz.zmap.opening import holds_no_chunks, is_reference_set

if TYPE_CHECKING:
    from typing import Unpack

    from ncz.commands.keyword_groups import CopyKeywords


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
    transpose: Words = (),
    codecs: str | Sequence[str | CodecSpec] = (),
    pack: Literal["byte", "ubyte", "short", "ushort", "int", "uint"] | None = None,
    types: str | Mapping[str, str] = "",
    concat: str | None = None,
    new_dimension: str | None = None,
    append: str | None = None,
    into: Literal["auto"] | Mapping[str, Any] | None = None,
    each: bool = False,
    split: str | None = None,
    resume: bool | None = None,
    verify: bool = False,
    digest: bool = False,
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
    variables
        Copy these variables only.
    data_of
        Copy the data of these variables only.
    only_groups
        Copy these groups only.
    data_of_groups
        Copy the data of these groups only.
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
    transpose
        Names of dimensions in the order that variables are to have them.

        Other dimensions stay where they are.
    codecs
        Codecs such as "zstd:5", for all variables or for one: "t2m=zlib:4".
    pack
        Pack floating-point data as this type, in the range of their values.

        Coordinates, and data that are packed already, stay as they are.
    types
        Convert floating-point data to this type, such as float, or variables: V=short.

        A mapping has types by variable.
    concat
        Join several sources along this dimension. Without it, they are merged.
    new_dimension
        Join several sources along a new dimension; each source becomes one index.
    append
        The dimension of an existing store to append the source along.
    into
        Write into a part of an existing store, which equal coordinates or indices choose.

        "auto" places every dimension by its coordinates, and ``{"time": slice(10, 20)}`` one by
        indices.
    each
        Copy each source to a target of its own, whose name has that of the source.

        The target is a folder, or has a place for the name: ``"out/{}.zarr"``.
    split
        Divide the copy along a dimension: time=year, month, day or a length, or station.

        Each part has a target of its own, such as ``"out-{}.nc"``.
    resume
        Resume an interrupted copy. If interrupted again, keep what was written.

        By default, a copy that an interrupt or the network stopped is resumed if its sources are
        the same. True keeps what was written after any error, and False begins anew.
    verify
        Read both datasets back and compare them, also with the programs of `audience` that are
        installed.
    digest
        Keep a digest of the values of each variable, which `check --data` compares with them; see
        docs/reference/digest.md.
    check_data
        Decode chunks that are copied without decoding, as a check.
    keep_going
        Copy damaged raw chunks as they are, and skip pieces of an aggregation that cannot be read,
        and what a truncated file does not have whole.

        `CodecError` is raised after the copy, unless `allow_loss` is set.
    verbatim
        Copy every object of a store as it is, also what ncz cannot read.
    dry_run
        Write nothing.
    cloud
        Write pure Zarr V3 for object stores. Chunks have about 16 MB, and blosc.
    modes
        Form of the target: zarr, nczarr, v3, zip, reference, cfa, ...

        They are added to those of a URL's ``#mode=``; the default is as the source.
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
        `truncate_strings` and `allow_loss` (if the target cannot hold everything). What becomes of
        differences between several sources: `attributes`, `unpack`, `repack`, `tolerance`, `sort`
        and `overlap`. Filters as nccopy has them: `deflate`, `shuffle` and `filters`. Aggregations
        and reference sets: `max_piece`, `pieces`, `piece_format`, `inline`, `record_size` and
        `relative_to`. Limits: `memory` in bytes and `threads`.

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
    given: dict[str, Any] = {**options}
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
            transpose=words(transpose),
            deflate=given.get("deflate"),
            shuffle=given.get("shuffle", False),
            filters=filters_of(given.get("filters", ())),
            codecs=codecs_of(codecs),
        ),
        join=JoinOptions(**of_group(given, AgreementKeywords), **of_group(given, OrderKeywords)),
        numbers=NumberTypes(
            unpack=bool(given.get("unpack")) and not is_joined, pack=pack, types=types_of(types)
        ),
        concat=concat,
        new_dimension=new_dimension,
        append=append,
        into=region_of(into),
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
    )
    callbacks = callbacks_of(notify)

    def is_wanted(plan: Any) -> bool:
        """Show the plan, and return whether it is carried out."""
        return (on_plan is None or on_plan(plan)) and not dry_run

    if verbatim and (append is not None or into is not None):
        name = "append" if append is not None else "into"
        raise OptionError(f"{option('verbatim', True)} and {option(name)} cannot be used together")
    if into is not None:
        from ncz.commands.region.command import write_region

        return write_region(wanted, callbacks, is_wanted)
    if (each or split) and (append or (each and (concat or new_dimension))):
        name = "append" if append else "concat" if concat else "new_dimension"
        first = option("each" if each else "split")
        raise OptionError(f"{first} and {option(name)} cannot be used together")
    if append is not None:
        from ncz.commands.append.command import append as append_to

        return append_to(wanted, callbacks, is_wanted)
    division = Division(each=each, split=split_of(split))
    if division:
        summary = copy_divided(
            wanted,
            division,
            lambda one, listening: copy_dataset(one, listening, is_wanted),
            lambda place: _exists(_target(place, wanted, ignore_notice)),
            callbacks,
        )
    else:
        summary = copy_dataset(wanted, callbacks, is_wanted)
    if not isinstance(notify, Callbacks):  # who gives them looks at the summary
        for error in summary.damaged:
            translate(error)
        if not wanted.create.allow_loss:
            summary.refuse_damage(str(target))
    return summary


def _always(_: object) -> bool:
    return True


def _names(names: Words | None) -> tuple[str, ...] | None:
    return None if names is None else words(names)


def _sources(source: SourceLike | Sequence[SourceLike], *, is_joined: bool) -> list[Source]:
    """Return the sources of a copy; a pattern stands for the paths that it matches."""
    from ncz.commands.copy.expanded_sources import expanded

    several = source if isinstance(source, Sequence) and not isinstance(source, str) else [source]
    if not several:
        raise NczError("the list of sources is empty", "source")
    return [
        source_of(one)
        for each in several
        for one in (expanded(each, is_joined) if isinstance(each, str) else (each,))
    ]


def copy_dataset(
    options: CopyOptions,
    callbacks: Callbacks = NO_CALLBACKS,
    on_plan: Callable[[CopyPlan], bool] = _always,
) -> Summary:
    """Copy a dataset; if that fails, the target is as it was before.

    Parameters
    ----------
    options
        What to copy where, and how.
    callbacks
        Receives a notice of everything that the user should know, every chunk that is written, and
        every value that is compared.
    on_plan
        Called with the plan. The copy ends there, without writing anything, if it returns False.

    Returns
    -------
    Summary
        What was written and compared.

    Raises
    ------
    LossError
        If the target cannot hold something, and `options.create.allow_loss` is not set.
    NczError
        If the source cannot be read, the target cannot be written, or they differ.
    """
    if options.verbatim:
        from ncz.commands.copy.verbatim import copy_verbatim

        return copy_verbatim(options, callbacks)
    options = for_cloud(options) if options.cloud else options
    if options.verify and options.create.changing:
        changing = option(options.create.changing, True)
        raise OptionError(f"{changing} changes values, which {option('verify', True)} would report")
    if not isinstance(options.target, Location):
        if options.dry_run:
            raise OptionError(f"{option('dry_run', True)} needs a target that is not CDL text")
        if options.digest:
            raise OptionError("CDL keeps no digests", None, f"omit {option('digest', True)}")
        from ncz.commands.copy.cdl import copy_to_cdl

        return copy_to_cdl(options, callbacks)
    location = _target(options.target, options, callbacks.notify)
    target = location
    if is_reference_set(location):
        target = location = with_options(location, options)
        for source in _stored_sources(options):
            refuse_query(source)
            target = trusted(target, source)
    # The form of the target follows from the source, which is opened later.
    exists = (
        options.verify and not options.create.overwrite and not options.resume and _exists(location)
    )
    try:
        summary = Summary() if exists else _copy_store(options, location, callbacks, on_plan)
    except StoreMissing as error:
        raise explained(error, options, location) from None
    if summary is None:
        return Summary()
    if options.verify:
        _verify(options, target, summary, callbacks)
    return summary


def _verify(options: CopyOptions, target: Location, summary: Summary, callbacks: Callbacks) -> None:
    """Compare the target with the source, and let the programs that it is for read it."""
    from ncz.commands.copy.verification import read_by_others, verify

    if not summary.compared:
        with note_if_interrupted(
            f"{target.display} was written, but not verified; run the same command again"
        ):
            summary.compared = verify(options, target, callbacks)
    if options.create.audience:
        summary.read_by = read_by_others(options, target, callbacks)


_SKIPPED = ("file-truncated", "piece-unreadable")
"""Notices of what ``--keep-going`` leaves out. The rest is copied."""


def _copy_store(
    options: CopyOptions,
    location: Location,
    callbacks: Callbacks,
    on_plan: Callable[[CopyPlan], bool],
) -> Summary | None:
    """Plan the copy and carry it out; return None if `on_plan` declines it."""
    from ncz.commands.copy.execution import carry_out
    from ncz.formats.write_plan import refuse_losses
    from ncz.transfer.move import report_unknown_codecs

    unread: list[Notice] = []

    def sort(notice: Notice) -> None:
        is_skipped = options.keep_going and notice.code in _SKIPPED
        if notice.is_left_behind and not is_skipped:
            unread.append(notice)
        else:
            callbacks.notify(notice)

    check = SourceCheck()
    refuse_target(options, location)
    with (
        note_if_interrupted(f"{location.display} was not changed"),
        open_source(options, replace(callbacks, notify=sort), location, check) as dataset,
    ):
        plan = plan_copy(dataset, location, options, callbacks.notify)
        if options.digest:
            from ncz.commands.copy.digests import with_digests

            plan = with_digests(plan, location, options)
        if holds_no_chunks(location):
            refuse_large(plan)
        for variable in plan.variables:
            if variable.transfer is not None:
                report_unknown_codecs(variable.transfer, sort)

        def check_source() -> None:
            before = len(unread)
            check()
            if unread[before:] and not options.create.allow_loss:  # found while chunks were listed
                refuse_losses((*unread[before:], *plan.target.losses), False, callbacks.notify)

        plan = replace(
            plan,
            place=location.display,
            unread=tuple(unread),
            check_source=check_source,
            threads=thread_count(location, options),
            inline=inline_of(location),
            is_set=holds_no_chunks(location),
            is_uploaded=location.kind == "remote",
        )
        refuse_losses(plan.losses, options.create.allow_loss, callbacks.notify)
        changed = change_notice(plan.changes)
        if changed is not None:
            callbacks.notify(changed)
        if not on_plan(plan):
            return None
        callbacks.progress.expect(sum(variable.chunks for variable in plan.variables))
        try:
            summary = carry_out(plan, location, options, callbacks)
        except StoreExists:
            if not options.resume or options.create.overwrite or not is_complete(plan, location):
                raise
            from ncz.commands.copy.verification import verify

            compared = verify(options, location)
            if not plan.target.has_metadata():  # what `verify` compares only where all can hold it
                raise
            return Summary(variables=len(plan.variables), compared=compared)
        for notice in unread[len(plan.unread) :]:  # found while data were read
            callbacks.notify(notice)
        sources = _stored_sources(options)
        notices = (
            remarks(dataset, plan, location, sources)
            if holds_no_chunks(location)
            else plan.target.remarks(next(iter(sources), None))
        )
        for notice in notices:
            callbacks.notify(notice)
        return summary


def _stored_sources(options: CopyOptions) -> list[Location]:
    """Return the sources that are not text."""
    return [source for source in options.sources if isinstance(source, Location)]


def _target(target: Location, options: CopyOptions, notify: Notify) -> Location:
    """Return the location of the target, which is a reference set if its name says so."""
    from ncz.commands.gen import writable
    from ncz.formats.foreign_names import is_name_of_set

    location = target.with_modes(options.modes)
    if is_name_of_set(location):
        location = location.with_modes(["reference"])
    return writable(location, options.create.kind, notify)


def _exists(location: Location) -> bool:
    from ncz.formats.opening import open_dataset

    try:
        with open_dataset(location):
            return True
    except StoreMissing:
        return False
