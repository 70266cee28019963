"""The words of CDL declarations."""

from __future__ import annotations

import pytest

from ncz.cdl.scanner import Scanner
from ncz.text.source import SourceText


@pytest.mark.parametrize(
    ("text", "name", "rest"),
    [
        ("netcdf a {", "a", ""),
        ("NETCDF\n  a b-1 {x", "ab-1", "x"),
        ("// first\nnetcdf /* { */ a // {\n {x", "a", "x"),
        (r"netcdf a\ \{ {x", r"a\ \{", "x"),
        # ncgen has no comments here, so that a brace in a comment counts if there is no other
        ("netcdf //a {x {", "", "x {"),
        ("netcdf a// {x}\n", "a", "x}\n"),
        ("netcdf a/b {x", "a/b", "x"),
        ("netcdf a /* {x", "a/*", "x"),
    ],
)
def test_header(text: str, name: str, rest: str):
    scanner = Scanner(SourceText(text.encode(), "t"))
    assert scanner.header().text == name
    assert text[scanner.at :] == rest
