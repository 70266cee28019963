"""Drafts of files are like changed copies."""

from __future__ import annotations

import io
from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from ncz.zmap.file import LocalFile
from ncz.zmap.file_draft import FileDraft, PositionedDraft
from tests.sampled import share_of

WRITES = st.tuples(st.integers(0, 20_000), st.binary(max_size=9_000))
STEPS = st.lists(st.one_of(WRITES, st.integers(0, 20_000)), max_size=8)


@settings(max_examples=share_of(100))
@given(size=st.integers(0, 15_000), steps=STEPS)
def test_a_draft_is_like_a_changed_copy(tmp_path_factory, size, steps):
    path = Path(tmp_path_factory.mktemp("draft"), "file")
    path.write_bytes(bytes(number % 251 for number in range(size)))
    before, copy = path.read_bytes(), io.BytesIO(path.read_bytes())
    file = LocalFile(str(path))
    draft = FileDraft(file)
    positioned = PositionedDraft(draft)
    for step in steps:
        for each in (copy, positioned):
            if isinstance(step, int):
                each.truncate(step)
                if step > each.seek(0, io.SEEK_END):  # BytesIO does not add zeros
                    each.write(bytes(step - each.tell()))
            else:
                each.seek(step[0])
                each.write(step[1])
    expected = copy.getvalue()
    assert (draft.size, draft.read(0, draft.size)) == (len(expected), expected)
    positioned.seek(0)
    assert positioned.read() == expected
    assert path.read_bytes() == before
    with open(path, "r+b") as written:
        draft.write_to(written)
    assert path.read_bytes() == expected
    file.close()
