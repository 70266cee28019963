"""A Zarr store as the target of a copy or of gen: its plan and its creation.

A copy keeps the version of Zarr, the flavour, and whether metadata are consolidated, unless the
options or the target's fragment choose another form.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence, Set
from typing import Any

from ncz.errors import NO_PROGRESS, Notice, Notify, Progress, UrlError, named_notice, option
from ncz.formats.create_options import CreateOptions
from ncz.formats.write_plan import (
    BesideChunks,
    ReportSize,
    RequestedChanges,
    StorageChange,
    SumsOf,
    WriteArray,
    WritePlan,
    ignore_size,
)
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.documents.dimensions import with_names
from ncz.formats.zarr.documents.document_v2 import ZARRAY, ZATTRS
from ncz.formats.zarr.readers.audience import (
    form_for,
    preferred_form,
    readers_named,
    with_codecs_of,
)
from ncz.formats.zarr.readers.chunk_forms import EXTENSIONS, refused_chunks
from ncz.formats.zarr.readers.forms import Flavour, Form
from ncz.formats.zarr.readers.programs import READERS, WIDESPREAD, Reader, TextForm
from ncz.formats.zarr.readers.target_modes import (
    form_of,
    is_zip,
    like_source,
    with_consolidated,
    with_form,
)
from ncz.formats.zarr.writing.array_plan import ArrayPlan
from ncz.formats.zarr.writing.codec_faults import check_codecs
from ncz.formats.zarr.writing.options import MOST_FILLED, WriteOptions
from ncz.formats.zarr.writing.plan import DatasetPlan, plan_dataset
from ncz.formats.zarr.writing.reader_notices import packing_notices, reader_notices
from ncz.formats.zarr.writing.storage_changes import changes_of
from ncz.formats.zarr.writing.writer import write_plan, write_values
from ncz.model.encoded_arrays import ArrayStore, TargetArray
from ncz.model.tree import (
    Dataset,
    Provenance,
    Variable,
    attributes_of,
    is_not_finite,
    variables_by_fqn,
)
from ncz.model.types import Atomic
from ncz.record import record, replace
from ncz.zmap import WritableZmap
from ncz.zmap.claim import Claim
from ncz.zmap.key import ZARR_JSON, join_key
from ncz.zmap.location import Location
from ncz.zmap.memory import MemoryZmap
from ncz.zmap.opening import (
    create_zmap,
    holds_uneven_chunks,
    is_reference_set,
    needs_strict_json,
    open_zmap,
    zarr_format_of,
)


class KindError(UrlError):
    """A kind of netCDF file that a Zarr store cannot have."""

    exit_code = 2


def _check_kind(location: Location, options: CreateOptions) -> None:
    """Raise `KindError` if the options select a kind of netCDF file other than netCDF-4."""
    if options.kind not in (None, "netCDF-4"):
        raise KindError(
            f"a Zarr store contains netCDF-4 data, not {options.kind!r}",
            location.display,
            f"omit {option('kind')}, or give the name of a netCDF file, such as x.nc",
        )


def write_options(
    location: Location,
    options: CreateOptions,
    readers: Sequence[Reader],
    text: TextForm | None,
    source: Provenance,
    *,
    annotates: bool,
) -> WriteOptions:
    """Return the options of a store from the modes of its location, its readers and its source.

    `annotates` says whether there is something to annotate.
    """
    zarr_format = 3 if "v3" in location.modes else 2
    is_set = is_reference_set(location)
    is_masked = any(("fill", "masked") in reader.unread for reader in readers)
    # A reference set refers to unchanged chunks, unless an audience is chosen.
    others = [name for name in WIDESPREAD if not (location.pure and name == "netcdf-c")]
    avoided_by = readers if readers or is_set else [READERS[name] for name in others]
    avoided = refused_chunks(avoided_by, zarr_format)
    if not readers:  # only a source that they do not read either has these
        avoided -= EXTENSIONS
    return WriteOptions(
        flavour="zarr" if location.pure else "nczarr",
        zarr_format=zarr_format,
        avoided=avoided,
        xarray="noxarray" not in location.modes,
        consolidated=_is_consolidated(location, options, readers),
        store=options if annotates else replace(options, annotations=False),
        irregular=zarr_format == 3 and not readers and holds_uneven_chunks(location),
        refers=is_set,
        only_filters=is_set and source.zarr_format is None and location.pure,
        plain_keys=zarr_format_of(location) is not None,
        strict=needs_strict_json(location),
        masks_default_fill=None if not readers else not is_masked,
        most_filled=_MOST_INLINED if is_set else MOST_FILLED,
        text=text,
        keeps_objects=location.pure and source.is_unannotated_zarr,
    )


def _is_consolidated(location: Location, options: CreateOptions, readers: Sequence[Reader]) -> bool:
    if options.consolidated is not None:
        return options.consolidated
    return "consolidated" in location.modes or any(r.expects_consolidated for r in readers)


_MOST_INLINED = 4 << 20
"""Most bytes of chunks of equal values that a reference set contains itself for each array."""


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
    # Attributes that become text have a noted type.
    becomes_text = needs_strict_json(location) and _has_unwritten_numbers(dataset)
    annotates = becomes_text or not provenance.is_unannotated_zarr
    readers = readers_named(options.audience)
    if options.names_axes or any(("names", "none") in reader.unread for reader in readers):
        dataset, unnamed = with_names(dataset, pure=not provenance.superblock)
        for notice in named_notice("dimension-named", _NAMED, unnamed):
            notify(notice)
    if readers:
        first = preferred_form(location, readers, options)
        form = form_for(dataset, given, readers, char=options.char, preferred=first)
        dataset = with_codecs_of(dataset, readers, form.zarr_format)
        location, strings = with_form(location, form), form.text or "fixed"
        annotates = annotates or (form.stands_in and _has_masked_text(dataset))
    elif is_reference_set(location) and location.pure and provenance.zarr_format is None:
        strings = "vlen"  # the set contains the strings itself, so that they may as well be text
    location = with_consolidated(location, provenance, options.consolidated, annotates=annotates)
    how = write_options(location, options, readers, strings, provenance, annotates=annotates)
    plan = plan_dataset(dataset, how, notify)
    if readers:  # none of them knows unlimited dimensions, except for netcdf-c, which loses none
        losses = [loss for loss in plan.losses if loss.code != "unlimited-fixed"]
        for notice in plan.losses:
            if notice not in losses:
                notify(notice)
        plan = replace(plan, losses=tuple(losses))
    return ZarrWritePlan(location=location, plan=plan, source=source, audience=options.audience)


def _has_unwritten_numbers(dataset: Dataset) -> bool:
    """Return whether attributes have numbers that JSON does not have."""
    return any(is_not_finite(attribute) for _, attribute in attributes_of(dataset.root))


def _has_masked_text(dataset: Dataset) -> bool:
    """Return whether texts of pure Zarr V3 have masks; xarray does not open such arrays."""
    return dataset.provenance.zarr_format == 3 and any(
        variable.type is Atomic.STRING and variable.mask is not None
        for _, variable in variables_by_fqn(dataset.root)
    )


_NAMED = "dimensions without names get names, as xarray opens no array without them"


@record(kw_only=True)
class ZarrWritePlan(WritePlan):
    """The plan of a dataset in a Zarr store.

    `source` is the dataset before its codecs were changed for `audience`, the requested readers.
    `sums_of` returns the sums of values that are kept.
    """

    location: Location
    plan: DatasetPlan
    source: Dataset
    audience: tuple[str, ...]
    sums_of: SumsOf | None = None

    @property
    def arrays(self) -> tuple[ArrayPlan, ...]:
        """The plan of each variable."""
        return self.plan.arrays

    @property
    def losses(self) -> tuple[Notice, ...]:
        """Losses for a reader of the store."""
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
        """The options, and the storage of each array."""
        arrays = _describe(self.arrays)
        options = self.plan.options
        # The order of a set differs from process to process.
        how = replace(options, avoided=frozenset(), store=_with_own_effect(options.store))
        return "\n".join((repr(how), *sorted(options.avoided), *arrays))

    def beside_chunks(self) -> BesideChunks | None:
        """Return the number and the size of documents; None for a zip file or a set in one file."""
        if self.location.kind != "memory" and is_zip(self.location):
            return None
        documents = planned_documents(self.plan, {array.fqn for array in self.arrays})
        return BesideChunks(len(documents), sum(map(len, documents.values())))

    def with_sums(self, sums_of: SumsOf) -> ZarrWritePlan | None:
        """Return a plan that keeps sums in the store; None for pure Zarr without annotations."""
        options = self.plan.options
        is_noted = options.has_annotations or not options.pure
        return replace(self, sums_of=sums_of) if is_noted else None

    def has_metadata(self) -> bool:
        """Return whether the store exists with the documents that `write` would put."""
        with contextlib.closing(open_zmap(self.location)) as zmap:
            sums_of = None if self.sums_of is None else _once(self.sums_of)
            # Whether chunks are missing decides about some documents.
            whole = planned_documents(self.plan, {array.fqn for array in self.arrays}, sums_of)
            names = (ZARRAY, ZATTRS, ZARR_JSON)
            complete = {
                array.fqn
                for array in self.arrays
                if all(zmap.get(k) == whole.get(k) for k in (join_key(array.key, n) for n in names))
            }
            wanted = planned_documents(self.plan, complete, sums_of)
            return all(zmap.get(key) == document for key, document in wanted.items())

    def is_stored(self, dataset: Dataset) -> bool:
        """Return whether a dataset that was opened from the target is stored as planned."""
        provenance = dataset.provenance
        form = {
            "zarr_format": provenance.zarr_format,
            "flavour": "nczarr" if provenance.superblock else "zarr",
            "consolidated": provenance.consolidated,
        }
        stored = {
            fqn: (data.layout, data.keys, data.encoding)
            for fqn, variable in variables_by_fqn(dataset.root)
            if isinstance(data := variable.data, ZarrArray)
        }
        planned = {array.fqn: (array.layout, array.keys, array.encoding) for array in self.arrays}
        return form == self.details and stored == planned

    def changes(self, source: Provenance, requested: RequestedChanges) -> Iterable[StorageChange]:
        """Return the storage properties of the source that the store does not preserve."""
        return changes_of(source, self.plan, requested)

    def remarks(self, source: Location | None) -> Iterator[Notice]:
        """Yield notices of programs that read the source but not the store."""
        if self.source.provenance.is_file and (not self.audience or "xarray" in self.audience):
            yield from packing_notices(self.plan)
        own, provenance = None, self.source.provenance
        if source is not None and provenance.zarr_format is not None:
            flavour: Flavour = "nczarr" if provenance.superblock else "zarr"
            own = Form(flavour=flavour, zarr_format=provenance.zarr_format)
        yield from reader_notices(
            self.plan,
            form_of(self.location, self.plan.options.store.char, self.plan.options.text_form),
            zipped=is_zip(self.location),
            source=own,
            was_zipped=source is not None and is_zip(source),
            is_default=provenance.is_file and self.plan.options.has_annotations,
            audience=self.audience,
        )

    def check_codecs(self, fqns: Set[str]) -> None:
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
            write_plan(self.plan, zmap, lambda store, array: write_one(array, store), self.sums_of)
            check()

    def write_values(
        self, array: TargetArray, store: ArrayStore, report: ReportSize = ignore_size
    ) -> int:
        """Write the values of the variable's source; return the number of chunks."""
        assert isinstance(array, ArrayPlan)
        assert isinstance(store, WritableZmap)
        return write_values(store, array, report)


