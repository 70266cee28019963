"""Settings that know the file that contains them."""

from __future__ import annotations

import copy
import pickle

from ncz.zmap.setting_places import Setting, place_of


def test_a_text_keeps_its_place():
    text = Setting("x", "/f")
    assert (text, place_of(text)) == ("x", "/f")
    for same in (copy.copy(text), pickle.loads(pickle.dumps(text))):
        assert (same, place_of(same)) == ("x", "/f")
    assert place_of("x", "default") == "default"
