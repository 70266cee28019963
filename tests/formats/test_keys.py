"""The keys of a dataset that is not a store."""

from __future__ import annotations

import pytest

from ncz.errors import ignore_notice
from ncz.formats.opening import open_keys
from ncz.zmap.location import parse_location


@pytest.fixture
def path(tmp_path):
    import ncz

    cdl = "netcdf x { dimensions: n = 2 ; variables: int v(n) ; int s ; data: v = 1, 2 ; s = 3 ; }"
    (tmp_path / "x.cdl").write_text(cdl)
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.nc", kind="netCDF-4", notify=ignore_notice)
    return tmp_path / "x.nc"


def test_a_chunk_has_one_key(path):
    with open_keys(parse_location(str(path))) as keys:
        assert sorted(keys.walk()) == ["s/0", "v/0"]
        assert [keys.size(key) for key in ("v/0", "s/0")] == [8, 4]
        others = ("v/00", "v/1", "v/0.0", "s/00", "s/7", "v/\u0660", "v/")
        assert [keys.size(key) for key in others] == [None] * len(others)
