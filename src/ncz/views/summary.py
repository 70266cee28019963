"""Print a summary of a dataset for people, in the order of xarray's.

Sizes are sizes of decoded values, in powers of 1,000. Only the ends of coordinates are read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ncz.errors import NczError, Notice, Notify, ignore_notice, quantity, shorten
from ncz.model.data import Values, read_box
from ncz.model.grid import Box
from ncz.model.packing import packing_of
from ncz.model.tree import (
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
from ncz.model.type_sizes import fixed_size
from ncz.model.types import Atomic, Value
from ncz.record import record
from ncz.text.format_values import (
    Precision,
    default_format,
    encode_text,
    format_attribute,
    format_number,
    format_value,
)
from ncz.text.sizes import format_size
from ncz.views.stored_form import format_of, stored_form

if TYPE_CHECKING:
    from ncz.text.times import Times


_ENDS = 2
"""Number of first values of a coordinate that are shown, before the last one."""
_TEXT_LENGTH = 8
"""Bytes per string in sizes: the size of a reference."""
_LEAST_WIDTH = 40
_NO_NAMES: Mapping[str, str] = {}


@record
class Row:
    """The line of one variable, in columns."""

    mark: str
    name: str
    shape: str
    rest: str


def print_summary(
    dataset: Dataset,
    write: Callable[[bytes], object],
    *,
    name: str | None = None,
    header_only: bool = False,
    width: int | None = None,
    notify: Notify = ignore_notice,
) -> None:
    """Write the summary of a dataset.

    Coordinates are the one-dimensional variables named like their dimension. Times among them are
    shown as dates. Data that cannot be read are left out, with a notice.

    Parameters
    ----------
    write
        Called with UTF-8 text, line by line.
    name
        Replaces the name of the dataset.
    width
        Longer lines are shortened to this number of columns.
    """
    view = _Summary(dimensions_by_fqn(dataset.root), header_only, notify)
    title = f"<ncz.Dataset {name or dataset.name}>{_form(dataset.provenance)},"
    for line in view.lines(title, dataset.root, "", width):
        write(encode_text(line + "\n"))


def summarise_group(dataset: Dataset, fqn: str, width: int | None = None) -> Iterator[str]:
    """Yield the lines of the summary of one group, without reading any values.

    Parameters
    ----------
    dataset
        The dataset of the group.
    fqn
        The group; "" for the root.
    width
        As for `print_summary`.
    """
    view = _Summary(dimensions_by_fqn(dataset.root), True, ignore_notice)
    group = dict(walk(dataset.root))[fqn]
    title = (
        f"<ncz.Group {fqn}>" if fqn else f"<ncz.Dataset {dataset.name}>{_form(dataset.provenance)},"
    )
    outer = {
        d.name: join(path, d.name)
        for path, other in walk(dataset.root)
        if fqn.startswith(f"{path}/")
        for d in other.dimensions
    }
    yield from view.lines(title, group, fqn, width, outer)


def _form(provenance: Provenance) -> str:
    """Return the format of the dataset after a space, or nothing for a text."""
    form = format_of(provenance)
    return "" if form is None else f" {form}"


@record
class _Summary:
    dimensions: Mapping[str, Dimension]
    header_only: bool
    notify: Notify

    def lines(
        self,
        title: str,
        group: Group,
        fqn: str,
        width: int | None,
        outer: Mapping[str, str] = _NO_NAMES,
    ) -> Iterator[str]:
        """Yield the lines of a summary, printable and shortened to `width` columns."""
        limit = None if width is None else max(width, _LEAST_WIDTH)
        for line in (f"{title} {self.size_of_group(group)}", *self.group(group, fqn, outer)):
            printed = "".join(c if c.isprintable() else " " for c in line)
            yield (printed if limit is None else shorten(printed, limit)).rstrip()

    def size_of_group(self, group: Group) -> str:
        """Describe the number of variables and groups, and the size of all values."""
        variables, groups, size = 0, 0, 0
        pending = [group]
        while pending:
            one = pending.pop()
            pending.extend(one.groups)
            groups += 1
            variables += len(one.variables)
            size += sum(map(self.bytes_of, one.variables))
        within = f" in {groups} groups" if groups > 1 else ""
        return f"{quantity(variables, 'variable')}{within}, {format_size(size)}"

    def bytes_of(self, variable: Variable) -> int:
        """Return the size of a variable's values in bytes."""
        item = fixed_size(variable.type) or _TEXT_LENGTH
        return item * math.prod(self.shape(variable))

    def shape(self, variable: Variable) -> tuple[int, ...]:
        """Return the current shape."""
        by_fqn = self.dimensions
        return tuple(by_fqn[d].size if d in by_fqn else 0 for d in variable.dimensions)

    def group(self, group: Group, fqn: str, outer: Mapping[str, str]) -> Iterator[str]:
        """Yield the lines of a group, then the lines of its subgroups."""
        scope = {**outer, **{d.name: join(fqn, d.name) for d in group.dimensions}}
        if group.dimensions:
            lengths = ", ".join(
                f"{d.name}: {d.size}{' unlimited' if d.unlimited else ''}" for d in group.dimensions
            )
            yield f"Dimensions:  ({lengths})"
        times = self.times(group)
        coordinates: list[Row] = []
        others: list[Row] = []
        for variable in group.variables:
            names = [
                base_name(d) if scope.get(base_name(d)) == d else d for d in variable.dimensions
            ]
            is_coordinate = names == [variable.name]
            rest = [_type_word(variable), format_size(self.bytes_of(variable))]
            if is_coordinate and not self.header_only:
                rest.append(self.ends(variable, times.get(variable.name)))
            rest.extend(_details(variable))
            row = Row(
                "*" if is_coordinate else " ",
                variable.name,
                ", ".join(names),
                "  ".join(filter(None, rest)),
            )
            (coordinates if is_coordinate else others).append(row)
        yield from _table("Coordinates:", coordinates)
        yield from _table("Data variables:", others)
        if group.attributes:
            yield "Attributes:"
            longest = min(24, max(len(a.name) for a in group.attributes))
            for attribute in group.attributes:
                yield f"    {attribute.name + ':':{longest + 1}}  {format_attribute(attribute)}"
        for child in group.groups:
            path = join(fqn, child.name)
            yield ""
            yield f"Group: {path}"
            yield from self.group(child, path, scope)

    def times(self, group: Group) -> Mapping[str, Times]:
        """Return the times of a group's variables by name."""
        if self.header_only or not any(v.attribute("units") for v in group.variables):
            return {}
        from ncz.text.time_variables import find_times

        return find_times(group, " ")

    def ends(self, variable: Variable, times: Times | None) -> str:
        """Format the first values of a coordinate and the last one, unpacked."""
        (size,) = self.shape(variable)
        data = variable.data
        if not isinstance(variable.type, Atomic) or variable.type is Atomic.CHAR or data is None:
            return ""
        size = min(size, data.grid.shape[0])
        if size == 0:
            return ""
        try:
            parts = [read_box(data, Box((0,), (min(size, _ENDS),)))]
            if size > _ENDS:
                parts.append(read_box(data, Box((size - 1,), (size,))))
        except NczError as error:
            self.notify(
                Notice(
                    "values-not-shown",
                    f"cannot show the values: {error}",
                    location=variable.name,
                    lost=True,
                )
            )
            return ""
        texts = [text for part in parts for text in _format_values(part, variable, times)]
        if size > len(texts):
            texts.insert(_ENDS, "...")
        return " ".join(texts)


