"""Whether a store holds what it should: everything that its form can hold, value by value.

What a form cannot hold (in pure Zarr: types of attributes, unlimited dimensions, dimensions that no
variable uses) is not asked of it. Values are equal if their bytes are, or if both are not numbers.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from ncz.commands.reshaping import variables_by_fqn
from ncz.errors import NczError
from ncz.model.data import fill_array, read_box
from ncz.model.grid import Box, ChunkGrid, slabs
from ncz.model.tree import Attribute, Dataset, Variable, dimensions_by_fqn, shape_of, walk
from ncz.model.types import Atomic

if TYPE_CHECKING:
    from ncz.model.data import Values


class DifferenceError(NczError, AssertionError):
    """A store does not hold what it should."""


def compare(
    expected: Dataset,
    found: Dataset,
    with_data: frozenset[str],
    where: str,
    memory: int,
    pure: bool,
) -> int:
    """Compare two datasets; the values of the variables `with_data` only.

    Returns how many values were compared. Raises `DifferenceError` at the first difference.
    """
    ours, theirs = dict(variables_by_fqn(expected.root)), dict(variables_by_fqn(found.root))
    _compare_names(ours, theirs, "variable", where)
    groups = dict(walk(expected.root))
    found_groups = dict(walk(found.root))
    _compare_names(groups, found_groups, "group", where)
    for fqn, group in groups.items():
        _compare_attributes(
            group.attributes, found_groups[fqn].attributes, fqn or "/", where, typed=not pure
        )
        if not pure and group.dimensions != found_groups[fqn].dimensions:
            raise DifferenceError(f"the dimensions of {fqn or '/'} differ", where)
    count = 0
    lengths, found_lengths = dimensions_by_fqn(expected.root), dimensions_by_fqn(found.root)
    for fqn, variable in ours.items():
        other = theirs[fqn]
        shape = shape_of(variable, lengths)
        if shape != shape_of(other, found_lengths):
            raise DifferenceError(
                f"the shape is {shape_of(other, found_lengths)}, not {shape}", f"{where}: {fqn}"
            )
        _compare_attributes(variable.attributes, other.attributes, fqn, where, typed=not pure)
        if fqn in with_data:
            count += _compare_values(variable, other, shape, f"{where}: {fqn}", memory)
    return count


def _compare_names(
    ours: Mapping[str, object], theirs: Mapping[str, object], kind: str, where: str
) -> None:
    for names, others, problem in ((ours, theirs, "is missing"), (theirs, ours, "is too many")):
        lacking = [name for name in names if name not in others]
        if lacking:
            raise DifferenceError(f"{kind} {lacking[0]} {problem}", where)


def _compare_attributes(
    ours: tuple[Attribute, ...],
    theirs: tuple[Attribute, ...],
    place: str,
    where: str,
    *,
    typed: bool,
) -> None:
    expected, found = {a.name: a for a in ours}, {a.name: a for a in theirs}
    for name, attribute in expected.items():
        other = found.get(name)
        if other is None:
            if name in _WRITERS_OWN:
                continue
            raise DifferenceError(f"attribute {name} of {place} is missing", where)
        same = _texts(attribute) == _texts(other) and (not typed or attribute.type is other.type)
        if not same:
            raise DifferenceError(f"attribute {name} of {place} differs", where)


_WRITERS_OWN = frozenset({"_NCProperties"})


def _texts(attribute: Attribute) -> tuple[object, ...]:
    """The values without what a missing type changes of them."""
    values = ["" if v is None else v for v in attribute.values]
    if all(isinstance(v, str) for v in values):
        return ("".join(values),) if len(values) < 2 else tuple(values)
    return tuple("NaN" if isinstance(v, float) and math.isnan(v) else v for v in values)


def _compare_values(
    ours: Variable, theirs: Variable, shape: tuple[int, ...], where: str, memory: int
) -> int:
    import numpy as np

    size = ours.type.size if isinstance(ours.type, Atomic) and ours.type.size else 256
    count = 0
    for box in _boxes(ours, theirs, shape, max(1, memory // 8 // size)):
        expected, found = _read(ours, box), _read(theirs, box)
        count += box.size
        if not _are_equal(expected, found):
            place = _first_difference(expected, found)
            at = ",".join(str(i + start) for i, start in zip(place, box.start, strict=True))
            raise DifferenceError(
                f"[{at}] is {_shown(found, place)}, not {_shown(expected, place)}", where
            )
    assert np.prod(shape, dtype=object) == count
    return count


def _boxes(ours: Variable, theirs: Variable, shape: tuple[int, ...], limit: int) -> Iterator[Box]:
    source = theirs.data or ours.data
    yield from slabs(source.grid if source is not None else ChunkGrid(shape, shape), limit)


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
    if expected.tobytes() == found.tobytes():
        return True
    return expected.dtype.kind == "f" and bool(np.array_equal(expected, found, equal_nan=True))


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
