"""New stores opened with the programs that they are for."""

from __future__ import annotations

import json

import pytest

import ncz
from ncz.errors import ignore_notice
from ncz.formats import other_readers
from tests.conftest import EXAMPLES, Run
from tests.sampled import sampled
from tests.transfer.test_by_readers import source as source


@pytest.mark.parametrize(
    "example",
    sampled([p for p in EXAMPLES if p.stem not in ("groups", "names")], 3),
    ids=lambda path: path.stem,
)
def test_xarray_reads_the_examples(example, tmp_path):
    pytest.importorskip("xarray")
    ncz.gen(example, tmp_path / "a.nc", notify=ignore_notice)
    summary = ncz.copy(
        tmp_path / "a.nc", tmp_path / "t.zarr", audience=["xarray"], verify=True,
        allow_loss=True, notify=ignore_notice,
    )  # fmt: skip
    assert summary.read_by == ["xarray"]


def test_programs_that_are_not_here_are_named(run: Run, source, tmp_path, monkeypatch):
    monkeypatch.setattr(other_readers, "find_spec", lambda _: None)
    ran = run("copy", "--for", "xarray,gdal", "--verify", "--json", source, tmp_path / "t.zarr")
    assert ran.code == 0, ran.stderr
    assert json.loads(ran.text)["read_by"] == []
    assert "was not opened with xarray: the package xarray is not installed" in ran.stderr
    assert "was not opened with gdal: ncz does not run this program" in ran.stderr
