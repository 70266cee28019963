"""Errors of zip files."""

from __future__ import annotations

import contextlib
import warnings
import zipfile
from pathlib import Path

import pytest

from ncz.formats.zarr.check.zip_entries import check_archive
from ncz.zmap.location import parse_location
from ncz.zmap.memory import MemoryZmap
from ncz.zmap.opening import open_zmap


def found(path: Path, *names: str) -> list[tuple[str, str]]:
    """Return the findings of a zip file with these entries."""
    with zipfile.ZipFile(path, "w") as archive, warnings.catch_warnings(action="ignore"):
        for name in (".zgroup", *names):
            archive.writestr(name, '{"zarr_format": 2}')
    location = parse_location(str(path))
    with contextlib.closing(open_zmap(location)) as zmap:
        return [(each.code, each.key) for each in check_archive(zmap, location)]


@pytest.mark.parametrize(
    ("names", "findings"),
    [
        ([], []),
        (["v/0", "v/1"], []),
        (["v/0", "v/0", "v/0"], [("zip-duplicate", "v/0")]),
        (["../v/0"], [("zip-name-unsafe", "../v/0")]),
        (["a\\..\\0"], [("zip-name-unsafe", "a\\..\\0")]),
    ],
)
def test_entries_with_wrong_names(tmp_path: Path, names: list[str], findings):
    assert found(tmp_path / "a.zip", *names) == findings


def test_other_stores_have_no_entries(tmp_path: Path):
    assert list(check_archive(MemoryZmap(), parse_location(str(tmp_path)))) == []
