"""Print a dataset as CDL, byte for byte as the ncdump of netcdf-c 4.10.1.

docs/reference/differences.md explains the intended differences. A header needs neither numpy nor
data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import partial
from typing import TYPE_CHECKING

from ncz.cdl.print.header import Column, HeaderStyle, Scope, declare_group, shortened_attributes
from ncz.errors import (
    FormatError,
    NczError,
    Notify,
    OnError,
    ignore_notice,
    in_command_line,
    raise_error,
)
from ncz.model.progress import NO_PROGRESS, Progress
from ncz.model.tree import Dataset, Dimension, Group, dimensions_by_fqn, join
from ncz.record import record
from ncz.text.format_values import Precision, encode_text
from ncz.text.names import escape_name
from ncz.text.selection import Selection, select

if TYPE_CHECKING:
    from ncz.cdl.print.rows import DataStyle, Indices
    from ncz.text.times import Times

MIN_LINE_LENGTH = 10
MAX_DIGITS = 20

_BUFFER = 1 << 18
"""Bytes that are collected before they are written."""


@record(kw_only=True)
class CdlOptions:
    """How to print; the defaults are ncdump's. Comments name the command-line options."""

    header_only: bool = False  # -h
    coordinates: bool = False  # -c: only the data of coordinate variables
    variables: tuple[str, ...] | None = None  # -v: only the data of these variables
    groups: tuple[str, ...] | None = None  # -g: only the data of these groups
    name: str | None = None  # -n
    line_length: int = 80  # -l
    precision: Precision = Precision()  # -p
    brief: Indices | None = None  # -b: a comment for each row
    full: Indices | None = None  # -f: a comment for each value
    special: bool = False  # -s: special attributes
    fold_filters: bool = False  # -F: all filters in _Filter
    properties: bool = True  # not -Xp: _NCProperties among the special attributes
    typed_fill: bool = False  # -XF: the type before _FillValue
    jobs: int = 1  # largest number of processes that print
    times: str | None = None  # -t, -i: dates, with this separator before the time

    def __post_init__(self) -> None:
        if self.line_length < MIN_LINE_LENGTH:
            raise NczError(
                f"a line length of {self.line_length} is too small",
                hint=f"use {MIN_LINE_LENGTH} or more",
            )
        for digits in (self.precision.float, self.precision.double):
            if digits is not None and not 1 <= digits <= MAX_DIGITS:
                raise NczError(
                    f"cannot print {digits} significant digits",
                    hint=f"use 1 to {MAX_DIGITS}",
                )


def print_cdl(
    dataset: Dataset,
    options: CdlOptions,
    write: Callable[[bytes], object],
    notify: Notify = ignore_notice,
    on_error: OnError = raise_error,
    progress: Progress = NO_PROGRESS,
    descriptor: int | None = None,
) -> None:
    """Write a dataset as CDL. Memory is bounded by one slab of a variable.

    Parameters
    ----------
    write
        Called with UTF-8 text, several times.
    on_error
        Called with an error that names the variable, if data cannot be read. If it returns, the
        text has a comment where the data end, and continues with the next variable. The data of
        the variable have no semicolon, so that ncgen and ncz gen refuse the text.
    progress
        Receives the number of values that were printed.
    descriptor
        The file descriptor that `write` writes to, if it holds nothing back. Other processes write
        their texts to it.

    Raises
    ------
    NczError
        `options` names a variable or group that does not exist; nothing has been written. Or
        `on_error` raises it; the text ends there, without its last brace.
    """
    selection = select(
        dataset.root,
        coordinates=options.coordinates,
        variables=options.variables,
        groups=options.groups,
    )
    output = _Output(write, descriptor)
    name = dataset.name if options.name is None else options.name
    try:
        _emit_lines(output.emit, [f"netcdf {escape_name(name)} {{"])
        printer = _Printer(dataset, options, selection, output, notify, on_error, progress)
        printer.group(dataset.root, "", Scope(), 0)
        _emit_lines(output.emit, ["}"])
        output.flush()
    except NczError:
        if not output.has_failed:
            output.flush()
        raise
    names = [*shortened_attributes(dataset.root, options.precision), *printer.shortened]
    if names:
        from ncz.cdl.print.data import lost_digits_notice

        notify(lost_digits_notice(names))


