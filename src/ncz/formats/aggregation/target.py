"""An aggregation as the target of a copy: pieces that describe themselves, and their master."""

from __future__ import annotations

import math
import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence, Set
from typing import Any

from ncz.errors import (
    NO_PROGRESS,
    LossError,
    Notice,
    Notify,
    Progress,
    UrlError,
    ignore_notice,
    option,
)
from ncz.formats.aggregation.division import LARGEST, split, split_by
from ncz.formats.aggregation.folder import join_path, new_folder
from ncz.formats.aggregation.folder_names import folder_name
from ncz.formats.aggregation.marks import is_aggregated
from ncz.formats.aggregation.master_dataset import master_of
from ncz.formats.aggregation.master_kinds import KINDS
from ncz.formats.aggregation.modes import FORM_OF_MODE, NETCDF_SUFFIXES, FormName, has_netcdf_pieces
from ncz.formats.aggregation.pieces import drop_packing, fields_of, is_empty, piece_of
from ncz.formats.aggregation.seals import seals_of_layouts
from ncz.formats.create_options import CreateOptions
from ncz.formats.kept_sums import KeptSums
from ncz.formats.netcdf.names import requested_kind
from ncz.formats.piece_layout import Lengths, PieceLayout
from ncz.formats.write_plan import (
    BesideChunks,
    ReportSize,
    SumsOf,
    WriteArray,
    WritePlan,
    ignore_size,
    refuse_to_resume,
)
from ncz.model.axes import axes_of
from ncz.model.encoded_arrays import ArrayStore, TargetArray
from ncz.model.grid import Index
from ncz.model.read_progress import with_reports
from ncz.model.tree import Dataset, base_name, dimensions_by_fqn, shape_of, variables_by_fqn
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic
from ncz.record import record, replace
from ncz.zmap.claim import Claim
from ncz.zmap.fragment import quote
from ncz.zmap.location import Location

PlanDataset = Callable[[Dataset, Location, CreateOptions, Notify], WritePlan]
"""A function that plans a dataset that is not an aggregation."""


def plan_aggregation(
    dataset: Dataset,
    location: Location,
    options: CreateOptions,
    notify: Notify,
    plan: PlanDataset,
) -> WritePlan:
    """Plan an aggregation; see `ncz.formats.kinds.Plan`. `plan` plans master and pieces.

    Raises `LossError` for a form or a split that is not possible.
    """
    forms = FORM_OF_MODE.keys() & location.modes
    form = FORM_OF_MODE[min(forms)] if forms else "CFA-0.5"
    modes = location.modes - FORM_OF_MODE.keys()
    is_netcdf = location.path.lower().endswith(NETCDF_SUFFIXES)
    if len({FORM_OF_MODE[mode] for mode in forms}) > 1:
        raise UrlError("the modes name several forms of aggregations", location.display)
    place = replace(location, modes=modes)
    if any(is_aggregated(variable) for _, variable in variables_by_fqn(dataset.root)):
        return plan(dataset, place, options, notify)  # the text of a master, or one as stored
    split_options = options.pieces
    extension = "nc" if has_netcdf_pieces(location, options) else "zarr"
    lengths = dimensions_by_fqn(dataset.root)
    axes = axes_of(dataset.root)
    stem = folder_name(location)
    _check_names(split_options.lengths, lengths)
    layouts = {}
    for fqn, variable in fields_of(dataset.root).items():
        shape = shape_of(variable, lengths)
        if 0 in shape:
            continue
        assert isinstance(variable.type, Atomic)
        names = [base_name(name) for name in variable.dimensions]
        parts: Lengths = (
            split_by(shape, names, dict(split_options.lengths))
            if split_options.lengths
            else split(
                shape,
                [axes.get(name) for name in variable.dimensions],
                variable.type.size,
                split_options.largest or LARGEST,
            )
        )
        layout = PieceLayout(
            lengths=parts,
            files={},
            address=fqn if fqn.count("/") > 1 else variable.name,
            format="netCDF" if extension == "nc" else "Zarr",
        )
        prefix = ".".join((stem, *fqn.strip("/").split("/")))
        layouts[fqn] = replace(
            layout,
            files={
                number: f"{stem}/{prefix}.{'.'.join(map(str, number))}.{extension}"
                for number in layout.numbers()
            },
        )
    kind = requested_kind(location, options.kind) or ("netCDF-4" if is_netcdf else None)
    how = replace(options, kind=kind)
    if form == "CFA-0.5" and kind not in (None, "netCDF-4"):
        raise LossError(
            f"an aggregation of the form CFA 0.5 needs a file of kind 'netCDF-4', not {kind!r}",
            location.display,
            f"use {option('modes', 'cfa0.4')}",
        )
    master = plan(
        master_of(dataset, _rename_files(layouts, name_writer(form)), form), place, how, notify
    )
    _refuse_unreadable(master, location)
    return AggregationPlan(
        location=place, form_name=form, dataset=dataset, layouts=layouts, options=how, plan=plan,
        master=master,
    )  # fmt: skip


