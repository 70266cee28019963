"""Globs of keys."""

from __future__ import annotations

import warnings
from fnmatch import fnmatchcase

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from ncz.commands.key_patterns import excluder, select
from ncz.errors import KeyMissing
from ncz.zmap.memory import MemoryZmap

KEYS = ("g/v/0", "g/v/1", "g/vb0", "v/.zarray", "v/0", "vb/0", "z")


@pytest.fixture
def zmap() -> MemoryZmap:
    found = MemoryZmap()
    for key in KEYS:
        found.put(key, b"1")
    return found


@given(st.text("ab-]", min_size=1, max_size=4), st.text("ab-[]!*?^\\&~|", min_size=1, max_size=9))
@example("b", "[z-a]")
@example("-", "[a--b]")
@example("b", "[!z-a]")
def test_a_name_matches_as_in_a_shell(name: str, glob: str):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of the other side
        wanted = fnmatchcase(name, glob)
    assert excluder([glob])(name) == wanted
    assert excluder([f"g/{glob}"])(f"g/{name}/0") == wanted


@pytest.mark.parametrize(
    ("glob", "wanted"),
    [
        ("**/v[!a]0", ["g/vb0"]),
        ("**/v[+-9]0", None),
        ("**/[!g]", ["g/v/0", "g/v/1", "v/0", "vb/0", "z"]),
        ("v[b-a]", None),
        ("g/*[0-9]", ["g/vb0"]),
        ("g/**", ["g/v/0", "g/v/1", "g/vb0"]),
        ("?", ["g", "v", "z"]),
        ("v*/0", ["v/0", "vb/0"]),
    ],
)
def test_a_slash_in_brackets_is_no_separator(zmap, glob: str, wanted: list[str] | None):
    if wanted is None:
        with pytest.raises(KeyMissing, match="no key matches"):
            next(select(zmap, glob, False))
    else:
        assert list(select(zmap, glob, False)) == wanted


def test_a_key_with_brackets_is_itself(zmap):
    zmap.put("a[!b]/0", b"1")
    assert list(select(zmap, "a[!b]", True)) == ["a[!b]/0"]
