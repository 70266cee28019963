"""The places of the values of variables in a new file, and the values that do not fit."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence

from ncz.errors import LossError, option
from ncz.formats.linear_array import stored_dtype_of
from ncz.formats.netcdf.classic.header import KINDS
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.default_chunks import default_chunks
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.model.tree import (
    Dataset,
    Dimension,
    Variable,
    dimensions_by_fqn,
    missing_fill,
    variables_by_fqn,
)
from ncz.model.types import Atomic, Value
from ncz.record import record

VERSIONS: dict[NetcdfKind, int] = {kind: magic[3] for magic, kind in KINDS.items()}
"""The number of the format after "CDF" at the start of a file."""

_LARGEST_OFFSET = {1: 2**31 - 1, 2: 2**63 - 1, 5: 2**63 - 1}
_LARGEST_SIZE = {1: 2**31 - 4, 2: 2**32 - 4, 5: 2**63 - 4}
"""Bytes of a variable, or of a record of it, unless it is the last of its kind."""
_LONGEST_DIMENSION = {1: 2**31 - 4, 2: 2**32 - 4, 5: 2**63 - 4}


@record(kw_only=True)
class ClassicArray:
    """The storage of one variable; a `ncz.model.encoded_arrays.TargetArray`.

    Values are big-endian, and not in chunks: `layout` has the default chunks as a unit of work.
    """

    fqn: str
    variable: Variable
    layout: ChunkLayout
    type: Atomic
    fill: Value
    is_record: bool
    encoded_target: None = None

    @property
    def stored_dtype(self) -> str:
        """The dtype of values in the file."""
        return stored_dtype_of(self.type, big=True)

    @property
    def item_size(self) -> int:
        """Bytes of a value."""
        return self.type.size

    @property
    def size(self) -> int:
        """Bytes of the values, or of one record's values."""
        return math.prod(self.layout.shape[self.is_record :]) * self.type.size

    @property
    def padded_size(self) -> int:
        """The size, padded to a multiple of 4 bytes."""
        return -(-self.size // 4) * 4


def plan_arrays(dataset: Dataset) -> tuple[ClassicArray, ...]:
    """Return the layout of each variable of a dataset."""
    known = dimensions_by_fqn(dataset.root)
    return tuple(
        _plan_array(fqn, variable, known) for fqn, variable in variables_by_fqn(dataset.root)
    )


def _plan_array(fqn: str, variable: Variable, known: Mapping[str, Dimension]) -> ClassicArray:
    assert isinstance(variable.type, Atomic)
    dimensions = [known[d] for d in variable.dimensions]
    shape = tuple(d.size for d in dimensions)
    fill = missing_fill(variable)
    return ClassicArray(
        fqn=fqn,
        variable=variable,
        layout=ChunkLayout(
            shape=shape,
            chunks=default_chunks(dimensions, variable.type.size),
            order=in_order(len(shape)),
        ),
        type=variable.type,
        fill=fill,
        is_record=bool(dimensions) and dimensions[0].unlimited,
    )


@record(kw_only=True)
class FileLayout:
    """The offsets of the variables, by their FQNs, and the sizes of a record and of the file."""

    begins: dict[str, int]
    record_size: int
    records: int
    size: int


def lay_out(
    dataset: Dataset, arrays: Sequence[ClassicArray], header_size: int, version: int
) -> FileLayout:
    """Return the place of every variable.

    Parameters
    ----------
    dataset
        What to write.
    arrays
        Its variables.
    header_size
        Bytes of the header, which does not depend on the places.
    version
        The number of the format: 1, 2 or 5.

    Raises
    ------
    LossError
        If an offset is too large for the format.
    """
    found: list[str] = []
    fixed = [array for array in arrays if not array.is_record]
    moving = [array for array in arrays if array.is_record]
    begins: dict[str, int] = {}
    largest = _LARGEST_OFFSET[version]
    at = -(-header_size // 4) * 4
    for array in (*fixed, *moving):
        begins[array.fqn] = at
        if at > largest:
            found.append(f"variable {array.fqn}, which begins after {largest} bytes")
        at += array.padded_size
    _refuse(found)
    # A single variable is not padded between records.
    record_size = moving[0].size if len(moving) == 1 else sum(a.padded_size for a in moving)
    records = next((d.size for d in dataset.root.dimensions if d.unlimited), 0)
    start = begins[moving[0].fqn] if moving else at
    return FileLayout(
        begins=begins,
        record_size=record_size,
        records=records,
        size=start + record_size * records,
    )


def refuse_large(dataset: Dataset, arrays: Sequence[ClassicArray], version: int) -> None:
    """Raise `LossError` if a dimension or a variable is too large for the format."""
    _refuse(list(_faults(dataset, arrays, version)))


def _refuse(faults: Sequence[str]) -> None:
    """Raise `LossError` if there are faults."""
    if faults:
        hint = f"use {option('kind', 'cdf5')} or {option('kind', 'netCDF-4')}"
        raise LossError(
            f"the file is too large for its kind: {'; '.join(faults)}",
            hint=f"{hint} (nothing was written)",
        )


def _faults(dataset: Dataset, arrays: Sequence[ClassicArray], version: int) -> Iterator[str]:
    longest, largest = _LONGEST_DIMENSION[version], _LARGEST_SIZE[version]
    for dimension in dataset.root.dimensions:
        if dimension.size > longest:
            yield f"dimension {dimension.name} of length {dimension.size}"
    fixed = [array for array in arrays if not array.is_record]
    moving = [array for array in arrays if array.is_record]
    # The last variable may be of any size, because no offset follows it.
    last = (moving or fixed)[-1:]
    for array in arrays:
        if array.size > largest and array not in last:
            what = "a record of variable" if array.is_record else "variable"
            yield f"{what} {array.fqn} of {array.size} bytes, which is not the last variable"
