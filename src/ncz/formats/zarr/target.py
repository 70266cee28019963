"""A Zarr store as the target of a copy or of gen: its form, its plan and its creation.

A copy keeps the version of Zarr, the flavour, and whether metadata are consolidated, unless the
options or the target's fragment choose another form.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Collection, Container, Iterable, Iterator, Mapping, Sequence
from typing import Any

from ncz.codec.catalogue import codec_id, find_deflate, is_kind, is_object_codec
from ncz.codec.deflate import GZIP, ZLIB
from ncz.errors import (
    NO_PROGRESS,
    Notice,
    Notify,
    Progress,
    UrlError,
    list_names,
    named_notice,
    option,
)
from ncz.formats.kinds import CreateOptions, Requested, StorageChange, WriteArray, WritePlan
from ncz.formats.zarr.array import ZarrArray
from ncz.formats.zarr.array_plan import ArrayPlan, are_bytes, check_codecs
from ncz.formats.zarr.dimensions import with_names
from ncz.formats.zarr.document_v2 import ZARRAY, ZATTRS
from ncz.formats.zarr.elements import is_null_fill
from ncz.formats.zarr.options import (
    FORMS,
    MOST_FILLED,
    AudienceError,
    Contents,
    Flavour,
    Form,
    WriteOptions,
    choose_form,
    common_codecs,
    contents_of,
    readers_named,
    refused_chunks,
    refused_forms,
)
from ncz.formats.zarr.plan import DatasetPlan, plan_dataset
from ncz.formats.zarr.readers import READERS, WIDESPREAD, Feature, Reader, TextForm
from ncz.formats.zarr.writer import write_plan, write_values
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.encoded import ArrayStore, EncodedSource, TargetArray
from ncz.model.filters import Filter, from_hdf5, make_filter, stand_in
from ncz.model.tree import Dataset, Provenance, Variable, each_variable
from ncz.model.types import Atomic
from ncz.record import record, replace
from ncz.zmap import WritableZmap
from ncz.zmap.key import ZARR_JSON, join_key
from ncz.zmap.kinds import kind_of_name
from ncz.zmap.location import Location
from ncz.zmap.memory import MemoryZmap
from ncz.zmap.opening import Claim, create_zmap, is_reference_set, open_zmap

# A dataset written to a new Zarr store at a location.


class KindError(UrlError):
    """A kind of netCDF file that a Zarr store cannot have."""

    exit_code = 2


def _check_kind(location: Location, options: CreateOptions) -> None:
    """Raise `KindError` if the options ask for a kind of netCDF file other than netCDF-4."""
    if options.kind not in (None, "netCDF-4"):
        raise KindError(
            f"a Zarr store holds netCDF-4 data, not {options.kind!r}",
            location.display,
            f"omit {option('kind')}, or give the name of a netCDF file, such as x.nc",
        )


def write_options(
    location: Location,
    options: CreateOptions,
    readers: Sequence[Reader],
    text: TextForm | None,
    source: Provenance,
) -> WriteOptions:
    """Return how a store is written, given the modes of its location, its readers, its source."""
    zarr_format = 3 if "v3" in location.modes else 2
    is_set = is_reference_set(location)
    is_masked = any(("fill", "masked") in reader.unread for reader in readers)
    # A reference set refers to chunks as they are, unless it is for somebody.
    others = [name for name in WIDESPREAD if not (location.pure and name == "netcdf-c")]
    avoided_by = readers if readers or is_set else [READERS[name] for name in others]
    return WriteOptions(
        flavour="zarr" if location.pure else "nczarr",
        zarr_format=zarr_format,
        avoided=refused_chunks(avoided_by, zarr_format),
        xarray="noxarray" not in location.modes,
        consolidated=_is_consolidated(location, options, readers),
        annotations=options.annotations and not _says_all(source),
        irregular=not readers,
        only_filters=is_set and source.zarr_format is None and location.pure,
        separator=options.separator,
        char=options.char,
        masks_default_fill=None if not readers else not is_masked,
        most_filled=_MOST_INLINED if is_set else MOST_FILLED,
        truncate_strings=options.truncate_strings,
        text=text,
    )


def _is_consolidated(location: Location, options: CreateOptions, readers: Sequence[Reader]) -> bool:
    if options.consolidated is not None:
        return options.consolidated
    return "consolidated" in location.modes or any(r.expects_consolidated for r in readers)


def form_of(location: Location, char: str | None = None, text: TextForm | None = None) -> Form:
    """Return the form that the modes of a location describe."""
    return Form(
        flavour="zarr" if location.pure else "nczarr",
        zarr_format=3 if "v3" in location.modes else 2,
        char=char,
        text=text,
    )


def is_zip(location: Location) -> bool:
    """Return whether a store that is created at a location is a zip file."""
    return "zip" in (location.kind, kind_of_name(location.path))


_MOST_INLINED = 4 << 20
"""Most bytes of chunks of equal values that a reference set holds itself for each array."""


def with_form(location: Location, form: Form) -> Location:
    """Return the location with the modes of a form."""
    modes = location.modes - {"nczarr", "zarr", "v2", "v3"}
    modes |= {"nczarr", f"v{form.zarr_format}"} | ({"zarr"} if form.flavour == "zarr" else set())
    return replace(location, modes=modes)


def form_for(
    dataset: Dataset,
    location: Location,
    readers: Sequence[Reader],
    *,
    char: str | None = None,
    preferred: Form,
) -> Form:
    """Return a form of the dataset that all readers read, and that the location's modes allow.

    `preferred` is tried first, and then others of its flavour. Raises `AudienceError`.
    """
    contents = contents_of(dataset, zipped=is_zip(location))
    forms = [replace(form, char=char) for form in FORMS if _is_allowed(form, location)]
    forms.sort(key=lambda form: form.flavour != preferred.flavour)
    if _is_allowed(preferred, location):
        forms.insert(0, preferred)
    if is_reference_set(location) and preferred.zarr_format == 2:  # as kerchunk's engine reads
        forms.sort(key=lambda form: form.zarr_format)
    return choose_form(contents, readers, forms)


def _is_allowed(form: Form, location: Location) -> bool:
    modes = location.modes
    if "nczarr" in modes and form.flavour != ("zarr" if "zarr" in modes else "nczarr"):
        return False
    return not modes & {"v2", "v3"} or f"v{form.zarr_format}" in modes


def with_codecs_of(dataset: Dataset, readers: Sequence[Reader], zarr_format: int) -> Dataset:
    """Return the dataset with codecs that all readers decode.

    A filter that one of them does not know is left out, and a compressor is replaced by zlib, or
    gzip in Zarr V3. Scalars are stored without codecs.
    """
    common = common_codecs(readers, zarr_format)
    has_checksum = "zstd with a checksum" not in refused_chunks(readers, zarr_format)
    if common is None and has_checksum:
        return dataset
    compressor = find_deflate(ZLIB if zarr_format == 2 else GZIP).id
    if common is not None and compressor not in common:
        names = " and ".join(reader.name for reader in readers)
        raise AudienceError(
            f"{names} have no compressor in common", option("audience"), "omit one of them"
        )

    def changed(_: str, variable: Variable) -> Variable:
        filters = variable.storage.filters or ()
        chain: list[Filter] = []
        for codec in filters if variable.dimensions else ():
            configuration = codec.to_json()
            if codec_id(configuration) == "zstd" and not has_checksum:
                codec = Filter(tuple(pair for pair in codec.configuration if pair[0] != "checksum"))
            if (
                common is None
                or codec_id(configuration) in common
                or is_object_codec(configuration)
            ):
                chain.append(codec)
            elif is_kind(configuration, "compressor"):
                chain.append(make_filter(compressor, level=5))
        storage = replace(variable.storage, filters=tuple(chain))
        return variable if tuple(chain) == filters else replace(variable, storage=storage)

    return each_variable(dataset, changed)


def plan_zarr(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> ZarrWritePlan:
    """Plan a store like the source; see `ncz.formats.kinds.Plan`.

    An audience may need another form. Raises `AudienceError` if no form serves all of it.
    """
    _check_kind(location, options)
    source, provenance, given = dataset, dataset.provenance, location
    if provenance.asked_kind not in (None, "netCDF-4"):
        text = f'_Format = "{provenance.asked_kind}" has no effect: every Zarr store is "netCDF-4"'
        notify(Notice("special-attribute-ignored", text))
    location = like_source(location, provenance)
    strings: TextForm | None = None
    readers = readers_named(options.audience)
    if options.names_axes or any(("names", "none") in reader.unread for reader in readers):
        dataset, unnamed = with_names(dataset, pure=not provenance.superblock)
        for notice in named_notice("dimension-named", _NAMED, unnamed):
            notify(notice)
    if readers:
        first = _preferred(location, readers, options)
        form = form_for(dataset, given, readers, char=options.char, preferred=first)
        dataset = with_codecs_of(dataset, readers, form.zarr_format)
        location, strings = with_form(location, form), form.text or "fixed"
    elif is_reference_set(location) and location.pure and provenance.zarr_format is None:
        strings = "vlen"  # the set holds the strings itself, so that they may as well be text
    location = with_consolidated(location, provenance, options.consolidated)
    how = write_options(location, options, readers, strings, provenance)
    plan = plan_dataset(dataset, how, notify)
    if readers:  # none of them knows unlimited dimensions, but for netcdf-c, which loses none
        losses = [loss for loss in plan.losses if loss.code != "unlimited-fixed"]
        for notice in plan.losses:
            if notice not in losses:
                notify(notice)
        plan = replace(plan, losses=tuple(losses))
    return ZarrWritePlan(location=location, plan=plan, source=source, audience=options.audience)


_NAMED = "dimensions without names get names, as xarray opens no array without them"


def like_source(location: Location, source: Provenance) -> Location:
    """Return the target's location with the modes that make it a store like the source.

    Parameters
    ----------
    location
        The target, with the modes that the user gave.
    source
        How the source is stored. A text has no form, and its target is NCZarr V2 by default.
    """
    modes = set(location.modes)
    if source.zarr_format is not None:
        if "nczarr" not in modes and not source.superblock:
            modes |= {"nczarr", "zarr"}
        if not modes & {"v2", "v3"} and source.zarr_format == 3:
            modes.add("v3")
    elif source.is_file and "nczarr" not in modes:
        modes |= {"nczarr", "zarr"}
    return replace(location, modes=frozenset(modes))


def with_consolidated(
    location: Location, source: Provenance, consolidated: bool | None
) -> Location:
    """Return the target's location with the mode for consolidated metadata, if it gets them.

    It does if the source has them, and where annotations are to be.

    Parameters
    ----------
    location
        The target, with the modes of its form.
    source
        How the source is stored.
    consolidated
        Whether the user asked for consolidated metadata; None if not.
    """
    is_annotated = "zarr" in location.modes and not _says_all(source)
    if consolidated is None and (source.consolidated or is_annotated):
        return replace(location, modes=location.modes | {"consolidated"})
    if consolidated is False:
        return replace(location, modes=location.modes - {"consolidated"})
    return location


def _preferred(location: Location, readers: Sequence[Reader], options: CreateOptions) -> Form:
    """Return the form that is tried first: pure Zarr with annotations, but NCZarr for netcdf-c."""
    is_own = any(reader.name == "netcdf-c" for reader in readers)
    pure = not is_own and ("nczarr" not in location.modes or location.pure)
    modes = location.modes - {"zarr"} | ({"nczarr", "zarr"} if pure else {"nczarr"})
    form = form_of(replace(location, modes=modes), options.char)
    is_annotated = pure and options.annotations and options.consolidated is not False
    return replace(form, text="vlen", stands_in=form.zarr_format == 3) if is_annotated else form


def _says_all(source: Provenance) -> bool:
    """Return whether a source is a store of pure Zarr that has nothing to annotate."""
    is_pure = source.zarr_format is not None and not source.superblock
    return is_pure and not source.annotated


@record(kw_only=True)
class ZarrWritePlan(WritePlan):
    """How a dataset will be stored in a Zarr store.

    `source` is the dataset before its codecs were changed for `audience`, the readers asked for.
    """

    location: Location
    plan: DatasetPlan
    source: Dataset
    audience: tuple[str, ...]

    @property
    def arrays(self) -> tuple[ArrayPlan, ...]:
        """The plan of each variable."""
        return self.plan.arrays

    @property
    def losses(self) -> tuple[Notice, ...]:
        """What a reader of the store will not get back."""
        return self.plan.losses

    @property
    def form(self) -> str:
        """The version of Zarr and the flavour in words."""
        options = self.plan.options
        return f"{'pure Zarr' if options.pure else 'NCZarr'}, Zarr V{options.zarr_format}"

    @property
    def details(self) -> Mapping[str, Any]:
        """The form of the store, for scripts."""
        options = self.plan.options
        return {
            "zarr_format": options.zarr_format,
            "flavour": options.flavour,
            "consolidated": options.consolidated,
        }

    @property
    def identity(self) -> str:
        """The options, and how each array is stored."""
        arrays = (repr((a.fqn, a.layout, a.keys, a.encoding, a.fill, a.mask)) for a in self.arrays)
        # The order of a set differs from process to process.
        how, avoided = self.plan.options, sorted(self.plan.options.avoided)
        return "\n".join((repr(replace(how, avoided=frozenset())), *avoided, *arrays))

    def has_metadata(self) -> bool:
        """Return whether the store exists with the documents that `write` would put."""
        with contextlib.closing(open_zmap(self.location)) as zmap:
            # Whether chunks are missing decides about some documents.
            whole = _documents(self.plan, {array.fqn for array in self.arrays})
            names = (ZARRAY, ZATTRS, ZARR_JSON)
            complete = {
                array.fqn
                for array in self.arrays
                if all(zmap.get(k) == whole.get(k) for k in (join_key(array.key, n) for n in names))
            }
            wanted = _documents(self.plan, complete)
            return all(zmap.get(key) == document for key, document in wanted.items())

    def changes(self, source: Provenance, requested: Requested) -> Iterable[StorageChange]:
        """Return what the store does not keep of how the source is stored."""
        return changes_of(source, self.plan, requested)

    def remarks(self, source: Location | None) -> Iterator[Notice]:
        """Yield notices of programs that read the source but not the store."""
        if self.source.provenance.is_file and (not self.audience or "xarray" in self.audience):
            yield from _packing(self.plan)
        own, provenance = None, self.source.provenance
        if source is not None and provenance.zarr_format is not None:
            flavour: Flavour = "nczarr" if provenance.superblock else "zarr"
            own = Form(flavour=flavour, zarr_format=provenance.zarr_format)
        yield from _reader_notices(
            self.plan,
            form_of(self.location, self.plan.options.char, self.plan.options.text_form),
            zipped=is_zip(self.location),
            source=own,
            was_zipped=source is not None and is_zip(source),
            is_default=provenance.is_file and self.plan.options.annotated,
            audience=self.audience,
        )

    def check_codecs(self, fqns: Collection[str]) -> None:
        """Raise `LossError` if chunks of one of these variables cannot be encoded."""
        check_codecs([array for array in self.arrays if array.fqn in fqns])

    def write(
        self,
        write_array: WriteArray | None = None,
        *,
        overwrite: bool,
        claim: Claim | None = None,
        check: Callable[[], None] = lambda: None,
        progress: Progress = NO_PROGRESS,
    ) -> None:
        """Write the store; see `WritePlan.write`."""
        write_one = write_array or self.write_values
        with create_zmap(self.location, overwrite=overwrite, claim=claim) as zmap:
            write_plan(self.plan, zmap, lambda store, array: write_one(array, store))
            check()

    def write_values(self, array: TargetArray, store: ArrayStore) -> int:
        """Write the values of the variable's source; return the number of chunks."""
        assert isinstance(array, ArrayPlan)
        assert isinstance(store, WritableZmap)
        return write_values(store, array)


