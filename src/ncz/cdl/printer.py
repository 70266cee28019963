"""Print a dataset as CDL, byte for byte as the ncdump of netcdf-c 4.10.1.

docs/reference/differences.md explains the intended differences. A header needs neither numpy nor
data.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING

from ncz.errors import NO_CALLBACKS, Callbacks, FormatError, NczError, in_command_line
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Provenance,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
    walk,
)
from ncz.model.types import Atomic, Compound, Enumeration, NcType, Opaque, UserType, Vlen
from ncz.record import field, record
from ncz.text.format_values import (
    Precision,
    attribute_texts,
    encode_text,
    format_attribute_values,
    is_shortened,
    quote_lines,
)
from ncz.text.names import RequestedData, SelectedNames, escape_name, select

if TYPE_CHECKING:
    from ncz.cdl.rows import DataStyle, Indices
    from ncz.text.times import Times


NO_TIMES: Mapping[str, Times] = {}

SECTION_WORDS = frozenset({"variables", "dimensions", "data", "group", "types"})
"""Names that a colon would turn into a section keyword; a space is put before the colon."""


@record
class HeaderStyle:
    """The options that affect the header."""

    precision: Precision = Precision()
    special: bool = False
    fold_filters: bool = False
    properties: bool = True
    typed_fill: bool = False
    line_length: int = 80
    has_storage: bool = True
    """Whether variables have special attributes, which classic files lack."""
    split_lines: bool = False
    """Whether text attributes are split after newlines, as for netCDF's classic data model."""


@record
class Scope:
    """The types and dimensions that are visible in a group without a path: FQN by name."""

    types: Mapping[str, str] = field(default_factory=dict)
    dimensions: Mapping[str, str] = field(default_factory=dict)

    def within(self, group: Group, fqn: str) -> Scope:
        """Return the scope of a nested group, whose names hide outer ones."""
        return Scope(
            {**self.types, **{base_name(t.name): t.name for t in group.types}},
            {**self.dimensions, **{d.name: join(fqn, d.name) for d in group.dimensions}},
        )

    def references(self) -> References:
        """Return the inverse mapping: the text that refers to each FQN in scope."""
        return References(
            {fqn: escape_name(name) for name, fqn in self.types.items()},
            {fqn: escape_name(name) for name, fqn in self.dimensions.items()},
        )


@record
class References:
    """CDL text by FQN, for types and dimensions that need no path."""

    types: Mapping[str, str]
    dimensions: Mapping[str, str]

    def type(self, nc_type: NcType) -> str:
        """Return a type's keyword or name, or its path if another type hides it."""
        if isinstance(nc_type, Atomic):
            return nc_type.word
        return self.types.get(nc_type.name) or escape_name(nc_type.name)

    def dimension(self, fqn: str) -> str:
        """Return a dimension's name, or its path if it is hidden or not in an enclosing group."""
        return self.dimensions.get(fqn) or escape_name(fqn)


def declare_group(
    group: Group,
    references: References,
    style: HeaderStyle,
    provenance: Provenance | None,
    times: Mapping[str, Times] = NO_TIMES,
    indent: int = 0,
    column: Column | None = None,
) -> Iterator[str]:
    """Yield the lines of a group's header, without its indentation.

    Parameters
    ----------
    provenance
        The dataset's, for the root group; None for other groups.
    times
        Times by variable name; numeric attributes of these variables get dates in comments.
    indent
        Indentation of the group, in spaces, which counts for the lengths of lines.
    column
        The column where ncdump continues to count, after the groups before this one.
    """
    column = column or Column(style.line_length)
    if group.types:
        yield "types:"
        for user_type in group.types:
            if isinstance(user_type, Enumeration):
                yield f"  {column.wrap(_enumeration(user_type), indent + 2)}".rstrip("\n")
            else:
                yield from declare_type(user_type, references)
    if group.dimensions:
        yield "dimensions:"
        yield from map(declare_dimension, group.dimensions)
    if group.variables:
        yield "variables:"
        for variable in group.variables:
            dates = times.get(variable.name)
            yield from declare_variable(variable, references, style, dates, indent, column)
    if group.attributes or style.special:
        yield ""
        yield f"// {'group' if provenance is None else 'global'} attributes:"
        for attribute in group.attributes:
            yield attribute_line("", attribute, references, style, indent, column)
        if provenance is not None and style.special:
            from ncz.cdl.special_attributes import dataset_attributes

            for name, text in dataset_attributes(provenance, properties=style.properties):
                yield f"\t\t:{name} = {text} ;"