def _refuse_unreadable(master: WritePlan, location: Location) -> None:
    """Raise `LossError` for a master without the dimensions that locate its pieces."""
    lost = [n.message for n in master.losses if n.code in ("dimension-unused", _UNNAMED)]
    if lost:
        raise LossError(
            f"nothing could read this aggregation: {'; '.join(lost)}",
            location.display,
            "write NCZarr (mode=nczarr), or consolidated metadata with annotations",
        )


_UNNAMED = "dimension-names-lost"


def _check_names(lengths: Sequence[tuple[str, int]], known: Collection[str]) -> None:
    """Raise `UrlError` for the length of a dimension that does not exist."""
    for name, _ in lengths:
        if name not in map(base_name, known):
            raise UrlError(f"no dimension is named {name!r}", hint=f"correct {option('pieces')}")


def _rename_files(
    layouts: Mapping[str, PieceLayout], rename: Callable[[str], str]
) -> dict[str, PieceLayout]:
    """Return the layouts with other names of files."""
    return {
        fqn: replace(layout, files={n: rename(name) for n, name in layout.files.items()})
        for fqn, layout in layouts.items()
    }


def name_writer(form: FormName) -> Callable[[str], str]:
    """Return a function that writes the names of files: as URIs, or unchanged."""
    return quote if KINDS[form].has_uris else str


