"""Appended data that are compared with their source."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

import ncz
from ncz.commands.append.verification import verify
from ncz.errors import NczError, ignore_notice
from ncz.transfer.difference import DifferenceError

CDL = """netcdf a {{ dimensions: t = UNLIMITED ; x = 2 ; variables: double t(t) ; int v(t, x) ;
data: t = {0}, {1} ; v = {0}, 5, {1}, 6 ; }}"""


@pytest.fixture
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name, start in (("a", 0), ("b", 2)):
        text = CDL.format(start, start + 1)
        ncz.gen(io.BytesIO(text.encode()), f"{name}.zarr", notify=ignore_notice)
    return tmp_path / "a.zarr"


def append() -> int:
    summary = ncz.copy("b.zarr", "a.zarr", append="t", verify=True, notify=ignore_notice)
    assert summary.compared is not None
    return summary.compared


def test_only_appended_data_are_compared(store: Path):
    assert append() == 2 + 4


def test_a_value_that_was_not_written_is_a_difference(store: Path, monkeypatch):
    def change(*arguments: object) -> int:
        chunk = max((store / "v").glob("[0-9]*"))
        chunk.write_bytes(bytes(len(chunk.read_bytes())))
        return verify(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr("ncz.commands.append.command.verify", change)
    with pytest.raises((DifferenceError, NczError), match="/v"):
        append()
