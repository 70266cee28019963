"""Update the output in the console blocks of README.md and docs/start: ``make docs``."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from tools.pages import Page  # noqa: E402 (the path is needed)

STARTS = {"cdl_examples/weather.cdl": "weather.cdl", "docs/start/globe.cdl": "globe.cdl"}
PAGES = {
    "README.md": {"cdl_examples": ""},
    **{f"docs/start/{path.name}": STARTS for path in (ROOT / "docs/start").glob("*.md")},
}
"""Each page, and what its commands need: paths in the source tree, and their names there."""


def main() -> None:
    """Rewrite the pages in place; blocks that need a server do not change."""
    for path, needed in PAGES.items():
        with tempfile.TemporaryDirectory() as folder:
            page = Page(path, Path(folder))
            for source, name in needed.items():
                page.copy(source, name)
            text = page.text
            for block in page.blocks("console"):
                if "localhost" not in block:
                    steps = page.outputs(block)
                    text = text.replace(block, "".join(f"$ {c}\n{out}" for c, out in steps))
        (ROOT / path).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
