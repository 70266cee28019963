"""Files of virtual chunks that changed: ncz reports them, icechunk does not."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from tests.commands.source_files import of_the_same_time, older, write

icechunk = pytest.importorskip("icechunk", reason="icechunk is not installed (make setup)")


@pytest.fixture
def files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.chdir(tmp_path)
    for number in range(3):
        write(tmp_path / f"s{number}.nc", number)
    return ["s0.nc", "s1.nc", "s2.nc"]


def joined(files: list[str], target: str = "all.icechunk") -> str:
    ncz.copy(files, target, concat="t", modes=("reference",), notify=ignore_notice)
    return target


def of_the_same_second(path: Path) -> None:
    before = path.stat().st_mtime_ns
    write(path, 7)
    os.utime(path, ns=(0, before + 1000))


CHANGES = [older, of_the_same_time, of_the_same_second]


@pytest.mark.parametrize("relative", [False, True])
@pytest.mark.parametrize("change", CHANGES)
def test_a_file_that_icechunk_would_read_is_reported(
    files: list[str], change: Callable[[Path], None], relative: bool
) -> None:
    if relative and not hasattr(icechunk, "FeatureFlag"):
        pytest.skip("icechunk is older than 2.0")
    target = "all.icechunk"
    joined(files, target + ("#reference.relative_to=ref" if relative else ""))
    assert ncz.check(target).is_clean
    change(Path("s1.nc"))
    with ncz.open(target) as dataset:
        with pytest.raises(ZmapError, match=r"s1\.nc has changed since"):
            _ = dataset["v"][1]
        if hasattr(icechunk.IcechunkStore, "array_chunk_iterator"):
            assert np.array_equal(dataset["v"][2], np.arange(500) + 2)
        else:  # which does not report the file of a chunk
            with pytest.raises(ZmapError, match=r"s1\.nc has changed since"):
                _ = dataset["v"][2]
    found = [f for f in ncz.check(target).findings if f.code == "source-changed"]
    assert ["s1.nc has changed" in f.message for f in found] == [True]
    with ncz.open(f"{target}#reference.seals=off") as dataset:
        assert np.array_equal(dataset["v"][0], np.arange(500))


def test_appended_files_and_earlier_ones_are_sealed(files: list[str]) -> None:
    target = joined(files[:2])
    ncz.copy("s2.nc", target, append="t", notify=ignore_notice)
    states = [source.state for source in ncz.info(target, sources=True).sources or ()]
    assert states == ["unchanged"] * 3
    for number, name in enumerate(files):
        older(Path(name))
        states = [source.state for source in ncz.info(target, sources=True).sources or ()]
        assert states == ["changed"] * (number + 1) + ["unchanged"] * (2 - number)


def test_a_file_that_is_referred_to_again_has_its_new_state(files: list[str]) -> None:
    target = joined(files)
    older(Path("s1.nc"))
    ncz.copy(
        files,
        target,
        concat="t",
        sort=True,
        modes=("reference",),
        overwrite=True,
        notify=ignore_notice,
    )
    with ncz.open(target) as dataset:
        assert np.array_equal(dataset["v"][:, 0], [0, 2, 7])
    old = ncz.info(f"{target}#icechunk.snapshot={snapshots(target)[1]}", sources=True).sources
    assert [source.state for source in old or ()] == ["unchanged", "changed", "unchanged"]


def snapshots(target: str) -> list[str]:
    history = ncz.info(target).history
    assert history is not None
    return [version.name for version in history.versions]


def test_files_of_other_programs_are_read(files: list[str]) -> None:
    """Commits of others have other metadata, also with the same names."""
    target = joined(files)
    repository = icechunk.Repository.open(icechunk.local_filesystem_storage(target))
    session = repository.writable_session("main")
    session.store.set_virtual_ref(
        "v/c/0/0", f"file://{os.path.abspath('s1.nc')}", offset=0, length=4000,
        validate_container=False,
    )  # fmt: skip
    session.commit("other", {"ncz": "x", "sources": {"a": 1, "b": {}}})
    with ncz.open(target) as dataset:
        assert dataset["v"][2][0] == 2


def test_seals_are_left_out_if_asked(files: list[str]) -> None:
    target = joined(files, "all.icechunk#reference.seals=off")
    states = [source.state for source in ncz.info("all.icechunk", sources=True).sources or ()]
    assert states == ["present"] * 3
    older(Path("s1.nc"))
    with ncz.open(target) as dataset:
        assert np.array_equal(dataset["v"][:, 0], [0, 7, 2])
