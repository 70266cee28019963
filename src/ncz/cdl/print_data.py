"""Print the data of one variable as CDL, slab by slab, in several processes; also as dates.

The text of whole rows does not depend on what was printed before, so processes print them. Of a
slab that is part of one row they only format the numbers, as line breaks depend on earlier text.
"""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from mmap import mmap
from typing import TYPE_CHECKING, Any, Literal

from ncz.errors import AS_JSON, Notice, Notify, either, ignore_notice, list_names, shorten
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
from ncz.model.tree import Attribute, Dimension, Variable
from ncz.model.types import Atomic, NcType, Value
from ncz.record import record
from ncz.text.format_values import (
    CHAR_ESCAPES,
    NumberFormat,
    Precision,
    default_format,
    encode_text,
    escape_chars,
    format_nonfinite,
    format_number,
    format_value,
    is_shortened,
    quote,
)
from ncz.text.names import escape_name

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ncz.model.data import Values
    from ncz.text.times import Times


# Wrap data into lines as ncdump does: greedily, after ``, ``, never inside a value.
#
# Widths are in bytes. A value that does not fit begins a new line, even if it is longer than a
# line. A last value of at most two bytes never does, as ncdump treats it like punctuation.

_MANY = 16
"""Least number of lines that are broken at once."""

Emit = Callable[[bytes], object]


@dataclass(slots=True)
class Wrapper:
    """Writes values. `limit` is the largest length of a line; `indent` that of the group."""

    limit: int
    indent: int
    emit: Emit
    column: int = 0

    @property
    def newline(self) -> bytes:
        """The newline and indentation of a line that continues a row."""
        return b"\n" + b" " * (self.indent + 4)

    def put(self, token: bytes) -> None:
        """Write one value, with the comma and the space after it."""
        if self.column + len(token) > self.limit and len(token) > 2:
            self.emit(self.newline)
            self.column = self.indent + 4
        self.emit(token)
        self.column += len(token)

    def put_text(self, text: bytes) -> None:
        """Write several numbers, ``1, 2, 3`` or ``1, 2, ``, like `put` for each of them.

        A regular expression matches a line at a time, which is faster than one value at a time.
        """
        if not text:
            return
        full_room = self.limit - self.indent - 4
        room, start = self.limit - self.column, 0
        lines: list[bytes] = []
        if len(text) > max(room, 2):
            # The values that fit on the current line, if any.
            first = _full_lines(room).match(text) if room > 2 else None
            start = first.end() if first is not None else 0
            lines = [text[:start]]
            block, start = _equal_lines(text, start, full_room, self.newline)
            if block:
                lines.append(block)
            rest = _lines_or_value(full_room).findall(text, start)
            start += sum(map(len, rest))
            lines += rest
        last = text[start:]
        if lines and (len(last) <= 2 or self._fits(lines, last, room, full_room)):
            lines[-1] += last
        else:
            lines.append(last)
        self.column = self.limit - (room if len(lines) == 1 else full_room) + len(lines[-1])
        self.emit(self.newline.join(lines))

    @staticmethod
    def _fits(lines: list[bytes], last: bytes, room: int, full_room: int) -> bool:
        """Return whether the last value fits on the last line so far."""
        return len(lines[-1]) + len(last) <= (room if len(lines) == 1 else full_room)


def _equal_lines(text: bytes, start: int, room: int, newline: bytes) -> tuple[bytes, int]:
    """Break numbers of equal lengths into lines, of which all have as many values.

    Returns
    -------
    lines : bytes
        Full lines, joined by `newline`; empty if the numbers are few or not of equal lengths.
    stop : int
        Where the lines end in `text`.
    """
    width = text.find(b", ", start) + 2 - start
    size = room // width * width if width >= 3 else 0
    count = (len(text) - start) // size if size else 0
    stop = start + count * size
    if count <= _MANY or not (
        text[start + width - 2 : stop : width].count(b",")
        == count * size // width
        == text.count(b",", start, stop)
    ):
        return b"", start
    # The last line is left out, as a narrower value may fit on it.
    count, stop = count - 1, stop - size
    import numpy as np

    lines = np.empty(count, [("line", f"V{size}"), ("end", f"V{len(newline)}")])
    lines["line"] = np.frombuffer(text, f"V{size}", count, start)
    lines["end"] = np.void(newline)
    return lines.tobytes()[: -len(newline)], stop


