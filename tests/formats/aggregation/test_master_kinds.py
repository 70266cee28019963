"""The forms of new masters."""

from __future__ import annotations

from typing import get_args

from ncz.formats.aggregation.master_kinds import KINDS
from ncz.formats.aggregation.modes import FormName


def test_every_form_of_a_new_master_has_a_kind():
    assert {*KINDS} == {*get_args(FormName)}
    assert all(kind.name == name for name, kind in KINDS.items())


def test_only_cf_has_uris_and_packs_pieces_afterwards():
    for name, kind in KINDS.items():
        is_cf = name.startswith("CF-")
        assert (kind.has_uris, kind.needs_all, kind.packs_afterwards) == (is_cf,) * 3
