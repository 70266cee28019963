"""An aggregation as the target of a copy: pieces that describe themselves, and their master."""

from __future__ import annotations

import itertools
import math
import os
import posixpath
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import closing, suppress
from typing import Any

from ncz.errors import (
    NO_PROGRESS,
    FormatError,
    LossError,
    NczError,
    Notice,
    Notify,
    Progress,
    UrlError,
    ignore_notice,
    option,
)
from ncz.formats.aggregation.describe import (
    FORMS,
    LARGEST,
    NEEDS_ALL,
    PACKS_AFTERWARDS,
    FormName,
    Lengths,
    PieceLayout,
    master_of,
    split,
    split_by,
)
from ncz.formats.aggregation.folder import folder_name, is_local, is_own, new_folder
from ncz.formats.aggregation.forms import Piece, resolve
from ncz.formats.aggregation.marks import is_aggregated
from ncz.formats.aggregation.source import AggregatedSource
from ncz.formats.kinds import CreateOptions, PieceOptions, WriteArray, WritePlan, refuse_to_resume
from ncz.formats.netcdf.names import kind_asked
from ncz.model.axes import axes_of
from ncz.model.data import ChunkSource, Values, fill_array, read_present
from ncz.model.encoded import ArrayStore, TargetArray
from ncz.model.grid import Box, Index
from ncz.model.links import names_in
from ncz.model.sources import reported
from ncz.model.subset import subset, subset_source
from ncz.model.tree import (
    Dataset,
    Group,
    Variable,
    base_name,
    dimensions_by_fqn,
    each_variable,
    join,
    missing_fill,
    parent,
    shape_of,
    variables_by_fqn,
)
from ncz.model.types import Atomic, Value
from ncz.record import record, replace
from ncz.zmap.local.creation import remove
from ncz.zmap.location import Location, quote, unquote
from ncz.zmap.opening import Claim
from ncz.zmap.remote.opening import connect_to_write

# Write the pieces of a variable, each as a dataset that describes itself.

_OTHERS = ("bounds", "climatology", "coordinates", "grid_mapping")
"""The attributes that name variables that belong to the master, as dimension variables do."""


_PACKING = ("scale_factor", "add_offset")


def _companions(variable: Variable) -> set[str]:
    """Return the names of variables that belong to the coordinates of a variable."""
    return {name for attribute in _OTHERS for name in names_in(attribute, variable.text(attribute))}


def fields_of(root: Group) -> dict[str, Variable]:
    """Return the variables that are divided, by FQN: numbers that are not coordinates."""
    variables = dict(variables_by_fqn(root))
    coordinates = {word for variable in variables.values() for word in _companions(variable)}
    return {
        fqn: variable
        for fqn, variable in variables.items()
        if variable.dimensions
        and variable.has_numbers
        and variable.name not in coordinates
        and [base_name(name) for name in variable.dimensions] != [variable.name]
        and variable.data is not None
    }


def piece_of(dataset: Dataset, fqn: str, variable: Variable, box: Box, name: str) -> Dataset:
    """Return a part of one variable as a dataset that describes itself.

    It has the dimensions of the variable with their coordinates, and what these and the variable
    name as their bounds, coordinates and grid mapping.
    """
    ranges = {
        dimension: range(start, stop)
        for dimension, start, stop in zip(variable.dimensions, box.start, box.stop, strict=True)
    }
    variables = dict(variables_by_fqn(dataset.root))
    needed = {fqn} | {each for each in variable.dimensions if _is_coordinate(each, variables)}
    waiting = list(needed)
    while waiting:
        own = waiting.pop()
        named = (resolve(name, parent(own), variables) for name in _companions(variables[own]))
        new = {each for each in named if each is not None} - needed
        needed |= new
        waiting += new
    dimensions = {*variable.dimensions, *(d for each in needed for d in variables[each].dimensions)}
    root = _only(dataset.root, "", needed, dimensions)
    return subset(replace(dataset, name=name, root=root), ranges)


def _is_coordinate(fqn: str, variables: Mapping[str, Variable]) -> bool:
    return fqn in variables and variables[fqn].dimensions == (fqn,)


