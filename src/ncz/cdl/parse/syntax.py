"""CDL text -> syntax tree: the declarations, and where each data list begins and ends.

The grammar is in `grammar.lark`; lark is imported only when a text is parsed. Names are kept as
written (see `ncz.text.names`) and every node knows its byte offset, of which `Source` makes a line
and a column. Nothing here knows what a name means or what a data list holds.
"""

from __future__ import annotations

import functools
import itertools
import re
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ncz.model.types import Atomic
from ncz.record import record
from ncz.text.names import unescape_name
from ncz.text.source import Source

if TYPE_CHECKING:
    import lark


@record
class Word:
    """A name, a path or a number as written."""

    text: str
    at: int

    @property
    def name(self) -> str:
        """The name that is spelled."""
        return unescape_name(self.text)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of a path; the first is "" if the path is absolute."""
        return tuple(unescape_name(part) for part in _PATH_PART.findall(self.text))


@record
class Span:
    """A data list: everything from byte `start` up to the semicolon at byte `stop`."""

    start: int
    stop: int


@record
class AttributeSyntax:
    """``type owner:name = data``; `type` may stand for an owner when `owner` is None."""

    type: Word | None
    owner: Word | None
    name: Word
    data: Span


@record
class EnumSyntax:
    """``base enum name {label = number, ...}``"""

    base: Word
    name: Word
    members: tuple[tuple[Word, Word], ...]


@record
class OpaqueSyntax:
    """``opaque(size) name``"""

    size: Word
    name: Word


@record
class VlenSyntax:
    """``base(*) name``"""

    base: Word
    name: Word


@record
class FieldSyntax:
    """``type name(size, ...)`` inside a compound."""

    type: Word
    name: Word
    shape: tuple[Word, ...]


@record
class CompoundSyntax:
    """``compound name {fields}``"""

    name: Word
    fields: tuple[FieldSyntax, ...]


TypeSyntax = EnumSyntax | OpaqueSyntax | VlenSyntax | CompoundSyntax


@record
class DimensionSyntax:
    """``name = size``; `size` is None for ``unlimited``."""

    name: Word
    size: Word | None


@record
class VariableSyntax:
    """``type name(dimension, ...)``"""

    type: Word
    name: Word
    dimensions: tuple[Word, ...]


@record
class AssignmentSyntax:
    """``variable = data`` in a data section."""

    variable: Word
    data: Span


@record
class GroupSyntax:
    """A group, or the root: its statements in the order of the text."""

    name: Word
    statements: tuple[Statement, ...]


Statement = (
    AttributeSyntax
    | EnumSyntax
    | OpaqueSyntax
    | VlenSyntax
    | CompoundSyntax
    | DimensionSyntax
    | VariableSyntax
    | AssignmentSyntax
    | GroupSyntax
)

PRIMITIVES: Mapping[str, Atomic] = {
    **{atomic.word: atomic for atomic in Atomic},
    "real": Atomic.FLOAT,
    "long": Atomic.INT,  # 32 bits, as in classic netCDF
    "integer": Atomic.INT,
    "ulong": Atomic.UINT,
    "uinteger": Atomic.UINT,
}
"""The atomic type that each word of the grammar's `primitive` means."""

