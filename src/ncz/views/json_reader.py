"""Read a dataset from the JSON that `ncz.views.json_writer` writes. Source: docs/reference/json.md.

An unknown member is an error, as it may be a misspelled one. Data are parsed when their chunks are
read, so the buffer must stay open; it may be a memory map of any size.
"""

from __future__ import annotations

import json
import math
import mmap
import re
from array import array
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

from ncz.codec.catalogue import writing_fault
from ncz.errors import DUMP_AS_JSON, CdlError, Notify, counted, ignore_notice, shorten
from ncz.model.data import ChunkSource, dtype_of
from ncz.model.filters import ATTRIBUTES, Filter, Quantization
from ncz.model.grid import ChunkGrid, Index, Shape
from ncz.model.json_text import is_strict, print_json
from ncz.model.sources import FlatBlocks, row_chunks
from ncz.model.tree import Attribute, Dataset, Dimension, Group, Storage, Variable, join
from ncz.model.types import (
    Atomic,
    Compound,
    Enumeration,
    Field,
    NcType,
    Opaque,
    UserType,
    Value,
    Vlen,
)
from ncz.model.user_types import (
    NONFINITE,
    TypeLimits,
    WrongValueError,
    decode_chars,
    decode_value,
    show,
)
from ncz.record import record
from ncz.text.source import SourceText
from ncz.views.json_writer import FORMAT, VERSION

if TYPE_CHECKING:
    from numpy.typing import NDArray

# Scan a JSON text to a tree of objects with the offset of every value; lists are only delimited.
#
# The standard library's parser would make a Python object of each number in gigabytes of data,
# without its offset. Here the members of objects are scanned one by one, and the standard library
# parses lists later, block by block.

_BLANK = re.compile(rb"[ \t\r\n]*")
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_WORD = re.compile(rb'[^\s,:{}\[\]"]+')
_BRACKETS = re.compile(rb'"(?:[^"\\]|\\.)*"|[\[\]{}]', re.DOTALL)


@record
class Scalar:
    """A text, a number, true, false or null, from byte offset `at` to `stop`."""

    at: int
    stop: int


@record
class List:
    """A list from byte offset `at` to `stop`, with its brackets; its contents are not scanned."""

    at: int
    stop: int


@record
class Object:
    """An object; `keys` has the offset of each member's key."""

    at: int
    stop: int
    members: dict[str, Node]
    keys: dict[str, int]


Node = Scalar | List | Object


def scan(source: SourceText) -> Object:
    """Scan a whole text, which is one object. Raise CdlError if it is not valid JSON."""
    at = _skip(source, 3 if source.buffer[:3] == b"\xef\xbb\xbf" else 0)
    node = _scan_value(source, at)
    if not isinstance(node, Object):
        raise source.error(at, "expected an object", "begin with {")
    end = _skip(source, node.stop)
    if end < len(source.buffer):
        raise source.error(end, "unexpected text after the end of the document", "remove it")
    return node


def parse_node(source: SourceText, node: Node) -> Any:
    """Parse a value with the standard library. Raise CdlError if it is not valid JSON."""
    return parse_json(source, source.buffer[node.at : node.stop], node.at)


def parse_json(source: SourceText, text: bytes, at: int) -> Any:
    """Parse part of the text from byte offset `at` on; `text` may replace it byte by byte."""
    try:
        decoded = text.decode("utf-8")
    except UnicodeDecodeError as error:
        raise source.encoding_error(at + error.start) from None
    try:
        return json.loads(decoded, parse_constant=lambda word: NONFINITE[word], strict=False)
    except json.JSONDecodeError as error:
        place = at + len(decoded[: error.pos].encode())
        raise source.error(place, "this is not valid JSON", _hint(error.msg)) from None
    except ValueError as error:  # an integer of thousands of digits
        raise source.error(at, f"this is not valid JSON: {error}") from None
    except (RecursionError, MemoryError):  # each version of Python has its own limit
        raise source.error(at, "this is nested too deeply", "write fewer levels") from None


def _hint(message: str) -> str:
    return message[:1].lower() + message[1:]


def _skip(source: SourceText, at: int) -> int:
    blank = _BLANK.match(source.buffer, at)
    return blank.end() if blank else at


