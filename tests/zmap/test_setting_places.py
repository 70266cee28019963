"""Settings that know the file and the line in which they are written."""

from __future__ import annotations

import copy
import json
import pickle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.zmap.setting_places import Setting, lines_of_json, lines_of_sections, place, place_of
from tests.sampled import share_of

LEAVES = st.text(max_size=4) | st.integers() | st.none() | st.lists(st.booleans(), max_size=2)
TREES = st.recursive(
    LEAVES, lambda inner: st.dictionaries(st.text(max_size=4), inner, max_size=3), max_leaves=8
)


def keys_of(tree, above=()):
    """Return the keys of a JSON value in the order in which they are written."""
    if isinstance(tree, list):
        return [key for each in tree for key in keys_of(each, (*above, ""))]
    if not isinstance(tree, dict):
        return []
    return [
        found
        for key, value in tree.items()
        for found in ((*above, key), *keys_of(value, (*above, key)))
    ]


@settings(max_examples=share_of(40))
@given(st.dictionaries(st.text(max_size=4), TREES, max_size=4))
def test_every_key_of_a_json_text_has_its_line(tree):
    text = json.dumps(tree, indent=1)
    lines = text.splitlines()
    found = lines_of_json(text)
    assert list(found) == keys_of(tree)
    for keys, number in found.items():
        assert lines[number - 1].strip().startswith(json.dumps(keys[-1]) + ":")


@pytest.mark.parametrize("equals", ["=", " = ", ": "])
def test_sections_and_keys_have_their_lines(equals):
    text = f"# a comment\n[profile a]\nRegion{equals}x\n\n[services s]\ns3{equals}\n  region = y\n"
    found = lines_of_sections(text)
    assert found["profile a", "region"] == 3
    assert found["services s", ""] == 5
    assert found["services s", "region"] == 7


def test_a_line_within_a_value_gives_way_to_a_key():
    text = "[a]\ns3 =\n  region = inner\nregion = outer\nlast =\n  region = inner\n"
    assert lines_of_sections(text)["a", "region"] == 4


def test_names_in_quotes_are_found():
    text = '[alias."my lab"]\n"endpoint" = "https://x"\n'
    assert lines_of_sections(text) == {("alias.my lab", ""): 1, ("alias.my lab", "endpoint"): 2}


def test_a_text_keeps_its_place():
    text = Setting("x", place("/f", 3))
    assert (text, place_of(text)) == ("x", "/f:3")
    for same in (copy.copy(text), pickle.loads(pickle.dumps(text))):
        assert (same, place_of(same)) == ("x", "/f:3")
    assert place_of("x", "default") == "default"
    assert place("/f", None) == "/f"
