"""Compare the values of two variables, block by block.

If both are stored in encoded chunks, elements are compared in the dtype of the second, and every
chunk is decoded as seldom as the memory limit allows; otherwise values are compared.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from ncz.model.data import fill_array, read_box
from ncz.model.encoded import EncodedSource
from ncz.model.grid import Box, ChunkGrid, Grid, Index, slabs
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.transfer.difference import Difference

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ncz.model.data import Values
    from ncz.parallel.threads import ThreadPool

_AT_ONCE = 1 << 16
"""Elements whose differences are listed at the same time."""


def value_differences(
    ours: Variable, theirs: Variable, fqn: str, shape: tuple[int, ...], pool: ThreadPool
) -> Iterator[Difference]:
    """Compare the values of two variables of the same shape.

    Parameters
    ----------
    ours, theirs
        The expected variable, and the one that was found.
    fqn
        Their FQN.
    shape
        Their shape.
    pool
        The threads that read and decode; its memory is the limit.

    Yields
    ------
    Difference
        One of kind "value" for every element that differs, in the order of the blocks, and before
        them one of kind "type" if the numpy dtypes differ.
    """
    source, found = ours.data, theirs.data
    if (
        isinstance(source, EncodedSource)
        and isinstance(found, EncodedSource)
        and found.layout.lengths is None
    ):
        blocks = _element_blocks(source, found, theirs, pool)
    else:
        blocks = _value_blocks(ours, theirs, shape, pool.memory)
    is_typed = False
    for box, expected, values in blocks:
        if not is_typed and expected.dtype != values.dtype and not _has_objects(expected, values):
            is_typed = True
            yield Difference(
                kind="type", fqn=fqn, expected=str(expected.dtype), found=str(values.dtype)
            )
        if not _are_equal(expected, values):
            for place in _places(_unequal(expected, values)):
                yield Difference(
                    kind="value",
                    fqn=fqn,
                    index=tuple(i + start for i, start in zip(place, box.start, strict=True)),
                    expected=_element(expected, place),
                    found=_element(values, place),
                )
        del expected, values  # free the block before the next one is made


Blocks = Iterator[tuple[Box, "Values", "Values"]]


def _element_blocks(
    source: EncodedSource, found: EncodedSource, variable: Variable, pool: ThreadPool
) -> Blocks:
    """Yield blocks of both as elements in the dtype that `found` stores."""
    import numpy as np

    from ncz.formats.zarr.array_plan import ArrayPlan
    from ncz.formats.zarr.element.conversion import fill_element
    from ncz.formats.zarr.element.encoding import Encoding
    from ncz.transfer.move import Transfer
    from ncz.transfer.rechunk import Rechunking

    encoding = Encoding(
        type=found.type,
        dtype=found.stored_dtype,
        stored_dtype=found.stored_dtype,
        item_size=found.item_size,
    )
    array = ArrayPlan(
        fqn=variable.name,
        variable=variable,
        layout=found.layout,
        encoding=encoding,
        fill=found.fill if source.fill is None else source.fill,
    )
    rechunking = Rechunking(Transfer(source, array, "rechunk"), pool)
    fill = fill_element(array.fill if found.fill is None else found.fill, encoding)
    for box, block in rechunking.blocks(lambda _: True):
        values = np.full(box.shape, fill, rechunking.dtype)

        def read(index: Index) -> tuple[Box, Values | None]:
            return found.layout.grid.box(index), found.elements(index)

        cost = 3 * found.layout.chunk_size * max(1, found.item_size)
        indices = found.layout.grid.indices(box)
        for part, elements in pool.each(read, indices, cost, pool.memory // 2):
            if elements is not None:
                here = tuple(slice(0, n) for n in part.shape)
                values[part.relative_to(box.start).slices] = elements[here]
        yield box, block, values
        del block, values


def _value_blocks(ours: Variable, theirs: Variable, shape: tuple[int, ...], memory: int) -> Blocks:
    """Yield row-major slabs of both as values."""
    size = ours.type.size if isinstance(ours.type, Atomic) and ours.type.size else 256
    grid: Grid = ChunkGrid(shape, tuple(max(1, n) for n in shape))
    if theirs.data is not None:
        grid = theirs.data.grid
    for box in slabs(grid, max(1, memory // 8 // size)):
        yield box, _read(ours, box), _read(theirs, box)


def _read(variable: Variable, box: Box) -> Values:
    if variable.data is None:
        return fill_array(box.shape, variable.type, variable.storage.fill)
    return read_box(variable.data, box)


def _has_objects(expected: Values, found: Values) -> bool:
    return "O" in (expected.dtype.kind, found.dtype.kind)


def _are_equal(expected: Values, found: Values) -> bool:
    """Return whether all elements are equal; faster than `_unequal`."""
    import numpy as np

    if _has_objects(expected, found):
        return [_plain(v) for v in expected.flat] == [_plain(v) for v in found.flat]
    if expected.dtype.names or found.dtype.names:
        return not _unequal(expected, found).any()
    equal_nan = expected.dtype.kind in "fc" and found.dtype.kind in "fc"
    return bool(np.array_equal(expected, found, equal_nan=equal_nan))


def _unequal(expected: Values, found: Values) -> NDArray[np.bool_]:
    """Return for each element whether it differs."""
    import numpy as np

    if _has_objects(expected, found):
        pairs = zip(expected.flat, found.flat, strict=True)
        unequal = np.fromiter((_plain(a) != _plain(b) for a, b in pairs), bool, expected.size)
        return unequal.reshape(expected.shape)
    if expected.dtype.names and expected.dtype.names == found.dtype.names:
        unequal = np.zeros(expected.shape, bool)
        for name in expected.dtype.names:
            field = _unequal(expected[name], found[name])
            unequal |= field.any(axis=tuple(range(expected.ndim, field.ndim)))
        return unequal
    unequal = np.asarray(expected != found, bool)
    if unequal.shape != expected.shape:  # dtypes that numpy cannot compare
        return np.ones(expected.shape, bool)
    if expected.dtype.kind in "fc" and found.dtype.kind in "fc":
        unequal &= ~(np.isnan(expected) & np.isnan(found))
    return unequal


def _places(unequal: NDArray[np.bool_]) -> Iterator[Index]:
    """Yield the indices of the elements that are true, in row-major order."""
    import numpy as np

    flat = unequal.reshape(-1)
    for start in range(0, flat.size, _AT_ONCE):
        for position in np.flatnonzero(flat[start : start + _AT_ONCE]).tolist():
            place = np.unravel_index(start + position, unequal.shape) if unequal.ndim else ()
            yield tuple(int(i) for i in place)


def _element(values: Values, place: Index) -> object:
    """Return one element as a Python value."""
    value = values[place]
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, float) else _plain(value)


def _plain(value: object) -> object:
    """Return a value such that equal ones compare equal: bytes as text, NIL as ""."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if value != value:
        return "NaN"
    return "" if value is None else value
