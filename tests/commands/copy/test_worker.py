"""A piece of a copy, in a worker of Dask."""

from __future__ import annotations

import pickle

import pytest

from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.worker import Piece
from ncz.commands.sources import location_of_target
from ncz.zmap.location import location_of, parse_location

pytest.importorskip("distributed", reason="the extra ncz[dask] is not installed")


def test_answers_for_a_piece():
    target = parse_location("s3://bucket/b.zarr")
    options = CopyOptions(
        source=location_of("s3://bucket/a.zarr"), target=location_of_target("s3://bucket/b.zarr")
    )

    def sent(count: int) -> int:
        indices = tuple((n, 2 * n, 3 * n) for n in range(count))
        return len(
            pickle.dumps(Piece("0123456789abcdef" * 2, options, target, target, "/v", indices))
        )

    assert sent(0) < 2000
    assert sent(1000) - sent(0) < 12 * 1000
