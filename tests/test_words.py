"""The words of messages, help texts and docstrings: plain English, as CONTRIBUTING.md asks for."""

from __future__ import annotations

import ast
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.conftest import ROOT

SOURCE = ROOT / "src" / "ncz"
PACKAGES = sorted(p.name for p in SOURCE.iterdir() if p.is_dir() and (p / "__init__.py").exists())
MODULES = sorted(p.name for p in SOURCE.glob("*.py"))

RULED_OUT = (
    r"(is|are|stands?) there already",
    r"\bis no (?!(longer|more)\b)",
    r"\bcut (anew|otherwise)\b",
    r"\brecut\w*",
    r"\bgone on with\b",
    r"\bfound by looking\b",
    r"\bto keep to\b",
    r"\bwhat lies there\b",
    r"\bnobody\b",
    r"\bdeeds?\b",
    r"\bone after the other\. Who\b",
    r"\b(are|is|be) had\b",
    r"\bas it stands\b",
    r"\bcannot stand\b",
    r"\bhas no end\b",
    r"\b(is|are) told\b",
    r"\bsaid (otherwise|so|in the form)\b",
    r"\bspelt\b",
    r"\bmust be spelled\b",
    r"\bworkforce\b",
    r"\bpatience\b",
    r"\brefusals?\b",
    r"\bnouns\b",
    r"\bimports nothing of ours\b",
    r"\bwhoever\b",
)
"""Forms that plain technical English does not use."""

WORDS = re.compile("|".join(RULED_OUT), re.IGNORECASE)


def texts(path: Path) -> Iterator[tuple[int, str]]:
    """Yield every string constant of a module, docstrings and parts of f-strings included."""
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, " ".join(node.value.split())


def ruled_out(path: Path) -> Iterator[str]:
    for line, text in texts(path):
        for found in WORDS.finditer(text):
            around = text[max(0, found.start() - 30) : found.end() + 20]
            yield f"{path.relative_to(ROOT)}:{line}: {around}"


def files(part: str) -> list[Path]:
    place = SOURCE / part
    return sorted(place.rglob("*.py")) if place.is_dir() else [place]


@pytest.mark.parametrize("part", [*PACKAGES, *MODULES])
def test_no_text_has_a_form_that_is_ruled_out(part):
    found = [each for path in files(part) for each in ruled_out(path)]
    assert not found, "\n".join(found)


@pytest.mark.parametrize(
    ("text", "is_ruled_out"),
    [
        ("s.zarr is there already", True),
        ("'10XB' is no size", True),
        ("the chunks are cut anew", True),
        ("the copy cannot be gone on with", True),
        ("the format is found by looking", True),
        ("s.zarr already exists", False),
        ("'10XB' is not a valid size", False),
        ("the file is no longer open", False),
    ],
)
def test_the_forms_are_recognised(text, is_ruled_out):
    assert bool(WORDS.search(text)) == is_ruled_out


TWICE = {"Dataset", "Group", "Variable", "Entry", "Piece"}
"""Names of classes of Python and of the model, which have those of netCDF, and two more."""


def test_no_two_public_classes_have_the_same_name():
    trees = [ast.parse(path.read_text(encoding="utf-8")) for path in sorted(SOURCE.rglob("*.py"))]
    names = Counter(
        node.name
        for tree in trees
        for node in tree.body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    )
    assert {name for name, count in names.items() if count > 1} <= TWICE