def _only(
    group: Group, path: str, variables: Collection[str], dimensions: Collection[str]
) -> Group:
    """Return a group with some of its variables and dimensions."""
    groups = (_only(g, join(path, g.name), variables, dimensions) for g in group.groups)
    return replace(
        group,
        dimensions=tuple(d for d in group.dimensions if join(path, d.name) in dimensions),
        variables=tuple(v for v in group.variables if join(path, v.name) in variables),
        groups=tuple(g for g in groups if g.variables or g.dimensions or g.groups),
    )


def unpacked(dataset: Dataset, fqn: str) -> Dataset:
    """Return a dataset in which the values of one variable count as they are stored."""

    def without_packing(path: str, variable: Variable) -> Variable:
        attributes = tuple(a for a in variable.attributes if a.name not in _PACKING)
        return replace(variable, attributes=attributes) if path == fqn else variable

    return each_variable(dataset, without_packing)


def is_empty(variable: Variable, box: Box) -> bool:
    """Return whether a part of a variable holds nothing but what readers see without a piece."""
    source = variable.data
    if source is None:
        return True
    fill = _fill_without_piece(variable)
    part = subset_source(
        source, tuple(range(a, b) for a, b in zip(box.start, box.stop, strict=True))
    )
    return all(_is_fill(part, index, fill) for index in part.grid.indices())


def _fill_without_piece(variable: Variable) -> Value:
    """Return the value that all readers see where a piece is missing; None if they differ.

    A master has no chunks, so that the fill value of the variable's own chunks does not count.
    """
    if variable.mask is not None or not isinstance(variable.type, Atomic):
        return variable.mask
    default = variable.type.default_fill
    return default if missing_fill(variable) == default else None


def _is_fill(source: ChunkSource, index: tuple[int, ...], fill: object) -> bool:
    values: Values | None = read_present(source, source.grid.box(index))
    if values is None:
        values = fill_array((1,), source.type, source.fill)
    if fill is None:
        return False
    return bool(((values == fill) | ((values != values) & (fill != fill))).all())


FORM_OF_MODE: Mapping[str, FormName] = {
    "cfa": "CFA-0.5", "cfa0.5": "CFA-0.5", "cfa0.4": "CFA-0.4", "cf": "CF-1.13",
}  # fmt: skip
"""The form of a new master that a value of ``mode=`` selects."""

_NETCDF_SUFFIXES = (".nca", ".nc", ".nc4", ".cdf")


PlanDataset = Callable[[Dataset, Location, CreateOptions, Notify], WritePlan]
"""A function that plans a dataset that is not an aggregation."""


def is_aggregation_name(location: Location, _: CreateOptions) -> bool:
    """Return whether a new dataset at a location is an aggregation, by its name and modes."""
    return bool(FORM_OF_MODE.keys() & location.modes) or location.path.lower().endswith(".nca")


def has_netcdf_pieces(location: Location, options: CreateOptions) -> bool:
    """Return whether the pieces of a new aggregation are netCDF files, as its master by default."""
    if options.pieces.format is not None:
        return options.pieces.format == "netcdf"
    return location.path.lower().endswith(_NETCDF_SUFFIXES)


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
    is_netcdf = location.path.lower().endswith(_NETCDF_SUFFIXES)
    if len({FORM_OF_MODE[mode] for mode in forms}) > 1:
        raise UrlError("the modes name several forms of aggregations", location.display)
    place = replace(location, modes=modes)
    if any(is_aggregated(variable) for _, variable in variables_by_fqn(dataset.root)):
        return plan(dataset, place, options, notify)  # the text of a master, or one as it is stored
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
    kind = kind_asked(location, options.kind) or ("netCDF-4" if is_netcdf else None)
    how = replace(options, kind=kind)
    if form == "CFA-0.5" and kind not in (None, "netCDF-4"):
        raise LossError(
            f"an aggregation of the form CFA 0.5 needs a file of kind 'netCDF-4', not {kind!r}",
            location.display,
            f"use {option('modes', 'cfa0.4')}",
        )
    master = plan(master_of(dataset, _renamed(layouts, _quoting(form)), form), place, how, notify)
    _refuse_unreadable(master, location)
    return AggregationPlan(
        location=place, form_name=form, dataset=dataset, layouts=layouts, options=how, plan=plan,
        master=master,
    )  # fmt: skip


