"""docs/development/design.md: its diagram shows the real imports, its table every package."""

from __future__ import annotations

import ast
import importlib.util
import os
import re

import pytest

from tests.conftest import ROOT

SPEC = importlib.util.spec_from_file_location("make_design", ROOT / "docs" / "make_design.py")
assert SPEC is not None
assert SPEC.loader is not None
make_design = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_design)

PAGE = (ROOT / "docs" / "development" / "design.md").read_text(encoding="utf-8")
DIAGRAMS = {found["package"]: found["text"] for found in make_design.DIAGRAM.finditer(PAGE)}


@pytest.mark.parametrize("package", ["ncz"])
def test_a_diagram_shows_exactly_the_real_imports(package):
    drawn, real = make_design.drawn(DIAGRAMS[package]), make_design.arrows(package)
    assert drawn - real == set(), "drawn, but not imported; run 'make docs'"
    assert real - drawn == set(), "imported, but not drawn; run 'make docs'"


def test_lazy_imports_are_found_and_imports_for_type_checkers_are_not():
    source = """
from typing import TYPE_CHECKING
import ncz.errors
from ncz.model import tree
if TYPE_CHECKING:
    from ncz.views import summary
def read():
    if True:
        from ncz.zmap.key import display
"""
    known = frozenset(make_design.modules())
    assert make_design.imported(source, known) == {"ncz.errors", "ncz.model.tree", "ncz.zmap.key"}


def test_every_package_is_described():
    described = set(re.findall(r"^\| `([\w/.]+)` \|", PAGE, re.MULTILINE))
    packages = {
        path.parent.relative_to(ROOT / "src" / "ncz").as_posix() + "/"
        for path in (ROOT / "src" / "ncz").rglob("__init__.py")
    } - {"./"}
    assert packages - described == set()


def test_every_page_is_in_the_site():
    docs = ROOT / "docs"
    listed = {
        os.path.normpath(page.parent / line)
        for page in (docs / "index.md", *docs.glob("sections/*.md"))
        for line in page.read_text(encoding="utf-8").splitlines()
    }
    pages = {page.with_suffix("") for page in docs.glob("*/*.md")}
    assert len(pages) > 30
    missing = {page.name for page in pages if str(page) not in listed}
    assert missing == set(), "add the page to a toctree in docs/sections"


def test_every_page_of_a_section_has_a_line_with_its_title():
    for section in (ROOT / "docs" / "sections").glob("*.md"):
        text = section.read_text(encoding="utf-8")
        lines = re.findall(r"^- \[(.+)\]\((.+)\.md\): .+$", text, re.MULTILINE)
        assert [path for _, path in lines] == re.findall(r"^(\.\./.+)$", text, re.MULTILINE)
        for title, path in lines:
            head = (section.parent / f"{path}.md").read_text(encoding="utf-8").split("\n", 1)[0]
            assert head == f"# {title}" or head.startswith("```{include}"), path


def test_every_decision_is_in_the_index():
    folder = ROOT / "docs" / "development" / "decisions"
    index = (folder / "README.md").read_text(encoding="utf-8")
    records = sorted(folder.glob("[0-9]*.md"))
    assert len(records) >= 10
    for record in records:
        assert f"]({record.name})" in index
        text = record.read_text(encoding="utf-8")
        headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
        assert headings == ["Context", "Decision", "Consequences"], record.name


@pytest.mark.parametrize(
    "path", sorted((ROOT / "src" / "ncz").rglob("__init__.py")), ids=lambda p: p.parent.name
)
def test_entry_points_exist(path):
    """The docstring of a package names modules, and functions as "module.function"."""
    words = re.findall(r"`(\w+)\.(\w+)`", ast.get_docstring(ast.parse(path.read_text())) or "")
    for module, name in words:
        if module != "ncz":
            source = (path.parent / f"{module}.py").read_text()
            assert re.search(rf"^(def|class|    from .* import) {name}\b|^{name}\b", source, re.M)


def test_folders_of_tests_mirror_the_source():
    """A folder in tests/X has the name of a package or a module in src/ncz/X."""
    tests, source = ROOT / "tests", ROOT / "src" / "ncz"
    folders = {path.parent.relative_to(tests) for path in tests.rglob("*.py")}
    mirrored = [f for f in folders if f.parts and (source / f.parts[0]).is_dir()]
    assert len(mirrored) > 20
    known = [f for f in mirrored if any((source / f).with_suffix(s).exists() for s in ("", ".py"))]
    assert sorted(mirrored) == sorted(known)


def test_names_in_the_recipes_exist():
    """The files and names of "How to add" in CONTRIBUTING.md, in the order of each recipe."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    recipes = text.partition("## How to add ...")[2].partition("\n## ")[0].strip().split("\n\n")
    assert len(recipes) == 7
    for recipe in recipes:
        code = ""
        names = []
        for name in re.findall(r"`([^`]+)`", recipe):
            if "/" in name or name.endswith(".py"):
                places = (ROOT, ROOT / "src/ncz", ROOT / "src/ncz/codec")
                found = [place / name for place in places if (place / name).exists()]
                assert found, f"{name} does not exist"
                files = found[0].rglob("*.py") if found[0].is_dir() else found[:1]
                code += "".join(file.read_text(encoding="utf-8") for file in files)
            elif not name.startswith("make "):
                names.append(name)
        for name in names:
            word = name.rpartition(".")[2]
            is_known = re.search(rf"\b{word}\b", code) or (ROOT / "src/ncz" / name).is_dir()
            assert is_known, f"{name} in {recipe[:20]}"
