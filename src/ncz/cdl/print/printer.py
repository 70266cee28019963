"""A dataset as CDL text, byte for byte as netcdf-c 4.10.1's ncdump prints it.

Where ncz differs on purpose, docs/differences.md says why. A header needs neither numpy nor data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING

from ncz.cdl.print.header import HeaderStyle, Scope, declare_group
from ncz.errors import FormatError, NczError, Notify, ignore_notice
from ncz.model.tree import Dataset, Dimension, Group, dimensions_by_fqn, join
from ncz.record import record
from ncz.text.format_values import Precision, to_bytes
from ncz.text.names import escape_name
from ncz.text.selection import Selection, select

if TYPE_CHECKING:
    from ncz.cdl.print.rows import DataStyle, Indices
    from ncz.text.times import Times

MIN_LINE_LENGTH = 10
MAX_DIGITS = 20

_BUFFER = 1 << 18
"""Bytes that are gathered before they are written."""


@record(kw_only=True)
class CdlOptions:
    """How to print; the defaults are ncdump's. In the comments, the letters of its options."""

    header_only: bool = False  # -h
    coordinates: bool = False  # -c: of the data, only coordinate variables'
    variables: tuple[str, ...] | None = None  # -v: of the data, only these variables'
    groups: tuple[str, ...] | None = None  # -g: of the data, only these groups'
    name: str | None = None  # -n
    line_length: int = 80  # -l
    precision: Precision = Precision()  # -p
    brief: Indices | None = None  # -b: a comment for each row
    full: Indices | None = None  # -f: a comment for each value
    special: bool = False  # -s: virtual attributes
    fold_filters: bool = False  # -F: all filters in _Filter
    properties: bool = True  # not -Xp: _NCProperties among the virtual attributes
    typed_fill: bool = False  # -XF: the type before _FillValue
    jobs: int = 1  # processes that print
    times: str | None = None  # -t, -i: dates, with this between day and time of day

    def __post_init__(self) -> None:
        if self.line_length < MIN_LINE_LENGTH:
            raise NczError(
                f"a line of {self.line_length} bytes is too short",
                hint=f"ask for {MIN_LINE_LENGTH} or more",
            )
        for digits in (self.precision.float, self.precision.double):
            if digits is not None and not 1 <= digits <= MAX_DIGITS:
                raise NczError(
                    f"{digits} significant digits cannot be printed",
                    hint=f"ask for 1 to {MAX_DIGITS}",
                )


def print_cdl(
    dataset: Dataset,
    options: CdlOptions,
    write: Callable[[bytes], object],
    notify: Notify = ignore_notice,
) -> None:
    """Write `dataset` as CDL.

    Raises `NczError` before anything is written if `options` names what is not there, and later
    what reading data raises, with the variable named; the text then ends before the fault, without
    its last brace. Holds one slab of a variable at a time.
    """
    selection = select(
        dataset.root,
        coordinates=options.coordinates,
        variables=options.variables,
        groups=options.groups,
    )
    pending = bytearray()

    def emit(data: bytes) -> None:
        if len(data) >= _BUFFER:  # not copied
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
    emit(to_bytes("".join([f"{margin}{line}\n" if line else "\n" for line in lines])))


class _Printer:
    """Goes through the groups of one dataset."""

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
        )

    def group(self, group: Group, fqn: str, outer: Scope, indent: int) -> None:
        """Write what stands between the braces of a group."""
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
        """The times of the group's variables, if they are asked for."""
        if self.options.times is None:
            return {}
        from ncz.text.times import times_of

        return times_of(group, self.options.times, self.notify)

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
                    f"there is no dimension {error.args[0]}", location=path
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