def _documents(plan: DatasetPlan, complete: Collection[str]) -> dict[str, bytes]:
    """Return the documents of a planned store, in which the arrays `complete` have all chunks."""
    objects: dict[str, bytes] = {}
    write_plan(
        plan,
        MemoryZmap(objects),
        lambda _, array: array.layout.grid.size if array.fqn in complete else -1,
    )
    return objects


# What a Zarr store that a copy makes does not keep of how its source is stored.


def changes_of(
    source: Provenance, plan: DatasetPlan, requested: Requested
) -> Iterator[StorageChange]:
    """Yield what the store does not keep of how the source is stored."""
    if source.is_netcdf_file:
        yield from _left_out_filters(plan, requested)
    elif source.zarr_format is not None:
        yield from _whole(source, plan)
        yield from _variables(source, plan, requested)


def _whole(source: Provenance, plan: DatasetPlan) -> Iterator[StorageChange]:
    options = plan.options
    if source.zarr_format != options.zarr_format:
        yield StorageChange(f"Zarr V{source.zarr_format} becomes Zarr V{options.zarr_format}", True)
    if bool(source.superblock) == options.pure:
        names = ("NCZarr", "pure Zarr") if options.pure else ("pure Zarr", "NCZarr")
        yield StorageChange(f"{names[0]} becomes {names[1]}", True)
    if source.consolidated != options.consolidated:
        what = "added" if options.consolidated else "left out"
        yield StorageChange(f"consolidated metadata are {what}", True)


