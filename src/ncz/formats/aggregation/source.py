"""The values of an aggregated variable, read out of its pieces within a budget of open files."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from ncz.errors import FormatError, NczError, Notice, Notify, ZmapError, option
from ncz.formats.aggregation.forms import (
    Aggregated,
    MasterForm,
    Partitions,
    Piece,
    UniqueValue,
    dotted,
    resolve,
)
from ncz.formats.aggregation.marks import is_aggregated, text_of
from ncz.formats.reopened import MOST_OPEN, OpenDatasets
from ncz.model.chunks import ChunkLayout
from ncz.model.data import ChunkSource, PartitionedSource, Values, dtype_of, fill_array, read_box
from ncz.model.encoded import EncodedSource, ListedSource
from ncz.model.grid import Box, ChunkGrid, Grid, Index, IrregularGrid, Shape, irregular_grid
from ncz.model.packing import packing_of
from ncz.model.tree import Variable, base_name, missing_fill
from ncz.model.types import Atomic, NcType, Value
from ncz.record import record, replace
from ncz.zmap.location import Location, unquote

if TYPE_CHECKING:
    from ncz.zmap import WritableZmap
    from ncz.zmap.byte_range import ByteRange

# Conversion of units of measure, by cf-units (UDUNITS-2 and, for times, cftime).


@record
class Units:
    """The units of a variable, with the calendar of times."""

    text: str
    calendar: str = "standard"


class UnitsError(NczError, ValueError):
    """Units that cannot be converted."""


def converter(ours: Units, theirs: Units) -> Callable[[Values], Values] | None:
    """Return a function that converts values to `theirs`, as double; None if they are equal.

    Raises `UnitsError` if the units cannot be converted, or cf-units is not installed.
    """
    if ours.text.strip() == theirs.text.strip() and ours.calendar == theirs.calendar:
        return None
    try:
        import cf_units
    except ImportError as error:
        raise UnitsError(
            f"converting {ours.text!r} to {theirs.text!r} needs the package cf-units",
            hint="pip install 'ncz[aggregation]'",
        ) from error
    found = [_unit(cf_units, units) for units in (ours, theirs)]
    if found[0] == found[1]:
        return None
    if not found[0].is_convertible(found[1]):
        raise UnitsError(f"the units {ours.text!r} cannot be converted to {theirs.text!r}")

    def convert(values: Values) -> Values:
        try:
            converted: Values = found[0].convert(values.astype("f8"), found[1])
        except ValueError as error:
            raise UnitsError(
                f"the units {ours.text!r} cannot be converted to {theirs.text!r}: {error}"
            ) from error
        return converted

    return convert


def _unit(library: Any, units: Units) -> Any:
    try:
        is_time = " since " in units.text
        return library.Unit(units.text, calendar=units.calendar if is_time else None)
    except ValueError as error:
        raise UnitsError(f"{units.text!r} is not a valid unit") from error


# The values of pieces in their canonical form: that of the aggregated variable.


@record(kw_only=True)
class Canonical:
    """What the values of all pieces become.

    `dimensions` has names without groups. `fill` stands for missing values. With `converts`, a
    piece may have another type and may be packed; otherwise it has the type and the packing of the
    variable.
    """

    type: NcType
    dimensions: tuple[str, ...]
    fill: Value
    units: Units | None
    packing: tuple[float, float]
    converts: bool


def canonical(variable: Variable, *, converts: bool) -> Canonical:
    """Return what the pieces of an aggregated variable become."""
    mask = variable.mask
    return Canonical(
        type=variable.type,
        dimensions=tuple(map(base_name, variable.dimensions)),
        fill=missing_fill(variable) if mask is None else mask,
        units=units_of(variable),
        packing=factors_of(variable),
        converts=converts,
    )


def units_of(variable: Variable) -> Units | None:
    """Return the units of a variable; None if it has none."""
    text = text_of(variable, "units")
    if text is None:
        return None
    return Units(text, (text_of(variable, "calendar") or "standard").lower())


def factors_of(variable: Variable) -> tuple[float, float]:
    """Return the factor and the offset by which the values of a variable are packed."""
    found = packing_of(variable)
    scale = 1.0 if found.scale is None else float(found.scale)
    return scale, 0.0 if found.offset is None else float(found.offset)


class PieceReader:
    """Reads parts of the variable of a piece in their canonical form.

    Raises `FormatError`, without a location, if the piece does not fit the partition.

    Parameters
    ----------
    variable
        The variable of the piece.
    shape
        The shape of the partition.
    target
        The canonical form.
    """

    def __init__(self, variable: Variable, shape: Shape, target: Canonical) -> None:
        self._variable = variable
        self._target = target
        self._axes = _axes(variable, shape, target)
        packing = factors_of(variable)
        self._packing = None if packing == (1.0, 0.0) else packing
        if not target.converts and packing == target.packing:
            self._packing = None  # the values of both are packed
        elif target.packing != (1.0, 0.0) and not target.converts:
            raise FormatError(f"is packed by {packing}, not by {target.packing}")
        self._convert = self._converter()
        self._check_type()

    def _converter(self) -> Callable[[Values], Values] | None:
        ours, theirs = units_of(self._variable), self._target.units
        return None if ours is None or theirs is None else converter(ours, theirs)

    def _check_type(self) -> None:
        ours, theirs = self._variable.type, self._target.type
        if ours == theirs:
            return
        is_fit = False
        if isinstance(ours, Atomic) and isinstance(theirs, Atomic):
            is_number = ours.kind in "iuf" and theirs.kind in "iuf"
            is_fit = is_number and (self._target.converts or self._packing is not None)
        if not is_fit:
            raise FormatError(f"has the type {_word(ours)}, not {_word(theirs)}")

    @property
    def is_plain(self) -> bool:
        """Whether the values are those of the piece as they are, in the same dimensions."""
        marks = self._variable.mask, self._target.fill
        return (
            self._variable.type == self._target.type
            and self._packing is None
            and self._convert is None
            and len(self._variable.dimensions) == len(self._target.dimensions)
            and (marks[0] is None or repr(marks[0]) == repr(marks[1]))
        )

    def read(self, box: Box) -> Values:
        """Return the values of a box of the partition."""
        source = self._variable.data
        inner = [(0, 1)] * len(self._variable.dimensions)
        for axis, own in self._axes:
            inner[own] = (box.start[axis], box.stop[axis])
        part = Box(tuple(a for a, _ in inner), tuple(b for _, b in inner))
        assert source is not None  # checked by `_axes`
        return self._adapted(read_box(source, part)).reshape(box.shape)

    def _adapted(self, values: Values) -> Values:
        import numpy as np

        target = self._target
        dtype = dtype_of(target.type)
        absent = self._missing(values)
        is_same = values.dtype == dtype and self._packing is None and self._convert is None
        if is_same and absent is None:
            return values
        result = values
        if not is_same:
            result = values.astype("f8") if self._packing or self._convert else values
            if self._packing is not None:
                result = result * self._packing[0] + self._packing[1]
            if self._convert is not None:
                result = self._convert(result)
            result = _cast(result, dtype, absent)
        if absent is not None:
            result = np.array(result)
            result[absent] = target.fill
        return result

    def _missing(self, values: Values) -> Values | None:
        """Return which values are missing and need another mark; None for none."""
        marks = self._variable.mask, self._target.fill
        if values.dtype.kind not in "iuf" or marks[0] is None:
            return None
        is_other = marks[0] != marks[1] and not (marks[0] != marks[0] and marks[1] != marks[1])
        if not is_other and self._packing is None and self._convert is None:
            return None
        absent: Values = values != values if marks[0] != marks[0] else values == marks[0]
        return absent if absent.any() else None


def _axes(variable: Variable, shape: Shape, target: Canonical) -> list[tuple[int, int]]:
    """Return which dimension of a partition each dimension of its piece is.

    A piece may lack dimensions of length 1.
    """
    if variable.data is None:
        raise FormatError("has no values")
    own = variable.data.grid.shape
    names = tuple(map(base_name, variable.dimensions))
    if names != target.dimensions and sorted(names) == sorted(target.dimensions):
        raise FormatError(
            f"has the dimensions ({', '.join(names)}), not ({', '.join(target.dimensions)})"
        )
    ours = [axis for axis, length in enumerate(shape) if length != 1]
    theirs = [axis for axis, length in enumerate(own) if length != 1]
    if [shape[axis] for axis in ours] != [own[axis] for axis in theirs] or len(own) > len(shape):
        raise FormatError(f"has the shape {_format_shape(own)}, not {_format_shape(shape)}")
    return list(zip(ours, theirs, strict=True))


def _cast(values: Values, dtype: Any, absent: Values | None) -> Values:
    """Return values in another dtype; raise `FormatError` for one that it cannot hold."""
    import numpy as np

    if dtype.kind == "f":
        return values.astype(dtype)
    present = values if absent is None else values[~absent]
    limits = np.iinfo(dtype)
    rounded = np.rint(present) if present.dtype.kind == "f" else present
    is_whole = bool(np.all(np.abs(rounded - present) < 1e-6))
    if not is_whole or np.any(rounded < limits.min) or np.any(rounded > limits.max):
        raise FormatError(f"has values that the type {dtype} cannot hold")
    result = np.zeros(values.shape, dtype)
    result[... if absent is None else ~absent] = rounded.astype(dtype)
    return result


def _format_shape(shape: Shape) -> str:
    return "x".join(map(str, shape)) or "of a scalar"


def _word(nc_type: NcType) -> str:
    return str(getattr(nc_type, "word", None) or getattr(nc_type, "name", ""))


# The chunks of pieces as those of the whole variable, without decoding them.

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


DEFAULT_PIECES = MOST_OPEN
"""Number of pieces that are open at the same time, by default."""

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

    pieces: OpenDatasets
    locate: Locate
    skip: Notify | None = None


class Aggregation:
    """An aggregated variable with its partitions, which are read from the master when needed."""

    def __init__(
        self, aggregated: Aggregated, form: MasterForm, target: Canonical, access: PieceAccess
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
        return f"{self.aggregated.location}, partition {dotted(piece.number)}"

    def place(self, piece: Piece | UniqueValue, file: str) -> Location:
        """Return where a file of a piece is."""
        assert isinstance(piece, Piece)
        if self.form.has_uris and not file.lower().startswith(("http:", "https:")):
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
            error.hint = error.hint or f"use {option('keep_going', True)} to read the other pieces"
            raise


@record
class AggregatedSource(PartitionedSource):
    """The values of an aggregated variable as a `ncz.model.data.PartitionedSource`.

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