class Column:
    """The column where the next value is wrapped.

    ncdump keeps one for all its text: for enums, attributes of vlen and compound types, and data.
    An attribute begins in the column where the text wrapped before it ended.
    """

    def __init__(self, line_length: int) -> None:
        self._value = 0
        self._line_length = line_length

    def move(self, value: int) -> None:
        """Continue from another column, where data ended."""
        self._value = value

    def wrap(self, tokens: Iterable[str], indent: int) -> str:
        """Return `tokens`, wrapped into lines that are indented like data."""
        from ncz.cdl.wrapper import Wrapper  # rarely needed

        pieces: list[bytes] = []
        wrapper = Wrapper(self._line_length - 2, indent, pieces.append, self._value)
        for token in tokens:
            wrapper.put(encode_text(token))
        text = b"".join(pieces).decode("utf-8", "surrogateescape")
        self._value = indent if text.endswith("\n") else wrapper.column
        return text


def _enumeration(enumeration: Enumeration) -> Iterator[str]:
    """Yield the parts of the definition of an enum, between which a line can end."""
    yield f"{enumeration.base.word} enum {escape_name(base_name(enumeration.name))} {{"
    last = len(enumeration.members) - 1
    for number, (label, value) in enumerate(enumeration.members):
        end = ", " if number < last else "} ;\n"
        yield f"{escape_name(label)} = {value}{end}"


def declare_type(user_type: UserType, references: References) -> Iterator[str]:
    """Yield the lines that define a type other than an enum."""
    name = escape_name(base_name(user_type.name))
    match user_type:
        case Opaque(size=size):
            yield f"  opaque({size}) {name} ;"
        case Vlen(base=base):
            yield f"  {references.type(base)}(*) {name} ;"
        case Compound(fields=fields):
            yield f"  compound {name} {{"
            for part in fields:
                shape = f"({', '.join(map(str, part.shape))})" if part.shape else ""
                yield f"    {references.type(part.type)} {escape_name(part.name)}{shape} ;"
            yield f"  }}; // {name}"


def declare_dimension(dimension: Dimension) -> str:
    """Return the line that defines a dimension."""
    name = escape_name(dimension.name)
    if dimension.unlimited:
        return f"\t{name} = UNLIMITED ; // ({dimension.size} currently)"
    return f"\t{name} = {dimension.size} ;"


def declare_variable(
    variable: Variable,
    references: References,
    style: HeaderStyle,
    times: Times | None,
    indent: int,
    column: Column,
) -> Iterator[str]:
    """Yield the lines that define a variable and its attributes."""
    name = escape_name(variable.name)
    shape = ", ".join(map(references.dimension, variable.dimensions))
    yield f"\t{references.type(variable.type)} {name}{f'({shape})' if shape else ''} ;"
    owner = f"{name} " if variable.name in SECTION_WORDS else name
    for attribute in variable.attributes:
        line = attribute_line(owner, attribute, references, style, indent, column)
        if style.typed_fill and attribute.name == "_FillValue" and _is_untyped(attribute.type):
            line = f"\t\t{references.type(variable.type)} {line.lstrip()}"
        yield from [line] if times is None else _add_dates(line, attribute, times, style)
    if style.special and style.has_storage:
        from ncz.cdl.special_attributes import variable_attributes

        for special, text in variable_attributes(variable, fold=style.fold_filters):
            yield f"\t\t{owner}:{special} = {text} ;"


def _add_dates(line: str, attribute: Attribute, times: Times, style: HeaderStyle) -> Iterator[str]:
    from ncz.cdl.dates import attribute_comment

    after, below = attribute_comment(attribute, times, style.line_length)
    yield line + after
    yield from below


def attribute_line(
    owner: str,
    attribute: Attribute,
    references: References,
    style: HeaderStyle,
    indent: int,
    column: Column,
) -> str:
    """Return the line of an attribute of the variable `owner`, or of the group if it is "".

    Values of vlen and compound types can take several lines.
    """
    is_typed = attribute.type is Atomic.STRING or (
        attribute.values and not isinstance(attribute.type, Atomic)
    )
    prefix = f"{references.type(attribute.type)} " if is_typed else ""
    values = format_attribute_values(attribute.type, attribute.values, style.precision)
    if isinstance(attribute.type, Vlen | Compound) and attribute.values:
        *texts, last = attribute_texts(attribute.type, attribute.values, style.precision)
        values = column.wrap([*(f"{text}, " for text in texts), last], indent)
    if style.split_lines and attribute.type is Atomic.CHAR:
        values = quote_lines("".join(attribute.values).rstrip("\0"))
    return f"\t\t{prefix}{owner}:{escape_name(attribute.name)} = {values} ;"


def _is_untyped(nc_type: NcType) -> bool:
    """Return whether the values of an attribute show its type."""
    return isinstance(nc_type, Atomic) and nc_type is not Atomic.STRING


def shortened_attributes(root: Group, precision: Precision) -> Iterator[str]:
    """Yield the names of attributes with numbers that are printed with fewer digits."""
    for fqn, group in walk(root):
        for owner in (None, *group.variables):
            for each in group.attributes if owner is None else owner.attributes:
                if each.type is Atomic.CHAR or each.type is Atomic.STRING:
                    continue
                if any(is_shortened(value, each.type, precision) for value in each.values):
                    where = fqn if owner is None else join(fqn, owner.name)
                    yield f"{where.removeprefix('/')}:{each.name}"


