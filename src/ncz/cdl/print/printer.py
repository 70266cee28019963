"""Print a dataset as CDL, byte for byte as the ncdump of netcdf-c 4.10.1.

docs/differences.md explains the intended differences. A header needs neither numpy nor data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from ncz.cdl.print.header import HeaderStyle, Scope, declare_group
from ncz.errors import FormatError, NczError, Notify, ignore_notice
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
) -> None:
    """Write a dataset as CDL. Memory is bounded by one slab of a variable.

    Parameters
    ----------
    write
        Called with UTF-8 text, several times.

    Raises
    ------
    NczError
        `options` names a variable or group that does not exist; nothing has been written. Or data
        cannot be read; the message names the variable, and the text ends there, without its last
        brace.
    """
    selection = select(
        dataset.root,
        coordinates=options.coordinates,
        variables=options.variables,
        groups=options.groups,
    )
    pending = bytearray()

    def emit(data: bytes) -> None:
        if len(data) >= _BUFFER:  # avoids a copy
            flush()
            write(data)
            return
        pending.extend(data)
        if len(pending) >= _BUFFER:
            flush()

    def flush() -> None:
        write(bytes(pending))
        pending.clear()

    name = dataset.name if options.name is None else options.name
    try:
        _emit_lines(emit, [f"netcdf {escape_name(name)} {{"])
        _Printer(dataset, options, selection, emit, notify).group(dataset.root, "", Scope(), 0)
        _emit_lines(emit, ["}"])
    except NczError:
        flush()
        raise
    flush()


def _emit_lines(emit: Callable[[bytes], None], lines: Iterable[str], indent: int = 0) -> None:
    margin = " " * indent
    emit(encode_text("".join([f"{margin}{line}\n" if line else "\n" for line in lines])))


class _Printer:
    """Prints the groups of one dataset."""

    def __init__(
        self,
        dataset: Dataset,
        options: CdlOptions,
        selection: Selection,
        emit: Callable[[bytes], None],
        notify: Notify,
    ) -> None:
        self.dataset = dataset
        self.options = options
        self.selection = selection
        self.emit = emit
        self.notify = notify
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
        lines = declare_group(group, scope.references(), self.header_style, provenance, times)
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
                print_data(
                    variable,
                    dimensions,
                    style,
                    self.emit,
                    indent=indent,
                    times=times.get(variable.name),
                    notify=self.notify,
                )
            except NczError as error:
                error.message = f"data of {path}: {error.message}"
                raise

    def _data_style(self) -> DataStyle:
        from ncz.cdl.print.rows import DataStyle

        options = self.options
        return DataStyle(
            options.line_length, options.precision, options.brief, options.full, options.jobs
        )