Describe = Callable[[ZarrArray, ArrayPlan], "str | None"]
"""A function that says what changes of one variable, or None."""


def _variables(
    source: Provenance, plan: DatasetPlan, requested: Requested
) -> Iterator[StorageChange]:
    """Yield one change for each kind, which names the variables."""
    other_format = source.zarr_format != plan.options.zarr_format
    kinds: tuple[tuple[Describe, bool], ...] = (
        (_data_type, False),
        (_shards, requested.shards),
        (_lengths_of, requested.chunks or requested.shards),
        (_order, False),
        (_other_codecs, requested.codecs),
        (_separator, requested.separator or other_format),
    )
    stored = [(a.source, a) for a in plan.arrays if a.source is not None]
    for describe, is_requested in kinds:
        fqns_by_message: dict[str, list[str]] = {}
        for data, array in stored:
            message = describe(data, array)
            if message is not None:
                fqns_by_message.setdefault(message, []).append(array.fqn)
        yield from _changes(fqns_by_message, is_requested)


def _changes(fqns_by_message: Mapping[str, list[str]], requested: bool) -> Iterator[StorageChange]:
    """Yield a change for each message, which names its variables."""
    for message, fqns in fqns_by_message.items():
        yield StorageChange(f"{message} ({list_names(fqns)})", requested)


