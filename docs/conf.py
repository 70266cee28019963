"""Settings of Sphinx for the documentation as a site: ``make docs-site``."""

from __future__ import annotations

import re
from pathlib import Path

from sphinx.application import Sphinx

from ncz._version import __version__

project = "ncz"
author = "the ncz developers"
copyright = author
release = version = __version__.partition(".dev")[0] + " (development)" * (".dev" in __version__)

extensions = [
    "myst_parser",
    "numpydoc",
    "sphinx.ext.autodoc",
    "sphinx_copybutton",
    "sphinx_design",
    "sphinxcontrib.mermaid",
]
myst_enable_extensions = ["colon_fence"]
myst_fence_as_directive = ["mermaid"]
myst_heading_anchors = 4
source_suffix = {".md": "markdown"}
root_doc = "index"
exclude_patterns: list[str] = []

autosummary_generate = False
autodoc_typehints = "none"
numpydoc_class_members_toctree = False
numpydoc_show_class_members = False

copybutton_prompt_text = "$ "
"""What is before a command that the copy button takes; output is not copied."""

html_theme = "pydata_sphinx_theme"
html_title = f"ncz {version}"
html_show_sourcelink = False
html_static_path = ["static"]
html_css_files = ["site.css"]
html_theme_options = {
    "header_links_before_dropdown": 6,
    "navigation_depth": 2,
    "search_bar_text": "Search",
    "show_toc_level": 2,
}

OUTSIDE = {
    "CHANGELOG": "development/changelog",
    "CONTRIBUTING": "development/contributing",
    "SECURITY": "reference/security",
}
"""Pages at the top of the source tree, and the pages of the site that include them."""


def _link_within(_: Sphinx, docname: str, source: list[str]) -> None:
    """Let links to pages at the top of the source tree lead to those of the site."""
    up = "../" * docname.count("/")
    for name, page in {**OUTSIDE, "README": "index"}.items():
        source[0] = source[0].replace(f"]({up}../{name}.md", f"]({up}{page}.md")


def _link_from_the_top(_: Sphinx, path: Path, parent: str, source: list[str]) -> None:
    """Do the same in a page that is included; its links begin at the top."""
    up = "../" * (parent.count("/") + 1)
    source[0] = source[0].replace("](cdl_examples/", f"]({up}cdl_examples/")
    for name, page in OUTSIDE.items():
        source[0] = source[0].replace(f"]({name}.md", f"](docs/{page}.md")
    source[0] = re.sub(r"\[([^]]+)\]\((?:tools|tests)[^)]*\)", r"`\1`", source[0])


def setup(app: Sphinx) -> None:
    """Connect the changes of links to Sphinx."""
    app.connect("source-read", _link_within)
    app.connect("include-read", _link_from_the_top)
