"""Whether a store holds what it should: everything that its form can hold, value by value.

What a form cannot hold (in pure Zarr: types of attributes, unlimited dimensions, dimensions that no
variable uses) is not asked of it. Values are equal if they compare so, or if both are not numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.errors import NczError
from ncz.model.data import fill_array, read_box
from ncz.model.grid import Box, ChunkGrid, Index, slabs
from ncz.model.tree import (
    Attribute,
    Dataset,
    Variable,
    dimensions_by_fqn,
    shape_of,
    variables_by_fqn,
    walk,
)
from ncz.model.types import Atomic

if TYPE_CHECKING:
    from ncz.formats.zarr.array.array import ZarrArray
    from ncz.model.data import Values
    from ncz.parallel.threads import ThreadPool


class DifferenceError(NczError, AssertionError):
    """A store does not hold what it should."""


def compare(
    expected: Dataset,
    found: Dataset,
    with_data: frozenset[str],
    location: str,
    pool: ThreadPool,
    pure: bool,
) -> int:
    """Compare two datasets; the values of the variables `with_data` only.

    Returns how many values were compared. Raises `DifferenceError` at the first difference.
    """
    from ncz.formats.zarr.array.array import ZarrArray

    ours, theirs = dict(variables_by_fqn(expected.root)), dict(variables_by_fqn(found.root))
    _compare_names(ours, theirs, "variable", location)
    groups = dict(walk(expected.root))
    found_groups = dict(walk(found.root))
    _compare_names(groups, found_groups, "group", location)
    for fqn, group in groups.items():
        _compare_attributes(
            group.attributes, found_groups[fqn].attributes, fqn or "/", location, typed=not pure
        )
        if not pure and group.dimensions != found_groups[fqn].dimensions:
            raise DifferenceError(f"the dimensions of {fqn or '/'} differ", location)
    count = 0
    is_text = not any(isinstance(v.data, ZarrArray) for v in ours.values())
    lengths, found_lengths = dimensions_by_fqn(expected.root), dimensions_by_fqn(found.root)
    for fqn, variable in ours.items():
        other = theirs[fqn]
        shape = shape_of(variable, lengths)
        if shape != shape_of(other, found_lengths):
            raise DifferenceError(
                f"the shape is {shape_of(other, found_lengths)}, not {shape}", f"{location}: {fqn}"
            )
        attributes = variable.attributes
        if pure and not expected.provenance.superblock:  # without what reading added to the dtype
            attributes = tuple(a for a in attributes if a.original is not None or is_text)
        _compare_attributes(attributes, other.attributes, fqn, location, typed=not pure)
        if fqn in with_data:
            count += _compare_values(variable, other, shape, f"{location}: {fqn}", pool)
    return count


def _compare_names(
    ours: Mapping[str, object], theirs: Mapping[str, object], kind: str, location: str
) -> None:
    for names, others, problem in ((ours, theirs, "is missing"), (theirs, ours, "is too many")):
        lacking = [name for name in names if name not in others]
        if lacking:
            raise DifferenceError(f"{kind} {lacking[0]} {problem}", location)


def _compare_attributes(
    ours: tuple[Attribute, ...],
    theirs: tuple[Attribute, ...],
    place: str,
    location: str,
    *,
    typed: bool,
) -> None:
    expected, found = {a.name: a for a in ours}, {a.name: a for a in theirs}
    for name, attribute in expected.items():
        other = found.get(name)
        if other is None:
            if name in _WRITERS_OWN:
                continue
            raise DifferenceError(f"attribute {name} of {place} is missing", location)
        same = _texts(attribute) == _texts(other) and (not typed or attribute.type is other.type)
        if not same:
            raise DifferenceError(f"attribute {name} of {place} differs", location)


_WRITERS_OWN = frozenset({"_NCProperties"})


def _texts(attribute: Attribute) -> tuple[object, ...]:
    """The values without what a missing type changes of them."""
    values = ["" if v is None else v for v in attribute.values]
    if all(isinstance(v, str) for v in values):
        return ("".join(values),) if len(values) < 2 else tuple(values)
    return tuple("NaN" if isinstance(v, float) and math.isnan(v) else v for v in values)


def _compare_values(
    ours: Variable, theirs: Variable, shape: tuple[int, ...], location: str, pool: ThreadPool
) -> int:
    from ncz.formats.zarr.array.array import ZarrArray

    source, found = ours.data, theirs.data
    if isinstance(source, ZarrArray) and isinstance(found, ZarrArray):
        pairs = _stored_pairs(source, found, theirs, pool)
    else:
        pairs = _pairs(ours, theirs, shape, pool.memory)
    for box, expected, values in pairs:
        if not _are_equal(expected, values):
            place = _first_difference(expected, values)
            at = ",".join(str(i + start) for i, start in zip(place, box.start, strict=True))
            raise DifferenceError(
                f"[{at}] is {_shown(values, place)}, not {_shown(expected, place)}", location
            )
    return math.prod(shape)


Pairs = Iterator[tuple[Box, "Values", "Values"]]


def _stored_pairs(
    source: ZarrArray, found: ZarrArray, variable: Variable, pool: ThreadPool
) -> Pairs:
    """Blocks of both as elements that `found` stores, each chunk decoded as seldom as can be."""
    import numpy as np

    from ncz.formats.zarr.element.conversion import fill_element
    from ncz.formats.zarr.plan import ArrayPlan
    from ncz.transfer.move import Transfer
    from ncz.transfer.rechunk import Rechunking

    array = ArrayPlan(
        fqn=variable.name,
        variable=variable,
        layout=found.layout,
        encoding=found.encoding,
        fill=found.fill if source.fill is None else source.fill,
    )
    rechunking = Rechunking(Transfer(source, array, "rechunk"), pool)
    fill = fill_element(array.fill if found.fill is None else found.fill, found.encoding)
    for box, block in rechunking.blocks(lambda _: True):
        values = np.full(box.shape, fill, rechunking.dtype)

        def read(index: Index) -> tuple[Box, Values | None]:
            return found.layout.grid.box(index), found.elements(index)

        cost = 3 * found.layout.chunk_size * max(1, found.encoding.item_size)
        indices = found.layout.grid.indices(box)
        for part, elements in pool.each(read, indices, cost, pool.memory // 2):
            if elements is not None:
                here = tuple(slice(0, n) for n in part.shape)
                values[part.relative_to(box.start).slices] = elements[here]
        yield box, block, values
        del block, values


def _pairs(ours: Variable, theirs: Variable, shape: tuple[int, ...], memory: int) -> Pairs:
    """Slabs of both as values."""
    size = ours.type.size if isinstance(ours.type, Atomic) and ours.type.size else 256
    grid = ChunkGrid(shape, tuple(max(1, n) for n in shape))
    if theirs.data is not None:
        grid = theirs.data.grid
    for box in slabs(grid, max(1, memory // 8 // size)):
        yield box, _read(ours, box), _read(theirs, box)


def _read(variable: Variable, box: Box) -> Values:
    if variable.data is None:
        return fill_array(box.shape, variable.type, variable.storage.fill)
    return read_box(variable.data, box)


def _are_equal(expected: Values, found: Values) -> bool:
    import numpy as np

    if expected.dtype.kind == "O" or found.dtype.kind == "O":
        return [_plain(v) for v in expected.flat] == [_plain(v) for v in found.flat]
    if expected.dtype != found.dtype:
        return False
    if expected.dtype.kind in "fc":
        return bool(np.array_equal(expected, found, equal_nan=True))
    return bool(np.array_equal(expected, found))


def _plain(value: object) -> object:
    """A string or a character, whichever way it is held; an empty one is NIL too."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if value != value:
        return "NaN"
    return "" if value is None else value


def _first_difference(expected: Values, found: Values) -> tuple[int, ...]:
    """The first place at which two arrays that are not equal differ."""
    import numpy as np

    for place in np.ndindex(expected.shape):
        if _plain(expected[place]) != _plain(found[place]):
            return place
    return (0,) * expected.ndim


def _shown(values: Values, place: tuple[int, ...]) -> str:
    value = values[place]
    return repr(_plain(value.item() if hasattr(value, "item") else value))
