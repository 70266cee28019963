"""A run of the benchmarks compares its ratios with the last run's, at the same scale."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks import figures, peers
from benchmarks.measure import Measured
from benchmarks.row import Limit, Result, Row
from benchmarks.run import (
    README,
    README_HEAD,
    README_ROWS,
    full_line,
    full_lines,
    page_line,
    summary,
    with_figures,
)

ROW = Row("copy", "cp -r", ["ncz"], ["cp"], target=1.0, most_memory=100)


def result(ratio: float, row: Row = ROW, memory: int = 10 << 20) -> Result:
    return Result(row, Measured(1.0, memory), Measured(ratio, memory))


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(figures, "FILE", tmp_path / "figures.json")
    return tmp_path / "figures.json"


@pytest.mark.parametrize(
    ("ratio", "told"), [(2.0, "2.00"), (1.5, "2.00 (slower now)"), (2.6, "2.00 (faster now)")]
)
def test_a_run_is_compared_with_the_last_one(ratio: float, told: str):
    assert figures.change(figures.load("full"), result(2.0)) == ""
    figures.save("full", [result(2.0)])
    assert figures.change(figures.load("full"), result(ratio)) == told


def test_figures_of_other_rows_and_of_the_other_scale_are_kept():
    other = Row("dump", "ncdump", ["ncz"], ["ncdump"])
    figures.save("quick", [result(3.0)])
    figures.save("full", [result(1.0, other)])
    figures.save("full", [result(2.0)])
    assert figures.load("full") == {"copy / cp -r": 2.0, "dump / ncdump": 1.0}
    assert figures.load("quick") == {"copy / cp -r": 3.0}


def test_the_summary_counts_the_rows_that_reach_their_targets():
    results = [result(2.0), result(0.5), result(2.0, memory=200 << 20)]
    assert summary(results, 0.0).startswith("1 rows reach their targets, 2 do not; ")


@pytest.mark.parametrize(("limit", "verdict"), [(0.8, "met"), (0.5, "missed")])
def test_a_row_is_compared_with_the_limit_of_the_machine(limit: float, verdict: str):
    row = Row("copy", "", ["ncz"], limit=Limit("codecs alone", ["codecs"], most=1.5))
    measured = Result(row, Measured(1.0, 1), None, limit=limit)
    assert measured.verdict == verdict
    missed = f" 1.5 times {limit:.2f} s (codecs alone) |"
    assert full_line(measured).endswith(missed) == (verdict == "missed")


@pytest.mark.parametrize(("most", "verdict"), [(1.5, "met"), (0.5, "missed")])
def test_the_time_that_people_wait_is_limited(most: float, verdict: str):
    measured = Result(Row("picture", "", ["ncz"], most_seconds=most), Measured(1.0, 1), None)
    assert measured.verdict == verdict
    assert full_line(measured).endswith(f"| {most:g} s |") == (verdict == "missed")


@pytest.mark.parametrize(("longest", "verdict"), [(600.0, "met"), (400.0, "missed")])
def test_the_time_of_each_chunk_is_limited(longest: float, verdict: str):
    row = Row("dump", "", ["ncz"], each=(2000, "chunk", longest))
    measured = Result(row, Measured(1.0, 1), None)
    assert (measured.each, measured.verdict) == (500.0, verdict)


def test_a_task_is_named_once():
    other = Row("dump", "ncdump", ["ncz"], ["ncdump"])
    first, second, third = full_lines([result(0.8), result(0.5), result(2.0, other)])
    assert first == "| copy | 1.00 s, 10 MB | cp -r: 0.80 s, 10 MB | 0.80 | 1.00; memory 100 MB |"
    assert second.startswith("| | 1.00 s, 10 MB | cp -r: 0.50 s")
    assert third == "| dump | 1.00 s, 10 MB | ncdump: 2.00 s, 10 MB | 2.00 |  |"


def test_rows_without_a_met_target_are_shown_unless_users_see_them():
    told = Row("copy", "cp -r", ["ncz"], ["cp"], target=1.0, told="copy 1 MB")
    free = Row("dump", "ncdump", ["ncz"], ["ncdump"], told="print 1 MB")
    (line,) = full_lines([result(2.0), result(2.0, told), result(2.0, free), result(0.5, told)])
    assert line.startswith("| copy | 1.00 s, 10 MB | cp -r: 0.50 s")


def test_the_page_for_users_has_the_words_of_users():
    row = Row("copy, raw", "cp -r", ["ncz"], ["cp"], told="copy 1 MB")
    assert page_line(result(2.0, row)) == "| copy 1 MB | 1.00 s | cp -r | 2.00 s | 2.00 |"


def test_a_folder_of_netcdf_must_have_the_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("NCZ_PEERS_NETCDF", str(tmp_path))
    with pytest.raises(FileNotFoundError, match="does not contain the program ncdump"):
        peers.netcdf("ncdump")
    (tmp_path / "ncdump").write_text("#!/bin/sh\n")
    (tmp_path / "ncdump").chmod(0o755)
    assert peers.netcdf("ncdump") == str(tmp_path / "ncdump")


def test_the_table_of_readme_has_the_measured_figures():
    readme = README.read_text("utf-8")
    rows = [Row("x", peer, ["ncz"], ["peer"], told=told) for told, peer in README_ROWS]
    text = with_figures(readme, [result(2.5, row) for row in rows])
    head, _, rest = text.partition(README_HEAD)
    lines = rest.splitlines()
    assert lines[0] == f"| {README_ROWS[0][0]} | 1.00 s, 10 MB | xarray 2.50 s, 10 MB |"
    assert lines[len(rows)] == ""
    before, _, old = readme.partition(README_HEAD)
    assert (head, lines[len(rows) :]) == (
        before,
        old.splitlines()[old[: old.index("\n\n")].count("\n") + 1 :],
    )
    assert with_figures(readme, [result(2.5, row) for row in rows[1:]]) == readme
