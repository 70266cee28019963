"""docs/pictures/terminal.svg: it shows the output of the commands."""

from __future__ import annotations

import html
import importlib.util
import os
import re

import pytest

from tests.conftest import ROOT

SPEC = importlib.util.spec_from_file_location("make_pictures", ROOT / "docs" / "make_pictures.py")
assert SPEC is not None
assert SPEC.loader is not None
make_pictures = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(make_pictures)


def shown(svg: str) -> str:
    """Return the letters of a picture; another version of rich may divide them otherwise."""
    found = re.findall(r"<text class=.*?>(.*?)</text>", svg)
    return re.sub(r"\s", "", html.unescape("".join(found)).replace("\xa0", " "))


@pytest.mark.skipif(os.name == "nt", reason="the session is in a POSIX shell")
def test_the_picture_shows_the_output_of_the_commands():
    svg = make_pictures.PICTURE.read_text(encoding="utf-8")
    assert shown(svg) == shown(make_pictures.drawn(make_pictures.session())), "run 'make docs'"
    assert "http" not in svg.replace("http://www.w3.org", "").replace(
        "https://www.textualize.io", ""
    )
