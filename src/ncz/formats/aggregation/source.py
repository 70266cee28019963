"""The values of an aggregated variable, read out of its pieces on demand."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from ncz.errors import FormatError, NczError, Notice, Notify, ZmapError
from ncz.formats.aggregation.budget import OpenPieces
from ncz.formats.aggregation.encoded import chunks_of
from ncz.formats.aggregation.forms.kinds import Form
from ncz.formats.aggregation.marks import is_aggregated
from ncz.formats.aggregation.master import Aggregated, resolve
from ncz.formats.aggregation.pieces import Partitions, Piece, UniqueValue, shown
from ncz.formats.aggregation.values import Canonical, PieceReader
from ncz.model.data import ChunkSource, fill_array
from ncz.model.grid import Box, ChunkGrid, Grid, Index, IrregularGrid, irregular_grid
from ncz.model.tree import Variable
from ncz.model.types import NcType, Value
from ncz.record import record, replace
from ncz.zmap.fragment import unquote

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.zmap.location import Location

LARGEST = 1 << 21
"""Elements of the largest part that is read at a time, unless a caller asks for another."""

MERGED = 1 << 17
"""Elements of a chunk of a copy, at least, if pieces are smaller."""

Locate = Callable[[str, str], "Location"]
"""A function that returns where a file of a piece is, and refuses one that is not permitted.

