"""Names and paths as a text writes them."""

from __future__ import annotations

import pytest

from ncz.cdl.syntax_tree import PRIMITIVES, Word
from ncz.model.types import Atomic


@pytest.mark.parametrize(
    ("text", "name", "parts"),
    [
        ("v", "v", ("v",)),
        ("/g/v", "/g/v", ("", "g", "v")),
        ("g/v", "g/v", ("g", "v")),
        (r"a\/b", "a/b", ("a/b",)),
        (r"/g\/h/a\ b", "/g/h/a b", ("", "g/h", "a b")),
        ("//v", "//v", ("", "v")),
    ],
)
def test_parts_of_paths(text, name, parts):
    word = Word(text, 3)
    assert word.name == name
    assert word.parts == parts


def test_keywords_of_types():
    assert PRIMITIVES["long"] is PRIMITIVES["integer"] is PRIMITIVES["int"] is Atomic.INT
    assert PRIMITIVES["real"] is PRIMITIVES["float"] is Atomic.FLOAT
    assert {atomic.word for atomic in Atomic} <= set(PRIMITIVES)