def _scan_value(source: SourceText, at: int) -> Node:
    mark = source.buffer[at : at + 1]
    if mark == b"{":
        return _scan_object(source, at)
    if mark == b"[":
        return List(at, _find_end_of_list(source, at))
    pattern = _STRING if mark == b'"' else _WORD
    match = pattern.match(source.buffer, at)
    if match is None:
        raise _expected_error(source, at, "a value")
    return Scalar(at, match.end())


def _scan_object(source: SourceText, at: int) -> Object:
    members: dict[str, Node] = {}
    keys: dict[str, int] = {}
    begin = at
    at = _skip(source, at + 1)
    if source.buffer[at : at + 1] == b"}":
        return Object(begin, at + 1, members, keys)
    while True:
        match = _STRING.match(source.buffer, at)
        if match is None:
            raise _expected_error(source, at, "a key in double quotes")
        key: str = parse_json(source, match[0], at)
        if key in members:
            raise source.error(at, f'the member "{shorten(key)}" is given twice')
        keys[key] = at
        at = _skip(source, match.end())
        if source.buffer[at : at + 1] != b":":
            raise _expected_error(source, at, "a colon")
        node = _scan_value(source, _skip(source, at + 1))
        members[key] = node
        at = _skip(source, node.stop)
        mark = source.buffer[at : at + 1]
        if mark == b"}":
            return Object(begin, at + 1, members, keys)
        if mark != b",":
            raise _expected_error(source, at, "a comma or }")
        at = _skip(source, at + 1)


def _find_end_of_list(source: SourceText, at: int) -> int:
    depth = 0
    for mark in _BRACKETS.finditer(source.buffer, at):
        text = mark[0]
        if text in (b"[", b"{"):
            depth += 1
        elif text in (b"]", b"}"):
            depth -= 1
            if depth == 0:
                if text == b"}":
                    break
                return mark.end()
    raise source.error(at, "this bracket is not closed", "close it with ]")


def _expected_error(source: SourceText, at: int, expected: str) -> Exception:
    size = len(source.buffer)
    if at >= size:
        return source.error(
            size, f"the text ends where {expected} is expected", "check whether it is truncated"
        )
    return source.error(at, f"expected {expected}")


# The data of a JSON variable: a chunk source over the text of its lists.
#
# Data are nested lists, one level per dimension, with the values in the order of the flattened
# array. They are split into blocks of about a megabyte of text. The brackets of a block are
# compared with the shape and then removed. So memory is bounded by blocks.

BLOCK = 1 << 20
"""Least number of bytes of text in a block, except the last one."""

_STRINGS = re.compile(rb'"(?:[^"\\]|\\.)*"', re.DOTALL)
_COMMAS = re.compile(rb'"(?:[^"\\]|\\.)*"|,', re.DOTALL)
_BRACKETS_OUTSIDE = re.compile(rb'("(?:[^"\\]|\\.)*")|[\[\]]', re.DOTALL)
_LOOSE = re.compile(rb"[^\[,\s]\s*\[|\]\s*[^\],\s]")
_TOKENS = re.compile(rb'"(?:[^"\\]|\\.)*"|[^\s,\[\]]+', re.DOTALL)
_BLANKED = bytes.maketrans(b"[]", b"  ")
_STRUCTURE = bytes(set(range(256)) - set(b"[],"))


