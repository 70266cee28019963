"""Groups of keywords that several commands take."""

from __future__ import annotations

import ncz
from ncz.commands import keyword_groups
from ncz.commands.keywords import annotations_of


def test_a_group_of_groups_has_the_keywords_of_all():
    parts = keyword_groups.PARTS["CopyKeywords"]
    names = {name for part in parts for name in part.__annotations__}
    assert names == {*keyword_groups.CopyKeywords.__annotations__}
    assert names <= annotations_of(ncz.copy).keys()
