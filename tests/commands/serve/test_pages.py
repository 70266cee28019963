"""The pages of a server."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from ncz.commands.serve.pages import front_page, store_page
from ncz.commands.serve.served_store import ServedStore


def store(**more: Any) -> ServedStore:
    zmap = SimpleNamespace(is_document=lambda key: key.rpartition("/")[2].startswith("."))
    members = {"zmap": zmap, "summary": "<summary>", "face": None, **more}
    return cast("ServedStore", SimpleNamespace(**members))


def test_the_front_page_has_the_address_of_each_dataset():
    page = front_page({"a b": store(), "<c>": store(face=object())}, "http://h:1/")
    assert '<a href="a%20b/">a b</a> <code>http://h:1/a%20b</code>' in page
    assert '<a href="%3Cc%3E.nc">&lt;c&gt;.nc</a>' in page
    assert "<c>" not in page
    assert page.count("<li>") == 3


def test_a_page_of_a_group_has_its_members():
    page = store_page("a", store(), "", [".zattrs", "t:2", "v"])
    assert '<a href="./.zattrs">.zattrs</a>' in page
    assert '<a href="./v/">v/</a>' in page
    assert '<a href="./t%3A2/">' in page
    assert "<pre>&lt;summary&gt;</pre>" in page


def test_the_summary_is_at_the_root_alone():
    page = store_page("a", store(), "g/h", [".zarray", "<v>"])
    assert "summary" not in page
    assert "<title>a/g/h</title>" in page
    assert "&lt;v&gt;/" in page
