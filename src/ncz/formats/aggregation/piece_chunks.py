"""The chunks of pieces as those of the whole variable, without decoding them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, TypeVar

from ncz.formats.aggregation.partitions import Piece
from ncz.formats.aggregation.piece_values import PieceReader
from ncz.model.chunks import ChunkLayout
from ncz.model.data import Values
from ncz.model.encoded import EncodedSource, ListedSource
from ncz.model.grid import Grid, Index
from ncz.model.tree import Variable
from ncz.model.types import NcType, Value
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.formats.aggregation.aggregated_variable import Aggregation
    from ncz.zmap import WritableZmap
    from ncz.zmap.byte_range import ByteRange


_T = TypeVar("_T")


def chunks_of(aggregation: Aggregation) -> PieceChunks | None:
    """Return the chunks of all pieces as those of one array; None if they do not fit together.

    They do if each piece has its values in the form of the variable, in chunks of one shape and
    encoding, whose borders are those of the grid of the whole. All pieces are opened for that.
    """
    first: EncodedSource | None = None
    grid = aggregation.partitions.grid
    for index, piece in aggregation.partitions.pieces.items():
        if not isinstance(piece, Piece) or len(piece.files) != 1:
            return None
        box = grid.box(index)
        with aggregation.opened(piece, piece.files[0]) as variable:
            source = _encoded(variable)
            if source is None or not PieceReader(variable, box.shape, aggregation.target).is_plain:
                return None
        if first is None:
            first = source
        layout = source.layout
        is_aligned = all(a % n == 0 for a, n in zip(box.start, layout.chunks, strict=True))
        if not is_aligned or layout.lengths is not None or not _is_alike(source, first):
            return None
        if repr(source.fill) != repr(aggregation.target.fill):  # NaN is not equal to itself
            return None
    return None if first is None else PieceChunks(aggregation, first)


def _encoded(variable: Variable) -> EncodedSource | None:
    data = None if variable.data is None else variable.data.referable()
    return data if isinstance(data, EncodedSource) else None


def _is_alike(one: EncodedSource, other: EncodedSource) -> bool:
    return (
        replace(one.layout, shape=()) == replace(other.layout, shape=())
        and one.stored_dtype == other.stored_dtype
    )


class PieceChunks(ListedSource):
    """An `ncz.model.encoded.EncodedSource` made of the chunks of pieces.

    Parameters
    ----------
    aggregation
        The variable; its pieces fit together, as `chunks_of` checks.
    sample
        The chunks of one piece.
    """

    def __init__(self, aggregation: Aggregation, sample: EncodedSource) -> None:
        self._aggregation = aggregation
        self._partitions = aggregation.partitions
        self.layout: ChunkLayout = replace(sample.layout, shape=self._partitions.grid.shape)
        self.stored_dtype: Any = sample.stored_dtype
        self.item_size: int = sample.item_size
        self.type: NcType = sample.type
        self.fill: Value = sample.fill

    @property
    def grid(self) -> Grid:
        """The shape, and the stored chunks."""
        return self.layout.grid

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if it is missing."""
        return self._aggregation.read(self.grid.box(index))

    def locate(self, index: Index) -> str:
        """Return where a stored chunk is."""
        return self._with(index, lambda source, inner: source.locate(inner)) or "undefined"

    @property
    def is_listed(self) -> bool:
        """False: a piece is not opened to find which of its chunks exist."""
        return False

    def present(self) -> Iterator[Index]:
        """Yield the indices of the chunks of all pieces that are defined."""
        for number in sorted(self._partitions.pieces):
            yield from self.grid.indices(self._partitions.grid.box(number))

    def encoded(self, index: Index) -> bytes | None:
        """Return a stored chunk without decoding it."""
        return self._with(index, lambda source, inner: source.encoded(inner))

    def copy_encoded(self, index: Index, zmap: WritableZmap, key: str) -> int | None:
        """Put a stored chunk into `zmap` under `key`."""
        return self._with(index, lambda source, inner: source.copy_encoded(inner, zmap, key))

    def elements(self, index: Index) -> Values | None:
        """Return the decoded elements of a stored chunk."""
        return self._with(index, lambda source, inner: source.elements(inner))

    def values(self, elements: Values, index: Index) -> Values:
        """Convert decoded elements of a chunk to values."""
        found = self._with(index, lambda source, inner: source.values(elements, inner))
        assert found is not None  # elements come from a chunk that exists
        return found

    def place(self, index: Index) -> ByteRange | None:
        """Return where the bytes of a stored chunk are."""
        return self._with(index, lambda source, inner: source.place(inner))

    def _with(self, index: Index, use: Callable[[EncodedSource, Index], _T]) -> _T | None:
        """Call `use` with the piece that has a chunk and the chunk's index there."""
        start = self.grid.box(index).start
        number = tuple(
            next(iter(numbers)) for numbers in self._partitions.grid.ranges(self.grid.box(index))
        )
        piece = self._partitions.pieces.get(number)
        if not isinstance(piece, Piece):
            return None
        first = self._partitions.grid.box(number).start
        inner = tuple(
            (a - b) // n for a, b, n in zip(start, first, self.layout.chunks, strict=True)
        )
        with self._aggregation.opened(piece, piece.files[0]) as variable:
            source = _encoded(variable)
            assert source is not None
            return use(source, inner)
