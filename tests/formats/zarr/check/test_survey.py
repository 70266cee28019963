"""The census of the chunks of a store."""

from __future__ import annotations

import shutil

import ncz
from tests.formats.zarr.check.test_gallery import good as good


def test_the_census_counts_chunks(good, tmp_path):
    store = tmp_path / "s.zarr"
    shutil.copytree(good["nczarr"], store)
    (store / "v/0.1").unlink()
    (store / "v/1.0").write_bytes(b"")
    (census,) = [a for a in ncz.check(store).arrays or () if a.key == "v"]
    assert (census.expected, census.present, census.missing, census.empty) == (4, 3, 1, 1)
    assert census.bytes == sum(p.stat().st_size for p in (store / "v").glob("[0-9]*"))
