"""The chunks of pieces as chunks of the whole variable, without decoding them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from ncz.formats.aggregation.partitions import Piece
from ncz.formats.aggregation.piece_values import PieceReader
from ncz.model.chunks import ChunkLayout
from ncz.model.composite_chunks import CompositeChunks, Number
from ncz.model.data import Values
from ncz.model.encoded_arrays import EncodedSource
from ncz.model.grid import Grid, Index
from ncz.model.tree import Variable
from ncz.model.types import NcType, Value
from ncz.record import replace

if TYPE_CHECKING:
    from ncz.formats.aggregation.aggregated_variable import Aggregation


def chunks_of(aggregation: Aggregation) -> PieceChunks | None:
    """Return the chunks of all pieces as chunks of one array; None if they do not fit together.

    They do if each piece has its values in the form of the variable, in chunks of one shape and
    encoding, with borders on the grid of the whole. All pieces are opened for that.
    """
    first: EncodedSource | None = None
    grid = aggregation.partitions.grid
    for index, piece in aggregation.partitions.pieces.items():
        if not isinstance(piece, Piece) or len(piece.files) != 1:
            return None
        box = grid.box(index)
        with aggregation.open_piece(piece, piece.files[0]) as variable:
            source = _encoded_source(variable)
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


def _encoded_source(variable: Variable) -> EncodedSource | None:
    data = None if variable.data is None else variable.data.referable()
    return data if isinstance(data, EncodedSource) else None


def _is_alike(one: EncodedSource, other: EncodedSource) -> bool:
    return (
        replace(one.layout, shape=()) == replace(other.layout, shape=())
        and one.stored_dtype == other.stored_dtype
    )


class PieceChunks(CompositeChunks):
    """An `ncz.model.encoded_arrays.EncodedSource` made of the chunks of pieces.

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

    def values_of(self, indices: Sequence[Index]) -> list[Values | None]:
        """Return the values of chunks; None for each that is missing."""
        return [self._aggregation.read(self.grid.box(index)) for index in indices]

    @property
    def is_listed(self) -> bool:
        """False: a piece is not opened to find which of its chunks exist."""
        return False

    def present(self) -> Iterator[Index]:
        """Yield the indices of the chunks of all pieces that are defined."""
        for number in sorted(self._partitions.pieces):
            yield from self.grid.indices(self._partitions.grid.box(number))

    def stored_size(self, index: Index) -> int | None:
        """Return None: a piece is not opened to find the size of a chunk."""
        return None

    def find(self, index: Index) -> tuple[Index, Index] | None:
        """Return the piece that has a chunk, and the chunk's index there."""
        box, pieces = self.grid.box(index), self._partitions
        number = tuple(next(iter(numbers)) for numbers in pieces.grid.ranges(box))
        if not isinstance(pieces.pieces.get(number), Piece):
            return None
        first = pieces.grid.box(number).start
        starts = zip(box.start, first, self.layout.chunks, strict=True)
        return number, tuple((a - b) // n for a, b, n in starts)

    @contextmanager
    def part(self, number: Number) -> Iterator[EncodedSource]:
        """Return the chunks of a piece, until the context ends."""
        assert isinstance(number, tuple)
        piece = self._partitions.pieces[number]
        assert isinstance(piece, Piece)
        with self._aggregation.open_piece(piece, piece.files[0]) as variable:
            source = _encoded_source(variable)
            assert source is not None
            yield source