def _refuse_unreadable(master: WritePlan, location: Location) -> None:
    """Raise `LossError` for a master without the dimensions by which its pieces are placed."""
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


def _renamed(
    layouts: Mapping[str, PieceLayout], rename: Callable[[str], str]
) -> dict[str, PieceLayout]:
    """Return the layouts with other names of files."""
    return {
        fqn: replace(layout, files={n: rename(name) for n, name in layout.files.items()})
        for fqn, layout in layouts.items()
    }


def _quoting(form: FormName) -> Callable[[str], str]:
    """Return what makes the names of files as a form has them: URIs, or the names themselves."""
    return quote if form == "CF-1.13" else str


@record(kw_only=True)
class AggregationPlan(WritePlan):
    """How a dataset will be stored as an aggregation.

    `layouts` has the pieces of the aggregated variables by FQN, named from the folder of the
    master. `master` is the plan of a master for all of them.
    """

    location: Location
    form_name: FormName
    dataset: Dataset
    layouts: Mapping[str, PieceLayout]
    options: CreateOptions
    plan: PlanDataset
    master: WritePlan

    @property
    def arrays(self) -> Sequence[TargetArray]:
        """None: the variables are divided, and their pieces are planned when they are written."""
        return ()

    @property
    def losses(self) -> Sequence[Notice]:
        """What a reader of the target will not get back."""
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

    def check_codecs(self, fqns: Collection[str]) -> None:
        """Raise `LossError` if chunks of the master cannot be encoded."""
        self.master.check_codecs([array.fqn for array in self.master.arrays])

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
        with new_folder(self.location, overwrite) as (folder, publish):
            layouts = {
                fqn: replace(
                    layout,
                    files=dict(self._write_pieces(fqn, layout, folder, overwrite, progress)),
                )
                for fqn, layout in self.layouts.items()
            }

            def write_master(name: str) -> None:
                quoted = _quoting(self.form_name)
                described = _renamed(
                    layouts, lambda file: quoted(posixpath.join(name, posixpath.basename(file)))
                )
                master = master_of(self.dataset, described, self.form_name)
                plan = self.plan(master, self.location, self.options, ignore_notice)
                plan.write(overwrite=overwrite, check=check)

            publish(write_master)

    def write_values(self, array: TargetArray, store: ArrayStore) -> int:
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
        """Write the pieces of a variable, and yield their files; those without values are not."""
        dataset = (
            unpacked(self.dataset, fqn) if self.form_name in PACKS_AFTERWARDS else self.dataset
        )
        variable = fields_of(dataset.root)[fqn]

        def report(read: str, count: int, size: int) -> None:
            if read == fqn:  # a piece has coordinates too
                progress.advance(fqn, count, size)

        for number, file in layout.files.items():
            box = layout.box(number)
            if self.form_name not in NEEDS_ALL and is_empty(variable, box):
                progress.advance(fqn, math.prod(box.shape), 0)
                continue
            name = posixpath.basename(file)
            piece = reported(
                piece_of(dataset, fqn, variable, box, posixpath.splitext(name)[0]), report
            )
            place = replace(folder, path=_join_path(folder, name))
            options = replace(
                self.options, kind=self.options.kind if name.endswith(".nc") else None
            )
            self.plan(piece, place, options, ignore_notice).write(overwrite=overwrite)
            yield number, file


# Add pieces to an aggregation that exists.


