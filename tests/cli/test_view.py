"""``ncz view``: its options on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.conftest import Run

CDL = """netcdf s { dimensions: y = 2 ; x = 3 ; variables: float v(y, x) ; int w(x) ;
data: v = 1, 2, 3, 4, 5, 6 ; w = 1, 2, 3 ; }"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    (tmp_path / "s.cdl").write_text(CDL)
    return tmp_path / "s.cdl"


@pytest.mark.parametrize(
    ("arguments", "word"),
    [((), "v"), (("w",), "w"), (("-v", "w"), "w"), (("v", "--isel", "y=1"), "v")],
)
def test_a_picture_is_text(run: Run, path: Path, arguments: tuple[str, ...], word: str):
    found = run("view", path, *arguments, "--colors", "none", "--width", "40", "--height", "12")
    assert found.code == 0
    assert found.text.splitlines()[0].startswith(word)
    assert all(len(line) <= 60 for line in found.text.splitlines())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("absent",), "no variable is named 'absent'"),
        (("--size", "800"), "write 800x400"),
        (("--size", "0x9"), "write 800x400"),
        (("--range", "x"), "write LOW:HIGH"),
    ],
)
def test_errors(run: Run, path: Path, arguments: tuple[str, ...], message: str):
    found = run("view", path, *arguments, "--png", path.with_suffix(".png"))
    assert found.code != 0
    assert message in found.stderr
    assert not path.with_suffix(".png").exists()
