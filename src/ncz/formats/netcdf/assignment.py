"""Write new values of a variable of a netCDF file: all of them, or none.

A changed copy is written next to the file, read again, and put in its place.
"""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ncz.errors import FormatError, UrlError, ignore_notice
from ncz.formats.hdf5.assignment import write_hdf5
from ncz.formats.hdf5.reader import read_hdf5
from ncz.formats.netcdf.classic.assignment import write_classic
from ncz.formats.netcdf.classic.reader import read_classic
from ncz.formats.signatures import CLASSIC
from ncz.late import numpy as np
from ncz.model.data import read_all
from ncz.model.subset import indices_of, subset_source
from ncz.model.tree import Dataset, Variable, variables_by_fqn
from ncz.model.types import Atomic, Enumeration
from ncz.record import replace
from ncz.system_errors import storage_error
from ncz.zmap.file import open_file
from ncz.zmap.local.creation import create_file

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.model.data import Values
    from ncz.zmap.location import Location
    from ncz.zmap.range_file import RangeFile


def assign_in_file(
    location: Location, fqn: str, positions: Sequence[NDArray[np.int64]], values: Values
) -> None:
    """Give elements of a variable of a netCDF file new values.

    Parameters
    ----------
    location
        The file.
    fqn
        The variable.
    positions
        The indices along each axis.
    values
        The values at the product of these indices, as a numpy array.

    Raises
    ------
    FormatError
        If the variable does not exist, or its values cannot be changed so.
    ZmapError
        If the file cannot be read or written.
    """
    if location.kind == "remote":
        raise UrlError(
            "values of a netCDF file on a server cannot be replaced", location.display,
            "copy it to this computer, or to a store",
        )  # fmt: skip
    place = replace(location, path=os.path.realpath(location.path))
    with contextlib.closing(open_file(place)) as file:
        is_classic = file.read(0, 4) in CLASSIC
        old = _variable(_read(file, is_classic=is_classic), fqn, location)
        _refuse_type(old, fqn, values, location)
        mode = os.stat(place.path).st_mode
        with create_file(place, overwrite=True, replaces=None) as partial:
            try:
                shutil.copyfile(place.path, partial)
            except OSError as error:
                raise storage_error(error, location.display, "copy") from error
            write = write_classic if is_classic else write_hdf5
            write(partial, fqn, positions, values, location.display)
            with contextlib.closing(open_file(replace(place, path=partial))) as changed:
                found = _variable(_read(changed, is_classic=is_classic), fqn, location)
                _check(found, positions, values, location.display)
            file.check_unchanged()
            os.chmod(partial, mode)


def _read(file: RangeFile, *, is_classic: bool) -> Dataset:
    return (read_classic if is_classic else read_hdf5)(file, "file", ignore_notice)


def _variable(dataset: Dataset, fqn: str, location: Location) -> Variable:
    found = dict(variables_by_fqn(dataset.root)).get(fqn)
    if found is None:
        raise FormatError(f"the file has no variable {fqn} any more", location.display)
    return found


def _refuse_type(variable: Variable, fqn: str, values: Values, location: Location) -> None:
    """Raise `FormatError` for values of types that are not written here."""
    nc_type = variable.type
    if isinstance(nc_type, Enumeration):
        numbers = {number for _, number in nc_type.members}
        unknown = sorted({*np.unique(values).tolist()} - numbers)
        if unknown:
            raise FormatError(f"{fqn} has no member with the value {unknown[0]}", location.display)
    elif not isinstance(nc_type, Atomic):
        raise FormatError(
            f"values of {fqn}, which have a user-defined type, cannot be replaced in a netCDF file",
            location.display,
            f"use h5py.File({location.path!r}, 'r+')[{fqn!r}][...] = values, or copy it to a store",
        )


def _check(
    variable: Variable, positions: Sequence[NDArray[np.int64]], values: Values, url: str
) -> None:
    """Read the values again. Raises `FormatError` if they differ from the written values."""
    assert variable.data is not None
    last = [dict(zip(along.tolist(), range(len(along)), strict=True)) for along in positions]
    order = [sorted(places) for places in last]
    chosen = [[places[i] for i in side] for places, side in zip(last, order, strict=True)]
    wanted = np.asarray(values[np.ix_(*chosen)])
    part = subset_source(variable.data, [indices_of(np.array(side, "i8")) for side in order])
    found = read_all(part)
    if values.dtype.kind == "O":
        is_same = [each or "" for each in found.ravel()] == [each or "" for each in wanted.ravel()]
    else:
        found = found.astype(values.dtype)
        is_same = found.tobytes() == np.ascontiguousarray(wanted).tobytes()
    if not is_same:
        raise FormatError(
            "the changed file would not read as requested", url,
            "nothing was changed; copy the file to a store, and write into that",
        )  # fmt: skip
