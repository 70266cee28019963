"""A Zarr store as the target of a copy: its form follows from that of the source.

A copy keeps the version of Zarr, the flavour, and whether metadata are consolidated, unless the
options or the target's fragment choose another form.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from typing import Any

from ncz.errors import Notice, Notify
from ncz.formats.kinds import CreateOptions
from ncz.formats.targets import Change, Requested, WriteArray
from ncz.formats.zarr.audience import Form, readers_named
from ncz.formats.zarr.creation import (
    check_kind,
    form_for,
    form_of,
    is_zip,
    with_codecs_of,
    with_form,
    write_options,
)
from ncz.formats.zarr.plan.array import ArrayPlan
from ncz.formats.zarr.plan.changes import changes_of
from ncz.formats.zarr.plan.store import DatasetPlan, check_codecs, plan_dataset
from ncz.formats.zarr.reader_notices import reader_notices
from ncz.formats.zarr.readers import TextForm
from ncz.formats.zarr.writer import write_plan, write_values
from ncz.model.chunk.encoded import ArrayStore, TargetArray
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import Dataset, Provenance
from ncz.record import record, replace
from ncz.zmap import WritableZmap
from ncz.zmap.claim import Claim
from ncz.zmap.kinds import is_reference_set
from ncz.zmap.location import Location
from ncz.zmap.opening import create_zmap


def plan_zarr(
    dataset: Dataset, location: Location, options: CreateOptions, notify: Notify
) -> ZarrWritePlan:
    """Plan a store like the source; see `ncz.formats.kinds.Plan`.

    An audience may need another form. Raises `AudienceError` if no form serves all of it.
    """
    check_kind(location, options)
    given = location
    location = like_source(location, dataset.provenance, options.consolidated)
    text: TextForm | None = None
    source = dataset
    readers = readers_named(options.audience)
    if readers:
        form = form_for(
            dataset,
            given,
            readers,
            char=options.char,
            preferred=form_of(location, options.char),
        )
        location, text = with_form(location, form), form.text
        dataset = with_codecs_of(dataset, readers, form.zarr_format)
    elif is_reference_set(location) and location.pure and source.provenance.zarr_format is None:
        text = "vlen"  # the set holds the strings itself, so that they may as well be text
    made = dataset.provenance
    how = write_options(location, options, readers, text)
    how = replace(how, irregular=not readers, annotations=how.annotations and not _says_all(made))
    plan = plan_dataset(dataset, how, notify)
    return ZarrWritePlan(
        location=location, plan=plan, source=source, has_audience=bool(options.audience)
    )


def like_source(location: Location, source: Provenance, consolidated: bool | None) -> Location:
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
    if "zarr" in modes and consolidated is None and not _says_all(source):
        modes.add("consolidated")  # where annotations can be
    if consolidated is False:
        modes.discard("consolidated")
    return replace(location, modes=frozenset(modes))


def _says_all(source: Provenance) -> bool:
    """Return whether a source is a store of pure Zarr that has nothing to annotate."""
    is_pure = source.zarr_format is not None and not source.superblock
    return is_pure and not source.annotated


def form_text(zarr_format: int | None, *, pure: bool) -> str:
    """Return the version of Zarr and the flavour in words."""
    return f"{'pure Zarr' if pure else 'NCZarr'}, Zarr V{zarr_format}"


@record(kw_only=True)
class ZarrWritePlan:
    """How a dataset will be stored in a Zarr store; a `ncz.formats.kinds.WritePlan`.

    `source` is the dataset before its codecs were changed for an audience.
    """

    location: Location
    plan: DatasetPlan
    source: Dataset
    has_audience: bool

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
        return form_text(self.plan.options.zarr_format, pure=self.plan.options.pure)

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
        arrays = (repr((a.fqn, a.layout, a.keys, a.encoding)) for a in self.arrays)
        return "\n".join((repr(self.plan.options), *arrays))

    def changes(self, source: Provenance, requested: Requested) -> Iterable[Change]:
        """Return what the store does not keep of how the source is stored."""
        return changes_of(source, self.plan, requested)

    def remarks(self, source: Location | None) -> Iterator[Notice]:
        """Yield notices of programs that read the source but not the store."""
        if self.has_audience:
            return
        own = None
        made = self.source.provenance
        if source is not None and made.zarr_format is not None:
            own = Form(
                flavour="nczarr" if made.superblock else "zarr", zarr_format=made.zarr_format
            )
        yield from reader_notices(
            self.plan,
            form_of(self.location, self.plan.options.char, self.plan.options.text_form),
            zipped=is_zip(self.location),
            source=own,
            was_zipped=source is not None and is_zip(source),
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
        """Write the store; see `ncz.formats.kinds.WritePlan`."""
        write_one = write_array or self.write_values
        with create_zmap(self.location, overwrite=overwrite, claim=claim) as zmap:
            write_plan(self.plan, zmap, lambda store, array: write_one(array, store))
            check()

    def write_values(self, array: TargetArray, store: ArrayStore) -> int:
        """Write the values of the variable's source; return the number of chunks."""
        assert isinstance(array, ArrayPlan)
        assert isinstance(store, WritableZmap)
        return write_values(store, array)
