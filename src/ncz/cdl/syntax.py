"""CDL text to a syntax tree: the declarations, and where each data list begins and ends.

The grammar is in `grammar.lark`. lark is imported only when a text is parsed.
"""

from __future__ import annotations

import functools
import itertools
import types
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from ncz.cdl.scanner import Scanner, Token
from ncz.cdl.syntax_tree import (
    AssignmentSyntax,
    AttributeSyntax,
    CompoundSyntax,
    DataList,
    DimensionSyntax,
    EnumSyntax,
    FieldSyntax,
    GroupSyntax,
    OpaqueSyntax,
    VariableSyntax,
    VlenSyntax,
    Word,
)
from ncz.text.source import SourceText

if TYPE_CHECKING:
    import lark


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
        token = scanner.next(accepted)
        if token.type not in accepted:
            raise scanner.unexpected_error(accepted, token)
        try:
            tree = machine.feed_token(token)
        except lark.UnexpectedToken:
            raise scanner.unexpected_error(machine.choices(), token) from None
        if token.type == "$END":
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
    literals = {t.pattern.value: str(t.name) for t in parser.terminals if t.pattern.type == "str"}
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
        return lambda children: make(
            [_leaf(child) if type(child) is Token else child for child in children]
        )

    return types.SimpleNamespace(**{rule: on_children(make) for rule, make in _NODES.items()})


def _leaf(token: Token) -> Word | DataList:
    """Convert a token to one of our nodes."""
    if token.type == "DATA_LIST":
        return DataList(token.start, token.stop)
    return Word(token.text, token.start)


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
}
