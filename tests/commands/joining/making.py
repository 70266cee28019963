"""Datasets of a few times, to join them."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import ncz
from ncz.errors import Notice, ignore_notice

CDL = """netcdf f {{
dimensions: time = UNLIMITED ; x = {width} ; nv = 2 ;
variables:
  {kind} time(time) ; time:units = "{units}" ; time:calendar = "{calendar}" ;
  time:bounds = "time_bnds" ; {kind} time_bnds(time, nv) ; {bounds}
  {type} v(time, x) ; v:units = "K" ; {packing}
  float x(x) ; x:units = "{x_units}" ; :history = "{history}" ;
data: time = {time} ; time_bnds = {ends} ; v = {v} ; x = {x} ; }}
"""


def make(
    name: str,
    times: Sequence[float],
    *,
    units: str = "hours since 2000-01-01",
    calendar: str = "standard",
    kind: str = "double",
    bounds: str = "",
    type: str = "float",
    packing: str = "",
    values: Sequence[object] | None = None,
    x: str = "1, 2",
    x_units: str = "degrees_north",
    history: str = "h",
) -> str:
    """Make a dataset with these times, and return its name."""
    width = x.count(",") + 1
    numbers = [10 * t + i for t in times for i in range(width)] if values is None else values
    text = CDL.format(
        kind=kind, units=units, calendar=calendar, bounds=bounds, type=type, packing=packing,
        width=width, x=x, x_units=x_units, history=history, time=listed(times),
        ends=listed([t + i for t in times for i in (0, 1)]), v=listed(numbers),
    )  # fmt: skip
    Path("made.cdl").write_text(text)
    ncz.gen("made.cdl", name, overwrite=True, notify=ignore_notice)
    return name


def listed(values: Sequence[object]) -> str:
    return ", ".join(map(str, values))


def copied(*sources: str, target: str = "all.zarr", **options: object) -> list[Notice]:
    """Join sources, and return the notices."""
    notices: list[Notice] = []
    ncz.copy(list(sources), target, notify=notices.append, **options)  # type: ignore[arg-type]
    return [n for n in notices if n.code not in ("form-changed", "reader-excluded")]


def values(name: str, variable: str = "time") -> list[object]:
    found: list[object] = ncz.open(name)[variable][...].tolist()
    return found


def contents(folder: str) -> dict[str, bytes]:
    return {str(p): p.read_bytes() for p in Path(folder).rglob("*") if p.is_file()}