@dataclass(frozen=True)
class JsonArray(ChunkSource):
    """The data of one variable, as an array of `grid.shape`.

    A wrong value raises CdlError, with its location, when its chunk is read.
    """

    source: SourceText
    grid: ChunkGrid
    type: NcType
    fill: Value
    blocks: _Blocks

    def rechunked(self, chunks: Shape) -> JsonArray:
        """Return the same values in other chunks."""
        return replace(self, grid=ChunkGrid(self.grid.shape, chunks))

    def chunk(self, index: Index) -> NDArray[Any] | None:
        """Return chunk `index`; None for strings that are all fill, like a missing chunk."""
        values = self._flat.box(self.grid.box(index))
        if self.type is Atomic.STRING and values is not None:
            return None if all(value == self.fill for value in values.flat) else values
        return values

    @cached_property
    def _flat(self) -> FlatBlocks:
        width = self.blocks.width
        return FlatBlocks(
            grid=self.grid,
            type=self.type,
            fill=self.fill,
            bases=[first * width for first in self.blocks.firsts],
            counts=[count * width for count in self.blocks.counts],
            read=self._parse_block,
        )

    def _parse_block(self, number: int) -> NDArray[Any]:
        blocks = self.blocks
        start, stop = blocks.starts[number], blocks.stops[number]
        text = self.source.buffer[start:stop]
        if isinstance(self.type, Atomic):
            has_strings = b'"' in text
            plain = _blank_brackets(text) if has_strings else text.translate(_BLANKED)
            values = parse_json(self.source, b"[" + plain + b"]", start - 1)
        else:
            values = _flatten(parse_json(self.source, text, start), len(self.grid.shape))
        if len(values) != blocks.counts[number]:
            raise self.source.error(
                start, "cannot determine the number of values in the list from here on"
            )
        try:
            if self.type is Atomic.CHAR:
                return _char_rows(values, blocks.width)
            return _array(values, self.type)
        except WrongValueError as error:
            raise self._locate_error(start, stop, values, str(error)) from None

    def _locate_error(self, start: int, stop: int, values: list[Any], message: str) -> Exception:
        """Return the error for the first wrong value of a block, with its location."""
        wrong = 0
        for number, value in enumerate(values):
            try:
                if self.type is Atomic.CHAR:
                    _char_rows([value], self.blocks.width)
                else:
                    decode_value(value, self.type)
            except WrongValueError as error:
                wrong, message = number, str(error)
                break
        if not isinstance(self.type, Atomic):
            return self.source.error(start, message)
        tokens = _TOKENS.finditer(self.source.buffer, start, stop)
        at = next((t.start() for n, t in enumerate(tokens) if n == wrong), start)
        return self.source.error(at, message)


def _array(values: list[Any], nc_type: NcType) -> NDArray[Any]:
    """Return `values` as a flat array. Raise WrongValueError."""
    import numpy as np

    result: NDArray[Any] = np.empty(len(values), dtype_of(nc_type))
    kinds = set(map(type, values))
    if isinstance(nc_type, Atomic) and nc_type.is_integer and kinds == {int}:
        low, high = nc_type.limits
        if min(values) >= low and max(values) <= high:
            result[:] = values
            return result
    elif nc_type in (Atomic.FLOAT, Atomic.DOUBLE) and kinds <= {float}:
        with np.errstate(over="ignore"):
            result[:] = values
        if not np.isinf(result).any():
            return result
    elif nc_type is Atomic.STRING and kinds <= {str, type(None)}:
        result[:] = values
        return result
    for number, value in enumerate(values):
        result[number] = decode_value(value, nc_type)
    return result


def _char_rows(values: list[Any], width: int) -> NDArray[Any]:
    import numpy as np

    rows = [decode_chars(value) for value in values]
    for row, value in zip(rows, values, strict=True):
        if len(row) > width:
            raise WrongValueError(
                f"{show(value)} has {counted(len(row), 'byte')}, more than the {width} of a row"
            )
    return np.frombuffer(b"".join(row.ljust(width, b"\0") for row in rows), "S1")


def _flatten(nested: Any, rank: int) -> list[Any]:
    """Return the values nested `rank` lists deep."""
    values = [nested]
    for _ in range(rank):
        values = [inner for value in values for inner in value]
    return values


@dataclass(slots=True)
class _Blocks:
    """The offsets of blocks, and the numbers of their first values and counts, as columns.

    A value is the text between commas: for char, a text of `width` chars.
    """

    width: int = 1
    starts: array[int] = field(default_factory=lambda: array("q"))
    stops: array[int] = field(default_factory=lambda: array("q"))
    firsts: array[int] = field(default_factory=lambda: array("q"))
    counts: array[int] = field(default_factory=lambda: array("q"))

    def add(self, start: int, stop: int, first: int, count: int) -> None:
        """Add a block."""
        for column, number in zip(
            (self.starts, self.stops, self.firsts, self.counts),
            (start, stop, first, count),
            strict=True,
        ):
            column.append(number)


