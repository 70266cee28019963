"""The forecast of a copy: its bytes, its number of objects, and its time.

How well values are compressed, and how fast, is found with a few samples, which are read, encoded
and thrown away.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from itertools import islice
from operator import add
from typing import TYPE_CHECKING

from ncz.codec.catalogue import is_kind
from ncz.commands.references import size_beside
from ncz.errors import NczError
from ncz.model.data import dtype_of, read_box
from ncz.model.encoded_arrays import EncodedSource, lists_present
from ncz.model.grid import Box, Index, Shape
from ncz.record import record, replace
from ncz.transfer.referred_sizes import sizes_of_all
from ncz.zmap.reference.new_chunks import LARGEST_CHUNK_FILE

if TYPE_CHECKING:
    from ncz.commands.copy.plan import CopyPlan, VariablePlan
    from ncz.model.chunks import ChunkLayout
    from ncz.model.data import ChunkSource, Values
    from ncz.model.encoded_arrays import EncodedTarget

MOST_SAMPLED = 64
"""Variables that are sampled, the largest first; the others are taken to be as those are."""

MOST_READ = 16 << 20
"""Bytes of values that are read of a variable."""

_LONGEST = 4 << 20
"""Bytes of values that are encoded together."""

_SAMPLES = 4
"""Number of samples of a variable."""

_SIZES = 64
"""Number of stored chunks whose sizes are requested, if chunks are copied unchanged."""

_LISTED = 20_000
"""Stored chunks that are counted; if there are more, none is taken to be missing."""

_DISK_RATE = 500e6
"""Bytes that are written in a second."""

_OBJECT_SECONDS = 1e-4
"""Seconds that the creation of a file takes."""

_REFERENCE = 100
"""Bytes of a reference in a set."""


@record(kw_only=True)
class Forecast:
    """The expected result of a copy. `sampled` is the number of bytes of values that were read.

    `referred` are the bytes that the target refers to without storing them. `beside` is the part of
    `size` that is stored in the folder next to a reference set.
    """

    size: int
    objects: int
    seconds: float
    sampled: int
    referred: int = 0
    beside: int = 0


@record(kw_only=True)
class _Sample:
    """Values that were encoded, in elements and bytes, those read for them, and the time."""

    count: int
    size: int
    encoded: int
    read: int
    reading: float
    encoding: float


@record(kw_only=True)
class _Part:
    """The expected result of one variable; `seconds` is the time of one thread."""

    size: float = 0
    objects: int = 0
    seconds: float = 0
    sampled: int = 0
    referred: int = 0
    held: float = 0
    """Bytes of `size` that are values, and not references."""


def forecast(plan: CopyPlan) -> Forecast:
    """Return the forecast of the bytes, the objects and the time of a copy.

    Parameters
    ----------
    plan
        The plan of the copy, whose source is open.

    Returns
    -------
    Forecast
        The numbers of bytes and objects, and the seconds, without a network's to write to.
    """
    inline = plan.inline
    parts = [_part(variable, None, inline) for variable in plan.variables if _is_exact(variable)]
    others = [variable for variable in plan.variables if not _is_exact(variable)]
    others.sort(key=lambda variable: variable.size, reverse=True)
    shares = []
    for variable in others[:MOST_SAMPLED]:
        samples = [*_samples(variable)]
        encoded, size = sum(s.encoded for s in samples), sum(s.size for s in samples)
        shares += [encoded / size] if size else []
        parts.append(_part(variable, samples))
    usual = sum(shares) / len(shares) if shares else 1.0
    rest = [(v.size * usual, v.chunks) for v in others[MOST_SAMPLED:]]
    parts += [_Part(size=size, held=size, objects=chunks) for size, chunks in rest]
    beside = plan.target.beside_chunks()
    objects = 1
    if beside is not None and not plan.is_set:
        objects = beside.objects + sum(part.objects for part in parts)
    beside_set = 0.0
    if plan.is_set:
        beside_set = sum(size_beside(part.held, part.objects, inline or 0) for part in parts)
        objects += math.ceil(beside_set / LARGEST_CHUNK_FILE)
    total = sum(part.size for part in parts) + (0 if beside is None else beside.size)
    threads = max(1, min(plan.threads, sum(part.objects for part in parts)))
    seconds = sum(part.seconds for part in parts) / threads
    spilled = sum(v.rechunk.spill_size for v in plan.variables if v.rechunk)
    seconds += (total + 2 * spilled) / _DISK_RATE + objects * _OBJECT_SECONDS
    return Forecast(
        size=round(total),
        objects=objects,
        seconds=seconds,
        sampled=sum(part.sampled for part in parts),
        referred=sum(part.referred for part in parts),
        beside=round(beside_set),
    )


def _is_exact(variable: VariablePlan) -> bool:
    """Return whether the written bytes are known without encoding values."""
    return variable.way in ("none", "raw")


def _part(
    variable: VariablePlan, samples: Sequence[_Sample] | None, inline: int | None = None
) -> _Part:
    """Return the forecast of one variable, with samples if its chunks are encoded."""
    if variable.way == "none":
        return _Part()
    if samples is None:
        return _raw(variable) if inline is None else _reference_part(variable, inline)
    count = round(variable.chunks * _stored_share(variable))
    share = count / variable.chunks if variable.chunks else 0
    layout, item = variable.array.layout, variable.array.item_size
    elements = math.prod(layout.shape) * share
    used = samples[1:] or samples  # the first one may wait for codecs to be loaded
    sampled, encoded = sum(s.count for s in samples), sum(s.encoded for s in samples)
    target = variable.array.encoded_target
    if item and (target is None or not _is_compressed(layout)):
        size = float(variable.size if target is None else count * layout.chunk_size * item)
    else:
        size = elements * (encoded / sampled if sampled else item or 1)
    reads = variable.rechunk.reads if variable.rechunk else 1
    reading = elements * reads * sum(s.reading for s in used) / (sum(s.read for s in used) or 1)
    encoding = elements * sum(s.encoding for s in used) / (sum(s.count for s in used) or 1)
    return _Part(
        size=size,
        held=size,
        objects=count,
        seconds=reading + encoding,
        sampled=sum(s.size for s in samples),
    )


def _reference_part(variable: VariablePlan, inline: int) -> _Part:
    """Return the forecast of a variable whose chunks the target refers to, if they are not small.

    Its references take bytes too.
    """
    assert variable.transfer is not None
    found = sizes_of_all(variable.transfer.source, inline)
    return _Part(
        size=found.held + found.references * _REFERENCE,
        held=found.held,
        objects=found.chunks,
        referred=found.referred,
    )


def _raw(variable: VariablePlan) -> _Part:
    """Return the forecast of a variable whose chunks are copied unchanged."""
    assert variable.transfer is not None
    source = variable.transfer.source
    count = variable.chunks if variable.transfer.array.fills_missing else _count(source)
    whole = source.layout.chunk_size * max(1, source.item_size)
    found = map(source.stored_size, _spread_indices(source, _SIZES))
    sizes = [size for size in found if size is not None]
    mean = sum(sizes) / len(sizes) if sizes else whole
    seconds, read = 0.0, 0
    for index in _spread_indices(source, _SAMPLES):
        if read + mean > MOST_READ:
            break
        start = time.perf_counter()
        with contextlib.suppress(NczError):  # the copy reports parts that cannot be read
            read += len(source.encoded_chunk(index) or b"")
        seconds += time.perf_counter() - start
    size = mean * count
    return _Part(
        size=size, objects=count, seconds=size * seconds / read if read else 0, sampled=read
    )


def _count(source: EncodedSource) -> int:
    """Return the number of stored chunks, or the number of all if they are many or not listed."""
    if not lists_present(source):
        return source.layout.grid.size
    count = sum(1 for _ in islice(source.present(), _LISTED))
    return source.layout.grid.size if count == _LISTED else count


def _stored_share(variable: VariablePlan) -> float:
    """Return the share of the chunks that are written because the source has them."""
    target, transfer = variable.array.encoded_target, variable.transfer
    if transfer is None or target is None or target.fills_missing:
        return 1.0
    size = transfer.source.layout.grid.size
    return _count(transfer.source) / size if size else 1.0


def _spread_indices(source: EncodedSource, most: int) -> Sequence[Index]:
    """Return indices of stored chunks from all parts of an array."""
    grid = source.layout.grid
    found = [*islice(source.present(), _LISTED)]
    if len(found) == _LISTED:
        found = [_index_of(number, grid.counts) for number in _steps(grid.size, most)]
    return [found[number] for number in _steps(len(found), most)]


def _steps(count: int, most: int) -> list[int]:
    """Return up to `most` numbers below `count`, in equal steps."""
    return [count * n // most for n in range(most)] if count > most else [*range(count)]


def _index_of(number: int, counts: Shape) -> Index:
    """Return the index of a chunk from its number in row-major order."""
    index = []
    for count in reversed(counts):
        number, at = divmod(number, count)
        index.append(at)
    return tuple(reversed(index))


def _is_compressed(layout: ChunkLayout) -> bool:
    return any(is_kind(codec.to_json(), "compressor") for codec in layout.all_codecs)


def _samples(variable: VariablePlan) -> Iterator[_Sample]:
    """Read and encode values from several places of a variable."""
    from ncz.formats.chunks import values_to_write

    array, target = variable.array, variable.array.encoded_target
    transfer = variable.transfer
    source = transfer.source if transfer is not None else values_to_write(array)
    if source is None or not source.grid.size:
        return
    if not isinstance(source, EncodedSource):
        source = source.split(_LONGEST)
    layout = _smallest(array.layout)
    encoder = None if target is None else replace(target, layout=layout)
    item = array.item_size or dtype_of(source.type).itemsize
    places = (
        [source.layout.grid.box(i).start for i in _spread_indices(source, _SAMPLES)]
        if isinstance(source, EncodedSource) and lists_present(source)
        else [
            source.grid.box(_index_of(number, source.grid.counts)).start
            for number in _steps(source.grid.size, _SAMPLES)
        ]
    )
    left = MOST_READ // item
    for start in places:
        chosen = _choose_box(source, start, layout.chunks, item)
        if chosen is None or chosen[1] > left:
            return
        left -= chosen[1]
        with contextlib.suppress(NczError):  # the copy reports parts that cannot be read
            yield _sample(source, chosen[0], encoder, chosen[1])


def _smallest(layout: ChunkLayout) -> ChunkLayout:
    """Return the layout of a chunk that is encoded alone, which may be one within a shard."""
    while layout.shard is not None:
        layout = layout.inner
    return layout


def _choose_box(
    source: ChunkSource, start: Index, chunks: Shape, item: int
) -> tuple[Box, int] | None:
    """Return a box with about as many values as a chunk, and the number of values to read.

    It is within few chunks of the source. None if one of these is too large.
    """
    grid, limit = source.grid, MOST_READ // _SAMPLES // item
    first = grid.box(next(grid.indices(Box(start, tuple(n + 1 for n in start)))))
    if not source.is_divisible and first.size > 2 * limit:
        return None
    stop = list(grid.shape if source.is_divisible else first.stop)
    for axis, length in enumerate(chunks):  # as many chunks as one of the target has
        while stop[axis] < min(start[axis] + length, grid.shape[axis]):
            longer = [*stop[:axis], min(stop[axis] + grid.chunks[axis], grid.shape[axis])]
            if Box(start, (*longer, *stop[axis + 1 :])).size > limit:
                break
            stop[axis] = longer[axis]
    given = Box(start, tuple(stop)).shape
    shape = _shape_within(given, chunks, min(math.prod(chunks), _LONGEST // item or 1))
    box = Box(start, tuple(map(add, start, shape)))
    if source.is_divisible:  # any elements are read without those next to them
        return box, box.size
    return box, sum(grid.box(index).size for index in grid.indices(box))


def _shape_within(given: Shape, chunks: Shape, wanted: int) -> Shape:
    """Return a shape of about `wanted` elements, proportioned like a chunk, within `given`."""
    shape = [*map(min, chunks, given)]
    for axis in reversed(range(len(shape))):
        shape[axis] = min(given[axis], max(shape[axis], wanted * shape[axis] // math.prod(shape)))
    for axis in range(len(shape)):
        shape[axis] = max(1, min(shape[axis], wanted * shape[axis] // math.prod(shape)))
    return tuple(shape)


def _sample(source: ChunkSource, box: Box, target: EncodedTarget | None, read: int) -> _Sample:
    """Read a box, which needs reading `read` elements, and encode it."""
    start = time.perf_counter()
    values = read_box(source.within(box), box)
    middle = time.perf_counter()
    if target is None:
        encoded = _plain_size(values)
    else:
        data = target.encode(target.to_elements(values), target.fqn)
        encoded = 0 if data is None else len(data)
    return _Sample(
        count=box.size,
        size=values.nbytes,
        encoded=encoded,
        read=read,
        reading=middle - start,
        encoding=time.perf_counter() - middle,
    )


def _plain_size(values: Values) -> int:
    """Return the bytes of values that are stored without codecs: texts and their places."""
    if values.dtype.kind != "O":
        return values.nbytes
    return sum(16 + len(str(value).encode(errors="replace")) for value in values.flat)
