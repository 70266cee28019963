"""CDL text to a syntax tree: the declarations, and where each data list begins and ends.

The grammar is in `grammar.lark`. lark is imported only when a text is parsed.
"""

from __future__ import annotations

import functools
import itertools
import re
import types
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ncz.errors import shorten
from ncz.model.types import Atomic
from ncz.record import record
from ncz.text.names import unescape_name
from ncz.text.source import SourceText

if TYPE_CHECKING:
    import lark

# The syntax tree of CDL: one record for each kind of declaration.
#
# Names are kept as written (see `ncz.text.names`), and every node knows its byte offset, which
# `SourceText` converts to a line and a column. Nothing here knows what a name refers to or what a
# data list holds.

_PATH_PART = re.compile(r"(?:[^/\\]|\\.)+|^(?=/)", re.DOTALL)


@record
class Word:
    """A name, a path or a number as written."""

    text: str
    at: int

    @property
    def name(self) -> str:
        """The name without its escapes."""
        return unescape_name(self.text)

    @property
    def parts(self) -> tuple[str, ...]:
        """The names in a path, without escapes; the first is "" if the path is absolute."""
        return tuple(unescape_name(part) for part in _PATH_PART.findall(self.text))


@record
class DataList:
    """A data list: the bytes from `start` up to the semicolon at `stop`."""

    start: int
    stop: int


@record
class AttributeSyntax:
    """``type owner:name = data``; when `owner` is None, `type` may be the owner."""

    type: Word | None
    owner: Word | None
    name: Word
    data: DataList


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
    data: DataList


@record
class GroupSyntax:
    """A group (the root group, too): its statements in the order of the text."""

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
"""The atomic type of each keyword in the grammar's rule `primitive`."""


# Lexical rules of declarations and data lists: blanks, strings, the end of a list.

# Blanks and comments. An unterminated comment does not match, so that it can be reported.
BLANK = re.compile(rb"(?:[ \t\r\n\f\v]+|//[^\n]*|/\*.*?\*/)*", re.DOTALL)
STRING = rb'"[^"\\]*(?:\\.[^"\\]*)*"'
CHARACTER = rb"'(?:\\(?:[0-7]{3}|x[0-9a-fA-F]{2}|.)|[^\\])'"

_QUOTED = re.compile(STRING + rb"|" + CHARACTER + rb"|//[^\n]*|/\*.*?\*/", re.DOTALL)
_STOP = re.compile(rb"[;\"'/]")
_PIECE = 1 << 22
"""Bytes of a data list that are searched before their memory is released."""


def skip_blank(source: SourceText, at: int, stop: int | None = None) -> int:
    """Return the offset after the blanks and comments that begin at `at`."""
    end = BLANK.match(source.buffer, at, len(source.buffer) if stop is None else stop)
    return end.end() if end else at


def find_end_of_data_list(source: SourceText, start: int) -> int:
    """Return the offset of the semicolon that ends the data list beginning at `start`."""
    buffer = source.buffer
    at = start
    while at < len(buffer):  # fast path for plain numbers: four passes of memchr
        stop = buffer.find(b";", at, at + _PIECE)
        end = stop if stop >= 0 else min(at + _PIECE, len(buffer))
        if any(buffer.find(mark, at, end) >= 0 for mark in (b'"', b"'", b"/")):
            break
        if stop >= 0:
            return stop
        source.scanned(at, end)
        at = end
    released = at
    while True:
        if at - released > _PIECE:
            source.scanned(released, at)
            released = at
        mark = _STOP.search(buffer, at)
        if mark is None:
            raise source.error(
                skip_blank(source, start),
                "this data list is not terminated",
                "end it with `;`",
            )
        if mark[0] == b";":
            return mark.start()
        quoted = _QUOTED.match(buffer, mark.start())
        if quoted is None and (error := unterminated_error(source, mark.start())):
            raise error
        at = quoted.end() if quoted else mark.end()


