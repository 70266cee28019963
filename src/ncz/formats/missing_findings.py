"""Findings that explain why readers such as xarray show missing values.

Values are missing where they equal a mask, and where nothing was ever written.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator

from ncz.errors import NczError, option, quantity
from ncz.formats.findings import CheckRequest, Finding, Severity, finding
from ncz.late import numpy as np
from ncz.model.coordinate_variables import coordinate_variables
from ncz.model.data import ChunkSource, PartitionedSource, Values, read_all
from ncz.model.encoded_arrays import EncodedSource, lists_present
from ncz.model.grid import Index
from ncz.model.links import links
from ncz.model.packing import packing_of
from ncz.model.tree import Dataset, Variable, base_name, variables_by_fqn
from ncz.model.types import Atomic

_SMALL = 1 << 16
"""Elements of the largest variable that is read unless all data are checked."""

_MOST_CHUNKS = 1_000_000
"""Chunks of the largest array whose missing chunks are looked for."""

_MOST_ASKED_FOR = 1000
"""The same, if each needs a request to the store."""

_NAMED = 3
"""Missing chunks that are named."""


def check_missing(
    dataset: Dataset, request: CheckRequest, masked_by_format: Collection[str]
) -> Iterator[Finding]:
    """Yield findings of values that readers show as missing, perhaps unintentionally.

    Parameters
    ----------
    dataset
        The dataset; its coordinates are read.
    request
        Whether all values are read, and whether xarray is a reader, which adds missing chunks.
    masked_by_format
        The FQNs of variables whose mask no attribute names.
    """
    coordinates = coordinate_variables(dataset.root) - _mappings(dataset)
    is_asked = "xarray" in request.readers
    for fqn, variable in variables_by_fqn(dataset.root):
        source = variable.data
        size = 0 if source is None else math.prod(source.grid.shape)
        if source is None or not size or not variable.has_numbers:
            continue
        if isinstance(source, PartitionedSource):  # its pieces are checked one by one
            continue
        try:
            absent = _absent(source) if fqn in coordinates or is_asked else None
            if fqn in coordinates:
                found = _of_coordinate(
                    fqn, variable, source, absent,
                    is_masked_by_format=fqn in masked_by_format, is_asked=is_asked,
                )  # fmt: skip
                if found is not None:
                    yield found
                    continue
            if is_asked and absent:
                yield _missing_chunks(fqn, variable, source, absent)
            if fqn in masked_by_format:
                is_read = size <= _SMALL or request.data
                yield from _mask_findings(fqn, variable, source, is_asked=is_asked, is_read=is_read)
        except NczError:
            continue  # data that cannot be read are findings of other checks


def _mappings(dataset: Dataset) -> frozenset[str]:
    """Return the FQNs of scalar grid mappings, whose attributes count, and not their value."""
    variables = dict(variables_by_fqn(dataset.root))
    named = (link.target for link in links(dataset.root) if link.attribute == "grid_mapping")
    return frozenset(fqn for fqn in named if fqn in variables and not variables[fqn].dimensions)


def _of_coordinate(
    fqn: str,
    variable: Variable,
    source: ChunkSource,
    absent: list[Index] | None,
    *,
    is_masked_by_format: bool,
    is_asked: bool,
) -> Finding | None:
    """Return the finding that a coordinate has no values, or that some are missing.

    It is a warning only if xarray is a reader and no value exists, because many stores are right
    copies of files that have such coordinates.
    """
    key, size = fqn[1:], math.prod(source.grid.shape)
    shown = _fill_text(variable, source)
    if absent and len(absent) == source.grid.size and (size > 1 or shown == "NaN"):
        return finding(
            "coordinate-missing",
            key,
            f"no chunk of the coordinate is stored, so that it is {shown} everywhere",
            "write its values",
            severity=_severity(is_asked),
        )
    if size > _SMALL:
        return None
    values = read_all(source)
    missing = _count_missing(variable, values)
    is_axis = [base_name(dimension) for dimension in variable.dimensions] == [base_name(fqn)]
    if missing == size or (is_axis and missing):
        if is_masked_by_format and not absent:
            return _hidden_values_finding(fqn, variable, missing, size)
        count = "all values" if missing == size else f"{missing} of {quantity(size, 'value')}"
        count = "the value" if size == 1 else count
        text = f"{count} of the coordinate {'is' if missing == 1 else 'are'} missing"
        severity = _severity(is_asked and missing == size)
        return finding("coordinate-missing", key, text, "write its values", severity=severity)
    return None


def _severity(is_usual: bool) -> Severity | None:
    """Return the usual severity of a finding, which is None, or the severity of a note."""
    return None if is_usual else "note"


def _absent(source: ChunkSource) -> list[Index] | None:
    """Return the indices of the chunks that are not stored; None if they are not known."""
    if not isinstance(source, EncodedSource):
        return None
    grid = source.layout.grid
    if grid.size > _MOST_CHUNKS:
        return None
    if lists_present(source):
        present = set(source.present())
        return [index for index in grid.indices() if index not in present]
    if grid.size > _MOST_ASKED_FOR:
        return None
    return [index for index in grid.indices() if source.stored_size(index) is None]


def _fill_text(variable: Variable, source: ChunkSource) -> str:
    """Return the text that readers show for elements that were never written."""
    fill = source.fill
    is_nan = isinstance(fill, float) and math.isnan(fill)
    packing = packing_of(variable)
    if is_nan or (isinstance(fill, int | float) and fill in packing.masks):
        return "NaN"
    return "0" if fill is None else f"{fill:g}" if isinstance(fill, float) else f"{fill}"


def _count_missing(variable: Variable, values: Values) -> int:
    """Count the values that are missing: masked, or never written by a netCDF library."""
    missing = packing_of(variable).is_missing(values)
    if isinstance(variable.type, Atomic) and variable.mask is None and variable.type.size > 1:
        default = np.asarray(variable.type.default_fill).astype(values.dtype)
        missing = missing | (values == default)
    if values.dtype.kind == "f":
        missing = missing | np.isnan(values)
    return int(np.count_nonzero(missing))


def _missing_chunks(
    fqn: str, variable: Variable, source: ChunkSource, absent: list[Index]
) -> Finding:
    """Return the finding that chunks are missing, with the first of them."""
    assert isinstance(source, EncodedSource)
    names = [source.locate(index).rpartition(": ")[2] for index in absent[:_NAMED]]
    count, more = len(absent), len(absent) - len(names)
    chunks = quantity(source.layout.grid.size, "chunk")
    return finding(
        "chunk-missing",
        fqn[1:],
        f"{count} of {chunks} {'is' if count == 1 else 'are'} not stored and read as"
        f" {_fill_text(variable, source)}: {', '.join(names)}{f' and {more} more' if more else ''}",
    )


def _mask_findings(
    fqn: str, variable: Variable, source: ChunkSource, *, is_asked: bool, is_read: bool
) -> Iterator[Finding]:
    """Yield the finding that a mask of 0 hides values: values that were read, or any."""
    mask = variable.mask
    if not isinstance(mask, int | float) or mask != 0:  # another mask was chosen by somebody
        return
    if not is_read:
        text = "xarray shows NaN for all values that equal fill_value 0"
        yield finding("values-masked", fqn[1:], text, _unmask(fqn, variable), severity="note")
        return
    hidden = 0
    for index in source.grid.indices():
        values = source.chunk(index)
        hidden += 0 if values is None else int(np.count_nonzero(values == mask))
    if hidden:
        size = math.prod(source.grid.shape)
        yield _hidden_values_finding(fqn, variable, hidden, size, _severity(is_asked))


def _hidden_values_finding(
    fqn: str, variable: Variable, count: int, size: int, severity: Severity | None = None
) -> Finding:
    """Return the finding that the ``fill_value`` of Zarr V2 masks values."""
    mask = variable.mask
    return finding(
        "values-masked",
        fqn[1:],
        f"xarray shows NaN for {count} of {quantity(size, 'value')}, which"
        f" {'equals' if count == 1 else 'equal'} fill_value {mask}",
        _unmask(fqn, variable),
        severity=severity,
    )


def _unmask(fqn: str, variable: Variable) -> str | None:
    """Return the option that makes a copy show the masked values."""
    if variable.mask is None:
        return None
    return f"write a copy with {option('drop_attributes', f'{fqn[1:]}:_FillValue')} to see them"
