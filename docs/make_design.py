"""Draw the imports in docs/development/design.md: ``make docs``. A test compares the two.

Each diagram shows the parts directly below one package. An arrow from A to B means that a module of
A imports a module of B, at the top of the file or inside a function. Imports for type checkers only
are not drawn.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src"
PAGE = ROOT / "docs" / "development" / "design.md"

NOT_DRAWN = frozenset(
    {"errors", "failed_imports", "spelling", "system_errors", "record", "_version", "__main__"}
)
"""Parts of ``ncz`` that every package may import, or that only start it."""

DIAGRAM = re.compile(
    r"(?P<mark><!-- imports within (?P<package>[\w.]+) -->\n)```mermaid\n(?P<text>.*?)^```$",
    re.MULTILINE | re.DOTALL,
)

Arrows = set[tuple[str, str]]


def modules() -> dict[str, Path]:
    """Map the name of each module and package of ncz to its file."""
    found = {}
    for path in sorted((SOURCE / "ncz").rglob("*.py")):
        parts = path.relative_to(SOURCE).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(source: str, known: frozenset[str]) -> set[str]:
    """Return the modules among `known` that `source` imports, except for type checkers only."""
    found = set()
    for node in _running(ast.parse(source)):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            full = [(f"{node.module}.{alias.name}", node.module) for alias in node.names]
            names = [name if name in known else module for name, module in full]
        else:
            continue
        found.update(name for name in names if name in known)
    return found


def _running(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the nodes below `node`, without blocks for type checkers."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            continue
        yield child
        yield from _running(child)


def arrows(package: str) -> Arrows:
    """Return the imports between the parts directly below `package`, as pairs of names."""
    known = modules()
    names = frozenset(known)
    found = set()
    for module, path in known.items():
        importer = _part(module, package)
        if importer is None:
            continue
        for target in imported(path.read_text(encoding="utf-8"), names):
            part = _part(target, package)
            if part is not None and part != importer:
                found.add((importer, part))
    return found


def _part(module: str, package: str) -> str | None:
    """Return the part of `package` that `module` belongs to, or None if it is not drawn."""
    if not module.startswith(f"{package}."):
        return None
    name = module.removeprefix(f"{package}.").partition(".")[0]
    return None if package == "ncz" and name in NOT_DRAWN else name


def diagram(package: str) -> str:
    """Return the Mermaid text of the imports within `package`."""
    found = arrows(package)
    importers = sorted({importer for importer, _ in found})
    lines = []
    for importer in importers:
        targets = sorted(target for source, target in found if source == importer)
        lines.append(f"    {importer} --> {' & '.join(targets)}")
    return "flowchart TD\n" + "\n".join(lines) + "\n"


def drawn(text: str) -> Arrows:
    """Return the arrows of a Mermaid text that `diagram` wrote."""
    found = set()
    for line in text.splitlines():
        importer, arrow, targets = line.partition(" --> ")
        if arrow:
            found.update((importer.strip(), target.strip()) for target in targets.split("&"))
    return found


def main() -> None:
    """Replace the diagrams in docs/development/design.md."""
    text = DIAGRAM.sub(
        lambda match: f"{match['mark']}```mermaid\n{diagram(match['package'])}```",
        PAGE.read_text(encoding="utf-8"),
    )
    PAGE.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