def _format_values(values: Values, variable: Variable, times: Times | None) -> list[str]:
    """Format values of a coordinate after unpacking them."""
    nc_type = variable.type
    assert isinstance(nc_type, Atomic)
    if not variable.has_numbers:
        return [_format_value(value, nc_type, times) for value in values.tolist()]
    packing = packing_of(variable)
    missing = (packing.is_missing(values) & (values == values)).tolist()
    unpacked = packing.unpack(values)
    if packing.is_packed:
        nc_type = Atomic.FLOAT if unpacked.dtype.itemsize == 4 else Atomic.DOUBLE
    return [
        "missing" if is_missing else _format_value(value, nc_type, times)
        for value, is_missing in zip(unpacked.tolist(), missing, strict=True)
    ]


def _format_value(value: Value, nc_type: Atomic, times: Times | None) -> str:
    date = times.format(value) if times is not None else None
    if date is not None:
        return date.replace(" ", "T")
    if nc_type is Atomic.STRING:
        return format_value(value, nc_type, Precision())
    return format_number(value, nc_type, default_format(nc_type, Precision()))


def _type_word(variable: Variable) -> str:
    nc_type = variable.type
    return nc_type.word if isinstance(nc_type, Atomic) else base_name(nc_type.name)


def _details(variable: Variable) -> Iterator[str]:
    """Yield units, chunks, shards and codecs."""
    units = variable.attribute("units")
    if units is not None and units.values:
        yield format_attribute(units)
    form = stored_form(variable)
    if form.chunks:
        yield f"chunks {_shape(form.chunks)}"
    if form.shards:
        yield f"shards {_shape(form.shards)}"
    if form.codecs:
        yield " ".join(form.codecs)


def _shape(lengths: Sequence[Any]) -> str:
    return "x".join(map(str, lengths))


def _table(title: str, rows: Sequence[Row]) -> Iterator[str]:
    if not rows:
        return
    yield title
    name = min(24, max(len(row.name) for row in rows))
    for row in rows:
        yield f"  {row.mark} {row.name:{name}}  ({row.shape})  {row.rest}"
