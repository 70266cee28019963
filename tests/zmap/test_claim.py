"""The remains of a creation that was stopped, and its message."""

from __future__ import annotations

import pytest

from ncz.errors import NczError, ZmapError
from ncz.zmap.claim import Claim


def may_pass(passes: bool) -> ZmapError:
    error = ZmapError("no answer", "s3://b/x")
    error.may_pass = passes
    return error


@pytest.mark.parametrize(
    ("claim", "error", "keeps"),
    [
        (Claim("f"), KeyboardInterrupt(), False),
        (Claim("f", resume=True), KeyboardInterrupt(), True),
        (Claim("f", resume=True), may_pass(True), True),
        (Claim("f", resume=True), may_pass(False), False),
        (Claim("f", resume=True), ValueError(), False),
        (Claim("f", resume=True, kept=lambda: 0), KeyboardInterrupt(), False),
        (Claim("f", resume=True, is_asked=True, kept=lambda: 0), ValueError(), True),
    ],
)
def test_written_data_stay(claim, error, keeps):
    assert claim.keeps(error) == keeps


@pytest.mark.parametrize(("count", "text"), [(1, "1 chunk is kept"), (7, "7 chunks are kept")])
def test_the_message_says_what_to_do(count, text):
    claim = Claim("f", resume=True, kept=lambda: count)
    text += "; run the same command again to resume the copy"
    error = NczError("it failed")
    claim.tell(error)
    assert error.hint == text
    claim.tell(error)
    assert error.hint == f"{text}; {text}"
    interrupt = KeyboardInterrupt()
    claim.tell(interrupt)
    claim.tell(interrupt)
    assert interrupt.__notes__ == [text]
    other = ValueError()
    claim.tell(other)
    assert not hasattr(other, "__notes__")
