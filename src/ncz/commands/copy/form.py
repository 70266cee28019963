"""The form of a target: its version of Zarr, its flavour, and whether metadata are consolidated.

A copy keeps the form of its source, unless its options or the target's fragment choose another.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from ncz.commands.copy.options import CopyOptions
from ncz.errors import Notice
from ncz.model.encoded import EncodedSource
from ncz.model.filters import from_hdf5
from ncz.model.layout import in_order
from ncz.model.types import Atomic
from ncz.record import record, replace

if TYPE_CHECKING:
    from ncz.formats.zarr.array_plan import ArrayPlan, ZarrSource
    from ncz.formats.zarr.plan import DatasetPlan
    from ncz.model.layout import ChunkLayout
    from ncz.model.tree import Dataset, Provenance
    from ncz.zmap.location import Location

_NAMED = 5
"""Variables that one change names."""


@record
class Change:
    """Something of how the source is stored that the target does not keep.

    `requested` is true if an option asks for it, or for a format in which it cannot be otherwise.
    """

    message: str
    requested: bool


def resolved(
    location: Location, dataset: Dataset, options: CopyOptions
) -> tuple[Location, CopyOptions]:
    """Return the target's location with the modes of its form, and the options for that form.

    The form is that of the source, unless the modes or the options give another. An audience may
    need another, too. Raises `AudienceError` if no form serves all of it.
    """
    given = location
    location = target_form(location, dataset.provenance, options.consolidated)
    if not options.audience:
        return location, options
    from ncz.formats.zarr.audience import readers_named
    from ncz.formats.zarr.creation import form_for, form_of, with_form

    form = form_for(
        dataset,
        given,
        readers_named(options.audience),
        char=options.char,
        preferred=form_of(location, options.char),
    )
    return with_form(location, form), replace(options, text=form.text)


def exclusion(
    source: Location | None, dataset: Dataset, plan: DatasetPlan, target: Location
) -> Notice | None:
    """Return a notice of readers that open the source but not the target, or None."""
    from ncz.formats.zarr.audience import Form, contents_of, excluded_readers, exclusion_notice
    from ncz.formats.zarr.creation import form_of, is_zip

    ignored: frozenset[str] = frozenset()
    made = dataset.provenance
    if source is not None and made.zarr_format is not None:
        own = Form(flavour="nczarr" if made.superblock else "zarr", zarr_format=made.zarr_format)
        ignored = excluded_readers(contents_of(dataset, zipped=is_zip(source)), own)
    contents = contents_of(dataset, zipped=is_zip(target))
    return exclusion_notice(contents, form_of(target, plan.options.char), ignored)


def target_form(location: Location, source: Provenance, consolidated: bool | None) -> Location:
    """Return the target's location with the modes that make it a store like the source.

    Parameters
    ----------
    location
        The target, with the modes that the user gave.
    source
        How the source is stored. A text has no form, and its target is NCZarr V2 by default.
    consolidated
        Whether the user asked for consolidated metadata; None if not.
    """
    modes = set(location.modes)
    if source.zarr_format is not None:
        if "nczarr" not in modes and not source.superblock:
            modes |= {"nczarr", "zarr"}
        if not modes & {"v2", "v3"} and source.zarr_format == 3:
            modes.add("v3")
        if source.consolidated and consolidated is None:
            modes.add("consolidated")
    if consolidated is False:
        modes.discard("consolidated")
    return replace(location, modes=frozenset(modes))


def form_text(zarr_format: int | None, *, pure: bool) -> str:
    """Return the version of Zarr and the flavour in words."""
    return f"{'pure Zarr' if pure else 'NCZarr'}, Zarr V{zarr_format}"


def changes_of(source: Provenance, plan: DatasetPlan, options: CopyOptions) -> tuple[Change, ...]:
    """Return what the target does not keep of how the source is stored."""
    if source.is_netcdf_file:
        return tuple(_left_out_filters(plan, options))
    if source.zarr_format is None:
        return ()
    return (*_whole(source, plan), *_variables(source, plan, options))


def change_notice(changes: Iterable[Change]) -> Notice | None:
    """Return one notice of all changes that were not requested; None if there are none."""
    messages = [change.message for change in changes if not change.requested]
    if not messages:
        return None
    return Notice(
        "form-changed", f"the copy also changes how data are stored: {'; '.join(messages)}"
    )


def _whole(source: Provenance, plan: DatasetPlan) -> Iterator[Change]:
    options = plan.options
    if source.zarr_format != options.zarr_format:
        yield Change(f"Zarr V{source.zarr_format} becomes Zarr V{options.zarr_format}", True)
    if bool(source.superblock) == options.pure:
        names = ("NCZarr", "pure Zarr") if options.pure else ("pure Zarr", "NCZarr")
        yield Change(f"{names[0]} becomes {names[1]}", True)
    if source.consolidated != options.consolidated:
        what = "added" if options.consolidated else "left out"
        yield Change(f"consolidated metadata are {what}", True)


Describe = Callable[["ZarrSource", "ArrayPlan"], "str | None"]
"""A function that says what changes of one variable, or None."""


def _variables(source: Provenance, plan: DatasetPlan, options: CopyOptions) -> Iterator[Change]:
    """Yield one change for each kind, which names the variables."""
    from ncz.formats.zarr.array_plan import ZarrSource

    reshape = options.reshape
    other_format = source.zarr_format != plan.options.zarr_format
    kinds: tuple[tuple[Describe, bool], ...] = (
        (_data_type, False),
        (_shards, bool(reshape.shards)),
        (_lengths_of, bool(reshape.chunkspecs or reshape.chunk_size or reshape.shards)),
        (_order, False),
        (_codecs, _is_recoded(options)),
        (_separator, options.separator is not None or other_format),
    )
    for describe, requested in kinds:
        found: dict[str, list[str]] = {}
        for array in plan.arrays:
            if isinstance(array.variable.data, ZarrSource):
                message = describe(array.variable.data, array)
                if message is not None:
                    found.setdefault(message, []).append(array.fqn)
        for message, fqns in found.items():
            yield _change(message, fqns, requested)


def _change(message: str, fqns: list[str], requested: bool) -> Change:
    more = f" and {len(fqns) - _NAMED} more" if len(fqns) > _NAMED else ""
    return Change(f"{message} ({', '.join(fqns[:_NAMED])}{more})", requested)


def _is_recoded(options: CopyOptions) -> bool:
    """Return whether the options choose other codecs."""
    chosen = options.reshape
    return bool(chosen.deflate is not None or chosen.shuffle or chosen.filters or chosen.codecs)


def _left_out_filters(plan: DatasetPlan, options: CopyOptions) -> Iterator[Change]:
    """Yield one change for each filter of HDF5 that has no codec of Zarr."""
    found: dict[str, list[str]] = {}
    for array in plan.arrays:
        for used in array.variable.storage.hdf5_filters or ():
            if from_hdf5(used, 1) is None:
                message = f"HDF5 filter {used.description} has no Zarr codec and is left out"
                found.setdefault(message, []).append(array.fqn)
    for message, fqns in found.items():
        yield _change(message, fqns, _is_recoded(options))


def _data_type(source: ZarrSource, array: ArrayPlan) -> str | None:
    ours, theirs = source.encoding.dtype, array.encoding.dtype
    if array.encoding.type is source.encoding.type is Atomic.CHAR and theirs == "|u1":
        return None  # uint8 of NCZarr V3, which is read as |S1
    return None if ours == theirs else f"data type {_short(ours)} becomes {_short(theirs)}"


def _short(dtype: object) -> str:
    return dtype if isinstance(dtype, str) else "structure"


def _shards(source: ZarrSource, array: ArrayPlan) -> str | None:
    ours, theirs = source.layout, array.layout
    if ours.shard is None and theirs.shard is None:
        return None
    if theirs.shard is None:
        return "shards become separate chunks"
    if ours.shard is None:
        return f"chunks are stored in shards of {_lengths(theirs.chunks)}"
    if ours.chunks == theirs.chunks:
        return None
    return f"shards of {_lengths(ours.chunks)} become shards of {_lengths(theirs.chunks)}"


def _lengths_of(source: ZarrSource, array: ArrayPlan) -> str | None:
    if source.layout.lengths is None or array.layout.lengths is not None:
        return None
    what = "shards" if array.layout.shard is not None else "chunks"
    return f"chunks of different lengths become {what} of {_lengths(array.layout.chunks)}"


def _lengths(shape: tuple[int, ...]) -> str:
    return "x".join(map(str, shape))


def _order(source: EncodedSource, array: ArrayPlan) -> str | None:
    ours, theirs = source.layout, array.layout
    if ours.shard is not None or theirs.shard is not None or ours.order == theirs.order:
        return None
    if ours.order == in_order(ours.rank, "F"):
        return "axis order F becomes C"
    return "the axis order becomes C"


def _codecs(source: EncodedSource, array: ArrayPlan) -> str | None:
    ours, theirs = _codec_names(source.layout), _codec_names(array.layout)
    return None if ours == theirs else f"codecs {ours} become {theirs}"


def _codec_names(layout: ChunkLayout) -> str:
    """Return the names of codecs, without those that encode objects, which follow the data type."""
    from ncz.codec.lookup import is_object_codec

    codecs = layout.codecs if layout.shard is None else layout.shard.codecs
    return "+".join(str(c.id) for c in codecs if not is_object_codec(c.to_json())) or "none"


def _separator(source: ZarrSource, array: ArrayPlan) -> str | None:
    ours, theirs = source.keys.separator, array.keys.separator
    return None if ours == theirs else f"separator {ours} of chunk keys becomes {theirs}"
