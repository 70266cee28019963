"""Add pieces to an existing aggregation."""

from __future__ import annotations

import itertools
import os
import posixpath
from collections.abc import Callable, Mapping, Sequence
from contextlib import closing, suppress
from typing import TYPE_CHECKING

from ncz.errors import (
    NO_PROGRESS,
    FormatError,
    LossError,
    NczError,
    Progress,
    ignore_notice,
    option,
)
from ncz.formats.aggregation.description import FORMS
from ncz.formats.aggregation.folder import beside, is_made, join_path
from ncz.formats.aggregation.folder_names import folder_name, is_local, is_own
from ncz.formats.aggregation.master_dataset import master_of
from ncz.formats.aggregation.master_kinds import KINDS
from ncz.formats.aggregation.modes import FORM_OF_MODE, NETCDF_SUFFIXES
from ncz.formats.aggregation.partitions import Piece
from ncz.formats.aggregation.seals import seals_of
from ncz.formats.aggregation.source import AggregatedSource
from ncz.formats.aggregation.target import AggregationPlan, name_writer
from ncz.formats.create_options import CreateOptions
from ncz.formats.growth import Growth
from ncz.formats.kept_sums import KeptSums
from ncz.formats.piece_layout import PieceLayout
from ncz.formats.write_plan import WritePlan
from ncz.model.grid import Index
from ncz.model.tree import Dataset, base_name, variables_by_fqn
from ncz.model.type_sizes import fixed_size
from ncz.record import replace
from ncz.zmap.fragment import unquote
from ncz.zmap.local.claims import remove
from ncz.zmap.location import Location
from ncz.zmap.reference.seals import NO_SEALS
from ncz.zmap.remote.opening import connect_to_write

if TYPE_CHECKING:
    from ncz.formats.aggregation.target import PlanDataset
    from ncz.zmap.reference.seals import Seal


_TEXT = 16
"""Bytes that a string is taken to have."""


def layout_of(source: AggregatedSource) -> PieceLayout:
    """Return the pieces of a variable of a master, to write the master again.

    Raises `FormatError` if no form that ncz writes can represent this one.
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
        The axis, and the number of its new indices.
    step
        The length of the new pieces; None for the length of the longest old one.
    prefix, suffix
        The texts before and after the numbers in the names of new pieces.
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


def growth_of(
    location: Location, dataset: Dataset, axes: Mapping[str, int],
    counts: Mapping[str, int], steps: Mapping[str, int], piece_format: str | None,
) -> list[Growth]:  # fmt: skip
    """Plan the new pieces of the variables of a master that become longer.

    Parameters
    ----------
    location
        The master.
    dataset
        Its dataset.
    axes, counts
        The axis along which variables become longer, and the numbers of new indices.
    steps
        The lengths of new pieces by the name of a dimension.
    piece_format
        Their format; None for the format of the old ones.
    """
    stem = folder_name(location)
    is_netcdf = location.path.lower().endswith(NETCDF_SUFFIXES)
    found = []
    for fqn, variable in variables_by_fqn(dataset.root):
        source = variable.data
        if not isinstance(source, AggregatedSource):
            continue
        layout, seals = layout_of(source), source.aggregation.access.seals
        growth = Growth(
            fqn=fqn,
            axis=0,
            before=layout,
            after=layout,
            item_size=fixed_size(variable.type) or _TEXT,
            seals=seals,
            sums=source.kept_sums(),
        )
        if fqn not in axes:
            found.append(growth)
            continue
        plain = unquote if source.aggregation.form.has_uris else str
        names = map(plain, layout.files.values())
        own = next((name for name in names if is_own(name, location)), "")
        folder = own.rpartition("/")[0] or stem
        suffix = os.path.splitext(own)[1] or (".nc" if is_netcdf else ".zarr")
        if piece_format is not None:
            suffix = {"netcdf": ".nc", "zarr": ".zarr"}[piece_format]
        name = base_name(source.aggregation.aggregated.dimensions[axes[fqn]])
        prefix = f"{folder}/{'.'.join((stem, *fqn.strip('/').split('/')))}"
        after = longer_layout(layout, axes[fqn], counts[fqn], steps.get(name), prefix, suffix)
        found.append(replace(growth, axis=axes[fqn], after=after))
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

    An error deletes the new pieces. The master does not name leftovers of a killed process, and the
    next call replaces them.

    Parameters
    ----------
    dataset
        The longer dataset.
    location
        The master.
    growths
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
    quoted = name_writer(form)
    kept = {e.fqn: KeptSums(e.shape, e.sums) for e in growths if e.sums is not None}

    def plan_master(
        layouts: Mapping[str, PieceLayout], seals: Mapping[str, Seal] = NO_SEALS
    ) -> WritePlan:
        master = master_of(dataset, layouts, form, seals, kept)
        return plan(master, place, options, ignore_notice)

    pieces = AggregationPlan(
        location=place, form_name=form, dataset=dataset, options=options, plan=plan,
        layouts={}, master=plan_master({each.fqn: each.after for each in growths}),
    )  # fmt: skip
    new = {each.fqn: each.new for each in growths}
    folders = {file.rpartition("/")[0] for files in new.values() for file in files.values()}
    places = {folder: replace(place, path=beside(place, folder)) for folder in folders}
    new_paths = [each.path for each in places.values() if is_local(each) and is_made(each.path)]
    new_places: list[Location] = []
    written: list[str] = []
    layouts = {}
    try:
        for each in growths:
            files = dict(each.before.files)
            for folder, there in places.items():
                own = {n: f for n, f in new[each.fqn].items() if f.rpartition("/")[0] == folder}
                names = (posixpath.basename(file) for file in own.values())
                new_places += [replace(there, path=join_path(there, name)) for name in names]
                layout = replace(each.after, files=own)
                done = pieces._write_pieces(each.fqn, layout, there, True, progress)
                files |= {number: quoted(file) for number, file in done}
            layouts[each.fqn] = replace(each.after, files=files)
            written += [file for number, file in files.items() if number in new[each.fqn]]
        seals = seals_of(location, written, is_uri=KINDS[form].has_uris, known=growths[0].seals)
        plan_master(layouts, seals).write(overwrite=True, check=check)
    except BaseException:
        for each_place in new_places:
            with suppress(NczError, OSError):  # must not hide the first error
                _discard(each_place)
        for path in new_paths:
            with suppress(OSError):
                os.rmdir(path)
        raise
    return sum(len(layouts[each.fqn].files) - len(each.before.files) for each in growths)


def _discard(piece: Location) -> None:
    if piece.kind == "remote":
        with closing(connect_to_write(piece)) as zmap:
            zmap.delete_many(list(zmap.walk()))
            if zmap.file_size() is not None:
                zmap.delete_file()
    elif piece.kind != "memory":
        remove(piece.path)