@record(kw_only=True)
class AggregationPlan(WritePlan):
    """The plan of a dataset as an aggregation.

    `layouts` has the pieces of the aggregated variables by FQN, named from the folder of the
    master. `master` is the plan of a master for all of them. `sums_of` returns the sums of values
    that are kept.
    """

    location: Location
    form_name: FormName
    dataset: Dataset
    layouts: Mapping[str, PieceLayout]
    options: CreateOptions
    plan: PlanDataset
    master: WritePlan
    sums_of: SumsOf | None = None

    @property
    def arrays(self) -> Sequence[TargetArray]:
        """None: the variables are divided, and their pieces are planned when they are written."""
        return ()

    @property
    def losses(self) -> Sequence[Notice]:
        """Losses for a reader of the target."""
        return self.master.losses

    @property
    def form(self) -> str:
        """The form of the master, and the number of pieces."""
        count = sum(len(layout.files) for layout in self.layouts.values())
        return f"{self.form_name} aggregation of up to {count} pieces, {self.master.form}"

    @property
    def details(self) -> Mapping[str, Any]:
        """The form of the target for scripts."""
        pieces = {fqn: layout.counts for fqn, layout in self.layouts.items()}
        return {**self.master.details, "aggregation": self.form_name, "pieces": pieces}

    def beside_chunks(self) -> BesideChunks:
        """Return the number of pieces and the master, and the bytes of values without codecs."""
        fields = fields_of(self.dataset.root)
        sizes = (
            math.prod(layout.grid.shape) * (fixed_size(fields[fqn].type) or 1)
            for fqn, layout in self.layouts.items()
        )
        count = sum(len(layout.files) for layout in self.layouts.values())
        return BesideChunks(count + 1, sum(sizes))

    def with_sums(self, sums_of: SumsOf) -> AggregationPlan:
        """Return a plan that also keeps the sums of the aggregated variables in the master.

        Raises `LossError` for values that are rounded, which depends on their place in a piece.
        """
        for fqn, variable in fields_of(self.dataset.root).items():
            if variable.storage.quantize is not None:
                raise LossError(
                    "an aggregation keeps no digest of values that are rounded during writing",
                    fqn,
                    f"copy the rounded values first, or omit {option('digest', True)}",
                )
        return replace(self, sums_of=sums_of)

    def _kept_sums(self) -> dict[str, KeptSums]:
        """Return the sums of aggregated variables: new ones, or the sums that the source keeps."""
        variables, kept = fields_of(self.dataset.root), {}
        for fqn, layout in self.layouts.items():
            variable, shape = variables[fqn], layout.grid.shape
            assert variable.data is not None
            if variable.storage.quantize is not None:
                continue
            sums = variable.data.kept_sums()
            if self.sums_of is not None:
                sums = self.sums_of(fqn, variable, shape)
            if sums is not None:
                kept[fqn] = KeptSums(shape, sums)
        return kept

    def check_codecs(self, fqns: Set[str]) -> None:
        """Raise `LossError` if chunks of the master cannot be encoded."""
        self.master.check_codecs({array.fqn for array in self.master.arrays})

    def write(
        self,
        write_array: WriteArray | None = None,
        *,
        overwrite: bool,
        claim: Claim | None = None,
        check: Callable[[], None] = lambda: None,
        progress: Progress = NO_PROGRESS,
    ) -> None:
        """Write the pieces, and then the master; see `WritePlan.write`."""
        refuse_to_resume(claim, "an aggregation", self.location)
        progress.expect(sum(math.prod(one.grid.shape) for one in self.layouts.values()), "values")
        kept = self._kept_sums()
        with new_folder(self.location, overwrite) as (folder, publish):
            layouts = {
                fqn: replace(
                    layout,
                    files=dict(self._write_pieces(fqn, layout, folder, overwrite, progress)),
                )
                for fqn, layout in self.layouts.items()
            }

            def write_master(name: str) -> None:
                quoted = name_writer(self.form_name)
                described = _rename_files(
                    layouts, lambda file: quoted(posixpath.join(name, posixpath.basename(file)))
                )
                seals = seals_of_layouts(self.location, described, KINDS[self.form_name])
                master = master_of(self.dataset, described, self.form_name, seals, kept)
                plan = self.plan(master, self.location, self.options, ignore_notice)
                if self.sums_of is not None:  # a store keeps the sums of the other variables
                    plan = plan.with_sums(self.sums_of) or plan
                plan.write(overwrite=overwrite, check=check)

            publish(write_master)

    def write_values(
        self, array: TargetArray, store: ArrayStore, report: ReportSize = ignore_size
    ) -> int:
        """Do nothing: the arrays of a master are written with it."""
        return 0

    def _write_pieces(
        self,
        fqn: str,
        layout: PieceLayout,
        folder: Location,
        overwrite: bool,
        progress: Progress,
    ) -> Iterator[tuple[Index, str]]:
        """Write the pieces of a variable that have values, and yield their files."""
        dataset = (
            drop_packing(self.dataset, fqn)
            if KINDS[self.form_name].packs_afterwards
            else self.dataset
        )
        variable = fields_of(dataset.root)[fqn]

        def report(read: str, count: int, size: int) -> None:
            if read == fqn:  # a piece has coordinates too
                progress.advance(fqn, count, size)

        grid = layout.grid
        for number, file in layout.files.items():
            box = grid.box(number)
            if not KINDS[self.form_name].needs_all and is_empty(variable, box):
                progress.advance(fqn, math.prod(box.shape), 0)
                continue
            name = posixpath.basename(file)
            piece = with_reports(
                piece_of(dataset, fqn, variable, box, posixpath.splitext(name)[0]), report
            )
            place = replace(folder, path=join_path(folder, name))
            options = replace(
                self.options, kind=self.options.kind if name.endswith(".nc") else None
            )
            self.plan(piece, place, options, ignore_notice).write(overwrite=overwrite)
            yield number, file