def _with_own_effect(options: CreateOptions) -> CreateOptions:
    """Return the options that decide about a store by themselves.

    Others decide whether it is written, or by fields of `WriteOptions` and the arrays.
    """
    return replace(
        options, overwrite=False, allow_loss=False, kind=None, consolidated=None, audience=()
    )


def _describe(arrays: Iterable[ArrayPlan]) -> Iterator[str]:
    """Yield the storage of each array, which often equals the previous one."""
    before, text = None, ""
    for array in arrays:
        form = (array.layout, array.keys, array.encoding, array.fill, array.mask)
        if form != before:
            before, text = form, repr(form)
        yield f"{array.fqn} {text}"


def _once(sums_of: SumsOf) -> SumsOf:
    """Return a function that finds the sums of each array once."""
    found: dict[str, str] = {}

    def known_sums(fqn: str, variable: Variable, shape: tuple[int, ...]) -> str:
        if fqn not in found:
            found[fqn] = sums_of(fqn, variable, shape)
        return found[fqn]

    return known_sums


def planned_documents(
    plan: DatasetPlan, complete: Set[str], sums_of: SumsOf | None = None
) -> dict[str, bytes]:
    """Return the documents of a planned store; the arrays `complete` have all chunks.

    `sums_of` returns the sums of values that they keep, if they do.
    """
    objects: dict[str, bytes] = {}
    write_plan(
        plan,
        MemoryZmap(objects),
        lambda _, array: array.layout.grid.size if array.fqn in complete else -1,
        sums_of,
    )
    return objects
