"""Simultaneous copies: their threads and memory, their messages, and errors."""

from __future__ import annotations

import threading
from typing import Any

import pytest

import ncz
from ncz.commands.copy import at_once
from ncz.commands.copy import dataset as copying
from ncz.commands.copy.options import PROGRAM_MEMORY
from ncz.errors import Callbacks, NczError, Notice, ignore_notice
from tests.conftest import Run

CDL = "netcdf x {{ dimensions: n = 2 ; variables: int v(n) ; data: v = {0}, {0} ; }}"


@pytest.fixture
def sources(tmp_path):
    paths = []
    for number in range(6):
        text = tmp_path / "text.cdl"
        text.write_text(CDL.format(number))
        paths.append(tmp_path / f"d{number}.nc")
        ncz.gen(text, paths[-1], notify=ignore_notice)
    return paths


def test_copies_run_at_the_same_time_and_share_threads_and_memory(sources, tmp_path, monkeypatch):
    meeting, shares = threading.Barrier(2), []
    copy = copying.copy_dataset

    def meet(options: Any, *rest: Any) -> Any:
        shares.append((options.threads, options.memory))
        meeting.wait(30)  # each copy continues only when another one runs too
        return copy(options, *rest)

    monkeypatch.setattr(copying, "copy_dataset", meet)
    memory = PROGRAM_MEMORY + 4 * at_once.LEAST_SHARE
    summary = ncz.copy(
        sources, tmp_path / "out", each=True, threads=2, memory=memory, notify=ignore_notice
    )
    assert shares == [(1, PROGRAM_MEMORY + 2 * at_once.LEAST_SHARE)] * 6
    assert [name.rpartition("/")[2] for name in summary.targets] == [
        f"d{number}.zarr" for number in range(6)
    ]
    for source, target in zip(sources, summary.targets, strict=True):
        assert not ncz.diff(source, target)


def test_little_memory_is_for_one_copy(sources, tmp_path, monkeypatch):
    running, most = set(), []
    copy = copying.copy_dataset

    def count(options: Any, *rest: Any) -> Any:
        running.add(threading.get_ident())
        most.append(len(running))
        return copy(options, *rest)

    monkeypatch.setattr(copying, "copy_dataset", count)
    memory = PROGRAM_MEMORY + at_once.LEAST_SHARE
    ncz.copy(sources, tmp_path / "o", each=True, threads=8, memory=memory, notify=ignore_notice)
    assert most == [1] * 6


def test_the_others_are_copied_after_an_error_and_the_same_line_does_the_rest(
    sources, tmp_path, run: Run
):
    whole = sources[1].read_bytes()
    sources[1].write_bytes(b"not a dataset")
    sources[4].write_bytes(b"not a dataset")
    line = ["copy", "--each", *map(str, sources), f"{tmp_path}/out"]
    done = run(*line)
    assert done.code == 1
    assert len(done.stderr.splitlines()) == 1
    assert "d1.nc" in done.stderr
    assert "1 other copy failed too" in done.stderr
    assert "4 targets are complete; use --resume for the rest" in done.stderr
    made = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert made == ["d0.zarr", "d2.zarr", "d3.zarr", "d5.zarr"]
    sources[1].write_bytes(whole)
    sources[4].write_bytes(whole)
    assert run(*line, "--resume").code == 0
    assert len(list((tmp_path / "out").iterdir())) == 6


def test_progress_counts_the_targets_that_are_complete(sources, tmp_path):
    steps: list[tuple[Any, ...]] = []

    class Steps:
        def expect(self, total: int | None, unit: str = "chunks") -> None:
            steps.append((total, unit))

        def advance(self, name: str, count: int, size: int) -> None:
            steps.append((count, size))

    ncz.copy(sources, tmp_path / "out", each=True, notify=Callbacks(ignore_notice, Steps()))
    assert steps[0] == (6, "targets")
    assert sum(count for count, _ in steps[1:]) == 6
    assert sum(size for _, size in steps[1:]) > 0


def test_a_notice_of_several_copies_is_given_once(tmp_path):
    text = tmp_path / "text.cdl"
    text.write_text("netcdf x { dimensions: t = UNLIMITED, u = 3 ; variables: int v(t) ; }")
    for name in "abc":
        ncz.gen(text, tmp_path / f"{name}.nc", notify=ignore_notice)
    notices: list[Notice] = []
    paths = [tmp_path / f"{name}.nc" for name in "abc"]
    ncz.copy(
        paths, tmp_path / "out", each=True, annotations=False, allow_loss=True,
        notify=notices.append,
    )  # fmt: skip
    assert notices
    assert len({notice.message for notice in notices}) == len(notices)
    assert all(notice.message.endswith("(3 targets)") for notice in notices)


def test_an_interrupt_ends_all_copies(sources, tmp_path, monkeypatch):
    copy = copying.copy_dataset
    begun: list[str] = []

    def interrupted(options: Any, callbacks: Callbacks, *rest: Any) -> Any:
        begun.append(options.source.path)
        if len(begun) == 1:
            raise KeyboardInterrupt
        return copy(options, callbacks, *rest)

    monkeypatch.setattr(copying, "copy_dataset", interrupted)
    with pytest.raises(KeyboardInterrupt):
        ncz.copy(sources, tmp_path / "out", each=True, threads=1, notify=ignore_notice)
    assert len(begun) == 1


def test_an_option_that_is_wrong_for_all_is_reported_once(sources, tmp_path):
    with pytest.raises(NczError) as error:
        ncz.copy(sources, tmp_path / "o", each=True, chunks="zz/2", notify=ignore_notice)
    assert "no dimension is named 'zz'" in str(error.value)
    assert "failed too" not in str(error.value)
    assert not list((tmp_path / "o").iterdir())
