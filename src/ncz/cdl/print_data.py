"""Print the data of one variable as CDL, slab by slab, in several processes.

The text of whole rows does not depend on earlier rows, so processes print them. If a slab is part
of one row, they only format the numbers, as line breaks depend on earlier text.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from mmap import mmap
from typing import TYPE_CHECKING

from ncz.cdl.c_format import choose_format
from ncz.cdl.chars import CharPrinter
from ncz.cdl.dates import format_date
from ncz.cdl.digit_watch import DigitWatch, differs_from_text, watch_digits, watch_values
from ncz.cdl.rows import Rows, print_tokens
from ncz.cdl.strings import StringPrinter
from ncz.cdl.wrapper import Wrapper
from ncz.errors import Notify, ignore_notice
from ncz.late import numpy as np
from ncz.model.data import dtype_of
from ncz.model.grid import Box
from ncz.model.slabs import (
    MAX_SLAB_BYTES,
    distinct,
    fill_of,
    piece_sizes,
    read_pieces,
    read_variable,
    slabs_of,
    sparsely,
)
from ncz.model.tree import Dimension, Variable
from ncz.model.types import Atomic, Value
from ncz.record import record
from ncz.text.format_values import (
    NumberFormat,
    Precision,
    encode_text,
    format_nonfinite,
    format_value,
)
from ncz.text.names import escape_name

if TYPE_CHECKING:
    from ncz.cdl.digit_watch import ValueWatch
    from ncz.cdl.rows import DataStyle
    from ncz.cdl.wrapper import Emit
    from ncz.model.data import Values
    from ncz.text.times import Times


_MIN_VALUES = 1 << 20
"""Least number of values per process."""

_AT_ONCE = 1 << 10
"""Values of a user-defined type whose texts are in memory at a time."""

_MOST_VALUES = 1 << 40
"""Largest number of values whose slabs are listed in memory: some 100 MB."""

Step = Callable[[int], None]
"""Called with a number of values that were printed."""

Flush = Callable[[], int | None]
"""Writes the emitted text; returns the file descriptor behind it, for other processes."""


def print_data(
    variable: Variable,
    dimensions: Sequence[Dimension],
    style: DataStyle,
    emit: Emit,
    *,
    indent: int = 0,
    times: Times | None = None,
    notify: Notify = ignore_notice,
    step: Step = lambda _: None,
    flush: Flush = lambda: None,
    at_column: Step = lambda _: None,
) -> bool:
    """Write an empty line and ``NAME = values ;``, or nothing if a dimension has length 0.

    Data are read and written one slab at a time.

    Parameters
    ----------
    dimensions
        The dimensions of the variable.
    indent
        Indentation of the group, in spaces.
    times
        Converts the numbers to dates.
    step
        Called with the number of values that were printed since the last call.
    at_column
        Called with the column where ncdump continues to count after the data.

    Returns
    -------
    bool
        Whether numbers have more digits than are printed, without a request of the user.
    """
    shape = tuple(d.size for d in dimensions)
    if 0 in shape:
        return False
    variable = sparsely(variable)
    name = escape_name(variable.name)
    rank = len(shape)
    emit(encode_text(f"\n{' ' * (indent + 1)}{name} ={' ' if rank < 2 else chr(10)}"))
    spans = tuple(
        math.prod(shape[level:-1]) for level in range(1, rank) if dimensions[level].unlimited
    )
    wrapper = Wrapper(style.line_length - 2, indent, emit)
    wrapper.column = len(encode_text(variable.name)) + 4 + indent
    rows = Rows(name, shape, spans, style, wrapper)
    at_column(rows.last_column)
    print_slab = _slab_printer(variable, rows, style.precision, times, notify)
    if style.jobs > 1 and math.prod(shape) >= 2 * _MIN_VALUES:
        parallel = _Parallel(variable, shape, rows, print_slab, flush)
        if parallel.is_possible():
            parallel.print(style.jobs, step)
            return _has_lost_digits(print_slab)
    position = 0
    for values in read_variable(variable, shape):
        print_slab(values, position)
        position += values.size
        step(values.size)
    return _has_lost_digits(print_slab)


@record
class _Parallel:
    """Prints the slabs of a variable in forked processes."""

    variable: Variable
    shape: tuple[int, ...]
    rows: Rows
    print_slab: SlabPrinter
    flush: Flush

    def is_possible(self) -> bool:
        """Return whether slabs can be printed, or at least formatted, independently."""
        from ncz.parallel.processes import can_fork

        numbers = isinstance(self.print_slab, _NumberPrinter) and not self.rows.style.full
        is_listable = math.prod(self.shape) <= _MOST_VALUES
        return can_fork() and is_listable and (self.has_whole_rows() or numbers)

    def has_whole_rows(self) -> bool:
        """Return whether slabs consist of whole rows."""
        first = next(slabs_of(self.variable, self.shape))
        return self.rows.has_row_breaks and first.shape[-1] == self.rows.columns

    def print(self, jobs: int, step: Step) -> None:
        """Write all rows."""
        from ncz.parallel.processes import in_order

        boxes = self.boxes(jobs)
        jobs = min(jobs, len(boxes))
        emit = self.rows.wrapper.emit
        if self.has_whole_rows():
            texts = in_order(boxes, self.print_slab_rows, jobs, self.flush())
            sizes = (size for box in boxes for size in piece_sizes(box))
            for text, size in zip(texts, sizes, strict=True):
                emit(text)
                self.flush()
                step(size)
            return
        assert isinstance(self.print_slab, _NumberPrinter)
        position = 0
        for text in in_order(boxes, self.format_slab, jobs):
            count = int.from_bytes(text[:8], "little")
            self.print_slab.print_part(text[8:], count, position)
            position += count
            step(count)

    def boxes(self, jobs: int) -> list[Box]:
        """Return the slabs: of whole chunks if there are enough for all processes, or thinner."""
        boxes = list(slabs_of(self.variable, self.shape, MAX_SLAB_BYTES))
        size = boxes[0].size * dtype_of(self.variable.type).itemsize
        if len(boxes) >= jobs and jobs * size <= 2 * MAX_SLAB_BYTES:
            return boxes
        return list(slabs_of(self.variable, self.shape, MAX_SLAB_BYTES // jobs))

    def print_slab_rows(self, box: Box) -> Iterator[bytes]:
        """Print a slab of whole rows. Runs in a forked process, with its own copy of `rows`."""
        position = self.position(box)
        for values in read_pieces(self.variable, self.shape, box):
            parts: list[bytes] = []
            self.rows.wrapper.emit = parts.append
            self.print_slab(values, position)
            position += values.size
            yield b"".join(parts)

    def format_slab(self, box: Box) -> Iterator[bytes]:
        """Format the numbers of a slab, without line breaks, after their count in 8 bytes."""
        assert isinstance(self.print_slab, _NumberPrinter)
        for values in read_pieces(self.variable, self.shape, box):
            count = values.size.to_bytes(8, "little")
            yield count + self.print_slab.text(values.reshape(1, -1))

    def position(self, box: Box) -> int:
        """Return the flat index of the first value of a slab."""
        number = 0
        for start, size in zip(box.start, self.shape, strict=True):
            number = number * size + start
        return number


SlabPrinter = Callable[["Values", int], None]
"""Prints consecutive values; the integer is the flat index of the first."""


def _slab_printer(
    variable: Variable, rows: Rows, precision: Precision, times: Times | None, notify: Notify
) -> SlabPrinter:
    nc_type = variable.type
    if nc_type is Atomic.CHAR:
        fill = fill_of(variable)
        return CharPrinter(rows, keep_nuls=fill != Atomic.CHAR.default_fill)
    if nc_type is Atomic.STRING:
        return StringPrinter(rows, fill_of(variable))
    if isinstance(nc_type, Atomic):
        style = choose_format(variable, nc_type, precision, notify)
        fill = fill_of(variable)
        if times is not None:
            numbers = _NumberPrinter(rows, nc_type, style, fill)
            return _TimePrinter(rows, numbers, times, DigitWatch(mmap(-1, 1), is_default=False))
        watch = watch_digits(nc_type, style, precision)
        return _NumberPrinter(rows, nc_type, style, fill, watch)
    watch_one = watch_values(nc_type, precision)
    return _TokenPrinter(rows, _make_value_formatter(variable, precision, watch_one), watch_one)


def _has_lost_digits(print_slab: SlabPrinter) -> bool:
    if not isinstance(print_slab, _NumberPrinter | _TokenPrinter | _TimePrinter):
        return False
    return print_slab.watch is not None and print_slab.watch.has_lost


def _make_value_formatter(
    variable: Variable, precision: Precision, watch: ValueWatch | None
) -> Callable[[Value], str]:
    """Return a function that formats a value of a user-defined type."""
    fill = fill_of(variable)
    nc_type = variable.type

    def format_one(value: Value) -> str:
        if fill is not None and value == fill:
            return "_"
        if watch is not None:
            watch(value)
        return format_value(value, nc_type, precision)

    return format_one


@dataclass(slots=True)
class _TokenPrinter:
    """Prints values of user-defined types one by one."""

    rows: Rows
    format: Callable[[Value], str]
    watch: ValueWatch | None = None

    def __call__(self, values: Values, position: int) -> None:
        for start in range(0, values.size, _AT_ONCE):
            part = values[start : start + _AT_ONCE].tolist()
            print_tokens(self.rows, [encode_text(self.format(v)) for v in part], position + start)


@dataclass(slots=True)
class _NumberPrinter:
    """Prints numbers, many rows at a time."""

    rows: Rows
    type: Atomic
    style: NumberFormat
    fill: Value
    watch: DigitWatch | None = None

    def __call__(self, values: Values, position: int) -> None:
        rows, columns = self.rows, self.rows.columns
        if rows.style.full:
            text = self.text(values.reshape(1, -1))
            print_tokens(rows, text.split(b", "), position)
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
        """Format a 2-D array; rows are joined by newlines."""
        from ncz.text.number_rows import format_rows

        one = distinct(values)
        if one is not values:
            row = b", ".join([self.text(one)] * values.shape[1])
            return b"\n".join([row] * values.shape[0])
        if self.watch is None:
            return format_rows(values, self.type, self.style, self.fill)
        text = format_rows(values, self.type, self.style, self.fill, self.watch.on_loss())
        self.watch.read_text(values, text)
        return text

    def whole_rows(self, values: Values, row: int) -> None:
        """Write complete rows; the first one has the number `row`."""
        rows, wrapper = self.rows, self.rows.wrapper
        text = self.text(values)
        if rows.has_row_breaks and rows.is_plain and self.fits(text):
            wrapper.emit(b"  " + text.replace(b"\n", b",\n  "))
            wrapper.emit(rows.end(row + len(values) - 1))
            return
        for number, line in enumerate(_lines(text), row):
            rows.open(number)
            wrapper.put_text(line + rows.braces(number))
            wrapper.emit(rows.end(number))

    def fits(self, text: bytes) -> bool:
        """Return whether every row fits on a line."""
        room = self.rows.wrapper.limit - 2 - self.rows.wrapper.indent
        first = text.find(b"\n")
        return (len(text) if first < 0 else first) <= room and (
            max(map(len, text.split(b"\n"))) <= room
        )

    def print_part(self, text: bytes, count: int, position: int) -> None:
        """Write part of one row: `count` formatted numbers from `position` on."""
        rows, wrapper = self.rows, self.rows.wrapper
        row, column = divmod(position, rows.columns)
        if column == 0:
            rows.open(row)
        if column + count < rows.columns:
            wrapper.put_text(text + b", ")
        else:
            wrapper.put_text(text + rows.braces(row))
            wrapper.emit(rows.end(row))


def _lines(text: bytes) -> Iterator[bytes]:
    """Split at newlines; for long lines, this is faster than `bytes.split`."""
    start = 0
    while (end := text.find(b"\n", start)) >= 0:
        yield text[start:end]
        start = end + 1
    yield text[start:]


def _one(value: float, numbers: _NumberPrinter) -> Values:
    return np.array([value], numbers.type.dtype)


@dataclass(slots=True)
class _TimePrinter:
    """Prints numbers as dates, and numbers without a date as `numbers` does."""

    rows: Rows
    numbers: _NumberPrinter
    times: Times
    watch: DigitWatch
    """The count of dates that are read back as other numbers, and of numbers without a date."""

    def __call__(self, values: Values, position: int) -> None:
        texts = self.numbers.text(values.reshape(1, -1)).split(b", ")
        tokens = list(map(self.token, texts, values.tolist()))
        print_tokens(self.rows, tokens, position)

    def token(self, text: bytes, value: float) -> bytes:
        """Format one value, whose text as a number is `text`."""
        if text == b"_":
            return text
        date = format_date(self.times, value)
        if date is None and not math.isfinite(value):
            return format_nonfinite(value, Atomic.DOUBLE).encode("ascii")
        if date is not None:
            if not self.times.is_exact(value, single=self.numbers.type is Atomic.FLOAT):
                self.watch.mark()
            return date.encode("ascii")
        if self.numbers.type.is_floating and differs_from_text(_one(value, self.numbers), text):
            self.watch.mark()
        return text