def unterminated_error(source: SourceText, at: int) -> Exception | None:
    """Return an error if a comment, string or char constant begins at `at` and does not end."""
    two = source.buffer[at : at + 2]
    if two == b"/*":
        return source.error(at, "this comment is not terminated", "end it with `*/`")
    if two[:1] == b'"':
        return source.error(at, "this string is not terminated", 'end it with `"`')
    if two[:1] == b"'":
        return source.error(
            at,
            "this is not a char constant",
            "write one byte between single quotes, or text between double quotes",
        )
    return None


# The tokens of CDL declarations, recognised by what the grammar accepts next.
#
# A word such as "float" is a name wherever only a name is accepted, and a data list is one token,
# however long it is.

_SECTION = re.compile(rb"(?:types|dimensions|variables|data|group):")
_NUMBER = re.compile(rb"[+-]?[0-9][0-9A-Za-z_.]*")
_WORD = re.compile(
    rb"(?:[A-Za-z_.+@%\x80-\xff-]|\\[^\n]|/(?![/*]))"
    rb"(?:[A-Za-z0-9_.+@%\x80-\xff-]|\\[^\n]|/(?![/*]))*"
)
_HEADER = re.compile(rb"(netcdf|NETCDF|netCDF)((?:[^{\\/]|\\.|//[^\n]*|/\*.*?\*/|/)*)\{", re.DOTALL)
_NAME_NOISE = re.compile(r"(\\.)|//[^\n]*|/\*.*?\*/|[\x00-\x20\x7f]+", re.DOTALL)
_UNESCAPED_SLASH = re.compile(r"(?<!\\)(?:\\\\)*/")

# The terminals of the grammar in the words of error messages.
_WORDS = {
    "HEADER": "`netcdf NAME {`",
    "NAME": "a name",
    "PATH": "a path",
    "NUMBER": "a whole number",
    "DATA_LIST": "values",
    "$END": "the end of the file",
}
_ORDER = "the order within a group is: attributes, types, dimensions, variables, data, groups"


@dataclass(slots=True)
class Scanner:
    """Splits the text into tokens.

    `literals` has the terminal of each keyword and mark of the grammar.
    """

    source: SourceText
    literals: Mapping[str, str]
    at: int = 0

    def next(self, accepted: Mapping[str, Any]) -> tuple[str, str, int, int]:
        """Return the terminal, text, start and stop of the next token.

        `accepted` has the terminals that the grammar accepts here.
        """
        source, buffer = self.source, self.source.buffer
        if "DATA_LIST" in accepted:
            start = self.at
            self.at = find_end_of_data_list(source, start)
            return "DATA_LIST", "", start, self.at
        if "HEADER" in accepted:
            return self._header()
        start = skip_blank(source, self.at)
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
            after = skip_blank(source, word.end())
            marks = (b"=", b";", b",", b"(") if text == "enum" else (b"=", b";", b",")
            declared = "NAME" in accepted and buffer[after : after + 1] in marks
            if kind not in accepted or declared:  # no type comes before these marks
                kind = "PATH" if _UNESCAPED_SLASH.search(text) else "NAME"
            self.at = word.end()
            return kind, text, start, word.end()
        if error := unterminated_error(source, start):
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
        start = skip_blank(source, self.at)
        header = _HEADER.match(buffer, start)
        if header is None:
            if error := unterminated_error(source, start):
                raise error
            raise source.error(start, "this is not CDL", "CDL begins with `netcdf NAME {`")
        text = source.decode(header.start(2), header.end(2))
        self.at = header.end()
        return "HEADER", _NAME_NOISE.sub(r"\1", text), start, header.end()

    def unexpected_error(self, accepted: Mapping[str, Any], start: int, stop: int) -> Exception:
        """Return the error for a token, between `start` and `stop`, that is not accepted."""
        source = self.source
        if start >= len(source.buffer):
            hint = f"expected {self._expected(accepted)}"
            return source.error(start, "the text ends too early", hint)
        text = shorten(source.buffer[start:stop].decode("utf-8", "replace"))
        what = f"unexpected `{text}`"
        section = _SECTION.match(source.buffer, start)
        if text.isidentifier() and source.buffer[stop : stop + 1] in (b" ", b"\t", b"\n"):
            after = skip_blank(source, stop)
            if f"{text}:" in self.literals and source.buffer[after : after + 1] == b":":
                return source.error(start, what, f"write `{text}:` without the space")
        if section:
            return source.error(start, f"unexpected `{section[0].decode()}`", _ORDER)
        if list(accepted) == ["$END"]:
            return source.error(
                start,
                f"unexpected `{text}` after the end of the dataset",
                "check for a closing brace too many",
            )
        return source.error(start, what, f"expected {self._expected(accepted)}")

    def _expected(self, accepted: Mapping[str, Any]) -> str:
        """Describe what could follow."""
        words = {name: text for text, name in self.literals.items()}
        kinds = [kind for kind in accepted if kind in words or kind in _WORDS]
        literals = {words[kind] for kind in kinds if kind in words}
        choices = [_WORDS[kind] for kind in kinds if kind in _WORDS and kind != "PATH"]
        if literals & PRIMITIVES.keys():
            choices.append("a type")
        literals -= PRIMITIVES.keys()
        if ":" in literals and "a type" in choices:  # a new statement: sections would be too many
            choices = ["a declaration", "an attribute"]
            literals &= {"}"}
        choices = sorted(choices) + [f"`{literal}`" for literal in sorted(literals)]
        return choices[0] if len(choices) == 1 else ", ".join(choices[:-1]) + " or " + choices[-1]


