"""A plan of a copy that is carried out: written chunks, and their count."""

from __future__ import annotations

import io

import pytest

import ncz
from ncz.commands.copy.execution import carry_out, damage_notice
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.plan import plan_copy
from ncz.errors import NO_CALLBACKS, CodecError, ignore_notice
from ncz.formats.kinds import OpenOptions
from ncz.formats.opening import open_dataset
from ncz.zmap.location import parse_location

CDL = b"""netcdf s { dimensions: x = 4 ; y = 4 ; variables: int v(x, y) ; v:_ChunkSizes = 2, 2 ;
int none(x) ; int k ; data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16 ; k = 7 ; }"""


@pytest.mark.parametrize("suffix", [".zarr", ".nc"])
def test_chunks_are_counted(suffix, tmp_path):
    source = tmp_path / "s.zarr"
    ncz.gen(io.BytesIO(CDL), source, notify=ignore_notice)
    first, second = (parse_location(str(place)) for place in (source, tmp_path / f"t{suffix}"))
    options = CopyOptions(source=first, target=second)
    with open_dataset(first, OpenOptions()) as opened:
        plan = plan_copy(opened.dataset, second, options)
        summary = carry_out(plan, second, options, NO_CALLBACKS)
    assert (summary.variables, summary.kept, summary.damaged) == (3, 0, [])
    assert sum(summary.ways.values()) == 3
    assert summary.chunks == 5
    with ncz.open(tmp_path / f"t{suffix}") as copied:
        assert copied["v"][:].ravel().tolist() == [*range(1, 17)]
        assert copied["k"][...] == 7


def test_the_notice_of_a_damaged_chunk():
    notice = damage_notice(CodecError("bad bytes", "s.zarr/v/0.0"))
    assert (notice.code, notice.location) == ("chunk-damaged", "s.zarr/v/0.0")
    assert notice.message == "bad bytes; it was copied unchanged"
