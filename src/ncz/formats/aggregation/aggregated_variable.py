"""An aggregated variable; its values are read from its pieces, with a limit of open files."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from functools import cached_property
from typing import TYPE_CHECKING

from ncz.errors import FormatError, NczError, Notice, Notify, ZmapError, option
from ncz.formats.aggregation.marks import is_aggregated
from ncz.formats.aggregation.master import AggregatedVariable, resolve
from ncz.formats.aggregation.master_form import MasterForm
from ncz.formats.aggregation.partitions import Partitions, Piece, UniqueValue, dotted_number
from ncz.formats.aggregation.piece_values import PieceReader
from ncz.formats.aggregation.seals import plain_name
from ncz.formats.open_datasets import OpenDatasets
from ncz.model.data import Values, fill_array
from ncz.model.grid import Box, Grid, Index, IrregularGrid, irregular_grid
from ncz.model.tree import Variable
from ncz.record import record
from ncz.zmap.location import Location
from ncz.zmap.reference.seals import NO_SEALS

if TYPE_CHECKING:
    from ncz.formats.aggregation.piece_values import Canonical
    from ncz.zmap.reference.seals import Seal
    from ncz.zmap.source_file import SourceFile


LARGEST = 1 << 21
"""Elements of the largest part that is read at a time, unless a caller chooses another."""

Locate = Callable[[str, str], "Location"]
"""A function that returns where a file of a piece is, and refuses one that is not permitted.

Its second argument is the partition, for messages.
"""


@record(kw_only=True)
class PieceAccess:
    """The access to the pieces of a master.

    `check` raises `ZmapError` for a piece that has changed since the master was written; it has the
    arguments of `locate`. `state` returns the known state of a file. `skip`, if it is given,
    receives a notice of each piece that cannot be read, which then has no values. `seals` are the
    states of the pieces by their names in the master.
    """

    pieces: OpenDatasets
    locate: Locate
    check: Callable[[str, str], None]
    state: Callable[[str], SourceFile]
    seals: Mapping[str, Seal] = NO_SEALS
    skip: Notify | None = None


class Aggregation:
    """An aggregated variable with its partitions, which are read from the master when needed."""

    def __init__(
        self,
        aggregated: AggregatedVariable,
        form: MasterForm,
        target: Canonical,
        access: PieceAccess,
    ) -> None:
        self.aggregated = aggregated
        self.form = form
        self.target = target
        self.access = access
        self._skipped: set[Index] = set()

    @cached_property
    def partitions(self) -> Partitions:
        """The grid of partitions, and their pieces."""
        return self.form.partitions(self.aggregated)

    @cached_property
    def reading_grid(self) -> Grid:
        """The partitions; large ones are divided."""
        grid = self.partitions.grid
        return grid if math.prod(grid.chunks) <= LARGEST else _divide(grid)

    def location(self, piece: Piece) -> str:
        """Return a partition for messages."""
        return f"{self.aggregated.location}, partition {dotted_number(piece.number)}"

    def place(self, piece: Piece | UniqueValue, file: str) -> Location:
        """Return the place of a file of a piece."""
        assert isinstance(piece, Piece)
        return self.access.locate(plain_name(file, is_uri=self.form.has_uris), self.location(piece))

    def files(self) -> Iterator[str]:
        """Yield the paths or URLs of the files of all pieces, as the master names them."""
        for piece in self.partitions.pieces.values():
            if isinstance(piece, Piece):
                for file in piece.files:
                    yield plain_name(file, is_uri=self.form.has_uris)

    def state(self, file: str) -> SourceFile:
        """Return the state of a file of a piece."""
        return self.access.state(plain_name(file, is_uri=self.form.has_uris))

    @contextmanager
    def open_piece(self, piece: Piece, file: str) -> Iterator[Variable]:
        """Open a file of a piece, and return the variable that has the values.

        Errors, also in the caller's block, name the file and the partition.
        """
        place = self.place(piece, file)
        with self._name_in_errors(piece, place.address), ExitStack() as stack:
            self.access.check(plain_name(file, is_uri=self.form.has_uris), self.location(piece))
            variables = stack.enter_context(self.access.pieces.variables(place))
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
            if self.access.skip is None:
                raise
            if index not in self._skipped:
                self._skipped.add(index)
                self.access.skip(
                    Notice("piece-unreadable", error.message, error.location, error.hint, lost=True)
                )
            return None

    def _values(self, piece: Piece, part: Box, box: Box) -> Values:
        """Read a piece, from the first of its alternatives that exists."""
        if not piece.files:
            with self._name_in_errors(piece, "in the master"):
                return PieceReader(self._own(piece), part.shape, self.target).read(box)
        first: NczError | None = None
        for file in piece.files:
            try:
                with self.open_piece(piece, file) as variable:
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
    def _name_in_errors(self, piece: Piece, name: str) -> Iterator[None]:
        """Let errors name a piece and its partition."""
        try:
            yield
        except NczError as error:
            error.message = f"piece {name} cannot be used: {error.message}"
            error.location = self.location(piece)
            error.hint = error.hint or f"use {option('keep_going', True)} to read the other pieces"
            raise


def _divide(grid: IrregularGrid) -> Grid:
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
