"""The errors of a plan before it writes."""

from __future__ import annotations

import pytest

from ncz.errors import LossError, Notice, UrlError
from ncz.formats.write_plan import refuse_codecs, refuse_losses, refuse_to_resume
from ncz.zmap.claim import Claim
from ncz.zmap.location import parse_location


def unexpected(notice: Notice) -> None:
    raise AssertionError(notice)


LOSSES = [
    Notice("string-nil", "strings become empty"),
    Notice("data-unreadable", "it is damaged", "x.zarr: /v/0", lost=True),
]


def test_losses():
    notices: list[Notice] = []
    refuse_losses(LOSSES, True, notices.append)
    assert notices == LOSSES
    refuse_losses([], False, unexpected)
    with pytest.raises(LossError) as caught:
        refuse_losses(LOSSES, False, unexpected)
    assert "strings become empty; x.zarr: /v/0: it is damaged" in str(caught.value)
    assert "--allow-loss" in str(caught.value)


def test_codecs():
    refuse_codecs([("/v", None)])
    with pytest.raises(LossError, match="variable /w: it is missing; variable /x: other"):
        refuse_codecs([("/v", None), ("/w", "it is missing"), ("/x", "other")])


def test_a_copy_that_cannot_be_resumed():
    location = parse_location("x.nc")
    refuse_to_resume(None, "a file", location)
    refuse_to_resume(Claim("f", resume=True), "a file", location)
    with pytest.raises(UrlError, match=r"x\.nc: a copy to a file cannot be resumed"):
        refuse_to_resume(Claim("f", is_asked=True), "a file", location)