# Blanks and comments; a comment that has no end is left for the error to point at.
BLANK = re.compile(rb"(?:[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
CHARACTER = rb"'(?:\\(?:[0-7]{3}|x[0-9a-fA-F]{2}|.)|[^\\])'"

_QUOTED = re.compile(STRING + rb"|" + CHARACTER + rb"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_PIECE = 1 << 22
"""Bytes of a data list that are looked through at a time, and then given back."""
_STOP = re.compile(rb"[;\"'/]")
_SECTION = re.compile(rb"(?:types|dimensions|variables|data|group):")
_NUMBER = re.compile(rb"[+-]?[0-9][0-9A-Za-z_.]*")
_WORD = re.compile(
    rb"(?:[A-Za-z_.+@%\x80-\xff-]|\\[^\n]|/(?![/*]))"
    rb"(?:[A-Za-z0-9_.+@%\x80-\xff-]|\\[^\n]|/(?![/*]))*"
)
_HEADER = re.compile(rb"(netcdf|NETCDF|netCDF)((?:[^{\\/]|\\.|//[^\n]*|/\*.*?\*/|/)*)\{", re.DOTALL)
_NAME_NOISE = re.compile(r"(\\.)|//[^\n]*|/\*.*?\*/|[\x00-\x20\x7f]+", re.DOTALL)
_PATH_PART = re.compile(r"(?:[^/\\]|\\.)+|^(?=/)", re.DOTALL)
_UNESCAPED_SLASH = re.compile(r"(?<!\\)(?:\\\\)*/")

# What people call what the grammar asks for.
_WORDS = {
    "HEADER": "`netcdf NAME {`",
    "NAME": "a name",
    "PATH": "a path",
    "NUMBER": "a whole number",
    "DATA_LIST": "values",
    "$END": "the end of the file",
}
_ORDER = "the order in a group is: attributes, types, dimensions, variables, data, groups"


def parse(source: Source) -> GroupSyntax:
    """The syntax tree of a whole text; its root's name is the dataset's. Raises CdlError."""
    import lark

    parser, literals = _parser()
    scanner = _Scanner(source, literals)
    machine: Any = parser.parse_interactive()
    while True:
        accepted = machine.choices()
        kind, text, start, stop = scanner.next(accepted)
        token = lark.Token(kind, text, start_pos=start, end_pos=stop)
        if kind not in accepted:
            raise scanner.unexpected(accepted, start, stop)
        try:
            tree = machine.feed_token(token)
        except lark.UnexpectedToken:
            raise scanner.unexpected(machine.choices(), start, stop) from None
        if kind == "$END":
            assert isinstance(tree, GroupSyntax)
            return tree


def end_of_data_list(source: Source, start: int) -> int:
    """The offset of the semicolon that ends the data list beginning at `start`."""
    buffer = source.buffer
    at = start
    while at < len(buffer):  # numbers only, however many: four passes of memchr
        stop = buffer.find(b";", at, at + _PIECE)
        end = stop if stop >= 0 else min(at + _PIECE, len(buffer))
        if any(buffer.find(mark, at, end) >= 0 for mark in (b'"', b"'", b"/")):
            break
        if stop >= 0:
            return stop
        source.release(at, end)
        at = end
    released = at
    while True:
        if at - released > _PIECE:
            source.release(released, at)
            released = at
        mark = _STOP.search(buffer, at)
        if mark is None:
            raise source.error(
                BLANK.match(buffer, start).end(),  # type: ignore[union-attr]
                "these values have no end",
                "end them with `;`",
            )
        if mark[0] == b";":
            return mark.start()
        quoted = _QUOTED.match(buffer, mark.start())
        if quoted is None and (error := unterminated(source, mark.start())):
            raise error
        at = quoted.end() if quoted else mark.end()


def unterminated(source: Source, at: int) -> Exception | None:
    """The error that what begins at `at` has no end; None if nothing with an end begins there."""
    two = source.buffer[at : at + 2]
    if two == b"/*":
        return source.error(at, "this comment has no end", "end it with `*/`")
    if two[:1] == b'"':
        return source.error(at, "this string has no end", 'end it with `"`')
    if two[:1] == b"'":
        return source.error(
            at,
            "this is not a char constant",
            "a char constant is one byte between single quotes; text goes between double quotes",
        )
    return None


@dataclass(slots=True)
class _Scanner:
    """Cuts the text into tokens, given what the grammar would take next."""

    source: Source
    literals: Mapping[str, str]
    at: int = 0

    def next(self, accepted: Mapping[str, Any]) -> tuple[str, str, int, int]:
        """Kind, text, start and stop of the next token."""
        source, buffer = self.source, self.source.buffer
        if "DATA_LIST" in accepted:
            start = self.at
            self.at = end_of_data_list(source, start)
            return "DATA_LIST", "", start, self.at
        if "HEADER" in accepted:
            return self._header()
        start = BLANK.match(buffer, self.at).end()  # type: ignore[union-attr]
        if start >= len(buffer):
            return "$END", "", len(buffer), len(buffer)
        section = _SECTION.match(buffer, start)
        if section and self.literals[section[0].decode()] in accepted:
            return self._token(self.literals[section[0].decode()], start, section.end())
        if "NUMBER" in accepted and (number := _NUMBER.match(buffer, start)):
            return self._token("NUMBER", start, number.end())
        word = _WORD.match(buffer, start)
        if word:
            text = source.decode(start, word.end())
            kind = self.literals.get(text, "")
            after = BLANK.match(buffer, word.end()).end()  # type: ignore[union-attr]
            declared = "NAME" in accepted and buffer[after : after + 1] in (b"=", b";", b",")
            if kind not in accepted or declared:  # no type comes before these marks
                kind = "PATH" if _UNESCAPED_SLASH.search(text) else "NAME"
            self.at = word.end()
            return kind, text, start, word.end()
        if error := unterminated(source, start):
            raise error
        mark = buffer[start : start + 1].decode("latin-1")
        return self._token(self.literals.get(mark, mark), start, start + 1)

    def _token(self, kind: str, start: int, stop: int) -> tuple[str, str, int, int]:
        self.at = stop
        return kind, self.source.buffer[start:stop].decode("latin-1"), start, stop

    def _header(self) -> tuple[str, str, int, int]:
        source, buffer = self.source, self.source.buffer
        if buffer[:1] in (b"\xff", b"\xfe", b"\0"):
            raise source.error(0, "this is not UTF-8 text", "save the file as UTF-8")
        if buffer[:3] == b"\xef\xbb\xbf":
            self.at = 3
        start = BLANK.match(buffer, self.at).end()  # type: ignore[union-attr]
        header = _HEADER.match(buffer, start)
        if header is None:
            if error := unterminated(source, start):
                raise error
            raise source.error(start, "this is not CDL", "CDL begins with `netcdf NAME {`")
        text = source.decode(header.start(2), header.end(2))
        self.at = header.end()
        return "HEADER", _NAME_NOISE.sub(r"\1", text), start, header.end()

    def unexpected(self, accepted: Mapping[str, Any], start: int, stop: int) -> Exception:
        """The error that the token between `start` and `stop` is none that can stand there."""
        source = self.source
        found = source.buffer[start : min(stop, start + 40)].decode("utf-8", "replace")
        what = f"`{found}` cannot stand here" if found else "the text ends too early"
        section = _SECTION.match(source.buffer, start)
        if found.isidentifier() and source.buffer[stop : stop + 1] in (b" ", b"\t", b"\n"):
            after = BLANK.match(source.buffer, stop).end()  # type: ignore[union-attr]
            if f"{found}:" in self.literals and source.buffer[after : after + 1] == b":":
                return source.error(start, what, f"write `{found}:` without the blank")
        if section:
            return source.error(start, f"`{section[0].decode()}` cannot stand here", _ORDER)
        if list(accepted) == ["$END"]:
            return source.error(
                start, f"`{found}` stands after the end of the dataset", "one brace too many?"
            )
        return source.error(start, what, "expected " + self._expected(accepted))

    def _expected(self, accepted: Mapping[str, Any]) -> str:
        """What could stand there, in people's words."""
        words = {name: text for text, name in self.literals.items()}
        kinds = [kind for kind in accepted if kind in words or kind in _WORDS]
        literals = {words[kind] for kind in kinds if kind in words}
        told = [_WORDS[kind] for kind in kinds if kind in _WORDS and kind != "PATH"]
        if literals & PRIMITIVES.keys():
            told.append("a type")
        literals -= PRIMITIVES.keys()
        if ":" in literals and "a type" in told:  # a new statement: sections would be too many
            told = ["a declaration", "an attribute"]
            literals &= {"}"}
        told = sorted(told) + [f"`{literal}`" for literal in sorted(literals)]
        return told[0] if len(told) == 1 else ", ".join(told[:-1]) + " or " + told[-1]


@functools.cache
def _parser() -> tuple[lark.Lark, Mapping[str, str]]:
    """The parser, and the terminal of each literal of the grammar. Made once in a process."""
    import importlib.resources

    import lark

    grammar = importlib.resources.files("ncz.cdl.parse").joinpath("grammar.lark").read_text("utf-8")
    parser = lark.Lark(
        grammar,
        parser="lalr",
        lexer=_no_lexer(),
        transformer=_tree_builder(),
        maybe_placeholders=False,
    )
    literals = {t.pattern.value: t.name for t in parser.terminals if t.pattern.type == "str"}
    return parser, {text.replace("\\", ""): name for text, name in literals.items()}


def _no_lexer() -> Any:
    """Tokens are fed one by one, so the parser needs no lexer of its own."""
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        def __init__(self, lexer_conf: object) -> None:
            pass

        def lex(self, lexer_state: object, parser_state: object) -> Iterator[lark.Token]:
            return iter(())

    return NoLexer


def _tree_builder() -> Any:
    """What makes our nodes of lark's, rule by rule, while it parses."""

    def on_children(make: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
        return lambda children: make([_node(child) for child in children])

    return types.SimpleNamespace(**{rule: on_children(make) for rule, make in _NODES.items()})


def _node(child: Any) -> Any:
    """A token as ours; what is one of our nodes already stays."""
    if not isinstance(child, str):
        return child
    token: Any = child
    if token.type == "DATA_LIST":
        return Span(token.start_pos, token.end_pos)
    return Word(str(token), token.start_pos)


def _flat(children: list[Any]) -> list[Any]:
    flat: list[Any] = []
    for child in children:
        flat.extend(child if isinstance(child, list) else [child])
    return flat


def _compound(children: list[Any]) -> CompoundSyntax:
    name, *lines = children
    return CompoundSyntax(name, tuple(itertools.chain.from_iterable(lines)))


_NODES: dict[str, Callable[[list[Any]], Any]] = {
    "start": lambda c: GroupSyntax(c[0], tuple(c[1])),
    "group": lambda c: GroupSyntax(c[0], tuple(c[1])),
    "body": _flat,
    "nested": list,
    "group_attribute": lambda c: AttributeSyntax(None, None, *c),
    "owned_attribute": lambda c: AttributeSyntax(c[0], None, *c[1:]),
    "typed_attribute": lambda c: AttributeSyntax(*c),
    "attribute_name": lambda c: c[0],
    "types": list,
    "enumeration": lambda c: EnumSyntax(c[0], c[1], tuple(c[2:])),
    "member": tuple,
    "opaque": lambda c: OpaqueSyntax(*c),
    "vlen": lambda c: VlenSyntax(*c),
    "compound": _compound,
    "fields": lambda c: [FieldSyntax(c[0], name, shape) for name, shape in c[1:]],
    "field": lambda c: (c[0], tuple(c[1:])),
    "dimensions": list,
    "dimension": lambda c: DimensionSyntax(*c),
    "unlimited": lambda c: None,
    "variables": _flat,
    "variable_list": lambda c: [VariableSyntax(c[0], name, dims) for name, dims in c[1:]],
    "variable": lambda c: (c[0], tuple(c[1:])),
    "data": list,
    "assignment": lambda c: AssignmentSyntax(*c),
    "type": lambda c: c[0],
    "reference": lambda c: c[0],
    "primitive": lambda c: c[0],
}
