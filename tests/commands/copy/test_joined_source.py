"""Several sources that are opened as one dataset."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.commands.copy.joined_source import JoinedSource
from ncz.commands.joining.error import JoinError
from ncz.errors import ignore_notice
from ncz.formats.kinds import OpenOptions
from ncz.model.data import read_all
from ncz.model.tree import variables_by_fqn
from ncz.zmap.location import Location, location_of


@pytest.fixture
def parts(tmp_path) -> tuple[Location, ...]:
    for number in (2, 0):
        text = (
            "netcdf s { dimensions: t = 2 ; x = 1 ; variables: int t(t) ; int v(t, x) ;"
            f" data: t = {number}, {number + 1} ; v = {number}, {number + 1} ; }}"
        )
        ncz.gen(io.BytesIO(text.encode()), tmp_path / f"{number}.nc", notify=ignore_notice)
    return tuple(location_of(tmp_path / f"{number}.nc") for number in (2, 0))


@pytest.mark.parametrize("concat", [None, "t"])
def test_sources_follow_each_other_by_their_coordinate(parts, concat):
    ordered = parts[::-1] if concat else parts
    source = JoinedSource(name="both", sources=ordered, concat=concat)
    assert source.locations == ordered
    with source.open(OpenOptions(), ignore_notice) as opened:
        found = dict(variables_by_fqn(opened.dataset.root))
        assert found["/v"].data is not None
        assert read_all(found["/v"].data).tolist() == [[0], [1], [2], [3]]


def test_a_new_dimension(parts):
    source = JoinedSource(name="both", sources=(parts[0],) * 2, new_dimension="member")
    with source.open(OpenOptions(), ignore_notice) as opened:
        found = dict(variables_by_fqn(opened.dataset.root))
        assert found["/v"].data is not None
        assert found["/v"].data.grid.shape == (2, 2, 1)


def test_sources_that_do_not_differ(parts):
    source = JoinedSource(name="both", sources=(parts[0],) * 2)
    with pytest.raises(JoinError), source.open(OpenOptions(), ignore_notice):
        pass
    assert source.location.path == "both"