def layout_of(source: AggregatedSource) -> PieceLayout:
    """Return the pieces of a variable of a master, to write the master again.

    Raises `FormatError` if a form that ncz writes cannot say what this one does.
    """
    aggregated = source.aggregation.aggregated
    partitions = source.aggregation.partitions
    files: dict[Index, str] = {}
    addresses: dict[str, str] = {}
    for number, piece in partitions.pieces.items():
        if not isinstance(piece, Piece) or len(piece.files) != 1:
            raise aggregated.error("it has values or alternatives of files in the place of pieces")
        files[number] = piece.files[0]
        addresses.setdefault(piece.address, piece.format or "netCDF")
    if len(addresses) > 1:
        raise aggregated.error("its variable has different names in its pieces")
    fqn = aggregated.fqn
    address = fqn if fqn.count("/") > 1 else aggregated.stored.name
    return PieceLayout(
        lengths=tuple(
            tuple(b - a for a, b in itertools.pairwise(borders))
            for borders in partitions.grid.borders
        ),
        files=files,
        address=next(iter(addresses), address),
        format=next(iter(addresses.values()), "netCDF"),
    )


def longer_layout(
    layout: PieceLayout, axis: int, count: int, step: int | None, prefix: str, suffix: str
) -> PieceLayout:
    """Return a layout with more pieces along one axis.

    Parameters
    ----------
    layout
        The pieces that exist.
    axis, count
        The axis, and by how much it becomes longer.
    step
        The length of the new pieces; None for that of the longest old one.
    prefix, suffix
        What the names of new pieces have before and after their numbers.
    """
    old = layout.lengths[axis]
    step = step or max(old, default=count)
    added = tuple(min(step, count - first) for first in range(0, count, step))
    lengths = (*layout.lengths[:axis], (*old, *added), *layout.lengths[axis + 1 :])
    longer = replace(layout, lengths=lengths)
    files = {
        number: f"{prefix}.{'.'.join(map(str, number))}{suffix}"
        for number in longer.numbers()
        if number[axis] >= len(old)
    }
    shared = files.keys() and set(files.values()) & set(layout.files.values())
    if shared:
        raise LossError(f"another partition has the piece {min(shared)}")
    return replace(longer, files={**layout.files, **files})


