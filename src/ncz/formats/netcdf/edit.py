"""Change attributes and names of a netCDF file: all requests, or none.

The changes of a netCDF-4 file are made in memory, and read again. A changed copy is then written
next to the file, and put in its place.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Iterator, Sequence

from ncz.errors import FormatError, UrlError, either, ignore_notice
from ncz.formats.create_options import CreateOptions
from ncz.formats.dataset_edits import EditedDataset
from ncz.formats.edits import Change, Request
from ncz.formats.hdf5.edit import edit_hdf5
from ncz.formats.hdf5.reader import read_hdf5
from ncz.formats.netcdf.classic.reader import read_classic
from ncz.formats.netcdf.losses import faults, unnamed_attributes
from ncz.formats.netcdf.target import plan_netcdf
from ncz.formats.signatures import CLASSIC
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.model.tree import Attribute, Dataset, dimensions_by_fqn, variables_by_fqn, walk
from ncz.record import replace
from ncz.system_errors import storage_errors
from ncz.zmap.file import open_file
from ncz.zmap.file_draft import FileDraft
from ncz.zmap.local.creation import create_file
from ncz.zmap.location import Location
from ncz.zmap.range_file import RangeFile


def edit_file(
    location: Location, requests: Sequence[Request], *, in_place: bool = True, dry_run: bool
) -> tuple[list[Change], EditedDataset]:
    """Change a netCDF file.

    Parameters
    ----------
    location
        The file.
    requests
        What to change, in order.
    in_place
        Whether to change the file itself, and not a copy. HDF5 makes fewer changes in place.
    dry_run
        Change nothing, and find out whether the changes are possible.

    Returns
    -------
    list of Change
        The changes, or the changes that would be made.
    EditedDataset
        The dataset afterwards.

    Raises
    ------
    FormatError
        If something does not exist, or the file cannot be changed so.
    ZmapError
        If the file cannot be read or written.
    """
    if location.kind == "remote":
        raise UrlError(
            "a netCDF file on a server cannot be edited",
            location.display,
            "copy it to this computer, or to a store",
        )
    place = replace(location, path=os.path.realpath(location.path))
    name = location.dataset_name()
    with contextlib.closing(open_file(place)) as file:
        is_classic = file.read(0, 4) in CLASSIC
        read = read_classic if is_classic else read_hdf5
        dataset = read(file, name, ignore_notice)
        edited = EditedDataset.of(dataset, location.display)
        changes: list[Change] = []
        steps: list[tuple[Request, Dataset]] = []
        for request in requests:
            steps.append((request, edited.dataset))
            edited, more = edited.apply(request)
            changes += more
        kind = dataset.provenance.kind_of_file or "netCDF-4"
        found = {*_faults(edited.dataset, kind)} - {*_faults(dataset, kind)}
        if found:
            raise FormatError(
                f"a file of kind {kind!r} cannot represent {'; '.join(sorted(found))}",
                location.display,
                "nothing was changed",
            )
        if dry_run and not in_place:
            return changes, edited
        options = CreateOptions(overwrite=True, kind=kind)
        plan = plan_netcdf(edited.dataset, place, options, ignore_notice) if is_classic else None
        draft = None if is_classic else _draft(file, steps, edited.dataset)
        if dry_run:
            return changes, edited
        mode = os.stat(place.path).st_mode
        if plan is not None:
            plan.write(overwrite=True, check=file.check_unchanged)
        elif draft is not None:
            with create_file(place, overwrite=True, replaces=None) as partial:
                _write_draft(draft, place, partial)
                file.check_unchanged()
                os.chmod(partial, mode)
        os.chmod(place.path, mode)
    return changes, edited


def _faults(dataset: Dataset, kind: NetcdfKind) -> Iterator[str]:
    """Yield losses of a file of the kind; a copy may leave attributes out."""
    yield from faults(dataset, kind)
    yield from (f"attribute {name}" for name in unnamed_attributes(dataset))


def _draft(file: RangeFile, steps: Sequence[tuple[Request, Dataset]], wanted: Dataset) -> FileDraft:
    """Return the draft of a changed netCDF-4 file, after reading it."""
    draft = FileDraft(file)
    edit_hdf5(draft, steps)
    found = read_hdf5(draft, wanted.root.name, ignore_notice)
    if _description(found) != _description(wanted):
        raise FormatError(
            "the changed file would not read as requested",
            file.url,
            f"nothing was changed; write a changed copy with {either('-o', 'output')}",
        )
    return draft


def _write_draft(draft: FileDraft, place: Location, partial: str) -> None:
    """Copy the file, and change the copy."""
    with storage_errors(place.display, "copy"):
        shutil.copyfile(place.path, partial)
        with open(partial, "r+b") as copy:
            draft.write_to(copy)


def _description(dataset: Dataset) -> dict[str, object]:
    """Return the names, types and attributes of a dataset, in no order."""
    dimensions = dimensions_by_fqn(dataset.root)
    return {
        **{f"dimension {fqn}": (d.size, d.unlimited) for fqn, d in dimensions.items()},
        **{f"group {fqn}": _attributes(group.attributes) for fqn, group in walk(dataset.root)},
        **{
            f"variable {fqn}": (repr(v.type), v.dimensions, _attributes(v.attributes))
            for fqn, v in variables_by_fqn(dataset.root)
        },
    }


def _attributes(attributes: Sequence[Attribute]) -> dict[str, str]:
    return {a.name: f"{a.type!r} {a.values!r}" for a in attributes}
