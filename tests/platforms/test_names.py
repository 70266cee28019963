"""Names that a file system takes for others, or refuses: no variable is lost silently."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.zmap.local.portable_names import windows_fault
from tests.conftest import Run
from tests.platforms.systems import SYSTEMS

TWO = "netcdf s { variables: int temp ; int Temp ; data: temp = 1 ; Temp = 2 ; }"
GROUPS = "netcdf s { group: Été { variables: int v ; } group: été { variables: int v ; } }"


def written(folder: Path, text: str) -> Path:
    source = folder / "s.cdl"
    source.write_text(text, "utf-8")
    return source


@pytest.mark.parametrize("mode", ["nczarr", "zarr", "v3"])
def test_two_names_that_are_one_on_the_disk_are_refused(mode, tmp_path, monkeypatch, run: Run):
    source = written(tmp_path, TWO)
    SYSTEMS["folded names"](monkeypatch, tmp_path)
    ran = run("gen", source, "-o", f"{tmp_path}/x.zarr#mode={mode}")
    assert ran.code == 1
    assert "/temp and /Temp would be the same folder" in ran.stderr
    assert "write a zip file" in ran.stderr
    assert list(tmp_path.iterdir()) == [source]


def test_groups_and_other_commands_refuse_them_too(tmp_path, monkeypatch, run: Run):
    folder = tmp_path / "disk"
    folder.mkdir()
    run("gen", written(tmp_path, GROUPS), "-o", tmp_path / "two.zip")
    run(
        "gen", written(tmp_path, "netcdf s { variables: int v ; int w ; }"), "-o", folder / "x.zarr"
    )
    SYSTEMS["folded names"](monkeypatch, folder)
    for line in (
        ("copy", tmp_path / "two.zip", folder / "y.zarr"),
        ("copy", tmp_path / "two.zip", folder / "y.zarr", "--resume"),
        ("edit", folder / "x.zarr", "--rename", "w=V"),
    ):
        ran = run(*line)
        assert ran.code == 1, line
        assert "would be the same folder" in ran.stderr
    assert [p.name for p in folder.iterdir() if not p.name.startswith(".ncz-")] == ["x.zarr"]
    assert run("dump", "-h", folder / "x.zarr").text.count("int ") == 2


def test_a_zip_file_contains_both(tmp_path, monkeypatch, run: Run):
    source = written(tmp_path, TWO)
    SYSTEMS["windows"](monkeypatch, tmp_path)
    assert run("gen", source, "-o", tmp_path / "x.zip").code == 0
    text = run("dump", tmp_path / "x.zip").text
    assert "temp = 1 ;" in text
    assert "Temp = 2 ;" in text


def test_a_file_system_that_keeps_them_apart_contains_both(tmp_path, run: Run):
    assert run("gen", written(tmp_path, TWO), "-o", tmp_path / "x.zarr").code == 0
    assert "temp = 1 ;" in run("dump", tmp_path / "x.zarr").text


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("CON", "device"), ("nul", "device"), ("aux.v2", "device"), ("COM1", "device"),
        ("lpt9 .x", "device"), ("a.", "removes '.'"), ("b ", "removes ' '"), ("x:y", "contain ':'"),
        ("a*", "contain '*'"), ("q?", "contain '?'"), ('"', "contain"), ("a\\b", "contain"),
        ("<", "contain"), (">", "contain"), ("a|b", "contain"), ("\0", "contain"),
        ("\x07", "contain"), ("\x1f", "contain"), ("lpt³", "device"), ("com10", None),
        ("con1", None), ("comx", None), (".zattrs", None), ("c", None),
        ("Öresund", None), ("a.b", None),
    ],
)  # fmt: skip
def test_names_that_windows_does_not_hold(name, fault):
    found = windows_fault(name)
    assert (found is None) if fault is None else fault in str(found)


@pytest.mark.parametrize("name", ["aux", "end.", "a\\:b"])
def test_they_are_refused_there(name, tmp_path, monkeypatch, run: Run):
    source = written(tmp_path, f"netcdf s {{ variables: int v ; int {name} ; }}")
    assert run("gen", source, "-o", tmp_path / "linux.zarr").code == 0
    SYSTEMS["windows"](monkeypatch, tmp_path)
    ran = run("gen", source, "-o", tmp_path / "x.zarr")
    assert ran.code == 1
    assert "indows" in ran.stderr
    assert not (tmp_path / "x.zarr").exists()
    assert run("gen", source, "-o", tmp_path / "x.zip").code == 0
