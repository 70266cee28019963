"""Selections of zarr-python: points, masks and whole chunks."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from ncz.api import point_selection
from tests.sampled import share_of

zarr = pytest.importorskip("zarr")
VALUES = np.arange(7 * 5).reshape(7, 5)


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    path = tmp_path_factory.mktemp("points") / "a.zarr"
    group = zarr.create_group(path, zarr_format=3)
    theirs = group.create_array("v", data=VALUES, chunks=(3, 2), dimension_names=("y", "x"))
    return ncz.open(path)["v"], theirs


@settings(max_examples=share_of(100))
@given(st.lists(st.tuples(st.integers(-7, 6), st.integers(-5, 4)), min_size=1, max_size=6),
       st.booleans())  # fmt: skip
def test_points(both, points, is_far):
    ours, theirs = both
    index = tuple([*along] for along in zip(*points, strict=True))
    expected = theirs.vindex[tuple(np.array(along) for along in index)]
    most = point_selection._MOST_TOGETHER
    point_selection._MOST_TOGETHER = 0 if is_far else most
    try:
        assert ours.vindex[index].tolist() == expected.tolist()
        assert ours.get_coordinate_selection(index).tolist() == expected.tolist()
    finally:
        point_selection._MOST_TOGETHER = most


def test_blocks_masks_and_outer_indices(both):
    ours, theirs = both
    for index in [(0, 0), (2, 2), (1, slice(None)), (-1,), (slice(0, 2), 1)]:
        assert ours.blocks[index].tolist() == theirs.blocks[index].tolist()
    for index in [([0, 5], slice(None)), (slice(1, 3), [4, 0]), (3, 2)]:
        assert np.array_equal(ours.oindex[index], theirs.oindex[index])
        assert np.array_equal(ours.get_orthogonal_selection(index), theirs.oindex[index])
    mask = VALUES % 3 == 0
    assert ours.get_mask_selection(mask).tolist() == VALUES[mask].tolist()
    assert ours.vindex[mask].tolist() == VALUES[mask].tolist()


@pytest.mark.parametrize(
    ("index", "says"),
    [
        (([0],), "2 lists are expected"),
        (([0], slice(None)), "points have a list"),
        (([7], [0]), "out of bounds for axis 0"),
    ],
)
def test_selections_that_are_no_point(both, index, says):
    with pytest.raises(IndexError, match=says):
        both[0].vindex[index]


def test_a_chunk_that_does_not_exist(both):
    with pytest.raises(IndexError, match="there are 3 chunks"):
        both[0].blocks[3, 0]


@pytest.mark.parametrize("mode", ["v2", "v3"])
def test_assignments(tmp_path, mode):
    path = tmp_path / "a.zarr"
    zarr.create_group(path, zarr_format=int(mode[1])).create_array("v", data=VALUES, chunks=(3, 2))
    expected = VALUES.copy()
    mask = VALUES > 30
    with ncz.open(path, "r+") as ds:
        v = ds["v"]
        v[mask] = -1
        expected[mask] = -1
        v.vindex[[0, 1, 1], [0, 2, 3]] = [7, 8, 9]
        expected[[0, 1, 1], [0, 2, 3]] = [7, 8, 9]
        v.oindex[[2, 4], 0:2] = 5
        expected[np.ix_([2, 4], [0, 1])] = 5
        v.blocks[2, 2] = 3
        expected[6:, 4:] = 3
        v.set_mask_selection(expected == 8, 80)
        expected[expected == 8] = 80
        v[mask] = np.arange(mask.sum())
        expected[mask] = np.arange(mask.sum())
        assert v[...].tolist() == expected.tolist()
    assert zarr.open(path)["v"][...].tolist() == expected.tolist()