def read_data(
    source: SourceText, node: Node, nc_type: NcType, grid: ChunkGrid, fill: Value, what: str
) -> JsonArray | None:
    """Index the data at `node`.

    Parameters
    ----------
    what
        Names the variable in errors.

    Returns
    -------
    JsonArray or None
        None for an array without elements.

    Raises
    ------
    CdlError
        The nested lists do not have the shape `grid.shape`.
    """
    shape = grid.shape
    if 0 in shape:
        if not isinstance(node, List) or _has_values(parse_node(source, node)):
            raise source.error(node.at, f"{what} has no elements", "write []")
        return None
    is_text = nc_type is Atomic.CHAR
    rows = shape[:-1] if is_text else shape
    blocks = _Blocks(width=shape[-1] if is_text and shape else 1)
    if not isinstance(nc_type, Atomic):
        _check_nesting(source, node, rows, what)
        blocks.add(node.at, node.stop, 0, math.prod(rows))
    elif not rows:
        if isinstance(node, List):
            raise source.error(node.at, f"{what} is a scalar: expected one value, not a list")
        blocks.add(node.at, node.stop, 0, 1)
    elif not isinstance(node, List):
        raise source.error(
            node.at, f"the data of {what} must be a list", f"the shape is {list(shape)}"
        )
    else:
        _index_list(source, node, rows, blocks, what)
    return JsonArray(source, grid, nc_type, fill, blocks)


def _has_values(nested: Any) -> bool:
    """Return whether nested lists contain any value."""
    return any(map(_has_values, nested)) if isinstance(nested, list) else True


def _check_nesting(source: SourceText, node: Node, shape: Shape, what: str) -> None:
    def check(nested: Any, axis: int) -> bool:
        if axis == len(shape):
            return True
        fits = isinstance(nested, list) and len(nested) == shape[axis]
        return fits and all(check(inner, axis + 1) for inner in nested)

    if not check(parse_node(source, node), 0):
        raise source.error(node.at, f"the lists do not have the shape of {what}, {list(shape)}")


def _index_list(source: SourceText, node: List, shape: Shape, blocks: _Blocks, what: str) -> None:
    """Index the blocks of a list, and check its brackets against `shape`."""
    total = math.prod(shape)
    at, first = node.at, 0
    while True:
        cut = _find_cut(source, at, node.stop)
        text = source.buffer[at:cut]
        if b'"' in text:
            text = _STRINGS.sub(lambda string: b"0" * len(string[0]), text)
        structure = text.translate(None, _STRUCTURE)
        count = structure.count(b",") + 1
        is_last = cut == node.stop
        wrong = _find_wrong(structure, first, count, shape)
        loose = _LOOSE.search(text)
        if wrong is not None or loose or is_last != (first + count == total):
            place = loose.start() if loose else _find_value(text, count if wrong is None else wrong)
            raise source.error(
                at + place, f"the lists do not have the shape of {what}, {list(shape)}"
            )
        blocks.add(at, cut, first, count)
        first += count
        if is_last:
            return
        at = cut + 1


def _find_cut(source: SourceText, at: int, stop: int) -> int:
    """Return the offset of the comma, outside of texts, that ends the block beginning at `at`."""
    if stop - at <= BLOCK:
        return stop
    comma = source.buffer.find(b",", at + BLOCK, stop)
    if b'"' not in source.buffer[at : comma if comma >= 0 else stop]:
        return comma if comma >= 0 else stop
    for mark in _COMMAS.finditer(source.buffer, at, stop):
        if mark.start() >= at + BLOCK and mark[0] == b",":
            return mark.start()
    return stop


def _find_wrong(structure: bytes, first: int, count: int, shape: Shape) -> int | None:
    """Return the first of `count` values with wrong brackets before or after it, or None.

    A value has an opening bracket before it for each list that it is the first value of, and a
    closing one after it for each list that it is the last value of.
    """
    import numpy as np

    marks = np.frombuffer(structure, np.uint8)
    borders = np.concatenate(([-1], np.flatnonzero(marks == ord(",")), [len(marks)]))
    opens_before = np.concatenate(([0], np.cumsum(marks == ord("["))))
    opens = opens_before[borders[1:]] - opens_before[borders[:-1] + 1]
    closes = np.diff(borders) - 1 - opens
    numbers = np.arange(first, first + count + 1, dtype=np.int64)
    lists = np.zeros(count + 1, np.int64)
    for axis in range(len(shape)):
        lists += numbers % math.prod(shape[axis:]) == 0
    wrong = (opens != lists[:-1]) | (closes != lists[1:]) | (numbers[:-1] >= math.prod(shape))
    if b"][" in structure:  # the counts are right, but the order is not
        wrong[int(np.count_nonzero(marks[: structure.index(b"][")] == ord(",")))] = True
    places = np.flatnonzero(wrong)
    return int(places[0]) if len(places) else None


