"""Changes of storage in a copy to a Zarr store, and the requested ones among them."""

from __future__ import annotations

import io
from itertools import count
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice

CDL = b"""netcdf s { dimensions: x = 4 ; y = 4 ; variables: int v(x, y) ; v:_ChunkSizes = 2, 2 ;
int w(x) ; data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 ; w = 1, 2, 3, 4 ; }"""
_COUNT = count()


def changes(source: dict[str, Any], target: dict[str, Any]) -> list[tuple[str, bool]]:
    """Write a store, and return the changes of a plan to copy it, and whether options ask them."""
    number = next(_COUNT)
    drafted, first, second = (f"memory://changes-{number}-{n}" for n in "abc")
    plans: list[Any] = []

    def keep(plan: Any) -> bool:
        plans.append(plan)
        return True

    ncz.gen(io.BytesIO(CDL), drafted, notify=ignore_notice)
    ncz.copy(drafted, first, notify=ignore_notice, **source)
    ncz.copy(first, second, dry_run=True, on_plan=keep, notify=ignore_notice, **target)
    return [(change.message, change.requested) for plan in plans for change in plan.changes]


V2: dict[str, Any] = {"modes": ["zarr", "v2"]}
V3: dict[str, Any] = {"modes": ["zarr", "v3"]}
NCZARR: dict[str, Any] = {"modes": ["nczarr"]}
ZLIB, SHARDS = {**V2, "codecs": "zlib"}, {**V3, "shards": "v=4,4"}
TO_V2 = ("Zarr V3 becomes Zarr V2", True)
TO_V3 = ("Zarr V2 becomes Zarr V3", True)
SLASHES = ("separator . of chunk keys becomes / (/v, /w)", True)
DOTS = ("separator / of chunk keys becomes . (/v, /w)", True)


@pytest.mark.parametrize(
    ("source", "target", "expected"),
    [
        (V2, V2, []),
        (ZLIB, V2, []),
        (SHARDS, V3, []),
        (V2, V3, [TO_V3, SLASHES]),
        (V2, {**V2, "separator": "/"}, [SLASHES]),
        (V3, {**V3, "separator": "."}, [DOTS]),
        (V2, NCZARR, [("pure Zarr becomes NCZarr", True)]),
        (
            NCZARR, V2,
            [("NCZarr becomes pure Zarr", True), ("consolidated metadata are added", True)],
        ),
        (V3, SHARDS, [("chunks are stored in shards of 4x4 (/v)", True)]),
        (
            SHARDS, {**V3, "shards": "v=2,2"},
            [("shards of 4x4 become shards of 2x2 (/v)", True)],
        ),
        (
            SHARDS, V2,
            [TO_V2, ("shards become separate chunks (/v)", False), DOTS],
        ),
        (ZLIB, V3, [TO_V3, ("codecs zlib become gzip (/v, /w)", False), SLASHES]),
        (ZLIB, {**V2, "codecs": "none"}, [("codecs zlib become none (/v, /w)", True)]),
    ],
)  # fmt: skip
def test_changes_of_a_copy(source, target, expected):
    assert changes(source, target) == expected
