"""Compare the values of two variables, block by block."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING

from ncz.late import numpy as np
from ncz.model.data import Values
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Box, Index, slabs
from ncz.model.presence import Presence
from ncz.model.single_precision import shortest_single
from ncz.model.slabs import grid_of, read_slab
from ncz.model.sparse_source import lists_many
from ncz.model.tree import Variable
from ncz.model.types import Atomic
from ncz.parallel.memory import LEAST_MEMORY
from ncz.parallel.threads import ThreadPool
from ncz.record import record, replace
from ncz.transfer.compare_chunks import are_stored_alike, unequal_chunks
from ncz.transfer.difference import Difference
from ncz.transfer.tolerance import EXACT, distances, exceeds

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.transfer.compare_chunks import Step
    from ncz.transfer.tolerance import Tolerance


_AT_ONCE = 1 << 16
"""Elements whose differences are listed at the same time."""


@record(kw_only=True)
class ValueComparison:
    """Options of a comparison of values.

    `limit` is the number of values that are listed for a variable, before a difference of kind
    "values" sums up all of them; None lists all without summing up. With `raw`, two variables that
    are stored in the same way are compared chunk by chunk, and chunks of equal bytes are equal
    without decoding them.
    """

    tolerance: Tolerance = EXACT
    limit: int | None = None
    raw: bool = False


ALL_VALUES = ValueComparison()


def value_differences(
    ours: Variable,
    theirs: Variable,
    fqn: str,
    shape: tuple[int, ...],
    pool: ThreadPool,
    how: ValueComparison = ALL_VALUES,
    step: Step = lambda _: None,
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
    how
        The comparison of values, and the number of listed differences.
    step
        Called with the number of values that were compared since the last call.

    Yields
    ------
    Difference
        One of kind "value" for every element that differs, in the order of the blocks, and before
        them one of kind "type" if the numpy dtypes differ but the types do not. At the end one of
        kind "values" if the number of listed differences is limited.
    """
    is_typed = ours.type != theirs.type
    count, largest = 0, None
    for box, expected, values in _blocks(ours, theirs, shape, pool, how, step):
        if not is_typed and expected.dtype != values.dtype and not _has_objects(expected, values):
            is_typed = True
            yield Difference(
                kind="type", fqn=fqn, expected=str(expected.dtype), found=str(values.dtype)
            )
        if not are_equal(expected, values):
            wrong = unequal(expected, values, how.tolerance)
            places = _places(wrong)
            is_single = expected.dtype == values.dtype == np.float32
            if how.limit is not None:
                places = islice(places, max(0, how.limit - count))
                count += int(wrong.sum())
                largest = _larger(largest, _largest(expected[wrong], values[wrong]))
            for place in places:
                yield Difference(
                    kind="value",
                    fqn=fqn,
                    index=tuple(i + start for i, start in zip(place, box.start, strict=True)),
                    expected=_element(expected, place, is_single=is_single),
                    found=_element(values, place, is_single=is_single),
                )
        del expected, values  # free the block before the next one is made
    if count:
        yield Difference(
            kind="values", fqn=fqn, count=count, size=math.prod(shape), largest=largest
        )


Blocks = Iterator[tuple[Box, "Values", "Values"]]


def _blocks(
    ours: Variable,
    theirs: Variable,
    shape: tuple[int, ...],
    pool: ThreadPool,
    how: ValueComparison,
    step: Step,
) -> Blocks:
    """Yield the blocks of both variables that may differ, by the fastest way there is."""
    source, found = ours.data, theirs.data
    if (
        isinstance(source, EncodedSource)
        and isinstance(found, EncodedSource)
        and source.layout.shape == found.layout.shape == shape
    ):
        if how.raw and are_stored_alike(source, found):
            return unequal_chunks(source, found, pool, step)
        if _have_common_elements(source, found):
            return _report_blocks(_element_blocks(source, found, theirs, pool), step)
    return _report_blocks(_value_blocks(ours, theirs, shape, pool.memory), step)


def _have_common_elements(source: EncodedSource, found: EncodedSource) -> bool:
    """Return whether every value of `source` can be expressed in the dtype that `found` stores."""
    if source.type != found.type or found.layout.lengths is not None:
        return False
    if source.type is Atomic.STRING:  # one may be longer than an element of the other
        return bool(source.stored_dtype == found.stored_dtype)
    if any(str(one.stored_dtype).lstrip("<>")[:1] in ("m", "M") for one in (source, found)):
        return False  # times whose numbers are not the stored ones
    return isinstance(source.type, Atomic) or bool(source.item_size and found.item_size)


def _report_blocks(blocks: Blocks, step: Step) -> Blocks:
    """Yield blocks, and report their values."""
    for box, expected, values in blocks:
        step(box.size)
        yield box, expected, values
        del expected, values  # free the block before the next one is made