MIN_LINE_LENGTH = 10
MAX_DIGITS = 20

_BUFFER = 1 << 18
"""Bytes that are collected before they are written."""


class LayoutError(NczError, ValueError):
    """A layout that cannot print CDL, such as one with too few columns."""

    exit_code = 2


@record(kw_only=True)
class CdlOptions:
    """Options of the text; the defaults are ncdump's. Comments name the command-line options."""

    header_only: bool = False  # -h
    requested: RequestedData = RequestedData()  # -c, -v, -g
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
            raise LayoutError(
                f"a line length of {self.line_length} is too small",
                hint=f"use {MIN_LINE_LENGTH} or more",
            )
        for digits in (self.precision.float, self.precision.double):
            if digits is not None and not 1 <= digits <= MAX_DIGITS:
                raise LayoutError(
                    f"cannot print {digits} significant digits",
                    hint=f"use 1 to {MAX_DIGITS}",
                )


def print_cdl(
    dataset: Dataset,
    options: CdlOptions,
    write: Callable[[bytes], object],
    callbacks: Callbacks = NO_CALLBACKS,
    descriptor: int | None = None,
) -> None:
    """Write a dataset as CDL. Memory is bounded by one slab of a variable.

    Parameters
    ----------
    write
        Called with UTF-8 text, several times.
    callbacks
        Receives the number of values that were printed, and an error that names the variable, if
        data cannot be read. If it continues, the text has a comment where the data end, and
        continues with the next variable. The data of the variable have no semicolon, so that
        ncgen and ncz gen refuse the text.
    descriptor
        The file descriptor that `write` writes to, if it buffers nothing. Other processes
        write their texts to it.

    Raises
    ------
    NczError
        `options` names a variable or group that does not exist; nothing has been written. Or
        `callbacks` raises it; the text ends there, without its last brace.
    """
    selection = select(dataset.root, options.requested)
    output = _Output(write, descriptor)
    name = dataset.name if options.name is None else options.name
    try:
        _emit_lines(output.emit, [f"netcdf {escape_name(name)} {{"])
        printer = _Printer(dataset, options, selection, output, callbacks)
        printer.group(dataset.root, "", Scope(), 0)
        _emit_lines(output.emit, ["}"])
        output.flush()
    except NczError:
        if not output.has_failed:
            output.flush()
        raise
    names = [*shortened_attributes(dataset.root, options.precision), *printer.shortened]
    if names:
        from ncz.cdl.digit_watch import lost_digits_notice

        callbacks.notify(lost_digits_notice(names))


class _Output:
    """A buffer before `write`. `has_failed` is true after an error of writing, not of reading."""

    def __init__(self, write: Callable[[bytes], object], descriptor: int | None) -> None:
        self._write = write
        self._descriptor = descriptor
        self._pending = bytearray()
        self.has_failed = False

    def emit(self, data: bytes) -> None:
        """Write `data`, immediately or later."""
        if len(data) >= _BUFFER:  # avoids a copy
            self.flush()
            self._pass_on(data)
            return
        self._pending.extend(data)
        if len(self._pending) >= _BUFFER:
            self.flush()

    def flush(self) -> int | None:
        """Write pending text; return the file descriptor that it was written to, if any."""
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
        selection: SelectedNames,
        output: _Output,
        callbacks: Callbacks,
    ) -> None:
        self.dataset = dataset
        self.options = options
        self.selection = selection
        self.output = output
        self.emit = output.emit
        self.callbacks = callbacks
        self.column = Column(options.line_length)
        self.shortened: list[str] = []
        """Variables whose numbers have more digits than are printed."""
        self.dimensions: dict[str, Dimension] = dimensions_by_fqn(dataset.root)
        self.header_style = HeaderStyle(
            precision=options.precision,
            special=options.special,
            fold_filters=options.fold_filters,
            properties=options.properties,
            typed_fill=options.typed_fill,
            line_length=options.line_length,
            has_storage=not dataset.provenance.is_classic_file,
            split_lines=dataset.provenance.has_classic_model,
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
        from ncz.text.time_variables import find_times

        return find_times(group, self.options.times, self.callbacks.notify)

    def data(self, group: Group, fqn: str, indent: int, times: Mapping[str, Times]) -> None:
        """Write the data section of a group."""
        from ncz.cdl.print_data import print_data

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
                    notify=self.callbacks.notify,
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
                self.callbacks.on_error(error)
                comment = _one_line(f" // data of {path} cannot be read: {in_command_line(reason)}")
                _emit_lines(self.emit, ["", comment], indent)

    def _step(self, path: str, count: int) -> None:
        self.callbacks.progress.advance(path, count, 0)

    def _data_style(self) -> DataStyle:
        from ncz.cdl.rows import DataStyle

        options = self.options
        return DataStyle(
            options.line_length, options.precision, options.brief, options.full, options.jobs
        )
