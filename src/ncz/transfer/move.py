"""The chunks of one array from one store to another, with as little done to them as will do.

There are three ways. *raw*: grid, elements, axis order and codecs are the same in both, so the
encoded bytes move as they are. *recode*: the grid is the same. *recut*: it is not, and
`ncz.transfer.rechunk` does it. What the source has no chunk of, the target gets none of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Literal

from ncz.codec.lookup import with_defaults
from ncz.formats.zarr.array.array import ZarrArray, encode_elements, padded
from ncz.formats.zarr.array.layout import Shard
from ncz.formats.zarr.element.conversion import to_disk
from ncz.formats.zarr.plan import ArrayPlan
from ncz.model.filters import Filter
from ncz.model.grid import Index
from ncz.record import record, replace
from ncz.zmap import WritableFileZmap, WritableZmap, can_list, location_of
from ncz.zmap.local.move import move_object

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.parallel.threads import ThreadPool

Way = Literal["raw", "recode", "rechunk"]

_FEW = 16
"""Chunks that are asked for one by one rather than listed."""


@record
class Moved:
    """Chunks that were written, and their bytes as they are stored."""

    chunks: int = 0
    size: int = 0


Report = Callable[[Moved], None]
"""Told of every chunk that is written, in the caller's thread."""


@record
class Transfer:
    """From where to where, and how the bytes get there."""

    source: ZarrArray
    array: ArrayPlan
    way: Way

    @property
    def keeps_elements(self) -> bool:
        """True if an element is stored as the same bytes in both."""
        return _same_elements(self.source, self.array)


def transfer_for(source: ZarrArray, array: ArrayPlan) -> Transfer:
    """How the chunks of `source` become those of `array`, whose shape is the same."""
    ours, theirs = source.layout, array.layout
    if ours.chunks != theirs.chunks:
        return Transfer(source, array, "rechunk")
    is_same = (
        _same_elements(source, array)
        and _plain_shard(ours.shard, array.encoding.item_size)
        == _plain_shard(theirs.shard, array.encoding.item_size)
        and (ours.order == theirs.order or ours.shard or sum(n > 1 for n in ours.chunks) < 2)
        and _same_codecs(ours.codecs, theirs.codecs, array.encoding.item_size)
    )
    return Transfer(source, array, "raw" if is_same else "recode")


def _same_elements(source: ZarrArray, array: ArrayPlan) -> bool:
    return bool(source.encoding.stored_dtype == array.encoding.stored_dtype)


def _same_codecs(ours: tuple[Filter, ...], theirs: tuple[Filter, ...], item_size: int) -> bool:
    return [_plain(f, item_size) for f in ours] == [_plain(f, item_size) for f in theirs]


def _plain_shard(shard: Shard | None, item_size: int) -> object:
    """What two shards must have in common."""
    if shard is None:
        return None
    return (
        shard.chunks,
        shard.order,
        [_plain(f, item_size) for f in shard.codecs],
        _plain_shard(shard.shard, item_size),
        [_plain(f, 8) for f in shard.index_codecs],
        shard.index_order,
        shard.at_end,
    )


def _plain(codec: Filter, item_size: int) -> dict[str, object]:
    """Return the configuration in a form that is equal for all its spellings."""
    return with_defaults(codec.to_json(), item_size)


def present(source: ZarrArray) -> Iterator[Index]:
    """The indices of the chunks that the store has, in no order that means anything.

    A large array's keys are listed, so that a sparse one costs no more than what it has. Where a
    store cannot list, or the array is small, every index is given: it may turn out to be missing.
    """
    grid = source.layout.grid
    if grid.size <= _FEW or not can_list(source.zmap):
        yield from grid.indices()
        return
    counts = grid.counts
    start = len(source.key) + 1 if source.key else 0
    for key in source.zmap.walk(source.key):
        index = source.layout.keys.index(key[start:], len(counts))
        if index is not None and all(i < n for i, n in zip(index, counts, strict=True)):
            yield index


def move_chunks(
    transfer: Transfer,
    zmap: WritableZmap,
    pool: ThreadPool,
    report: Report,
    done: Callable[[str], bool],
    only: Sequence[Index] | None = None,
) -> None:
    """Move or recode every chunk, or those of `only`; the grids are the same.

    `done` says which keys to leave out.
    """
    source, array = transfer.source, transfer.array
    names = array.layout.keys
    size = array.layout.chunk_size * max(array.encoding.item_size, 1)
    puts_in_threads = isinstance(zmap, WritableFileZmap)

    def encoded(index: Index) -> bytes | None:
        if transfer.way == "raw":
            return source.zmap.get(source.layout.keys.key(source.key, index))
        return recoded(transfer, index, zmap)

    def put(index: Index, data: bytes | None) -> Moved:
        if data is None:
            return Moved()
        zmap.put(names.key(array.key, index), data)
        return Moved(1, len(data))

    def work(index: Index) -> tuple[Index, bytes | Moved | None]:
        if not puts_in_threads:
            return index, encoded(index)
        if transfer.way == "recode":
            return index, put(index, recoded(transfer, index, zmap))
        at, to = source.layout.keys.key(source.key, index), names.key(array.key, index)
        count = move_object(source.zmap, at, zmap, to)
        return index, Moved() if count is None else Moved(1, count)

    indices = present(source) if only is None else only
    wanted = (i for i in indices if not done(names.key(array.key, i)))
    for index, result in pool.each(work, wanted, size if transfer.way == "raw" else 4 * size):
        report(result if isinstance(result, Moved) else put(index, result))


def recoded(transfer: Transfer, index: Index, zmap: WritableZmap) -> bytes | None:
    """Chunk `index` as the target stores it; None if the source has none."""
    array = transfer.array
    elements = converted(transfer, index)
    if elements is None:
        return None
    location = location_of(zmap, array.layout.keys.key(array.key, index))
    return encode_elements(elements, array.layout, array.encoding, location, array.fill)


def converted(transfer: Transfer, index: Index) -> Values | None:
    """The elements of the source's chunk `index`, whole, in the dtype that the target stores."""
    source, array = transfer.source, transfer.array
    if transfer.keeps_elements:
        return source.elements(index)
    elements = source.elements(index)
    if elements is None:
        return None
    values = source.values(elements, index)
    if index:  # clipped: what lies beyond the edge may be anything
        box = source.layout.grid.box(index)
        values = values[tuple(slice(0, n) for n in box.shape)]
    layout = replace(array.layout, chunks=source.layout.chunks)
    return to_disk(
        padded(values, layout, array.encoding.type, array.fill), array.encoding, array.fqn
    )
