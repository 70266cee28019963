"""The folder of a newcomer: one dataset as text, as files, in parts, and as stores."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.cli import guesses
from tests.conftest import ROOT

QUIET: Any = {"notify": ignore_notice}


def fill(folder: Path) -> None:
    """Write the files that all newcomers have."""
    weather = folder / "weather.nc"
    shutil.copyfile(ROOT / "cdl_examples/weather.cdl", folder / "weather.cdl")
    text = (folder / "weather.cdl").read_text("utf-8")
    (folder / "changed.cdl").write_text(text.replace("281.2", "281.3"))
    for name in ("weather", "changed"):
        ncz.gen(folder / f"{name}.cdl", folder / f"{name}.nc", **QUIET)
    for name, variables in (("temperature", "temperature"), ("wind", "wind_speed")):
        ncz.copy(weather, folder / f"{name}.nc", vars=[variables], **QUIET)
    for month, (start, stop) in enumerate(((0, 1), (1, 3), (3, 4)), 1):
        part = {"time": slice(start, stop)}
        ncz.copy(weather, folder / f"2026-0{month}.nc", isel=part, **QUIET)
    ncz.copy(folder / "temperature.nc", folder / "classic.nc", kind="classic", **QUIET)
    ncz.copy(folder / "2026-01.nc", folder / "january.zarr", **QUIET)
    ncz.copy(weather, folder / "weather.zarr", **QUIET)


def enter(files: Path, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Enter a copy of the files as `guesses.enter` does, and make a reference set there."""
    guesses.enter(files, folder, monkeypatch)
    ncz.copy("weather.nc", "refs.json", **QUIET)
    return folder
