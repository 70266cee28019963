"""CDL text is known by the end of its name, or by its first bytes."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.formats.cdl.signs import is_text
from ncz.formats.kinds import Source
from ncz.zmap.location import location_of


@pytest.mark.parametrize(
    ("name", "start", "expected"),
    [
        ("x.cdl", b"// a comment\nnetcdf x {}", True),
        ("X.CDL", b"anything", True),
        ("x", b"netcdf x {}", True),
        ("x", b" \n netcdf\ta\\ b\n{ }", True),
        ("x", b"netcdf " + b"n" * 100 + b" {}", True),
        ("x", b"netcdf is a format of { and }", False),
        ("x", b"netcdf { }", False),
        ("x", b"// a comment\nnetcdf x {}", False),
        ("x.cdl", b"", False),
    ],
)
def test_a_text_is_known_by_its_name_or_start(
    tmp_path: Path, name: str, start: bytes, expected: bool
):
    (tmp_path / name).write_bytes(start)
    assert is_text(Source(location_of(tmp_path / name))) == expected


def test_a_folder_is_no_text(tmp_path: Path):
    (tmp_path / "x.cdl").mkdir()
    assert not is_text(Source(location_of(tmp_path / "x.cdl")))
