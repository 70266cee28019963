"""The data of one variable as lines of CDL: read, spelt and written by slabs, by many processes.

The rows of a slab are the same wherever they are printed. Of a slab that is a part of one row the
numbers are, and where its lines break depends on what came before.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ncz.cdl.print.rows import DataStyle, Rows, print_tokens
from ncz.errors import Notice, Notify, ignore_notice
from ncz.model.grid import Box
from ncz.model.slabs import HELD, fill_of, read_pieces, read_variable, slabs_of
from ncz.model.tree import Dimension, Variable
from ncz.model.types import Atomic, Value
from ncz.record import record
from ncz.text.format_values import (
    NumberFormat,
    Precision,
    data_value,
    default_format,
    escape_char_lines,
    escape_chars,
    not_finite,
    parse_c_format,
    quote,
    to_bytes,
)
from ncz.text.names import escape_name
from ncz.text.wrapping import Emit, Wrapper

if TYPE_CHECKING:
    from ncz.model.data import Values
    from ncz.text.times import Times

_WORTH = 1 << 20
"""Values that are worth a process of their own."""


def print_data(
    variable: Variable,
    dimensions: Sequence[Dimension],
    style: DataStyle,
    emit: Emit,
    *,
    indent: int = 0,
    times: Times | None = None,
    notify: Notify = ignore_notice,
) -> None:
    """Write ``NAME = values ;``, an empty line before it. Nothing if a dimension has length 0.

    `dimensions` are the variable's; `indent` is the group's, in spaces; with `times` numbers become
    dates. Data are read as they are written, a slab at a time.
    """
    shape = tuple(d.size for d in dimensions)
    if 0 in shape:
        return
    name = escape_name(variable.name)
    rank = len(shape)
    emit(to_bytes(f"\n{' ' * (indent + 1)}{name} ={' ' if rank < 2 else chr(10)}"))
    spans = tuple(
        math.prod(shape[level:-1]) for level in range(1, rank) if dimensions[level].unlimited
    )
    wrapper = Wrapper(style.line_length - 2, indent, emit)
    wrapper.column = len(to_bytes(variable.name)) + 4 + indent
    rows = Rows(name, shape, spans, style, wrapper)
    print_slab = _slab_printer(variable, rows, style.precision, times, notify)
    if style.jobs > 1 and math.prod(shape) >= 2 * _WORTH:
        parallel = _Parallel(variable, shape, rows, print_slab)
        if parallel.is_possible():
            parallel.print(style.jobs)
            return
    position = 0
    for values in read_variable(variable, shape):
        print_slab(values, position)
        position += values.size


@record
class _Parallel:
    """Prints a variable's slabs in processes that are forked for it."""

    variable: Variable
    shape: tuple[int, ...]
    rows: Rows
    print_slab: SlabPrinter

    def is_possible(self) -> bool:
        """Whether slabs can be printed, or at least spelt, without what came before them."""
        from ncz.parallel.processes import can_fork

        numbers = isinstance(self.print_slab, _NumberPrinter) and not self.rows.style.full
        return can_fork() and (self.has_whole_rows() or numbers)

    def has_whole_rows(self) -> bool:
        """Whether slabs are made of whole rows."""
        first = next(slabs_of(self.variable, self.shape))
        return self.rows.ranked and first.shape[-1] == self.rows.columns

    def print(self, jobs: int) -> None:
        """Write all rows."""
        from ncz.parallel.processes import in_order

        boxes = list(slabs_of(self.variable, self.shape, HELD // jobs))
        jobs = min(jobs, len(boxes))
        emit = self.rows.wrapper.emit
        if self.has_whole_rows():
            for text in in_order(boxes, self.printed, jobs):
                emit(text)
            return
        assert isinstance(self.print_slab, _NumberPrinter)
        position = 0
        for text in in_order(boxes, self.spelt, jobs):
            count = int.from_bytes(text[:8], "little")
            self.print_slab.print_part(text[8:], count, position)
            position += count

    def printed(self, box: Box) -> Iterator[bytes]:
        """The text of a slab of whole rows. Runs in a process of its own, whose `rows` are too."""
        position = self.position(box)
        for values in read_pieces(self.variable, self.shape, box):
            parts: list[bytes] = []
            self.rows.wrapper.emit = parts.append
            self.print_slab(values, position)
            position += values.size
            yield b"".join(parts)

    def spelt(self, box: Box) -> Iterator[bytes]:
        """The numbers of a slab, before lines are broken; and how many they are, in 8 bytes."""
        assert isinstance(self.print_slab, _NumberPrinter)
        for values in read_pieces(self.variable, self.shape, box):
            count = values.size.to_bytes(8, "little")
            yield count + self.print_slab.text(values.reshape(1, -1))

    def position(self, box: Box) -> int:
        """The number of the first value of a slab."""
        number = 0
        for start, size in zip(box.start, self.shape, strict=True):
            number = number * size + start
        return number


SlabPrinter = Callable[["Values", int], None]
"""Prints consecutive values; the integer is the position of the first of them."""


def _slab_printer(
    variable: Variable, rows: Rows, precision: Precision, times: Times | None, notify: Notify
) -> SlabPrinter:
    nc_type = variable.type
    if nc_type is Atomic.CHAR:
        fill = fill_of(variable)
        return _CharPrinter(rows, keep_nuls=fill != Atomic.CHAR.default_fill)
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
        style = _number_format(variable, nc_type, precision, notify)
        numbers = _NumberPrinter(rows, nc_type, style, fill_of(variable))
        return numbers if times is None else _TimePrinter(rows, numbers, times)
    return _TokenPrinter(rows, _spell(variable, precision))


def _number_format(
    variable: Variable, nc_type: Atomic, precision: Precision, notify: Notify
) -> NumberFormat:
    asked = variable.attribute("C_format")
    if (
        asked is not None
        and asked.type is Atomic.CHAR
        and asked.values
        and not precision.is_given(nc_type)
    ):
        text = "".join(asked.values).rstrip("\0")
        style = parse_c_format(text, nc_type)
        if style is not None:
            return style
        notify(
            Notice(
                "c-format-ignored",
                f"its C_format {text!r} is no format for one {nc_type.word}; not used",
                location=variable.name,
                hint="delete or correct that attribute",
            )
        )
    return default_format(nc_type, precision)


def _spell(variable: Variable, precision: Precision) -> Callable[[Value], str]:
    """How one string or value of a user-defined type is written."""
    fill = fill_of(variable)
    nc_type = variable.type

    def spell(value: Value) -> str:
        if fill is not None and value == fill:
            return "_"
        return quote(value) if nc_type is Atomic.STRING else data_value(value, nc_type, precision)

    return spell


@dataclass(slots=True)
class _TokenPrinter:
    """Prints values one by one: strings, and user-defined types."""

    rows: Rows
    spell: Callable[[Value], str]

    def __call__(self, values: Values, position: int) -> None:
        tokens = (to_bytes(self.spell(value)) for value in values.tolist())
        print_tokens(self.rows, tokens, position)


@dataclass(slots=True)
class _NumberPrinter:
    """Prints numbers, many rows at a time."""

    rows: Rows
    type: Atomic
    style: NumberFormat
    fill: Value

    def __call__(self, values: Values, position: int) -> None:
        rows, columns = self.rows, self.rows.columns
        if rows.style.full:
            text = self.text(values.reshape(1, -1))
            print_tokens(rows, iter(text.split(b", ")), position)
            return
        while values.size:
            row, column = divmod(position, columns)
            count = values.size // columns if column == 0 else 0
            if count:
                size = count * columns
                self.whole_rows(values[:size].reshape(count, columns), row)
            else:
                size = min(columns - column, values.size)
                self.print_part(self.text(values[:size].reshape(1, -1)), size, position)
            values, position = values[size:], position + size

    def text(self, values: Values) -> bytes:
        """Rows of a 2-D array, joined by newlines."""
        from ncz.text.format_rows import format_rows

        return format_rows(values, self.type, self.style, self.fill)

    def whole_rows(self, values: Values, row: int) -> None:
        """Write rows that are complete, beginning with number `row`."""
        rows, wrapper = self.rows, self.rows.wrapper
        text = self.text(values)
        if rows.ranked and rows.is_plain and self.fits(text):
            wrapper.emit(b"  " + text.replace(b"\n", b",\n  "))
            wrapper.emit(rows.end(row + len(values) - 1))
            return
        for number, line in enumerate(text.split(b"\n"), row):
            rows.open(number)
            wrapper.put_text(line + rows.braces(number))
            wrapper.emit(rows.end(number))

    def fits(self, text: bytes) -> bool:
        """Whether no row has to be broken."""
        room = self.rows.wrapper.limit - 2 - self.rows.wrapper.indent
        return max(map(len, text.split(b"\n"))) <= room

    def print_part(self, text: bytes, count: int, position: int) -> None:
        """Write a part of one row: `count` numbers, which are spelt so, from that position on."""
        rows, wrapper = self.rows, self.rows.wrapper
        row, column = divmod(position, rows.columns)
        if column == 0:
            rows.open(row)
        if column + count < rows.columns:
            wrapper.put_text(text + b", ")
        else:
            wrapper.put_text(text + rows.braces(row))
            wrapper.emit(rows.end(row))


@dataclass(slots=True)
class _TimePrinter:
    """Prints numbers as dates; what is no date as `numbers` does."""

    rows: Rows
    numbers: _NumberPrinter
    times: Times

    def __call__(self, values: Values, position: int) -> None:
        spelt = self.numbers.text(values.reshape(1, -1)).split(b", ")
        tokens = map(self.token, spelt, values.tolist())
        print_tokens(self.rows, tokens, position)

    def token(self, spelt: bytes, value: float) -> bytes:
        """One value, which as a number is spelt so."""
        if spelt == b"_":
            return spelt
        date = self.times.spell(value)
        if date is None and not math.isfinite(value):
            return not_finite(value, Atomic.DOUBLE).encode("ascii")
        return spelt if date is None else date.encode("ascii")


@dataclass(slots=True)
class _CharPrinter:
    """Prints chars: each row is one quoted text, never broken but after a newline.

    And there only if all is one row: ncgen takes each text for a row where there are several.
    """

    rows: Rows
    keep_nuls: bool
    """NULs at the end are written, because what is too short is not padded with them."""
    nuls: int = 0
    """NULs at the end of what was written of the row; dropped if nothing follows."""

    def __call__(self, values: Values, position: int) -> None:
        columns = self.rows.columns
        text = _latin1(values)
        start = 0
        while start < len(text):
            row, column = divmod(position + start, columns)
            size = min(columns - column, len(text) - start)
            self.part_of_row(text[start : start + size], row, column)
            start += size

    def part_of_row(self, text: str, row: int, column: int) -> None:
        """Write a part of a row, or all of it."""
        rows, emit = self.rows, self.rows.wrapper.emit
        if column == 0:
            rows.open(row)
            emit(b'"')
            self.nuls = 0
        shown = text if self.keep_nuls else text.rstrip("\0")
        if shown:
            spelt = escape_chars(shown) if rows.ranked else escape_char_lines(shown)
            emit(b"\\000" * self.nuls + spelt.encode("ascii"))
            self.nuls = 0
        self.nuls += len(text) - len(shown)
        if column + len(text) < rows.columns:
            return
        if rows.style.full:
            emit(b'"' + rows.braces(row) + rows.mark(row))
            emit(rows.comment(row, rows.columns - 1))
        else:
            emit(b'"' + rows.braces(row) + rows.end(row))


def _latin1(values: Any) -> str:
    """The bytes of an S1 array, each as the character of its number."""
    text: str = values.tobytes().decode("latin-1")
    return text
