"""Two stores that follow each other in time, for tests of commands."""

from __future__ import annotations

from pathlib import Path

import ncz
from ncz.errors import ignore_notice

WIDTH = 40
"""The length of dimension x of a template."""


def cdl(template: str, days: range) -> str:
    """Return CDL from a template with `%s` for the days, and for values at each day and x."""
    values = ", ".join(str(day * WIDTH + x) for day in days for x in range(WIDTH))
    return template % (", ".join(map(str, days)), values)


def write_series(folder: Path, template: str) -> Path:
    """Write a.cdl and a.zarr of six days, and b.cdl and b.zarr of the next four."""
    for name, days in (("a", range(6)), ("b", range(6, 10))):
        (folder / f"{name}.cdl").write_text(cdl(template, days), "utf-8")
        ncz.gen(folder / f"{name}.cdl", folder / f"{name}.zarr", notify=ignore_notice)
    return folder
