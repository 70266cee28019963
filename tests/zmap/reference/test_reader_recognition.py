"""Files that are recognised as reference sets."""

from __future__ import annotations

import pytest

from ncz.errors import FormatError, StoreMissing, UrlError
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.zmap.reference.sets import write_set


def test_content_decides(tmp_path, closing):
    path = write_set(tmp_path / "any name", {"k": "v"})
    for text in (path, f"{path}#mode=reference", f"reference::{path}", f"file://{path}"):
        assert closing(open_zmap(parse_location(text))).get("k") == b"v"


def test_a_mode_that_is_wrong(tmp_path):
    path = write_set(tmp_path / "refs.json", {"k": "v"})
    with pytest.raises(UrlError, match="the URL has mode=zip, but this is a reference set"):
        open_zmap(parse_location(f"{path}#mode=zip"))
    (tmp_path / "d").mkdir()
    with pytest.raises(UrlError, match="mode=reference, but this is a directory"):
        open_zmap(parse_location(f"{tmp_path}/d#mode=reference"))


def test_other_json_is_not_a_set(tmp_path):
    (tmp_path / "x.json").write_text('{"variables": {}}')
    with pytest.raises(FormatError, match="this JSON text is not a reference set"):
        open_zmap(parse_location(f"{tmp_path}/x.json"))
    with pytest.raises(StoreMissing):
        open_zmap(parse_location(f"{tmp_path}/y.json"))


def test_options_that_are_not_valid(tmp_path):
    path = write_set(tmp_path / "refs.json", {"k": "v"})
    with pytest.raises(UrlError, match=r"reference.relative_to must be ref or cwd"):
        open_zmap(parse_location(f"{path}#reference.relative_to=home"))
    with pytest.raises(UrlError, match=r"unknown fragment key 'reference.allow'"):
        parse_location(f"{path}#reference.allow=/")
