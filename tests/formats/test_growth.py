"""Variables of aggregations that become longer."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any, cast

from ncz.formats.growth import Growth
from ncz.formats.piece_layout import PieceLayout


def layout(*lengths: tuple[int, ...], files: dict[Any, str]) -> PieceLayout:
    return cast("PieceLayout", SimpleNamespace(lengths=lengths, files=files))


GROWTH = Growth(
    fqn="/v",
    axis=0,
    before=layout((2, 2), (3,), files={(0, 0): "a.nc", (1, 0): "b.nc"}),
    after=layout((2, 2, 5), (3,), files={(0, 0): "a.nc", (1, 0): "b.nc", (2, 0): "c.nc"}),
    item_size=4,
)


def test_lengths_before_and_after():
    assert (GROWTH.start, GROWTH.stop, GROWTH.shape) == (4, 9, (9, 3))


def test_only_new_pieces_and_values_count():
    assert GROWTH.new == {(2, 0): "c.nc"}
    assert GROWTH.count == 15
    assert GROWTH.row == {
        "variable": "/v", "way": "recode", "from": 4, "to": 9, "pieces": 1,
        "bytes": 60, "bytes_beside": 0, "referred_bytes": 0,
    }  # fmt: skip


def test_nothing_is_known_of_seals_and_sums_by_default():
    assert not GROWTH.seals
    assert GROWTH.sums is None