def _left_out_filters(plan: DatasetPlan, requested: Requested) -> Iterator[StorageChange]:
    """Yield one change for each filter of HDF5 that has no codec of Zarr."""
    fqns_by_message: dict[str, list[str]] = {}
    for array in plan.arrays:
        for used in array.variable.storage.hdf5_filters or ():
            if from_hdf5(used, 1) is None:
                codec, result = stand_in(used), "has no Zarr codec and is left out"
                if codec is not None and codec in array.layout.codecs:
                    result = f"is replaced by the codec {codec.id}"
                message = f"HDF5 filter {used.description} {result}"
                fqns_by_message.setdefault(message, []).append(array.fqn)
    yield from _changes(fqns_by_message, requested.codecs)


def _data_type(source: ZarrArray, array: ArrayPlan) -> str | None:
    ours, theirs = source.encoding.dtype, array.encoding.dtype
    if array.encoding.type is source.encoding.type is Atomic.CHAR and theirs == "|u1":
        return None  # uint8 of NCZarr V3, which is read as |S1
    return None if ours == theirs else f"data type {_short(ours)} becomes {_short(theirs)}"


def _short(dtype: object) -> str:
    return dtype if isinstance(dtype, str) else "structure"


def _shards(source: ZarrArray, array: ArrayPlan) -> str | None:
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


