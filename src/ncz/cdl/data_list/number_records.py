"""Split compound values of a block that contain only numbers into lists of numbers by type."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from ncz.late import numpy as np
from ncz.model.types import Atomic, Compound, NcType, Value

if TYPE_CHECKING:
    from numpy.typing import NDArray

ParseNumbers = Callable[[bytes, Atomic], "NDArray[Any] | None"]
"""Parses a list of numbers of a type; None if they have another form."""

_COMMA = ord(",")
_BETWEEN = -1
"""The number of a place between two marks that has only blanks."""


def parse_records(text: bytes, compound: Compound, parse: ParseNumbers) -> Sequence[Value] | None:
    """Return the values of a list whose fields are all written as numbers.

    Parameters
    ----------
    text
        The list, without comments.
    compound
        The type of the values.
    parse
        Parses the numbers of all fields of one type.

    Returns
    -------
    sequence of tuple
        The values. None if a field is not a number, or if braces or fields are missing.
    """
    places = [*_places(compound)]
    if None in places:
        return None
    pattern = np.frombuffer(b"".join(p for p in places if isinstance(p, bytes)) + b",", np.uint8)
    leaves = [place for place in places if isinstance(place, Atomic)]
    types = [*dict.fromkeys(leaves)]
    codes = np.frombuffer(text, np.uint8)
    is_mark = (codes == _COMMA) | (codes == ord("{")) | (codes == ord("}"))
    marks = codes[is_mark]
    count, rest = divmod(len(marks) + 1, len(pattern))
    if rest or not np.array_equal(marks, np.tile(pattern, count)[:-1]):
        return None
    place = (np.cumsum(is_mark) - is_mark) % len(pattern)  # a mark is at the end of its place
    type_of = np.array([*_types_between(places, types), _BETWEEN])[place]
    is_blank = (codes == ord(" ")) | ((codes >= ord("\t")) & (codes <= ord("\r")))
    if not (is_mark | is_blank)[type_of == _BETWEEN].all():
        return None
    numbers = np.where(is_mark, np.uint8(_COMMA), codes)
    columns: dict[Atomic, Iterator[list[Value]]] = {}
    for number, atomic in enumerate(types):
        values = parse(numbers[type_of == number][:-1].tobytes(), atomic)
        if values is None or len(values) != count * leaves.count(atomic):
            return None
        columns[atomic] = iter(values.reshape(count, -1).T.tolist())
    return _assemble(compound, (), columns)


def _places(nc_type: NcType, shape: Sequence[int] = ()) -> Iterator[bytes | Atomic | None]:
    """Yield the marks of a value and the types of the numbers between; None for other types."""
    parts: list[tuple[NcType, Sequence[int]]]
    if shape:
        parts = [(nc_type, ())] * math.prod(shape)
    elif isinstance(nc_type, Compound):
        parts = [(field.type, field.shape) for field in nc_type.fields]
    elif isinstance(nc_type, Atomic) and (nc_type.is_integer or nc_type.is_floating):
        yield nc_type
        return
    else:
        yield None
        return
    mark = b"{"
    for part in parts:
        yield mark
        yield from _places(*part)
        mark = b","
    yield b"}"


def _types_between(
    places: Sequence[bytes | Atomic | None], types: Sequence[Atomic]
) -> Iterator[int]:
    """Yield the number of the type before each mark, or `_BETWEEN`."""
    before = _BETWEEN
    for place in places:
        if isinstance(place, Atomic):
            before = types.index(place)
        else:
            yield before
            before = _BETWEEN


def _assemble(
    nc_type: NcType, shape: Sequence[int], columns: dict[Atomic, Iterator[list[Value]]]
) -> list[Value]:
    """Return one value of a type for each row; `columns` has the numbers of its fields in order."""
    if shape:
        return [
            *zip(*(_assemble(nc_type, (), columns) for _ in range(math.prod(shape))), strict=True)
        ]
    if isinstance(nc_type, Compound):
        return [*zip(*(_assemble(f.type, f.shape, columns) for f in nc_type.fields), strict=True)]
    assert isinstance(nc_type, Atomic)
    return next(columns[nc_type])
