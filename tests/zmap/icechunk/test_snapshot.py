"""The snapshot that a location names."""

from __future__ import annotations

import pytest

from ncz.errors import UrlError
from ncz.zmap.icechunk.snapshot import Snapshot, _version_of
from ncz.zmap.location import parse_location


@pytest.mark.parametrize(
    ("fragment", "version"),
    [
        ("mode=icechunk", {"branch": "main"}),
        ("icechunk.branch=dev", {"branch": "dev"}),
        ("icechunk.tag=v1", {"tag": "v1"}),
        ("icechunk.snapshot=ABC", {"snapshot_id": "ABC"}),
    ],
)
def test_versions(fragment, version):
    assert _version_of(parse_location(f"/r#{fragment}")) == version


@pytest.mark.parametrize(
    ("fragment", "message"),
    [
        ("icechunk.branch=dev&icechunk.tag=v1", "the URL names more than one snapshot"),
        ("icechunk.tag=", "the name of the snapshot is empty"),
    ],
)
def test_names_that_are_not_valid(fragment, message):
    with pytest.raises(UrlError, match=message):
        Snapshot(parse_location(f"/r#{fragment}"))
