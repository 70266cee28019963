"""Levels of zstd below zero, which netCDF-C spells as unsigned numbers of 32 bits."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.conftest import Run

TEXT = (
    "netcdf s {{ dimensions: x = 400 ; variables: int v(x) ; v:_ChunkSizes = 100 ;"
    ' v:_Filter = "{}" ; data: v = 1, 2, 3, 4 ; }}'
)
UNSIGNED = 2**32 - 1


def level(store: Path) -> int | None:
    """Return the level in the document of an array."""
    for name in (".zarray", "zarr.json"):
        path = store / "v" / name
        if path.exists():
            document = json.loads(path.read_bytes())
            chain = [*(document.get("codecs") or ()), document.get("compressor") or {}]
            levels: list[int] = [
                each.get("level", (each.get("configuration") or {}).get("level"))
                for each in chain
                if "zstd" in (each.get("id"), each.get("name"))
            ]
            return levels[0]
    return None


@pytest.mark.parametrize("spelled", ["32015,-1", "32015,4294967295", "32015,4294967295U"])
@pytest.mark.parametrize(
    ("modes", "audience", "expected"),
    [
        (["nczarr", "v2"], [], UNSIGNED),
        (["zarr", "v2"], [], -1),
        (["zarr", "v2"], ["xarray"], -1),
        (["zarr", "v2"], ["netcdf-c"], UNSIGNED),
        (["nczarr", "v3"], [], -1),
        (["zarr", "v3"], [], -1),
    ],
)
def test_each_form_has_the_spelling_that_its_readers_know(
    tmp_path, spelled, modes, audience, expected
):
    text, first, second = tmp_path / "s.cdl", tmp_path / "a.zarr", tmp_path / "b.zarr"
    text.write_text(TEXT.format(spelled))
    ncz.gen(text, first, modes=modes, audience=audience, notify=ignore_notice)
    assert level(first) == expected
    plan = ncz.copy(first, second, modes=modes, audience=audience, notify=ignore_notice)
    assert (level(second), list(plan.ways)) == (expected, ["raw"])
    for form in (["nczarr", "v2"], ["zarr", "v2"], ["zarr", "v3"]):
        copied = ncz.copy(
            second, tmp_path / "c.zarr", modes=form, overwrite=True, notify=ignore_notice
        )
        assert level(tmp_path / "c.zarr") == (UNSIGNED if form == ["nczarr", "v2"] else -1)
        assert list(copied.ways) == ["raw"]
    with ncz.open(second) as found:
        assert found["v"][:4].tolist() == [1, 2, 3, 4]
    assert '_Filter = "32015,4294967295"' in ncz.dump(first, header_only=True, special=True)


def test_filters_of_copy_have_such_levels(run: Run, tmp_path):
    text, target = tmp_path / "s.cdl", tmp_path / "a.zarr"
    text.write_text(TEXT.format("1,1"))
    assert run("copy", "-F", "v,32015,-5", text, target).code == 0
    assert level(target) == 2**32 - 5


def test_check_finds_a_level_that_netcdf_c_does_not_read(tmp_path):
    text, target = tmp_path / "s.cdl", tmp_path / "a.zarr"
    text.write_text(TEXT.format("32015,-1"))
    ncz.gen(text, target, modes=["nczarr"], notify=ignore_notice)
    assert ncz.check(target, audience=["netcdf-c"]).findings == ()
    path = target / "v/.zarray"
    path.write_text(path.read_text().replace(str(UNSIGNED), "-1"))
    found = ncz.check(target, audience=["netcdf-c"]).findings
    assert [f.message for f in found if f.severity == "error"] == [
        "netcdf-c 4.10.1 does not decode chunks of zstd of a level below zero"
    ]