def _lengths_of(source: ZarrArray, array: ArrayPlan) -> str | None:
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


def _other_codecs(source: EncodedSource, array: ArrayPlan) -> str | None:
    ours, theirs = _codec_names(source.layout), _codec_names(array.layout)
    return None if ours == theirs else f"codecs {ours} become {theirs}"


def _codec_names(layout: ChunkLayout) -> str:
    """Return the names of codecs, without those that encode objects, which follow the data type."""
    codecs = layout.inner_codecs
    return "+".join(str(c.id) for c in codecs if not is_object_codec(c.to_json())) or "none"


def _separator(source: ZarrArray, array: ArrayPlan) -> str | None:
    ours, theirs = source.keys.separator, array.keys.separator
    return None if ours == theirs else f"separator {ours} of chunk keys becomes {theirs}"


# Programs that do not read a new store rightly; see `ncz.formats.zarr.readers`.


def _reader_notices(
    plan: DatasetPlan,
    form: Form,
    *,
    zipped: bool,
    source: Form | None = None,
    was_zipped: bool = False,
    is_default: bool = False,
    audience: Collection[str] = (),
) -> Iterator[Notice]:
    """Yield notices of programs that do not read a new store, or see something else in it.

    Parameters
    ----------
    plan
        The plan of the store.
    form, zipped
        Its form, and whether it is a zip file.
    source, was_zipped
        The same of the store that was copied; None for a text. What a program does not read of the
        source either is left out, but for netCDF-C if the store becomes NCZarr V2, its own form.
    is_default
        Whether the form is the one of copies of files, which is for xarray and zarr-python.
    audience
        The names of the readers that the store was asked for, if any. They open it; the
        notices name what they show otherwise, and no other readers. Without one, notices name
        widespread readers only; `ncz check --for` tells of others.
    """
    if audience:
        yield from _misread(contents_of(plan.dataset, zipped=zipped), form, audience)
        if "xarray" in audience:
            yield from _masks(plan, is_asked=True)
        return
    contents = contents_of(plan.dataset, zipped=zipped)
    if plan.options.annotated:  # see `has_stand_in`
        masked = ("masked", "masked-char")
        opened = {s: fqn for s, fqn in contents.examples.items() if s not in masked}
        contents = replace(contents, examples=opened)
    is_new_form = source is None or source.name != form.name
    becomes_its_own = form.name == "nczarr-v2" and is_new_form
    names: Iterable[str] = WIDESPREAD
    features, source_features = set(contents.features(form)), set[Feature]()
    if source is not None:
        source_contents = contents_of(plan.dataset, zipped=was_zipped)
        source_features.update(source_contents.features(source))
        names = [
            name for name in WIDESPREAD if not _excludes(source_contents, source, READERS[name])
        ]
    if is_default:
        names = ("xarray", "zarr-python")
    own = ["netcdf-c"] if becomes_its_own else []
    names = list(dict.fromkeys((*names, *own)))
    yield from _exclusion(contents, form, names)
    if becomes_its_own:
        yield from _scalars(plan)
    if "xarray" in names and is_new_form:
        yield from _masks(plan)
        if ("string", "fixed") in features - source_features:
            yield from _strings(plan)
    if "netcdf-c" in names and form.name == "zarr-v2" and is_new_form:
        yield from _fills(plan)
    readers = [READERS[n] for n in names if ("format", form.name) not in READERS[n].unread]
    yield from _codecs(plan, form, readers, source, own)


