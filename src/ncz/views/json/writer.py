"""Print a dataset as JSON, which docs/reference/json.md describes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ncz.errors import NO_CALLBACKS, Callbacks, FormatError, NczError, in_command_line
from ncz.model.json_encoding import chars_to_text, encode_value, to_json
from ncz.model.slabs import distinct, read_variable
from ncz.model.tree import (
    Attribute,
    Dataset,
    Dimension,
    Group,
    Storage,
    Variable,
    base_name,
    dimensions_by_fqn,
    join,
)
from ncz.model.type_declarations import describe_type, describe_user_type
from ncz.model.types import Atomic
from ncz.text.names import SelectedNames
from ncz.views.json.output import Output, Rows
from ncz.views.json.rows import encode_rows, finite

if TYPE_CHECKING:
    from ncz.model.data import Values


FORMAT, VERSION = "ncz-dataset", 1
"""The values of the first two members of a document."""

_PIECE = 1 << 16
"""Values whose text is made together."""


def print_json(
    dataset: Dataset,
    write: Callable[[bytes], object],
    *,
    selection: SelectedNames | None = None,
    name: str | None = None,
    header_only: bool = False,
    callbacks: Callbacks = NO_CALLBACKS,
) -> None:
    """Write a dataset as one JSON document. Memory is bounded by one slab of a variable.

    Parameters
    ----------
    write
        Called with UTF-8 text, several times.
    selection
        The variables whose data are written.
    name
        Replaces the name of the dataset.
    callbacks
        Receives the number of values that are written, and an error that names the variable, if
        data cannot be read. If it returns, the variable has the data read so far and a member
        ``data_error``, so that ncz gen refuses it.

    Raises
    ------
    NczError
        `callbacks` raises it. The text ends there and is not valid JSON.
    """
    out = Output(write)
    selected = SelectedNames() if selection is None else selection
    head = [("format", FORMAT), ("version", VERSION), ("name", name or dataset.name)]
    writer = _Writer(out, dimensions_by_fqn(dataset.root), selected, header_only, callbacks)
    out.text("{")
    try:
        writer.group(dataset.root, "", 1, head)
    except NczError:
        if not out.has_failed:
            out.flush()
        raise
    out.text("\n}\n")
    out.flush()


def describe_attribute(attribute: Attribute) -> dict[str, Any]:
    """Describe an attribute: its value is a text for char, a list for other types.

    An attribute that contains JSON has this JSON.
    """
    value: Any
    if attribute.holds_json and attribute.original is not None:
        return {"type": "json", "value": attribute.original[0]}
    if attribute.type is Atomic.CHAR:
        value = "".join(attribute.values)
    else:
        value = [encode_value(v, attribute.type) for v in attribute.values]
    return {"type": describe_type(attribute.type), "value": value}


def describe_storage(variable: Variable) -> dict[str, Any]:
    """Describe the storage of a variable, without the properties that are not set."""
    storage: Storage = variable.storage
    quantize = storage.quantize
    members: dict[str, Any] = {
        "layout": storage.storage_class,
        "chunks": storage.chunks,
        "shards": storage.shards,
        "endianness": storage.endianness,
        "codecs": None
        if storage.filters is None
        else [finite(f.to_json()) for f in storage.filters],
        "string_length": storage.string_length,
        "quantize": quantize and {"algorithm": quantize.algorithm, "digits": quantize.digits},
    }
    described = {key: value for key, value in members.items() if value is not None}
    if storage.fill is not None:
        described["fill"] = encode_value(storage.fill, variable.type)
    if storage.no_fill:
        described["no_fill"] = True
    return described


@dataclass(slots=True)
class _Writer:
    """Writes the groups of one dataset. `level` is the indentation of a member."""

    out: Output
    dimensions: Mapping[str, Dimension]
    selection: SelectedNames
    header_only: bool
    callbacks: Callbacks

    def group(
        self, group: Group, fqn: str, level: int, head: Sequence[tuple[str, Any]] = ()
    ) -> None:
        """Write the members of a group, one per line."""
        for key, value in head:
            self.out.member(key, value, level, first=key == head[0][0])
        if group.types:
            self.out.members(
                "types",
                {base_name(t.name): describe_user_type(t) for t in group.types},
                level,
                first=not head,
            )
        lengths = {
            d.name: {"size": d.size, **({"unlimited": True} if d.unlimited else {})}
            for d in group.dimensions
        }
        self.out.members("dimensions", lengths, level, first=not head and not group.types)
        self.out.open_object("variables", level)
        for number, variable in enumerate(group.variables):
            self.out.key(variable.name, level + 1, first=number == 0)
            self.out.text("{")
            self.variable(variable, fqn, level + 2)
            self.out.text(f"\n{'  ' * (level + 1)}}}")
        self.out.close_object(level, bool(group.variables))
        attributes = {a.name: describe_attribute(a) for a in group.attributes}
        self.out.members("attributes", attributes, level)
        self.out.open_object("groups", level)
        for number, child in enumerate(group.groups):
            self.out.key(child.name, level + 1, first=number == 0)
            self.out.text("{")
            self.group(child, join(fqn, child.name), level + 2)
            self.out.text(f"\n{'  ' * (level + 1)}}}")
        self.out.close_object(level, bool(group.groups))

    def variable(self, variable: Variable, group: str, level: int) -> None:
        """Write the members of a variable; `data` is the last."""
        path = join(group, variable.name)
        try:
            shape = tuple(self.dimensions[d].size for d in variable.dimensions)
        except KeyError as error:
            raise FormatError(f"dimension {error.args[0]} does not exist", location=path) from error
        self.out.member("type", describe_type(variable.type), level, first=True)
        self.out.member("dimensions", variable.dimensions, level)
        self.out.member("shape", shape, level)
        attributes = {a.name: describe_attribute(a) for a in variable.attributes}
        self.out.members("attributes", attributes, level)
        storage = describe_storage(variable)
        if storage:
            self.out.member("storage", storage, level)
        is_selected = self.selection.has_group(group) and self.selection.has_variable(path)
        if self.header_only or not is_selected:
            return
        self.out.key("data", level)
        is_char = variable.type is Atomic.CHAR
        rows = Rows(self.out, shape[:-1] if is_char else shape, "  " * (level + 1))
        try:
            self.data(
                variable, shape, rows, self.report_slabs(path, read_variable(variable, shape))
            )
        except NczError as error:
            if self.out.has_failed:
                raise
            reason = error.message
            error.message = f"data of {path}: {reason}"
            self.callbacks.on_error(error)
            rows.break_off()
            self.out.member("data_error", in_command_line(reason), level)

    def report_slabs(self, path: str, slabs: Iterator[Values]) -> Iterator[Values]:
        """Yield slabs, and report each when the next one is requested."""
        for values in slabs:
            yield values
            self.callbacks.progress.advance(path, values.size, 0)

    def data(
        self, variable: Variable, shape: tuple[int, ...], rows: Rows, slabs: Iterator[Values]
    ) -> None:
        """Write the values of a variable, given in slabs, as nested lists."""
        if 0 in shape:
            self.out.text("[]")
            return
        if variable.type is Atomic.CHAR:
            for text in _char_rows(slabs, shape[-1] if shape else 1):
                rows.items(to_json(text), 1)
            return
        columns = shape[-1] if shape else 1
        for flat in _pieces(slabs):
            while flat.size:
                rest = columns - rows.position % columns
                size = flat.size - flat.size % columns if rest == columns else 0
                size = size or min(rest, flat.size)
                width = min(columns, size)
                for text in encode_rows(flat[:size].reshape(-1, width), variable.type):
                    rows.items(text, width)
                flat = flat[size:]


_LONGEST_TEXT = 1 << 28
"""Most bytes of one row of chars, which is in memory before it is written."""


def _pieces(slabs: Iterable[Values]) -> Iterator[Values]:
    """Yield flat parts of slabs, whose text fits in memory as a whole."""
    for values in slabs:
        flat = values.reshape(-1)
        for start in range(0, flat.size, _PIECE):
            yield flat[start : start + _PIECE]


def _char_rows(slabs_of_chars: Iterator[Values], columns: int) -> Iterator[str]:
    """Yield the rows of a char array as text. NULs at the end of a row take no memory."""
    row = bytearray()
    length = 0
    for values in slabs_of_chars:
        chars = values.tobytes() if distinct(values).view("u1").any() else b""
        start = 0
        while start < values.size:
            size = min(columns - length, values.size - start)
            piece = chars[start : start + size].rstrip(b"\0")
            if piece:
                if length + size > _LONGEST_TEXT:
                    raise FormatError(
                        f"a row of {columns} chars is longer than the limit of {_LONGEST_TEXT}",
                        hint="print CDL instead",
                    )
                row += bytes(length - len(row)) + piece
            start += size
            length += size
            if length == columns:
                yield chars_to_text(bytes(row))
                row.clear()
                length = 0