def parse_syntax(source: SourceText) -> GroupSyntax:
    """Parse a whole text.

    Returns
    -------
    GroupSyntax
        The root group; its name is the dataset's.

    Raises
    ------
    CdlError
        The text does not follow the grammar.
    """
    import lark

    parser, literals = _parser()
    scanner = Scanner(source, literals)
    machine: Any = parser.parse_interactive()
    while True:
        accepted = machine.choices()
        kind, text, start, stop = scanner.next(accepted)
        token = lark.Token(kind, text, start_pos=start, end_pos=stop)
        if kind not in accepted:
            raise scanner.unexpected_error(accepted, start, stop)
        try:
            tree = machine.feed_token(token)
        except lark.UnexpectedToken:
            raise scanner.unexpected_error(machine.choices(), start, stop) from None
        if kind == "$END":
            assert isinstance(tree, GroupSyntax)
            return tree


@functools.cache
def _parser() -> tuple[lark.Lark, Mapping[str, str]]:
    """Return the parser, and the terminal of each keyword and mark. Built once per process."""
    import importlib.resources

    import lark

    grammar = importlib.resources.files("ncz.cdl").joinpath("grammar.lark").read_text("utf-8")
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
    """Return a lexer class that does nothing: tokens are fed to the parser one by one."""
    from lark.lexer import Lexer

    class NoLexer(Lexer):
        def __init__(self, lexer_conf: object) -> None:
            pass

        def lex(self, lexer_state: object, parser_state: object) -> Iterator[lark.Token]:
            return iter(())

    return NoLexer


def _tree_builder() -> Any:
    """Return the transformer that builds our nodes, rule by rule, while lark parses."""

    def on_children(make: Callable[[list[Any]], Any]) -> Callable[[list[Any]], Any]:
        return lambda children: make([_node(child) for child in children])

    return types.SimpleNamespace(**{rule: on_children(make) for rule, make in _NODES.items()})


def _node(child: Any) -> Any:
    """Convert a token to one of our nodes; return a node unchanged."""
    if not isinstance(child, str):
        return child
    token: Any = child
    if token.type == "DATA_LIST":
        return DataList(token.start_pos, token.end_pos)
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