def _find_value(text: bytes, number: int) -> int:
    """Return the offset of a value by its number in the block, or of the end."""
    tokens = _TOKENS.finditer(text)
    return next((t.start() for n, t in enumerate(tokens) if n == number), len(text) - 1)


def _blank_brackets(text: bytes) -> bytes:
    return _BRACKETS_OUTSIDE.sub(lambda match: match[1] or b" ", text)


# The members of JSON objects, checked for their kind. A wrong one raises CdlError.

_LARGEST = (1 << 63) - 1

Word = TypeVar("Word", bound=str)


@record
class Members:
    """Checks the nodes of one text; `what` names a node in errors."""

    source: SourceText

    def object(self, node: Node, what: str, allowed: Iterable[str] | None = None) -> Object:
        """Check that `node` is an object whose members are among `allowed`."""
        if not isinstance(node, Object):
            raise self.source.error(node.at, f"{what} must be an object")
        for key, at in node.keys.items() if allowed is not None else ():
            if allowed is not None and key not in allowed:
                raise self.source.error(
                    at,
                    f'unknown member "{shorten(key)}" of {what}',
                    f"the members are {', '.join(allowed)}",
                )
        return node

    def member(self, node: Object, key: str, what: str) -> Node:
        """Return a required member."""
        if key not in node.members:
            raise self.source.error(node.at, f'{what} has no member "{key}", which is required')
        return node.members[key]

    def named_members(self, node: Object, key: str, what: str) -> list[tuple[str, Node, int]]:
        """Return the members of the member `key`: name, node and offset of the name."""
        if key not in node.members:
            return []
        inner = self.object(node.members[key], what)
        for name, at in inner.keys.items():
            if not name or "/" in name:
                raise self.source.error(at, f'"{shorten(name)}" is not a valid name')
        return [(name, child, inner.keys[name]) for name, child in inner.members.items()]

    def text(self, node: Node, what: str) -> str:
        value = parse_node(self.source, node)
        if not isinstance(value, str):
            raise self.source.error(node.at, f"{what} must be a text")
        return value

    def whole(self, node: Node, what: str, least: int = 0) -> int:
        value = parse_node(self.source, node)
        if type(value) is not int or not least <= value <= _LARGEST:
            raise self.source.error(node.at, f"{what} must be a whole number, {least} or more")
        return value

    def wholes(self, node: Node, what: str, least: int = 0) -> tuple[int, ...]:
        values = parse_node(self.source, node)
        if not isinstance(values, list) or not all(
            type(v) is int and least <= v <= _LARGEST for v in values
        ):
            raise self.source.error(node.at, f"{what} must be a list of whole numbers")
        return tuple(values)

    def flag(self, node: Node, what: str) -> bool:
        value = parse_node(self.source, node)
        if not isinstance(value, bool):
            raise self.source.error(node.at, f"{what} must be true or false")
        return value

    def value(self, node: Node, convert: Callable[[Any], Value]) -> Value:
        """Convert a value; report a WrongValueError with its location."""
        try:
            return convert(parse_node(self.source, node))
        except WrongValueError as error:
            raise self.source.error(node.at, str(error)) from None

    def choice(self, nodes: Mapping[str, Node], key: str, words: tuple[Word, ...]) -> Word | None:
        return self.one_of(nodes[key], key, words) if key in nodes else None

    def one_of(self, node: Node, key: str, words: tuple[Word, ...]) -> Word:
        text = self.text(node, f'"{key}"')
        for word in words:
            if text == word:
                return word
        raise self.source.error(node.at, f'"{key}" must be one of {", ".join(words)}')


# The storage properties of a JSON variable.

_STORAGE = (
    "layout",
    "chunks",
    "shards",
    "endianness",
    "codecs",
    "fill",
    "no_fill",
    "string_length",
    "quantize",
)


