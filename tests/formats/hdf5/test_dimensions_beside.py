"""Variables over dimensions of groups next to them, in files that netCDF-C reads."""

from __future__ import annotations

import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import ncz
from tests.sampled import share_of

needs_ncdump = pytest.mark.skipif(shutil.which("ncdump") is None, reason="ncdump is not installed")
Draw = Callable[[st.SearchStrategy[Any]], Any]

GROUPS = ["", "/p", "/p/r", "/q", "/q/s"]
"""In the order of a text."""


@st.composite
def texts(draw: Draw) -> str:
    """Draw CDL whose variables in any group have dimensions of any group before them."""
    sizes = {f"{group}/d{n}": n + 2 for n, group in enumerate(GROUPS)}
    has_coordinate = draw(st.sets(st.sampled_from(GROUPS)))

    def body(group: str) -> str:
        number = GROUPS.index(group)
        # A coordinate variable of a group is defined before variables that refer to it.
        known = [d for d in sizes if GROUPS.index(d.rpartition("/")[0]) <= number]
        axes = draw(st.lists(st.sampled_from(known), min_size=1, max_size=3, unique=True))
        count = 1
        for axis in axes:
            count *= sizes[axis]
        values = ", ".join(map(str, range(count)))
        own = f"d{number}"
        declared = f"int {own}({own}) ;" if group in has_coordinate else ""
        data = f"{own} = {', '.join(map(str, range(number + 2)))} ;" if declared else ""
        below = [g for g in GROUPS if g.rpartition("/")[0] == group and g]
        inner = "".join(f"group: {g.rpartition('/')[2]} {{ {body(g)} }} " for g in below)
        return (
            f"dimensions: {own} = {number + 2} ; variables: {declared} float v({', '.join(axes)}) ;"
            f" data: {data} v = {values} ; {inner}"
        )

    return f"netcdf x {{ {body('')} }}"


def data_of(text: str) -> list[list[str]]:
    """Return the values of the variables in a text; ncdump shortens the names of dimensions."""
    return [found.split() for found in re.findall(r"^ +\w+ =([^;]*);", text, re.MULTILINE)]


def dumped(path: Path) -> str:
    ran = subprocess.run(["ncdump", path], capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    return ran.stdout


@needs_ncdump
@given(texts())
@settings(max_examples=share_of(60), deadline=None)
def test_ncdump_reads_written_files(text: str):
    with tempfile.TemporaryDirectory() as folder:
        source, made = Path(folder, "x.cdl"), Path(folder, "x.nc")
        source.write_text(text)
        ncz.gen(source, made, notify=lambda _: None)
        expected = dumped(made)
        assert data_of(expected) == data_of(ncz.dump(made))
        copy = Path(folder, "copy", "x.nc")
        copy.parent.mkdir()
        ncz.copy(made, copy, notify=lambda _: None)
        assert dumped(copy) == expected


@needs_ncdump
def test_a_dimension_of_a_sibling_group(tmp_path: Path):
    (tmp_path / "x.cdl").write_text(
        "netcdf x { group: p { dimensions: d1 = 2 ; d2 = 3 ; variables: int d1(d1) ;"
        " data: d1 = 5, 6 ; } group: q { variables: float v(/p/d1, /p/d2) ; int one(/p/d2) ;"
        " data: v = 1, 2, 3, 4, 5, 6 ; one = 7, 8, 9 ; } }"
    )
    ncz.gen(tmp_path / "x.cdl", tmp_path / "x.nc")
    text = dumped(tmp_path / "x.nc")
    assert "float v(/p/d1, /p/d2) ;" in text
    assert "one = 7, 8, 9 ;" in text
