"""Files that a store refers to."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import get_args

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from ncz.zmap.source_file import SourceFile, State

CDL = "netcdf a { dimensions: x = 9999 ; variables: int v(x) ; data: v = 1 ; }"


def test_only_the_name_and_the_state_must_be_known():
    file = SourceFile(url="/a.nc", state="unknown")
    assert (file.size, file.reason) == (None, "")
    assert file == SourceFile(url="/a.nc", state="unknown")
    with pytest.raises(TypeError, match="state"):
        SourceFile(url="/a.nc")  # type: ignore[call-arg]


def test_the_state_of_a_file_is_found_now(tmp_path: Path):
    source = tmp_path / "a.nc"
    (tmp_path / "a.cdl").write_text(CDL)
    ncz.gen(tmp_path / "a.cdl", source, notify=ignore_notice)
    ncz.copy(source, tmp_path / "set.json", notify=ignore_notice)

    def found() -> SourceFile:
        with closing(open_zmap(parse_location(str(tmp_path / "set.json")))) as zmap:
            (file,) = zmap.sources()
        assert file.state in get_args(State)
        return file

    assert found() == SourceFile(url=str(source), state="unchanged", size=source.stat().st_size)
    source.write_bytes(source.read_bytes() + b"x")
    assert found().state == "changed"
    assert "bytes" in found().reason
    source.unlink()
    assert found().state == "missing"
    assert found().size is None