def _packing(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the variables of a netCDF file that xarray unpacks to other values from the store.

    It multiplies by the attribute as it reads it, which is a double in JSON.
    """
    return named_notice(
        "packed-as-double",
        "xarray unpacks to double, as attributes of Zarr have no type",
        [array.fqn for array in plan.arrays if _is_unpacked_otherwise(array.variable)],
    )


def _is_unpacked_otherwise(variable: Variable) -> bool:
    """Return whether xarray unpacks the values of a file to float, and rounds them."""
    nc_type, attributes = variable.type, {a.name: a for a in variable.attributes}
    scale, offset = attributes.get("scale_factor"), attributes.get("add_offset")
    if not isinstance(nc_type, Atomic) or nc_type.kind not in "iuf" or scale is None:
        return False
    if scale.type is not Atomic.FLOAT or len(scale.values) != 1:
        return False
    if offset is not None:
        return offset.type is Atomic.FLOAT and (nc_type.size != 4 or nc_type.is_floating)
    (value,) = scale.values
    if not isinstance(value, float) or not math.isfinite(value):
        return False
    digits = abs(value.as_integer_ratio()[0]).bit_length()
    return nc_type.is_floating or digits + 8 * nc_type.size > _MANTISSA


_MANTISSA = 24
"""Bits of the digits of a float: products that have no more are the same in float and double."""


def _misread(contents: Contents, form: Form, audience: Iterable[str]) -> Iterator[Notice]:
    """Name the readers that show something of the store otherwise, in whatever form it is."""
    by_reason: dict[str, list[str]] = {}
    for name in audience:
        unavoidable = READERS[name].unavoidable
        if why := [feature for feature in contents.features(form) if feature in unavoidable]:
            by_reason.setdefault(contents.words(why), []).append(name)
    if by_reason:
        text = "; ".join(
            f"{_and(names)} {'does' if len(names) == 1 else 'do'} not read correctly {why}"
            for why, names in by_reason.items()
        )
        yield Notice("reader-misread", text)


def _excludes(contents: Contents, form: Form, reader: Reader) -> bool:
    return ("format", form.name) in reader.unread or bool(_unopened(contents, form, reader))


def _unopened(contents: Contents, form: Form, reader: Reader) -> list[Feature]:
    if ("format", form.name) in reader.unread:
        return []  # the version of Zarr was asked for
    return [
        feature
        for feature in contents.features(form)
        if feature in reader.unopened and feature not in _TOLD_ELSEWHERE
    ]


_TOLD_ELSEWHERE: frozenset[Feature] = frozenset(
    {("number", "bare-v2"), ("number", "bare-v3"), ("lengths", "zarr"), ("lengths", "nczarr")}
    | {("filled", "text")}
)
"""What has a notice of its own, or what no form avoids, so that only who asks is answered."""


def _exclusion(contents: Contents, form: Form, names: Iterable[str]) -> Iterator[Notice]:
    """Name the readers that do not open all of the store."""
    by_reason: dict[str, list[str]] = {}
    for name in names:
        if why := _unopened(contents, form, READERS[name]):
            by_reason.setdefault(contents.words(why), []).append(name)
    if by_reason:
        text = "; ".join(f"{_and(n)} cannot open {why}" for why, n in by_reason.items())
        text += _tested(name for named in by_reason.values() for name in named)
        first = next(iter(by_reason.values()))[0]
        hint = f"use {option('audience', first)} to write for that reader"
        yield Notice("reader-excluded", text, hint=hint)


def _scalars(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the scalars, which netcdf-c reads only as arrays of one element."""
    return named_notice(
        "scalar-shape",
        "scalars have the shape [1] in NCZarr V2, also in xarray",
        [array.fqn for array in plan.arrays if not array.layout.shape],
        f"use {option('modes', 'zarr')} to keep the shape []",
    )


def _strings(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the arrays of strings of a fixed length, which xarray does not decode."""
    return named_notice(
        "reader-misread",
        "xarray reads these strings as bytes",
        [
            array.fqn
            for array in plan.arrays
            if array.variable.type is Atomic.STRING and not are_bytes(array.variable)
        ],
        f"use {option('audience', 'xarray')} to write text",
    )


def _masks(plan: DatasetPlan, *, is_asked: bool = False) -> Iterator[Notice]:
    """Name the arrays of NCZarr of which xarray masks what was never written.

    `is_asked` is true of a store for xarray, for which they are written unless they are too many.
    """
    unasked = f"use {option('audience', 'xarray')} to write them, or {option('zarr_format', 3)}"
    return named_notice(
        "fill-masked",
        "xarray masks elements that were never written",
        [a.fqn for a in plan.arrays if a.masks_missing and not plan.options.pure],
        f"use {option('zarr_format', 3)}" if is_asked else unasked,
    )


def _fills(plan: DatasetPlan) -> Iterator[Notice]:
    """Name the fills of texts in base64, which netcdf-c reads as they are."""
    return named_notice(
        "text-fill",
        "the fill_value of texts is base64, which netCDF-C shows",
        [
            array.fqn
            for array in plan.arrays
            if array.encoding.base64_fill and not is_null_fill(array.fill, array.encoding)
        ],
        "use mode=nczarr if it is to read them",
    )


def _codecs(
    plan: DatasetPlan,
    form: Form,
    readers: Iterable[Reader],
    source: Form | None,
    own: Container[str],
) -> Iterator[Notice]:
    """Name the codecs that some readers do not decode.

    What a reader does not decode of the source either is left out, but for readers in `own`.
    """
    fqns_by_codec: dict[str, dict[str, list[str]]] = {}
    # To ask for a protocol takes longer than to find a codec.
    stored = [
        (array, data if isinstance(data := array.variable.data, EncodedSource) else None)
        for array in plan.arrays
    ]
    for reader in readers:
        for array, old in stored:
            if (
                source is not None
                and old is not None
                and reader.name not in own
                and _unknown(old.layout, _dtype_of(old), reader, source)
            ):
                continue
            for codec in _unknown(array.layout, array.encoding.dtype, reader, form):
                fqns_by_codec.setdefault(codec, {}).setdefault(reader.name, []).append(array.fqn)
    if fqns_by_codec:
        text = "; ".join(
            _cannot_decode(codec, by_reader) for codec, by_reader in fqns_by_codec.items()
        )
        text += _tested(name for by_reader in fqns_by_codec.values() for name in by_reader)
        first = next(iter(next(iter(fqns_by_codec.values()))))
        hint = f"use {option('audience', first)} for codecs that it decodes"
        yield Notice("codec-not-widespread", text, hint=hint)


def _dtype_of(source: EncodedSource) -> object:
    """Return the dtype of a variable as its store has it."""
    return source.encoding.dtype if isinstance(source, ZarrArray) else source.stored_dtype


def _cannot_decode(codec: str, by_reader: Mapping[str, list[str]]) -> str:
    names = dict.fromkeys(name for fqns in by_reader.values() for name in fqns)
    return f"{_and(list(by_reader))} cannot decode {codec} ({list_names(list(names))})"


def _unknown(layout: ChunkLayout, dtype: object, reader: Reader, form: Form) -> list[str]:
    """Return the codecs and forms of chunks that a reader does not decode."""
    refused = refused_forms(layout, dtype, reader, form.zarr_format)
    codecs = common_codecs([reader], form.zarr_format)
    if codecs is not None:
        chain = [codec.to_json() for codec in layout.inner_codecs]
        refused += [
            codec_id(c) for c in chain if not is_object_codec(c) and codec_id(c) not in codecs
        ]
    return refused


def _tested(names: Iterable[str]) -> str:
    """Return the version of netcdf-c that the table is about, if it is named: others read more."""
    return f" (netcdf-c {READERS['netcdf-c'].version})" if "netcdf-c" in names else ""


def _and(names: list[str]) -> str:
    return " and ".join(filter(None, [", ".join(names[:-1]), names[-1]]))
