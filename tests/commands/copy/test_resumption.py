"""Copies that continue when the same command is typed again."""

from __future__ import annotations

import pytest

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.resumption import claim_of
from ncz.zmap.location import parse_location


@pytest.mark.parametrize(
    ("sources", "asked", "resumes"),
    [
        (["a.nc"], None, True),
        (["a.zarr", "b.cdl"], None, True),
        (["https://example.org/a.nc"], None, False),
        (["s3://bucket/a.zarr"], None, False),
        (["a.nc", "s3://bucket/a.zarr"], None, False),
        (["s3://bucket/a.zarr"], True, True),
        (["a.nc"], False, False),
    ],
)
def test_a_copy_continues_unasked_if_all_sources_are_local(sources, asked, resumes):
    """When the chunks of a source on a server changed is not known."""
    first, *more = map(parse_location, sources)
    options = CopyOptions(
        source=first, more_sources=tuple(more), target=parse_location("t.zarr"), resume=asked
    )
    assert claim_of("", options, "", lambda: 1).resume is resumes