@functools.cache
def _full_lines(room: int) -> re.Pattern[bytes]:
    """Match as many values as fit, at least one, each with its comma and space."""
    return re.compile(rb".{1,%d}, " % max(1, room - 2))


@functools.cache
def _lines_or_value(room: int) -> re.Pattern[bytes]:
    """Match as many values as fit, or one value that is longer than a line."""
    return re.compile(rb".{1,%d}, |[^,]*, " % max(1, room - 2))


Indices = Literal["c", "f"]
"""Indices in comments: from 0, last dimension fastest; or from 1, first dimension fastest."""


@record
class DataStyle:
    """The options that affect data."""

    line_length: int = 80
    precision: Precision = Precision()
    brief: Indices | None = None
    full: Indices | None = None
    jobs: int = 1
    """Largest number of processes that print."""


@dataclass(slots=True)
class Rows:
    """The rows of one variable."""

    name: str
    shape: tuple[int, ...]
    spans: tuple[int, ...]
    """Number of rows in a run of each unlimited dimension except the first one."""
    style: DataStyle
    wrapper: Wrapper

    @property
    def columns(self) -> int:
        """Number of values in a row."""
        return self.shape[-1] if self.shape else 1

    @property
    def count(self) -> int:
        """Number of rows."""
        return math.prod(self.shape[:-1])

    @property
    def is_plain(self) -> bool:
        """Whether no row has braces or comments."""
        return not self.spans and not self.style.full and not (self.style.brief and self.ranked)

    @property
    def ranked(self) -> bool:
        """Whether each row begins on a new line."""
        return len(self.shape) > 1

    @property
    def last_column(self) -> int:
        """The column where the data end for ncdump, which does not count what `full` prints."""
        indent = self.wrapper.indent
        if not self.style.full:
            return indent
        if self.ranked and self.style.brief:
            return indent + 4
        braces = sum(self.count // span for span in self.spans)
        return (indent + 2 if self.ranked else self.wrapper.column) + braces

    def open(self, row: int) -> None:
        """Write the beginning of a row, before its first value."""
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
            wrapper.emit(encode_text(f"// {self.name}({self.brief(row)})") + wrapper.newline)
            wrapper.column = wrapper.indent + 4

    def braces(self, row: int) -> bytes:
        """Return the closing braces after a row, which count as part of its last value."""
        return b"}" * sum((row + 1) % span == 0 for span in self.spans)

    def mark(self, row: int) -> bytes:
        """Return the punctuation after a row and its braces."""
        return b";" if row == self.count - 1 else b","

    def end(self, row: int) -> bytes:
        """Return the end of a row without comments: the punctuation and a newline."""
        return b" ;\n" if row == self.count - 1 else b",\n"

    def leading(self, row: int) -> list[int]:
        """Return the indices of a row along all dimensions but the last."""
        indices: list[int] = []
        for size in reversed(self.shape[:-1]):
            row, index = divmod(row, size)
            indices.insert(0, index)
        return indices

    def brief(self, row: int) -> str:
        """Format the indices of a row as a range."""
        leading, last = self.leading(row), self.columns
        if self.style.brief == "c":
            indices = "".join(f"{i}," for i in leading)
            return indices + ("0" if last == 1 else f" 0-{last - 1}")
        indices = "".join(f",{i + 1}" for i in reversed(leading))
        return ("1" if last == 1 else f"1-{last} ") + indices

    def comment(self, row: int, column: int) -> bytes:
        """Return the comment after one value, and the start of the next line."""
        indices = [*self.leading(row), column]
        if self.style.full == "f":
            indices = [i + 1 for i in reversed(indices)]
        return encode_text(f"  // {self.name}({','.join(map(str, indices))})\n    ")


def print_tokens(rows: Rows, tokens: Iterator[bytes], position: int) -> None:
    """Write consecutive formatted values from `position` on."""
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


# Print char data: each row is one quoted text.

_ESCAPES = CHAR_ESCAPES | {ord("\n"): '\\n",\n    "'}


def escape_char_lines(text: str) -> str:
    """Escape chars like `escape_chars`, and split the text after each newline."""
    return text.translate(_ESCAPES)


@dataclass(slots=True)
class CharPrinter:
    """Prints chars. A row is never wrapped, but a variable of one row is split after newlines.

    With several rows this is not possible, as ncgen reads each text as a row.
    """

    rows: Rows
    keep_nuls: bool
    """Whether trailing NULs are written, as rows are padded with another fill value."""
    nuls: int = 0
    """Number of NULs that are written only if other chars follow in the row."""

    def __call__(self, values: Values, position: int) -> None:
        columns = self.rows.columns
        has_chars = self.keep_nuls or bool(distinct(values).view("u1").any())
        text: str = values.tobytes().decode("latin-1") if has_chars else ""
        start = 0
        while start < values.size:
            row, column = divmod(position + start, columns)
            size = min(columns - column, values.size - start)
            self.part_of_row(text[start : start + size], size, row, column)
            start += size

    def part_of_row(self, text: str, size: int, row: int, column: int) -> None:
        """Write part of a row, or all of it: `text`, and NULs up to `size` chars."""
        rows, emit = self.rows, self.rows.wrapper.emit
        if column == 0:
            rows.open(row)
            emit(b'"')
            self.nuls = 0
        printed = text if self.keep_nuls else text.rstrip("\0")
        if printed:
            escaped = escape_chars(printed) if rows.ranked else escape_char_lines(printed)
            emit(b"\\000" * self.nuls + escaped.encode("ascii"))
            self.nuls = 0
        self.nuls += size - len(printed)
        if column + size < rows.columns:
            return
        if rows.style.full:
            emit(b'"' + rows.braces(row) + rows.mark(row))
            emit(rows.comment(row, rows.columns - 1))
        else:
            emit(b'"' + rows.braces(row) + rows.end(row))


# Times in CDL: dates in quotes among data, and in comments after attributes.

_COMMENT_COLUMN = 21
"""Column of the first date in a comment on a separate line: after two tabs and ``  // ``."""


def attribute_comment(
    attribute: Attribute, times: Times, line_length: int
) -> tuple[str, list[str]]:
    """Format the values of a numeric attribute as dates, in comments.

    Returns
    -------
    after : str
        The comment on the attribute's own line, for one or two dates.
    below : list of str
        The lines after it, for more dates; at most `line_length` columns where possible.
    """
    nc_type = attribute.type
    if not (isinstance(nc_type, Atomic) and nc_type.kind in "iuf" and attribute.values):
        return "", []
    tokens = [_format_date(times, value, nc_type) for value in attribute.values]
    if len(tokens) <= 2:
        return f" // {', '.join(tokens)}", []
    lines: list[str] = []
    line, column = "", _COMMENT_COLUMN
    for number, token in enumerate(tokens, 1):
        text = token if number == len(tokens) else f"{token},"
        if line and column + len(text) > line_length:
            lines.append(f"\t\t  // {line}")
            line, column = "", _COMMENT_COLUMN
        line += f" {text}" if line else text
        column += len(text) + 1
    return "", [*lines, f"\t\t  // {line}"]


def format_date(times: Times, value: float) -> str | None:
    """Format a date in quotes; None if the value has no date."""
    date = times.format(value)
    return None if date is None else f'"{date}"'


def _format_date(times: Times, value: Value, nc_type: Atomic) -> str:
    """Format a date, or else the number; NaN has no suffix, even of a float."""
    date = format_date(times, value)
    if date is not None:
        return date
    if not math.isfinite(value):
        return format_nonfinite(value, Atomic.DOUBLE)
    return format_number(value, nc_type, default_format(nc_type, Precision()))


# Notice which numbers among data are printed with fewer digits than they have.


@record
class DigitWatch:
    """Checks the numbers of one variable as they are printed, until one loses digits.

    `flag` is one byte that forked processes share. `is_default` is false if a ``C_format`` decides
    on the digits, so that the text itself is read.
    """

    flag: mmap
    is_default: bool

    def on_loss(self) -> Callable[[], None] | None:
        """Return what to call if numbers lose digits in the default format; None after a loss."""
        return self.mark if self.is_default and not self.flag[0] else None

    def mark(self) -> None:
        """Record that a number has lost digits."""
        self.flag[0] = 1

    def read_text(self, values: NDArray[Any], text: bytes) -> None:
        """Compare numbers in another format with their text."""
        if not self.is_default and not self.flag[0] and _differs_from_text(values, text):
            self.mark()

    @property
    def has_lost(self) -> bool:
        """Whether a number has lost digits."""
        return bool(self.flag[0])


def watch_digits(nc_type: Atomic, style: NumberFormat, precision: Precision) -> DigitWatch | None:
    """Return what checks numbers of a type; None if the user chose the digits."""
    if not nc_type.is_floating or precision.is_given(nc_type):
        return None
    return DigitWatch(mmap(-1, 1), style == default_format(nc_type, precision))


@record
class ValueWatch:
    """Checks the values of a variable of a user-defined type, as `DigitWatch` checks numbers."""

    flag: mmap
    type: NcType
    precision: Precision

    def __call__(self, value: Value) -> None:
        if not self.flag[0] and is_shortened(value, self.type, self.precision):
            self.flag[0] = 1

    @property
    def has_lost(self) -> bool:
        """Whether a number in a value has lost digits."""
        return bool(self.flag[0])


def watch_values(nc_type: NcType, precision: Precision) -> ValueWatch | None:
    """Return what checks values that are printed one by one; None for strings."""
    return None if isinstance(nc_type, Atomic) else ValueWatch(mmap(-1, 1), nc_type, precision)


def _differs_from_text(values: NDArray[Any], text: bytes) -> bool:
    """Return whether numbers in a format of their own are read back as others."""
    tokens = text.replace(b"\n", b", ").split(b", ")
    return any(
        word != b"_" and value == value and values.dtype.type(word.decode("ascii")) != value
        for word, value in zip(tokens, values.reshape(-1), strict=True)
    )


def lost_digits_notice(names: list[str]) -> Notice:
    """Return a notice of numbers that are printed with fewer digits than they have."""
    return Notice(
        "digits-left-out",
        f"numbers have more digits than are printed: {list_names(names)}",
        hint=f"use {either('-p 9,17', 'digits=(9, 17)')} or {AS_JSON} to print all digits",
    )


# The attribute ``C_format`` of a variable, which asks for a printf format of its data.

_C_FORMAT = re.compile(
    r"(?P<before> *)%(?P<flags>[-+ #0]*)(?P<width>\d{0,2})(?P<precision>(?:\.\d{0,2})?)"
    r"(?:hh|h|ll|l|L|q|j|z|t)?(?P<letter>[diouxXeEfFgG])(?P<after> *)"
)


def choose_format(
    variable: Variable, nc_type: Atomic, precision: Precision, notify: Notify
) -> NumberFormat:
    """Return the format of a variable's numbers: its valid ``C_format``, or the default."""
    attribute = variable.attribute("C_format")
    if (
        attribute is not None
        and attribute.type is Atomic.CHAR
        and attribute.values
        and not precision.prevails(nc_type)
    ):
        style = parse_c_format(attribute.text, nc_type)
        if style is not None:
            return style
        notify(
            Notice(
                "c-format-ignored",
                f"C_format is ignored: {shorten(repr(attribute.text))} is not a format of"
                f" {nc_type.word}",
                location=variable.name,
                hint="delete or correct the attribute",
            )
        )
    return default_format(nc_type, precision)


def parse_c_format(text: str, nc_type: Atomic) -> NumberFormat | None:
    """Parse a ``C_format``; return None if it is not safe.

    A safe format is exactly one conversion that fits the type, and blanks around it: the attribute
    comes from untrusted files, and ncdump passes it to printf unchecked.
    """
    match = _C_FORMAT.fullmatch(text)
    if match is None or (match["letter"] in "diouxX") == nc_type.is_floating:
        return None
    unsigned = match["letter"] in "ouxX" and nc_type.kind == "i"
    # C prints a zero without 0x, and Python's # differs for o, too
    if "#" in match["flags"] and not nc_type.is_floating:
        return None
    letter = "d" if match["letter"] == "u" else match["letter"]
    percent = f"%{match['flags']}{match['width']}{match['precision']}{letter}"
    # C promotes integers narrower than int to int.
    bits = max(32, 8 * nc_type.size) if unsigned else None
    return NumberFormat(f"{match['before']}{percent}{match['after']}", bits)


_MIN_VALUES = 1 << 20
"""Least number of values per process."""

_MOST_VALUES = 1 << 40
"""Largest number of values whose slabs are listed in memory: some 100 MB."""

Step = Callable[[int], None]
"""Called with a number of values that were printed."""

Flush = Callable[[], int | None]
"""Writes what was emitted; returns the file descriptor behind it, for other processes."""


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
        Called with the column from which ncdump counts on after the data.

    Returns
    -------
    bool
        Whether numbers have more digits than are printed, which the user did not ask for.
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
        return self.rows.ranked and first.shape[-1] == self.rows.columns

    def print(self, jobs: int, step: Step) -> None:
        """Write all rows."""
        from ncz.parallel.processes import in_order

        boxes = list(slabs_of(self.variable, self.shape, MAX_SLAB_BYTES // jobs))
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
    if isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING:
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
    """Return a function that formats a string or a value of a user-defined type."""
    fill = fill_of(variable)
    nc_type = variable.type

    def format_one(value: Value) -> str:
        if fill is not None and value == fill:
            return "_"
        if watch is not None:
            watch(value)
        return quote(value) if nc_type is Atomic.STRING else format_value(value, nc_type, precision)

    return format_one


@dataclass(slots=True)
class _TokenPrinter:
    """Prints values one by one: strings and values of user-defined types."""

    rows: Rows
    format: Callable[[Value], str]
    watch: ValueWatch | None = None

    def __call__(self, values: Values, position: int) -> None:
        tokens = (encode_text(self.format(value)) for value in values.tolist())
        print_tokens(self.rows, tokens, position)


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
        """Format a 2-D array; rows are joined by newlines."""
        from ncz.text.format_numbers import format_rows

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
        if rows.ranked and rows.is_plain and self.fits(text):
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
    import numpy as np

    return np.array([value], numbers.type.dtype)


@dataclass(slots=True)
class _TimePrinter:
    """Prints numbers as dates, and numbers without a date as `numbers` does."""

    rows: Rows
    numbers: _NumberPrinter
    times: Times
    watch: DigitWatch
    """Of the dates that are read back as other numbers, and of numbers without a date."""

    def __call__(self, values: Values, position: int) -> None:
        texts = self.numbers.text(values.reshape(1, -1)).split(b", ")
        tokens = map(self.token, texts, values.tolist())
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
        if self.numbers.type.is_floating and _differs_from_text(_one(value, self.numbers), text):
            self.watch.mark()
        return text
