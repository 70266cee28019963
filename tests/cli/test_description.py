"""The lines of `ncz info` about a dataset."""

from __future__ import annotations

import io
import textwrap

from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.cli.dataset_page import page_lines, storage_line
from ncz.cli.description import info_lines
from ncz.errors import ignore_notice

WORDS = st.lists(st.text("abcxyz", min_size=1, max_size=12), max_size=30).map(" ".join)


NAMES = st.text("abcdefgh", min_size=1, max_size=50)


@given(
    names=st.lists(NAMES, min_size=1, max_size=4, unique=True),
    text=WORDS,
    width=st.integers(40, 120),
)
def test_no_line_is_too_wide_and_no_word_is_broken(names, text, width):
    head = "; ".join(f"{name} = 2" for name in names)
    over = ", ".join(names)
    attributes = f':title = "{text}" ;'
    cdl = (
        f"netcdf s {{ dimensions: {head} ; variables: int v_{names[0]}({over}) ;"
        f' v_{names[0]}:long_name = "{text}" ; {attributes} }}'
    )
    info = ncz.info(io.BytesIO(cdl.encode()), stats=True, notify=ignore_notice)
    lines = [*info_lines(info, width, storage=True)]
    assert {*page_lines(info, width), *storage_line(info, width)} <= {*lines}
    for line in lines:
        assert len(line) <= width or len(max(line.split(), key=len)) > width // 2 - 8, line
    words = {
        word for line in textwrap.dedent("\n".join(lines)).splitlines() for word in line.split()
    }
    assert set(text.split()[:8]) <= words