Its second argument is the partition, for messages.
"""


@record(kw_only=True)
class PieceAccess:
    """How the pieces of a master are reached.

    `skip`, if it is given, receives a notice of each piece that cannot be read, which then has no
    values.
    """

    pieces: OpenPieces
    locate: Locate
    skip: Notify | None = None


class Aggregation:
    """An aggregated variable with its partitions, which are read from the master when needed."""

    def __init__(
        self, aggregated: Aggregated, form: Form, target: Canonical, access: PieceAccess
    ) -> None:
        self.aggregated = aggregated
        self.form = form
        self.target = target
        self._access = access
        self._skipped: set[Index] = set()

    @cached_property
    def partitions(self) -> Partitions:
        """The grid of partitions, and their pieces."""
        return self.form.partitions(self.aggregated)

    @cached_property
    def reading_grid(self) -> Grid:
        """The partitions, of which large ones are divided."""
        grid = self.partitions.grid
        return grid if math.prod(grid.chunks) <= LARGEST else _divided(grid)

    def location(self, piece: Piece) -> str:
        """Return a partition for messages."""
        return f"{self.aggregated.location}, partition {shown(piece.number)}"

    def place(self, piece: Piece | UniqueValue, file: str) -> Location:
        """Return where a file of a piece is."""
        assert isinstance(piece, Piece)
        if self.form.has_uris and (":" not in file or file.lower().startswith("file:")):
            file = unquote(file, errors="surrogateescape")
        return self._access.locate(file, self.location(piece))

    @contextmanager
    def opened(self, piece: Piece, file: str) -> Iterator[Variable]:
        """Open a file of a piece, and return the variable that has the values.

        Errors, also those of the caller's block, name the file and the partition.
        """
        place = self.place(piece, file)
        with (
            self._naming(piece, place.address),
            self._access.pieces.variables(place) as variables,
        ):
            name = resolve(piece.address, "", variables)
            if name is None:
                raise FormatError(f"it has no variable {piece.address!r}")
            if is_aggregated(variables[name]):
                raise FormatError(f"{piece.address!r} is an aggregation itself")
            yield variables[name]

    def read(self, box: Box) -> Values | None:
        """Return the values of a box; None if no piece has any of them."""
        grid = self.partitions.grid
        result: Values | None = None
        for index in grid.indices(box) if box.size else ():
            part = grid.box(index)
            common = part.intersect(box) or box  # boxes of rank 0 do not intersect
            values = self._part(index, part, common.relative_to(part.start))
            if values is None:
                continue
            if common == box:
                return values
            if result is None:
                result = fill_array(box.shape, self.target.type, self.target.fill)
            result[common.relative_to(box.start).slices] = values
        return result

    def _part(self, index: Index, part: Box, box: Box) -> Values | None:
        """Return the values of a box of one partition; None if it is undefined."""
        piece = self.partitions.pieces.get(index)
        if piece is None:
            return None
        if isinstance(piece, UniqueValue):
            return fill_array(box.shape, self.target.type, piece.value)
        try:
            return self._values(piece, part, box)
        except NczError as error:
            if self._access.skip is None:
                raise
            if index not in self._skipped:
                self._skipped.add(index)
                self._access.skip(
                    Notice("piece-unreadable", error.message, error.location, error.hint, lost=True)
                )
            return None

    def _values(self, piece: Piece, part: Box, box: Box) -> Values:
        """Read a piece, from the first of its alternatives that exists."""
        if not piece.files:
            with self._naming(piece, "in the master"):
                return PieceReader(self._own(piece), part.shape, self.target).read(box)
        first: NczError | None = None
        for file in piece.files:
            try:
                with self.opened(piece, file) as variable:
                    return PieceReader(variable, part.shape, self.target).read(box)
            except ZmapError as error:
                first = first or error
        assert first is not None
        raise first

    def _own(self, piece: Piece) -> Variable:
        """Return the variable of a piece that is in the master itself."""
        aggregated = self.aggregated
        name = resolve(piece.address, aggregated.group, aggregated.master.variables)
        if name is None or name == aggregated.fqn:
            raise FormatError(f"it has no variable {piece.address!r}")
        return aggregated.master.variables[name]

    @contextmanager
    def _naming(self, piece: Piece, name: str) -> Iterator[None]:
        """Let errors name a piece and its partition."""
        try:
            yield
        except NczError as error:
            error.message = f"piece {name} cannot be used: {error.message}"
            error.location = self.location(piece)
            error.hint = error.hint or "use --keep-going to read the other pieces"
            raise


@record
class AggregatedSource:
    """The values of an aggregated variable as a `ncz.model.data.RechunkableSource`.

    `chunks` is the shape of the chunks; by default, they are the partitions, of which large ones
    are divided.
    """

    aggregation: Aggregation
    chunks: tuple[int, ...] | None = None

    @property
    def grid(self) -> Grid:
        """The shape of the array and its chunks."""
        if self.chunks is not None:
            return ChunkGrid(self.aggregation.aggregated.shape, self.chunks)
        return self.aggregation.reading_grid

    @property
    def type(self) -> NcType:
        """The type of the values."""
        return self.aggregation.target.type

    @property
    def fill(self) -> Value:
        """The value of undefined partitions."""
        return self.aggregation.target.fill

    def chunk(self, index: Index) -> Values | None:
        """Return the values of a chunk; None if no piece has any of them."""
        return self.aggregation.read(self.grid.box(index))

    def rechunked(self, chunks: tuple[int, ...]) -> AggregatedSource:
        """Return the same values in chunks of that shape."""
        return replace(self, chunks=chunks)

    @property
    def partition_grid(self) -> Grid:
        """The partitions."""
        return self.aggregation.partitions.grid

    def defined(self) -> list[Index]:
        """Return the partitions that have values."""
        return sorted(self.aggregation.partitions.pieces)

    def places(self, index: Index) -> list[str]:
        """Return where the values of a partition are; see `PartitionedSource`."""
        piece = self.aggregation.partitions.pieces[index]
        files = piece.files if isinstance(piece, Piece) else ()
        return [self.aggregation.place(piece, file).address for file in files]

    def referable(self) -> ChunkSource:
        """Return the chunks of the pieces as they are, or the values if they do not fit together.

        All pieces are opened.
        """
        return chunks_of(self.aggregation) or self

    def preferred_chunks(self) -> tuple[int, ...]:
        """Return the shape of chunks in which a copy reads each piece about once."""
        grid = self.grid
        chunks = list(grid.chunks)
        for axis in reversed(range(len(chunks))):
            most = max(1, MERGED // math.prod(chunks)) * chunks[axis]
            if most < grid.shape[axis]:
                chunks[axis] = most
                break
            chunks[axis] = max(1, grid.shape[axis])
        return tuple(chunks)


def _divided(grid: IrregularGrid) -> Grid:
    """Divide large partitions along their first dimensions."""
    lengths = []
    for axis, borders in enumerate(grid.borders):
        most = max(1, LARGEST // math.prod(grid.chunks[axis + 1 :]))
        lengths.append(
            [
                min(most, stop - first)
                for start, stop in itertools.pairwise(borders)
                for first in range(start, stop, most)
            ]
        )
    return irregular_grid(lengths)