def _element_blocks(
    source: EncodedSource, found: EncodedSource, variable: Variable, pool: ThreadPool
) -> Blocks:
    """Yield blocks of both as elements in the dtype that `found` stores."""
    from ncz.formats.zarr.types.dtypes import Encoding
    from ncz.formats.zarr.types.elements import fill_element
    from ncz.formats.zarr.writing.array_plan import ArrayPlan
    from ncz.transfer.move import Transfer
    from ncz.transfer.rechunk import Rechunker

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
    rechunking = Rechunker(Transfer(source, array, "rechunk"), pool)
    fill = fill_element(array.fill if found.fill is None else found.fill, encoding)
    grid = found.layout.grid
    present = Presence(grid, found.present()) if lists_many(found) else None
    for box, block in rechunking.blocks(lambda _: True):
        values = np.full(box.shape, fill, rechunking.dtype)

        def read(index: Index) -> tuple[Box, Values | None]:
            return grid.box(index), found.chunk_elements(index)

        cost = 3 * found.layout.chunk_size * max(1, found.item_size)
        indices = grid.indices(box) if present is None else present.within(box)
        for part, elements in pool.each(read, indices, cost, pool.memory // 2):
            if elements is not None:
                values[part.relative_to(box.start).slices] = part.clip(elements)
        yield box, block, values
        del block, values


def _value_blocks(ours: Variable, theirs: Variable, shape: tuple[int, ...], memory: int) -> Blocks:
    """Yield row-major slabs of both as values.

    A source that is parsed or requested, such as CDL text, is read in chunks of the same shape: it
    would read its own chunk again for each slab.
    """
    size = ours.type.size if isinstance(ours.type, Atomic) and ours.type.size else 256
    most = max(1, min(memory, LEAST_MEMORY) // 8 // size)
    grid = grid_of(theirs, shape)
    first = next(iter(slabs(grid, most)), None)
    if first is None:
        return
    expected, found = _rechunk(ours, first.shape), _rechunk(theirs, first.shape)
    for box in slabs(grid, most):
        yield box, read_slab(expected, shape, box), read_slab(found, shape, box)


def _rechunk(variable: Variable, chunks: tuple[int, ...]) -> Variable:
    """Return a variable with the same values in other chunks, if its data can be read so."""
    data = variable.data
    return variable if data is None else replace(variable, data=data.rechunk(chunks))


def _has_objects(expected: Values, found: Values) -> bool:
    return "O" in (expected.dtype.kind, found.dtype.kind)


def are_equal(expected: Values, found: Values) -> bool:
    """Return whether all elements are equal; faster than `unequal`."""
    if _has_objects(expected, found):
        return _plain_list(expected) == _plain_list(found)
    if expected.dtype.names or found.dtype.names:
        return not unequal(expected, found).any()
    equal_nan = expected.dtype.kind in "fc" and found.dtype.kind in "fc"
    return bool(np.array_equal(expected, found, equal_nan=equal_nan))


def unequal(expected: Values, found: Values, tolerance: Tolerance = EXACT) -> NDArray[np.bool_]:
    """Return for each element whether it differs by more than the tolerance."""
    if _has_objects(expected, found):
        pairs = zip(_plain_list(expected), _plain_list(found), strict=True)
        mask = np.fromiter((a != b for a, b in pairs), bool, expected.size)
        return mask.reshape(expected.shape)
    if expected.dtype.names != found.dtype.names:  # which numpy does not compare
        return np.ones(expected.shape, bool)
    if expected.dtype.names:
        mask = np.zeros(expected.shape, bool)
        for name in expected.dtype.names:
            field = unequal(expected[name], found[name], tolerance)
            mask |= field.any(axis=tuple(range(expected.ndim, field.ndim)))
        return mask
    mask = np.asarray(expected != found, bool)
    if mask.shape != expected.shape:  # dtypes that numpy cannot compare
        return np.ones(expected.shape, bool)
    if expected.dtype.kind in "fc" and found.dtype.kind in "fc":
        mask &= ~(np.isnan(expected) & np.isnan(found))
    if not tolerance.is_exact and _are_numbers(expected, found):
        mask[mask] = exceeds(expected[mask], found[mask], tolerance)
    return mask


def _are_numbers(expected: Values, found: Values) -> bool:
    return expected.dtype.kind in "iuf" and found.dtype.kind in "iuf"


def _largest(expected: Values, found: Values) -> float | None:
    """Return the largest difference between two numbers; None if no two are numbers."""
    if not _are_numbers(expected, found):
        return None
    apart = distances(expected, found)
    if apart.dtype.kind == "f":
        apart = apart[~np.isnan(apart)]
    return apart.max().item() if apart.size else None


def _larger(one: float | None, other: float | None) -> float | None:
    return max((n for n in (one, other) if n is not None), default=None)


def _places(mask: NDArray[np.bool_]) -> Iterator[Index]:
    """Yield the indices of the elements that are true, in row-major order."""
    flat = mask.reshape(-1)
    for start in range(0, flat.size, _AT_ONCE):
        for position in np.flatnonzero(flat[start : start + _AT_ONCE]).tolist():
            place = np.unravel_index(start + position, mask.shape) if mask.ndim else ()
            yield tuple(int(i) for i in place)


def _element(values: Values, place: Index, *, is_single: bool) -> object:
    """Return one element as a Python value, with the digits that identify it in its type."""
    value = values[place]
    if is_single:
        return shortest_single(value)
    value = value.item() if hasattr(value, "item") else value
    return value if isinstance(value, float) else _plain(value)


def _plain_list(values: Values) -> list[object]:
    """Return all elements as Python values; numpy would compare a number with each of a tuple."""
    return [_plain(value) for value in values.reshape(-1).tolist()]


def _plain(value: object) -> object:
    """Return a value such that equal ones compare equal: bytes as text, NIL as ""."""
    if isinstance(value, bytes):
        return value.decode("utf-8", "surrogateescape")
    if isinstance(value, tuple):
        return tuple(map(_plain, value))
    if value != value:
        return "NaN"
    return "" if value is None else value
