"""Long data lists: the progress of scanning is reported."""

from __future__ import annotations

import pytest

from ncz.cdl.lexical import find_end_of_data_list
from ncz.text.source import SourceText
from tests.cdl.progress import Moved

LONG = b"x" * (9 << 20)


@pytest.mark.parametrize(
    ("text", "most"),
    [(LONG, 8 << 20), (b'"%b", 1' % LONG, 3 + len(LONG)), (b"1 // %b\n, 2" % LONG, 6 + len(LONG))],
    ids=["plain", "string", "comment"],
)
def test_progress_while_the_end_of_a_list_is_searched(text: bytes, most: int):
    progress = Moved()
    source = SourceText(text + b";", "t", progress)
    assert find_end_of_data_list(source, 0) == len(text)
    assert most - 4 <= progress.total <= most
