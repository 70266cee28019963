"""Every notice has a code, and docs/notices.md explains every code."""

from __future__ import annotations

import ast
import re
from typing import get_args

import pytest

from ncz.errors import NoticeCode
from tests.conftest import ROOT

CODES = sorted(get_args(NoticeCode))


def literals() -> list[str]:
    """Return every string in a call in the source of which it is the first argument."""
    found = []
    for path in (ROOT / "src/ncz").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and node.args and isinstance(node.args[0], ast.Constant):
                name = node.func.id if isinstance(node.func, ast.Name) else ""
                if name in ("Notice", "_notice", "loss_notice"):
                    found.append(str(node.args[0].value))
    return found


def test_every_code_is_used_and_every_used_one_declared():
    assert sorted(set(literals())) == CODES


def test_every_code_is_explained_once():
    rows = re.findall(
        r"^\| `([a-z-]+)` \| .+ \| .+ \|$", (ROOT / "docs/notices.md").read_text("utf-8"), re.M
    )
    assert sorted(rows) == CODES


@pytest.mark.parametrize("code", CODES)
def test_codes_are_kebab_case(code):
    assert re.fullmatch(r"[a-z]+(-[a-z]+)+", code)