@record(kw_only=True)
class Growth:
    """A variable of an aggregation, and its pieces before and after it becomes longer."""

    fqn: str
    axis: int
    before: PieceLayout
    after: PieceLayout

    @property
    def start(self) -> int:
        """The length before."""
        return sum(self.before.lengths[self.axis])

    @property
    def stop(self) -> int:
        """The length after."""
        return sum(self.after.lengths[self.axis])

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape after."""
        return tuple(map(sum, self.after.lengths))

    @property
    def new(self) -> Mapping[Index, str]:
        """The files of the pieces that are new."""
        return {n: f for n, f in self.after.files.items() if n not in self.before.files}

    @property
    def row(self) -> Mapping[str, Any]:
        """The plan for people and scripts."""
        count = len(self.new)
        limits = {"from": self.start, "to": self.stop}
        return {"variable": self.fqn, "way": "recode", **limits, "pieces": count}


def growth_of(
    location: Location, sources: Mapping[str, AggregatedSource], axes: Mapping[str, int],
    counts: Mapping[str, int], options: PieceOptions,
) -> list[Growth]:  # fmt: skip
    """Plan the new pieces of the variables of a master that become longer.

    Parameters
    ----------
    location
        The master.
    sources
        Its aggregated variables by FQN.
    axes, counts
        The axis along which variables become longer, and by how much.
    options
        How new pieces are divided and stored.
    """
    stem = folder_name(location)
    is_netcdf = location.path.lower().endswith(_NETCDF_SUFFIXES)
    lengths = dict(options.lengths)
    found = []
    for fqn, source in sources.items():
        layout = layout_of(source)
        if fqn not in axes:
            found.append(Growth(fqn=fqn, axis=0, before=layout, after=layout))
            continue
        plain = unquote if source.aggregation.form.has_uris else str
        names = map(plain, layout.files.values())
        own = next((name for name in names if is_own(name, location)), "")
        folder = own.rpartition("/")[0] or stem
        suffix = os.path.splitext(own)[1] or (".nc" if is_netcdf else ".zarr")
        if options.format is not None:
            suffix = {"netcdf": ".nc", "zarr": ".zarr"}[options.format]
        name = base_name(source.aggregation.aggregated.dimensions[axes[fqn]])
        prefix = f"{folder}/{'.'.join((stem, *fqn.strip('/').split('/')))}"
        after = longer_layout(layout, axes[fqn], counts[fqn], lengths.get(name), prefix, suffix)
        found.append(Growth(fqn=fqn, axis=axes[fqn], before=layout, after=after))
    return found


def grow(
    dataset: Dataset,
    location: Location,
    growths: Sequence[Growth],
    options: CreateOptions,
    plan: PlanDataset,
    *,
    check: Callable[[], None],
    progress: Progress = NO_PROGRESS,
) -> int:
    """Write new pieces of an aggregation, and then its master again; return their number.

    An error deletes the new pieces. What a killed process leaves is not named by the master, and
    the next call replaces it.

    Parameters
    ----------
    dataset
        The longer dataset.
    location
        The master.
    grown
        Its aggregated variables.
    options
        How master and pieces are stored.
    plan
        Plans master and pieces.
    check
        Called before the master is replaced; raises if it has changed.
    progress
        Receives the values that are written.

    Raises
    ------
    NczError
        If the form of the master cannot be written, or the storage refuses.
    """
    form = next((name for name in FORMS if name == dataset.provenance.aggregation), None)
    if form is None:
        raise FormatError(
            f"a master of the form {dataset.provenance.aggregation} cannot be written",
            location.display,
            f"copy it to one that can, with {option('modes', 'cfa')}",
        )
    place = replace(location, modes=location.modes - FORM_OF_MODE.keys())
    quoted = _quoting(form)

    def planned(layouts: Mapping[str, PieceLayout]) -> WritePlan:
        return plan(master_of(dataset, layouts, form), place, options, ignore_notice)

    pieces = AggregationPlan(
        location=place, form_name=form, dataset=dataset, options=options, plan=plan,
        layouts={}, master=planned({each.fqn: each.after for each in growths}),
    )  # fmt: skip
    new = {each.fqn: each.new for each in growths}
    folders = {file.rpartition("/")[0] for files in new.values() for file in files.values()}
    places = {folder: replace(place, path=_beside(place, folder)) for folder in folders}
    new_paths = [each.path for each in places.values() if is_local(each) and _is_made(each.path)]
    new_places: list[Location] = []
    layouts = {}
    try:
        for each in growths:
            files = dict(each.before.files)
            for folder, there in places.items():
                own = {n: f for n, f in new[each.fqn].items() if f.rpartition("/")[0] == folder}
                names = (posixpath.basename(file) for file in own.values())
                new_places += [replace(there, path=_join_path(there, name)) for name in names]
                layout = replace(each.after, files=own)
                done = pieces._write_pieces(each.fqn, layout, there, True, progress)
                files |= {number: quoted(file) for number, file in done}
            layouts[each.fqn] = replace(each.after, files=files)
        planned(layouts).write(overwrite=True, check=check)
    except BaseException:
        for each_place in new_places:
            with suppress(NczError, OSError):  # must not hide the first error
                _discard(each_place)
        for path in new_paths:
            with suppress(OSError):
                os.rmdir(path)
        raise
    return sum(len(layouts[each.fqn].files) - len(each.before.files) for each in growths)


def _is_made(path: str) -> bool:
    """Create a folder; return False if it exists."""
    try:
        os.mkdir(path)
    except FileExistsError:
        return False
    return True


def _discard(piece: Location) -> None:
    if piece.kind == "remote":
        with closing(connect_to_write(piece)) as zmap:
            zmap.delete_many(list(zmap.walk()))
            if zmap.file_size() is not None:
                zmap.delete_file()
    elif piece.kind != "memory":
        remove(piece.path)


def _beside(master: Location, folder: str) -> str:
    """Return the path of a folder that a master names from its own."""
    if is_local(master):
        return os.path.join(os.path.dirname(os.path.abspath(master.path)), *folder.split("/"))
    above = master.path.rstrip("/").rpartition("/")[0]
    return f"{above}/{quote(folder)}" if above else quote(folder)


def _join_path(folder: Location, name: str) -> str:
    if is_local(folder):
        return os.path.join(folder.path, name)
    return f"{folder.path}/{quote(name)}"
