"""The text of reference sets."""

from __future__ import annotations

import json

import numpy as np
import pytest

from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.reference.json_writer import json_text, member


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        (b'{"a": "b"}', '{"a": "b"}'),
        (b"\xff", "base64:/w=="),
        (b"base64:x", "base64:YmFzZTY0Ong="),
        (ByteRange("s3://b/x.nc"), ["s3://b/x.nc"]),
        (ByteRange("a b", 5, 7), ["a b", 5, 7]),
    ],
)
def test_bytes_and_references(reference, value):
    assert json.loads(f"{{{member('v/0', reference)}}}") == {"v/0": value}


def test_versions_of_sets():
    ranges = ByteRanges(
        "x.nc", np.array([[0], [1]]), np.array([8, 24]), np.array([16, 16]),
        lambda rows: [f"v/{i}" for (i,) in rows.tolist()],
    )  # fmt: skip
    expected = {".zgroup": "{}", "v/0": ["x.nc", 8, 16], "v/1": ["x.nc", 24, 16]}
    entries: dict[str, bytes | ByteRange | ByteRanges] = {".zgroup": b"{}", "v": ranges}
    assert json.loads(json_text(entries, 0)) == expected
    assert json.loads(json_text(entries)) == {"version": 1, "refs": expected}