class _Output:
    """A buffer before `write`. `has_failed` tells errors of writing from those of reading."""

    def __init__(self, write: Callable[[bytes], object], descriptor: int | None) -> None:
        self._write = write
        self._descriptor = descriptor
        self._pending = bytearray()
        self.has_failed = False

    def emit(self, data: bytes) -> None:
        """Write `data`, at once or later."""
        if len(data) >= _BUFFER:  # avoids a copy
            self.flush()
            self._pass_on(data)
            return
        self._pending.extend(data)
        if len(self._pending) >= _BUFFER:
            self.flush()

    def flush(self) -> int | None:
        """Write what is pending; return the file descriptor that it was written to, if any."""
        data = bytes(self._pending)
        self._pending.clear()
        if data:
            self._pass_on(data)
        return self._descriptor

    def _pass_on(self, data: bytes) -> None:
        try:
            self._write(data)
        except BaseException:
            self.has_failed = True
            raise


def _emit_lines(emit: Callable[[bytes], None], lines: Iterable[str], indent: int = 0) -> None:
    margin = " " * indent
    emit(encode_text("".join([f"{margin}{line}\n" if line else "\n" for line in lines])))


def _one_line(text: str) -> str:
    """Return `text` without control characters, which could end a comment."""
    return "".join(c if c.isprintable() else "?" for c in text)


class _Printer:
    """Prints the groups of one dataset."""

    def __init__(
        self,
        dataset: Dataset,
        options: CdlOptions,
        selection: Selection,
        output: _Output,
        notify: Notify,
        on_error: OnError,
        progress: Progress,
    ) -> None:
        self.dataset = dataset
        self.options = options
        self.selection = selection
        self.output = output
        self.emit = output.emit
        self.notify = notify
        self.on_error = on_error
        self.progress = progress
        self.column = Column(options.line_length)
        self.shortened: list[str] = []
        """Variables whose numbers have more digits than are printed."""
        self.dimensions: dict[str, Dimension] = dimensions_by_fqn(dataset.root)
        self.header_style = HeaderStyle(
            options.precision,
            options.special,
            options.fold_filters,
            options.properties,
            options.typed_fill,
            options.line_length,
            not dataset.provenance.is_classic_file,
            dataset.provenance.has_classic_model,
        )

    def group(self, group: Group, fqn: str, outer: Scope, indent: int) -> None:
        """Write the contents of a group, between its braces."""
        scope = outer.within(group, fqn)
        provenance = self.dataset.provenance if not fqn else None
        times = self.times(group)
        references, style = scope.references(), self.header_style
        lines = declare_group(group, references, style, provenance, times, indent, self.column)
        _emit_lines(self.emit, lines, indent)
        if group.variables and not self.options.header_only and self.selection.has_group(fqn):
            self.data(group, fqn, indent, times)
        for child in group.groups:
            name = escape_name(child.name)
            _emit_lines(self.emit, ["", f"group: {name} {{"], indent)
            self.group(child, join(fqn, child.name), scope, indent + 2)
            _emit_lines(self.emit, [f"}} // group {name}"], indent + 2)

    def times(self, group: Group) -> Mapping[str, Times]:
        """Return the times of the group's variables if the options request dates."""
        if self.options.times is None:
            return {}
        from ncz.text.times import find_times

        return find_times(group, self.options.times, self.notify)

    def data(self, group: Group, fqn: str, indent: int, times: Mapping[str, Times]) -> None:
        """Write the data section of a group."""
        from ncz.cdl.print.data import print_data

        _emit_lines(self.emit, ["data:"], indent)
        style = self._data_style()
        for variable in group.variables:
            path = join(fqn, variable.name)
            if not self.selection.has_variable(path):
                continue
            try:
                dimensions = [self.dimensions[d] for d in variable.dimensions]
            except KeyError as error:
                raise FormatError(
                    f"dimension {error.args[0]} does not exist", location=path
                ) from error
            try:
                if print_data(
                    variable,
                    dimensions,
                    style,
                    self.emit,
                    indent=indent,
                    times=times.get(variable.name),
                    notify=self.notify,
                    step=partial(self._step, path),
                    flush=self.output.flush,
                    at_column=self.column.move,
                ):
                    self.shortened.append(path)
            except NczError as error:
                if self.output.has_failed:
                    raise
                reason = error.message
                error.message = f"data of {path}: {reason}"
                self.on_error(error)
                comment = _one_line(f" // data of {path} cannot be read: {in_command_line(reason)}")
                _emit_lines(self.emit, ["", comment], indent)

    def _step(self, path: str, count: int) -> None:
        self.progress.advance(path, count, 0)

    def _data_style(self) -> DataStyle:
        from ncz.cdl.print.rows import DataStyle

        options = self.options
        return DataStyle(
            options.line_length, options.precision, options.brief, options.full, options.jobs
        )
