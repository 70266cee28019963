"""Unmodified programs read each archive, joined in each form, as xarray joins it.

``make test`` takes some. ``python -m tests.archives.table`` writes docs/reference/archives.md.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sampled import sampled

pytest.importorskip("kerchunk")
pytest.importorskip("xarray")
pytest.importorskip("dask.array")
icechunk = pytest.importorskip("icechunk")
if not hasattr(icechunk, "ChunkType"):
    pytest.skip("icechunk is older than 2.0", allow_module_level=True)

from tests.archives.archive import Archive  # noqa: E402
from tests.archives.catalogue import ARCHIVES  # noqa: E402
from tests.archives.joining import results  # noqa: E402


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("archive", sampled(ARCHIVES, 30), ids=lambda archive: archive.name)
def test_each_form_is_equal(archive: Archive, tmp_path: Path) -> None:
    found = results(archive, tmp_path)
    wrong = {form: result for form, result in found.items() if isinstance(result, str)}
    assert wrong == {}
    for name in ("a.json", "a.parq"):
        assert (tmp_path / f"{name}.chunks").exists() == archive.exceeds
    names = {path.name for path in tmp_path.glob("file_*")}
    assert len(names) >= 2
