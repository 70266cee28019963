"""Every notice has a code, and docs/reference/notices.md explains every code."""

from __future__ import annotations

import ast
import re
from functools import cache
from typing import get_args

import pytest

from ncz.errors import NoticeCode
from tests.conftest import ROOT

CODES = sorted(get_args(NoticeCode))


@cache
def notices() -> list[tuple[str, str, ast.Call]]:
    """Return each call of the source that makes a notice: its file, the function, and the call."""
    found = []
    for path in (ROOT / "src/ncz").rglob("*.py"):
        text = path.read_text("utf-8")
        if "otice" in text:
            for node in ast.walk(ast.parse(text)):
                name = getattr(node.func, "id", "") if isinstance(node, ast.Call) else ""
                if isinstance(node, ast.Call) and name in ("Notice", "named_notice", "loss_notice"):
                    found.append((str(path.relative_to(ROOT)), name, node))
    return found


def literals() -> list[str]:
    """Return the code of each notice of the source."""
    firsts = [call.args[0] for *_, call in notices() if call.args]
    return [str(first.value) for first in firsts if isinstance(first, ast.Constant)]


def test_every_code_is_used_and_every_used_one_declared():
    assert sorted(set(literals())) == CODES


def test_every_code_is_explained_once():
    page = (ROOT / "docs/reference/notices.md").read_text("utf-8")
    rows = re.findall(r"^\| (`[a-z-]+`(?:, `[a-z-]+`)*) \| .{10,} \|$", page, re.M)
    explained = [code.strip("`") for row in rows for code in row.split(", ")]
    assert sorted(explained) == CODES


@pytest.mark.parametrize("code", CODES)
def test_codes_are_kebab_case(code):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", code)


def calls() -> list[tuple[str, int]]:
    """Return each notice of the source: its place, and the length of its fixed text."""
    found = []
    for file, name, call in notices():
        if name != "loss_notice":
            given = {keyword.arg: keyword.value for keyword in call.keywords}
            message = call.args[1] if len(call.args) > 1 else given.get("message")
            if isinstance(message, ast.Name):
                message = assigned(file).get((message.id, call.lineno), message)
            hint = call.args[3] if len(call.args) > 3 else given.get("hint")
            text = f"{fixed_text(message)}; {fixed_text(hint)}"
            found.append((f"{file}:{call.lineno}", len(text)))
    return found


@cache
def assigned(file: str) -> dict[tuple[str, int], ast.expr]:
    """Return the last value of each name, by name and line of the function."""
    found: dict[tuple[str, int], ast.expr] = {}
    for scope in ast.walk(ast.parse((ROOT / file).read_text("utf-8"))):
        if isinstance(scope, ast.FunctionDef):
            given = [node for node in ast.walk(scope) if isinstance(node, ast.Assign)]
            for node in sorted(given, key=lambda node: node.lineno):
                if isinstance(name := node.targets[0], ast.Name):
                    lines = range(node.lineno, (scope.end_lineno or 0) + 1)
                    found |= {(name.id, line): node.value for line in lines}
    return found


def fixed_text(node: ast.AST | None) -> str:
    """Return the longest text of an expression, with ``{}`` for values of a run."""
    match node:
        case None:
            return ""
        case ast.Constant(value=str(text)):
            return text
        case ast.JoinedStr(values=parts):
            return "".join(map(fixed_text, parts))
        case ast.BinOp(left=left, right=right):
            return fixed_text(left) + fixed_text(right)
        case ast.IfExp(body=body, orelse=orelse):
            return max(fixed_text(body), fixed_text(orelse), key=len)
    return "{}"


def test_a_notice_is_a_line_of_120_characters_with_short_names():
    lengths = dict(calls())
    assert len(lengths) > 80
    assert {where: length for where, length in lengths.items() if length > 100} == {}
