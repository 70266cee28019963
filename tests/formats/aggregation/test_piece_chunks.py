"""The chunks of pieces as chunks of the whole, where they fit together."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.formats.aggregation.piece_chunks import PieceChunks
from ncz.formats.kinds import OpenOptions
from ncz.formats.opening import open_dataset
from ncz.model.data import ChunkSource
from ncz.model.tree import variables_by_fqn
from ncz.zmap.location import location_of

PLAIN = ["v:_ChunkSizes = 2, 3 ;", "v:_ChunkSizes = 2, 3 ;"]


@contextmanager
def chunks(
    folder: Path, storage: list[str], lengths: tuple[int, int] = (4, 3)
) -> Iterator[ChunkSource]:
    """Write two pieces, join them, and return the references to the chunks of the whole."""
    first = 0
    for number, (each, length) in enumerate(zip(storage, lengths, strict=True)):
        times = ", ".join(str(first + n) for n in range(length))
        values = ", ".join(str(3 * first + n) for n in range(3 * length))
        text = (
            f"netcdf p {{ dimensions: t = {length} ; x = 3 ; variables: int t(t) ;"
            f" int v(t, x) ; {each} data: t = {times} ; v = {values} ; }}"
        )
        ncz.gen(io.BytesIO(text.encode()), folder / f"{number}.nc", notify=ignore_notice)
        first += length
    paths = [folder / "0.nc", folder / "1.nc"]
    ncz.aggregate(paths, folder / "all.nca", axis="t", notify=ignore_notice)
    with open_dataset(location_of(folder / "all.nca"), OpenOptions()) as opened:
        data = dict(variables_by_fqn(opened.dataset.root))["/v"].data
        assert data is not None
        yield data.referable()


def test_chunks_that_fit_together(tmp_path):
    with chunks(tmp_path, PLAIN) as found:
        assert isinstance(found, PieceChunks)
        assert (found.grid.shape, found.layout.chunks) == ((7, 3), (2, 3))
        assert [*found.present()] == [(0, 0), (1, 0), (2, 0), (3, 0)]
        assert [found.find(index) for index in found.present()] == [
            ((0, 0), (0, 0)), ((0, 0), (1, 0)), ((1, 0), (0, 0)), ((1, 0), (1, 0)),
        ]  # fmt: skip
        assert (found.is_listed, found.stored_size((0, 0))) == (False, None)
        (values,) = found.values_of([(2, 0)])
        assert values is not None
        assert values.tolist() == [[12, 13, 14], [15, 16, 17]]
        with found.part((1, 0)) as part:
            (values,) = part.values_of([(0, 0)])
            assert values is not None
            assert values.tolist() == [[12, 13, 14], [15, 16, 17]]


@pytest.mark.parametrize(
    ("storage", "lengths"),
    [
        (PLAIN, (3, 4)),
        (["v:_ChunkSizes = 2, 3 ;", "v:_ChunkSizes = 1, 3 ;"], (4, 3)),
        (["v:_ChunkSizes = 2, 3 ;", "v:_ChunkSizes = 2, 3 ; v:_DeflateLevel = 1 ;"], (4, 3)),
        (["v:_ChunkSizes = 2, 3 ;", 'v:_ChunkSizes = 2, 3 ; v:_Endianness = "big" ;'], (4, 3)),
        (["v:_FillValue = 1 ; v:_ChunkSizes = 2, 3 ;", PLAIN[1]], (4, 3)),
    ],
    ids=["borders", "chunks", "codecs", "byte-order", "masks"],
)
def test_chunks_that_do_not_fit_together(storage, lengths, tmp_path):
    with chunks(tmp_path, storage, lengths) as found:
        assert not isinstance(found, PieceChunks)
