"""Copies to aggregations with any options can be read, or are refused."""

from __future__ import annotations

import io
import itertools
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import LossError, ignore_notice
from tests.sampled import sampled

TEXT = b"""netcdf s { dimensions: t = 4 ; x = 3 ; variables: float v(t, x) ;
data: v = 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 ; }"""
FORMS = ("cfa", "cfa0.4", "cf")
KINDS = ((), ("zarr",), ("zarr", "v3"), ("nczarr",), ("nczarr", "v3"), ("zarr", "noxarray"))
OPTIONS: tuple[dict[str, Any], ...] = (
    {}, {"annotations": False}, {"consolidated": False}, {"annotations": False, "allow_loss": True},
    {"consolidated": False, "allow_loss": True}, {"allow_loss": True},
)  # fmt: skip
SOURCES: dict[str, dict[str, Any]] = {
    "s.nc": {},
    "v2.zarr": {"modes": ["zarr", "v2"], "annotations": False, "allow_loss": True},
    "v3.zarr": {"modes": ["zarr", "v3"], "annotations": False, "allow_loss": True},
    "own.zarr": {"modes": ["nczarr"]},
}


@pytest.mark.parametrize(
    ("source", "form"), sampled(itertools.product(SOURCES, FORMS), len(FORMS) + 1)
)
def test_each_aggregation_is_read_or_refused(tmp_path: Path, monkeypatch, source, form):
    monkeypatch.chdir(tmp_path)
    ncz.gen(io.BytesIO(TEXT), source, notify=ignore_notice, **SOURCES[source])
    with ncz.open(source) as opened:
        expected = opened["v"][...].tolist()
    written = 0
    for kind, options in itertools.product(KINDS, OPTIONS):
        number = f"{written}.zarr"
        try:
            ncz.copy(
                source,
                number,
                modes=[form, *kind],
                pieces={"t": 2},
                notify=ignore_notice,
                **options,
            )
        except LossError:
            assert options.keys() - {"allow_loss"} or "noxarray" in kind
            continue
        written += 1
        with ncz.open(number) as found:
            assert found["v"][...].tolist() == expected, (kind, options)
    assert written > len(KINDS)
