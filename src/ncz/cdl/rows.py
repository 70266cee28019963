"""The data of one variable as lines of CDL: rows, braces, comments; read and written by slabs.

A row is a run along the last dimension. Every run of an unlimited dimension that is not the first
stands in braces. Comments tell the indices of rows (``-b``) or of single values (``-f``).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from ncz.cdl.names import escape_name
from ncz.cdl.spelling import (
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
from ncz.cdl.wrapping import Emit, Wrapper
from ncz.errors import Notice, Notify, ignore_notice
from ncz.model.slabs import fill_of, read_variable
from ncz.model.tree import Dimension, Variable
from ncz.model.types import Atomic, Value

if TYPE_CHECKING:
    from ncz.cdl.times import Times
    from ncz.model.data import Values

Indices = Literal["c", "f"]
"""How comments count: from 0, last dimension fastest; or from 1, first dimension fastest."""


@dataclass(frozen=True, slots=True)
class DataStyle:
    """What of the options bears on data."""

    line_length: int = 80
    precision: Precision = field(default_factory=Precision)
    brief: Indices | None = None
    full: Indices | None = None


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
    rows = _Rows(name, shape, spans, style, wrapper)
    print_slab = _slab_printer(variable, rows, style.precision, times, notify)
    position = 0
    for values in read_variable(variable, shape):
        flat = values.reshape(-1)
        print_slab(flat, position)
        position += flat.size


@dataclass(slots=True)
class _Rows:
    """Where rows begin and end, and what is written there."""

    name: str
    shape: tuple[int, ...]
    spans: tuple[int, ...]
    """Rows in a run of each unlimited dimension that is not the first."""
    style: DataStyle
    wrapper: Wrapper

    @property
    def columns(self) -> int:
        """Values of a row."""
        return self.shape[-1] if self.shape else 1

    @property
    def count(self) -> int:
        """Number of rows."""
        return math.prod(self.shape[:-1])

    @property
    def is_plain(self) -> bool:
        """Whether every row begins and ends as any other, without braces or comments."""
        return not self.spans and not self.style.full and not (self.style.brief and self.ranked)

    @property
    def ranked(self) -> bool:
        """Whether rows stand on lines of their own."""
        return len(self.shape) > 1

    def open(self, row: int) -> None:
        """Begin a row, up to its first value."""
        if not self.ranked:
            return
        wrapper = self.wrapper
        braces = b"{" * sum(row % span == 0 for span in self.spans)
        wrapper.column = 2 + wrapper.indent
        if row == 0 or not self.style.full:
            wrapper.emit(b"  ")
        wrapper.emit(braces)
        wrapper.column += len(braces)
        if self.style.brief:
            wrapper.emit(to_bytes(f"// {self.name}({self.brief(row)})") + wrapper.newline)
            wrapper.column = wrapper.indent + 4

    def braces(self, row: int) -> bytes:
        """The braces that close after a row; they count as a part of its last value."""
        return b"}" * sum((row + 1) % span == 0 for span in self.spans)

    def mark(self, row: int) -> bytes:
        """What follows a row and its braces."""
        return b";" if row == self.count - 1 else b","

    def end(self, row: int) -> bytes:
        """`mark`, spaced and ended as where values have no comments."""
        return b" ;\n" if row == self.count - 1 else b",\n"

    def leading(self, row: int) -> list[int]:
        """The indices of a row along all dimensions but the last."""
        indices: list[int] = []
        for size in reversed(self.shape[:-1]):
            row, index = divmod(row, size)
            indices.insert(0, index)
        return indices

    def brief(self, row: int) -> str:
        """The indices of a row as a range."""
        leading, last = self.leading(row), self.columns
        if self.style.brief == "c":
            indices = "".join(f"{i}," for i in leading)
            return indices + ("0" if last == 1 else f" 0-{last - 1}")
        indices = "".join(f",{i + 1}" for i in reversed(leading))
        return ("1" if last == 1 else f"1-{last} ") + indices

    def comment(self, row: int, column: int) -> bytes:
        """The comment after one value, and the start of the next line."""
        indices = [*self.leading(row), column]
        if self.style.full == "f":
            indices = [i + 1 for i in reversed(indices)]
        return to_bytes(f"  // {self.name}({','.join(map(str, indices))})\n    ")


SlabPrinter = Callable[["Values", int], None]
"""Prints consecutive values; the integer is the position of the first of them."""


def _slab_printer(
    variable: Variable, rows: _Rows, precision: Precision, times: Times | None, notify: Notify
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
                f"its C_format {text!r} is no format for one {nc_type.word}; not used",
                where=variable.name,
                do="delete or correct that attribute",
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

    rows: _Rows
    spell: Callable[[Value], str]

    def __call__(self, values: Values, position: int) -> None:
        tokens = (to_bytes(self.spell(value)) for value in values.tolist())
        print_tokens(self.rows, tokens, position)


def print_tokens(rows: _Rows, tokens: Iterator[bytes], position: int) -> None:
    """Write consecutive values that are spelt already, from that position on."""
    wrapper, columns = rows.wrapper, rows.columns
    row, column = divmod(position, columns)
    for token in tokens:
        if column == 0:
            rows.open(row)
        last = column == columns - 1
        if rows.style.full:
            wrapper.emit(token + (rows.braces(row) + rows.mark(row) if last else b", "))
            wrapper.emit(rows.comment(row, column))
        elif last:
            wrapper.put(token + rows.braces(row))
            wrapper.emit(rows.end(row))
        else:
            wrapper.put(token + b", ")
        row, column = (row + 1, 0) if last else (row, column + 1)


@dataclass(slots=True)
class _NumberPrinter:
    """Prints numbers, many rows at a time."""

    rows: _Rows
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
                self.part_of_row(values[:size], row, column)
            values, position = values[size:], position + size

    def text(self, values: Values) -> bytes:
        """Rows of a 2-D array, joined by newlines."""
        from ncz.cdl.numeric import format_rows

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

    def part_of_row(self, values: Values, row: int, column: int) -> None:
        """Write a part of one row."""
        rows, wrapper = self.rows, self.rows.wrapper
        text = self.text(values.reshape(1, -1))
        if column == 0:
            rows.open(row)
        if column + values.size < rows.columns:
            wrapper.put_text(text + b", ")
        else:
            wrapper.put_text(text + rows.braces(row))
            wrapper.emit(rows.end(row))


@dataclass(slots=True)
class _TimePrinter:
    """Prints numbers as dates; what is no date as `numbers` does."""

    rows: _Rows
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

    rows: _Rows
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
