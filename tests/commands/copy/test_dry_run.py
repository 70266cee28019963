"""A dry run writes nothing, for any copy, from the command line and from Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.errors import ignore_notice
from tests.interop.targets import run_ncz

TEXT = """netcdf a { dimensions: time = UNLIMITED ; x = 2 ; variables: int time(time) ;
  int v(time, x) ; data: time = %s ; v = %s ; }"""


def files(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.fixture(params=["s.zarr", "s.zip", "s.nca"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    for name, times, values in (("old", "0, 1", "1, 2, 3, 4"), ("new", "2", "5, 6")):
        (tmp_path / f"{name}.cdl").write_text(TEXT % (times, values))
    place: Path = tmp_path / request.param
    modes = {"s.zip": ["zarr", "zip"], "s.nca": ["cfa"]}.get(request.param, ["zarr"])
    ncz.copy(tmp_path / "old.cdl", place, modes=modes, notify=ignore_notice)
    return place


CHANGES: dict[str, dict[str, Any]] = {
    "append": {"append": "time"},
    "overlap": {"append": "time", "overlap": "last"},
    "into": {"into": {"time": 1}},
    "overwrite": {"overwrite": True},
}


@pytest.mark.parametrize("change", CHANGES)
def test_an_existing_store_stays(change, store):
    if change == "into" and store.suffix == ".nca":
        pytest.skip("values of an aggregation cannot be replaced")
    before, plans = files(store.parent), []

    def on_plan(plan: Any) -> bool:
        plans.append(plan)
        return True

    how = {**CHANGES[change], "dry_run": True, "notify": ignore_notice}
    ncz.copy(store.parent / "new.cdl", store, on_plan=on_plan, **how)
    ncz.copy(store.parent / "new.cdl", store, **how)
    assert (files(store.parent), len(plans)) == (before, 1)


@pytest.mark.parametrize(
    "options", [{}, {"each": True}, {"split": "time=1"}, {"verify": True}, {"modes": ["v3"]}]
)
@pytest.mark.parametrize("name", ["out", "out.zarr", "out.nc", "out.json"])
def test_a_new_target_does_not_appear(name, options, tmp_path):
    (tmp_path / "a.cdl").write_text(TEXT % ("0, 1", "1, 2, 3, 4"))
    ncz.copy(tmp_path / "a.cdl", tmp_path / "a.zarr", modes=["zarr"], notify=ignore_notice)
    before = files(tmp_path)
    target = f"{name.partition('.')[0]}-{{}}{Path(name).suffix}" if options else name
    if "each" not in options and "split" not in options:
        target = name
    if name.endswith((".nc", ".json")) and "modes" in options:
        pytest.skip("only stores have versions")
    how = {**options, "dry_run": True, "notify": ignore_notice}
    ncz.copy(tmp_path / "a.zarr", tmp_path / target, **how)
    assert files(tmp_path) == before


def test_text_has_no_plan(tmp_path):
    (tmp_path / "a.cdl").write_text(TEXT % ("0, 1", "1, 2, 3, 4"))
    done, _ = run_ncz("copy", "--dry-run", f"{tmp_path}/a.cdl", f"{tmp_path}/b.cdl")
    assert (done.code, "--dry-run needs a target that is not CDL" in (done.error or "")) == (
        2,
        True,
    )
    assert not (tmp_path / "b.cdl").exists()