def read_storage(members: Members, node: Object, nc_type: NcType, rank: int) -> Storage:
    """Read the member "storage" of a variable. Raise CdlError if it is not valid."""
    if "storage" not in node.members:
        return Storage()
    nodes = members.object(node.members["storage"], '"storage"', _STORAGE).members
    lists = {}
    for key in ("chunks", "shards"):
        if key in nodes:
            lists[key] = members.wholes(nodes[key], f'"{key}"', least=1)
            if len(lists[key]) != rank:
                raise members.source.error(
                    nodes[key].at, f'"{key}" must have one number per dimension: {rank}'
                )
    return Storage(
        storage_class=members.choice(nodes, "layout", ("chunked", "contiguous", "compact")),
        chunks=lists.get("chunks"),
        shards=lists.get("shards"),
        endianness=members.choice(nodes, "endianness", ("little", "big")),
        filters=_read_codecs(members, nodes["codecs"]) if "codecs" in nodes else None,
        fill=members.value(nodes["fill"], lambda v: decode_value(v, nc_type))
        if "fill" in nodes
        else None,
        no_fill="no_fill" in nodes and members.flag(nodes["no_fill"], '"no_fill"'),
        string_length=members.whole(nodes["string_length"], '"string_length"', 1)
        if "string_length" in nodes
        else None,
        quantize=_read_quantize(members, nodes["quantize"]) if "quantize" in nodes else None,
    )


def _read_codecs(members: Members, node: Node) -> tuple[Filter, ...]:
    documents = parse_node(members.source, node)
    if not isinstance(documents, list) or not all(
        isinstance(d, dict) and isinstance(d.get("id"), str) for d in documents
    ):
        raise members.source.error(node.at, 'each codec must be an object with a member "id"')
    for document in documents:
        fault = writing_fault(document)
        if fault is not None:
            raise members.source.error(node.at, fault)
    return tuple(Filter.from_json(document) for document in documents)


def _read_quantize(members: Members, node: Node) -> Quantization:
    node = members.object(node, '"quantize"', ("algorithm", "digits"))
    return Quantization(
        algorithm=members.one_of(
            members.member(node, "algorithm", '"quantize"'), "algorithm", tuple(ATTRIBUTES)
        ),
        digits=members.whole(members.member(node, "digits", '"quantize"'), '"digits"', 1),
    )


def looks_like_json(text: bytes | mmap.mmap) -> bool:
    """Return whether the text of a dataset is JSON, not CDL: it begins with a brace."""
    head = text[: 1 << 12]
    return head.removeprefix(b"\xef\xbb\xbf").lstrip()[:1] == b"{"


def read_json(text: bytes | mmap.mmap, *, source: str, notify: Notify = ignore_notice) -> Dataset:
    """Read the dataset that a JSON text describes.

    Parameters
    ----------
    text
        UTF-8. Must stay open as long as data are read from the dataset.
    source
        Name of the text in error messages.
    notify
        Unused; for the same signature as `ncz.cdl.reader.read_cdl`.

    Raises
    ------
    CdlError
        The text is not valid; `location` is ``source:line:column``. A wrong value in the data of a
        variable raises it later, when its chunk is read.
    """
    del notify
    document = SourceText(text, source)
    try:
        return _Reader(document, Members(document)).dataset(scan(document))
    except (RecursionError, MemoryError) as error:
        raise CdlError("the text is nested too deeply or too large for memory", source) from error


