"""Write the options of functions from the records that declare them: ``make docs``.

A function of `ncz.api` takes the options of its command as keyword arguments. Their types, defaults
and descriptions follow from the fields of the record of options in `ncz.commands`. They are written
into the source, where editors and type checkers see them. A test compares the two.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

import ncz
from ncz.commands.aggregate.options import AggregateOptions
from ncz.commands.copy.options import CopyOptions
from ncz.commands.fields import Declared, declared
from ncz.commands.gen import GenOptions
from ncz.commands.joining.options import JoinOptions

WIDTH = 100

RECORDS: dict[str, dict[str, type]] = {
    "creation.py": {
        "gen": GenOptions,
        "copy": CopyOptions,
        "concat": JoinOptions,
        "aggregate": AggregateOptions,
    },
}
"""The functions of each module of `ncz.api`, and the records of their options."""

_TYPES = {
    "tuple[str, ...]": "Words",
    "tuple[str, ...] | None": "Words | None",
}


def modules() -> Iterator[tuple[Path, str]]:
    """Yield the path of each module of `ncz.api`, and the source that it should have."""
    for name, functions in RECORDS.items():
        path = Path(ncz.__file__).parent / "api" / name
        yield path, _updated(path.read_text("utf-8"), functions)


def _updated(source: str, records: dict[str, type]) -> str:
    lines = source.splitlines(keepends=True)
    found = [node for node in ast.parse(source).body if isinstance(node, ast.FunctionDef)]
    for node in reversed(found):  # from the end, so that line numbers stay
        if node.name in records and isinstance(node.body[0], ast.Expr):
            options = [each for each in declared(records[node.name]) if each.option.python]
            text = ast.get_docstring(node, clean=False)
            is_overload = any("overload" in ast.unparse(each) for each in node.decorator_list)
            if text is None or is_overload:
                continue
            docstring = _docstring(text, node, options)
            lines[node.lineno - 1 : node.body[0].end_lineno] = [
                _signature(node, options),
                f'    """{docstring}"""\n',
            ]
    return "".join(lines)


def _signature(node: ast.FunctionDef, options: list[Declared]) -> str:
    """Return the head of a function: its own arguments, then the options, then those after them."""
    names = {each.argument for each in options}
    first = node.args.args
    defaults = [None] * (len(first) - len(node.args.defaults)) + [*node.args.defaults]
    arguments = [_argument(arg, value) for arg, value in zip(first, defaults, strict=True)]
    arguments.append("*")
    arguments += [f"{each.argument}: {_type(each)} = {_quoted(each.default)}" for each in options]
    arguments += [
        _argument(arg, value)
        for arg, value in zip(node.args.kwonlyargs, node.args.kw_defaults, strict=True)
        if arg.arg not in names and arg.arg in KEPT
    ]
    if node.args.kwarg is not None:
        arguments.append("**" + _argument(node.args.kwarg, None))
    returned = ast.unparse(node.returns) if node.returns else "None"
    body = "".join(f"    {argument},\n" for argument in arguments)
    return f"def {node.name}(\n{body}) -> {returned}:\n"


KEPT = ("move", "png", "html", "width", "height", "totals", "notify", "**options")
"""Keyword arguments that no record declares, in the order in which docstrings describe them."""


def _argument(arg: ast.arg, default: ast.expr | None) -> str:
    annotation = f": {ast.unparse(arg.annotation)}" if arg.annotation else ""
    return f"{arg.arg}{annotation}" + (f" = {ast.unparse(default)}" if default else "")


def _type(each: Declared) -> str:
    annotation = each.annotation.replace("'", '"')
    return each.option.type or _TYPES.get(annotation, annotation)


def _quoted(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


_SECTION = re.compile(
    r"(    Parameters\n    -+\n)(.*?\n)(?=\n    [A-Z]\w*\n    -|    $)", re.DOTALL
)
_ENTRY = re.compile(r"^    (\S[^\n]*)\n((?:        [^\n]*\n)*)", re.MULTILINE)


def _docstring(text: str, node: ast.FunctionDef, options: list[Declared]) -> str:
    """Return the docstring with another section "Parameters": entries of own arguments stay."""
    found = _SECTION.search(text)
    if found is None:
        return text
    own = {match[1]: match[2] for match in _ENTRY.finditer(found[2])}
    positional = {arg.arg for arg in node.args.args}
    entries = {names: own[names] for names in own if names.split(", ")[0] in positional}
    entries |= {each.argument: _filled(each.option.python or "") for each in options}
    entries |= {name: own[name] for name in KEPT if name in own}
    body = "".join(f"    {names}\n{entry}" for names, entry in entries.items())
    return text[: found.start(2)] + body + text[found.end(2) :]


def _filled(text: str) -> str:
    indent = " " * 8
    return (
        textwrap.fill(
            text,
            WIDTH,
            initial_indent=indent,
            subsequent_indent=indent,
            break_long_words=False,
            break_on_hyphens=False,
        )
        + "\n"
    )


if __name__ == "__main__":
    for path, text in modules():
        path.write_text(text, "utf-8")