@dataclass(slots=True)
class _Reader:
    source: SourceText
    get: Members
    types: dict[str, UserType] = field(default_factory=dict)
    limits: TypeLimits = field(default_factory=TypeLimits)
    dimensions: dict[str, Dimension] = field(default_factory=dict)

    def type(self, node: Node) -> NcType:
        """Return the type that a text names."""
        name = self.get.text(node, "a type")
        for atomic in Atomic:
            if atomic.word == name:
                return atomic
        if name not in self.types:
            words = ", ".join(atomic.word for atomic in Atomic)
            raise self.source.error(
                node.at, f'unknown type "{shorten(name)}"', f"the atomic types are {words}"
            )
        return self.types[name]

    # --- the tree -------------------------------------------------------------------------------

    def dataset(self, node: Object) -> Dataset:
        members = ("format", "version", "name", *_GROUP)
        node = self.get.object(node, "the document", members)
        form = self.get.text(self.get.member(node, "format", "the document"), "the format")
        if form != FORMAT:
            raise self.source.error(
                node.members["format"].at,
                f'unknown format "{shorten(form)}"',
                f'"{DUMP_AS_JSON}" writes "{FORMAT}"',
            )
        version = self.get.whole(self.get.member(node, "version", "the document"), "the version")
        if version != VERSION:
            raise self.source.error(
                node.members["version"].at,
                f"version {version} is not supported; the supported version is {VERSION}",
                "use a newer ncz",
            )
        name = self.get.text(self.get.member(node, "name", "the document"), "the name")
        return Dataset(name=name, root=self.group(node, "", ""))

    def group(self, node: Object, name: str, fqn: str) -> Group:
        for type_name, child, _ in self.get.named_members(node, "types", '"types"'):
            path = join(fqn, type_name)
            user_type = self.user_type(child, path)
            if fault := self.limits.fault(user_type):
                raise self.source.error(child.at, f"type {path}: {fault}")
            self.types[path] = user_type
        own = []
        for dimension_name, child, _ in self.get.named_members(node, "dimensions", '"dimensions"'):
            dimension = self.dimension(child, dimension_name)
            self.dimensions[join(fqn, dimension_name)] = dimension
            own.append(dimension)
        variables = [
            self.variable(child, variable_name, join(fqn, variable_name))
            for variable_name, child, _ in self.get.named_members(node, "variables", '"variables"')
        ]
        groups = []
        for group_name, child, at in self.get.named_members(node, "groups", '"groups"'):
            if any(v.name == group_name for v in variables):
                raise self.source.error(at, f'"{group_name}" is already the name of a variable')
            inner = self.get.object(child, f"group {group_name}", _GROUP)
            groups.append(self.group(inner, group_name, join(fqn, group_name)))
        return Group(
            name=name,
            types=tuple(t for path, t in self.types.items() if path.rpartition("/")[0] == fqn),
            dimensions=tuple(own),
            variables=tuple(variables),
            attributes=self.attributes(node),
            groups=tuple(groups),
        )

    def dimension(self, node: Node, name: str) -> Dimension:
        node = self.get.object(node, f"dimension {name}", ("size", "unlimited"))
        size = self.get.whole(self.get.member(node, "size", f"dimension {name}"), "a size")
        unlimited = "unlimited" in node.members and self.get.flag(
            node.members["unlimited"], '"unlimited"'
        )
        return Dimension(name=name, size=size, unlimited=unlimited)

    def attributes(self, node: Object) -> tuple[Attribute, ...]:
        inner = self.get.object(node.members["attributes"], '"attributes"') if _has(node) else None
        members = inner.members if inner else {}
        return tuple(self.attribute(child, name) for name, child in members.items())

    def attribute(self, node: Node, name: str) -> Attribute:
        what = f"attribute {name}"
        node = self.get.object(node, what, ("type", "value"))
        declared = self.get.member(node, "type", what)
        value = self.get.member(node, "value", what)
        if parse_node(self.source, declared) == "json":
            return self.json_attribute(value, name)
        nc_type = self.type(declared)
        if nc_type is Atomic.CHAR:
            text = self.get.value(
                value, lambda v: decode_chars(v).decode("utf-8", "surrogateescape")
            )
            return Attribute(name=name, type=nc_type, values=(text,) if text else ())
        values = parse_node(self.source, value)
        if not isinstance(values, list):
            raise self.source.error(value.at, f"the value of {what} must be a list")
        if name == "_FillValue" and not values:
            raise self.source.error(value.at, "_FillValue needs exactly one value")
        return Attribute(
            name=name,
            type=nc_type,
            values=self.get.value(value, lambda v: tuple(decode_value(one, nc_type) for one in v)),
        )

    def json_attribute(self, node: Node, name: str) -> Attribute:
        """Return an attribute that Zarr has as an object or a list, and netCDF as its text."""
        value = parse_node(self.source, node)
        if not isinstance(value, dict | list) or not is_strict(value):
            raise self.source.error(
                node.at, f"attribute {name} of type json must be an object or a list"
            )
        text = print_json(value)
        return Attribute(name=name, type=Atomic.CHAR, values=(text,), original=(value,))

    def variable(self, node: Node, name: str, fqn: str) -> Variable:
        what = f"variable {fqn}"
        node = self.get.object(
            node, what, ("type", "dimensions", "shape", "attributes", "storage", "data")
        )
        nc_type = self.type(self.get.member(node, "type", what))
        at = self.get.member(node, "dimensions", what)
        dimensions = parse_node(self.source, at)
        if not isinstance(dimensions, list):
            raise self.source.error(at.at, "the dimensions must be a list of texts")
        for dimension in dimensions:
            if not isinstance(dimension, str) or dimension not in self.dimensions:
                raise self.source.error(
                    at.at,
                    f"unknown dimension {shorten(dimension)}",
                    "write its full path, such as /time",
                )
        shape = tuple(self.dimensions[d].size for d in dimensions)
        if "shape" in node.members and self.get.wholes(node.members["shape"], '"shape"') != shape:
            raise self.source.error(
                node.members["shape"].at,
                f"the shape differs from the lengths of the dimensions, {list(shape)}",
            )
        storage = read_storage(self.get, node, nc_type, len(shape))
        return Variable(
            name=name,
            type=nc_type,
            dimensions=tuple(dimensions),
            attributes=self.attributes(node),
            storage=storage,
            data=self.data(node, nc_type, shape, storage, fqn),
        )

    def data(
        self, node: Object, nc_type: NcType, shape: tuple[int, ...], storage: Storage, fqn: str
    ) -> JsonArray | None:
        if "data" not in node.members:
            return None
        grid = ChunkGrid(shape, storage.chunks or row_chunks(shape))
        return read_data(self.source, node.members["data"], nc_type, grid, storage.fill, fqn)

    # --- types ----------------------------------------------------------------------------------

    def user_type(self, node: Node, fqn: str) -> UserType:
        what = f"type {fqn}"
        node = self.get.object(node, what, ("kind", "size", "base", "members", "fields"))
        kind = self.get.choice(
            {"kind": self.get.member(node, "kind", what)},
            "kind",
            ("opaque", "vlen", "enum", "compound"),
        )
        if kind == "opaque":
            return Opaque(
                name=fqn,
                size=self.get.whole(self.get.member(node, "size", what), "a size", 1),
            )
        if kind == "vlen":
            return Vlen(name=fqn, base=self.type(self.get.member(node, "base", what)))
        if kind == "enum":
            return self.enumeration(node, fqn)
        fields = parse_node(self.source, self.get.member(node, "fields", what))
        parts = [self.field(part, node.members["fields"]) for part in _as_list(fields)]
        if not parts:
            raise self.source.error(node.at, f"{what} has no fields", "write at least one field")
        return Compound(name=fqn, fields=tuple(parts))

    def enumeration(self, node: Object, fqn: str) -> Enumeration:
        base = self.type(self.get.member(node, "base", f"type {fqn}"))
        members = parse_node(self.source, self.get.member(node, "members", f"type {fqn}"))
        if not isinstance(base, Atomic) or not base.is_integer:
            raise self.source.error(node.members["base"].at, "the base must be an integer type")
        if not isinstance(members, dict) or not members:
            raise self.source.error(
                node.members["members"].at, "members must be an object of named numbers"
            )
        values = self.get.value(
            node.members["members"],
            lambda given: tuple((label, decode_value(v, base)) for label, v in given.items()),
        )
        return Enumeration(name=fqn, base=base, members=values)

    def field(self, declaration: Any, node: Node) -> Field:
        if not isinstance(declaration, dict) or set(declaration) - {"name", "type", "shape"}:
            raise self.source.error(
                node.at, "a field must be an object with a name, a type and a shape"
            )
        name, word, shape = (
            declaration.get("name"),
            declaration.get("type"),
            declaration.get("shape", []),
        )
        types: dict[Any, NcType] = {a.word: a for a in Atomic} | self.types
        is_shape = isinstance(shape, list) and all(type(n) is int and n > 0 for n in shape)
        is_known = isinstance(word, str) and word in types
        if not isinstance(name, str) or not is_known or not is_shape:
            raise self.source.error(
                node.at, "a field must have a name, a known type and a shape of positive numbers"
            )
        return Field(name=name, type=types[word], shape=tuple(shape))


_GROUP = ("types", "dimensions", "variables", "attributes", "groups")


def _has(node: Object) -> bool:
    return "attributes" in node.members


def _as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
