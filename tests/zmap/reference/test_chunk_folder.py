"""The folder next to a reference set, with chunks that are neither in the set nor elsewhere."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ncz
from ncz.errors import NczError, ignore_notice
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap
from ncz.zmap.reference.held_values import LARGEST_HELD, MOST_HELD, HeldValues
from tests.conftest import Run
from tests.zmap.reference.folders import (
    LIMIT,
    NAMES,
    assert_days,
    files_beside,
    folder_of,
    make_set,
    values_of,
    write_days,
)

Make = Callable[..., Path]

others_read = pytest.mark.filterwarnings("ignore:The 'fastparquet' engine")
"""A mark of tests that read Parquet with fsspec."""


@pytest.fixture
def few_held(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ncz.zmap.reference.held_values.LARGEST_HELD", LIMIT)


@pytest.fixture
def make(tmp_path: Path, few_held: None) -> Make:
    """Make a set with a name for a file of some days; the set can contain few values."""
    return lambda name, days, **options: make_set(tmp_path, name, days, **options)


@pytest.fixture(params=NAMES)
def archive(request: pytest.FixtureRequest, make: Make) -> Path:
    """A set of three days with values next to it."""
    return make(str(request.param), range(3))


def as_others_see_it(target: Path) -> Any:
    """Return the values of `v` that xarray and kerchunk read."""
    xarray = pytest.importorskip("xarray")
    pytest.importorskip("kerchunk")
    if target.name.endswith(".zst"):
        pytest.skip("fsspec does not decompress sets")
    options: dict[str, Any] = {"storage_options": {"remote_protocol": "file"}}
    with xarray.open_dataset(str(target), engine="kerchunk", **options) as found:
        return found["v"].values


@others_read
def test_unmodified_programs_read_the_values(archive: Path) -> None:
    assert len(files_beside(archive)) == 1
    assert_days(archive, range(3))
    assert np.array_equal(as_others_see_it(archive), values_of(range(3)))


def test_a_set_of_few_values_has_no_folder(tmp_path: Path) -> None:
    target = make_set(tmp_path, "a.json", range(3))  # of 14 kB, with the limit of 1 MiB
    assert not folder_of(target).exists()
    assert_days(target, range(3))


def test_the_folder_is_listed(archive: Path, run: Run) -> None:
    (name,) = files_beside(archive)
    sources = ncz.info(str(archive), sources=True).sources or ()
    states = {Path(source.url).name: source.state for source in sources}
    assert states[name] == "unchanged"
    entries = ncz.ls(str(archive), "v", long=True, kinds="chunk")
    assert {Path((entry.target or ("",))[0]).name for entry in entries} == {name}
    assert name in run("ls", "-l", archive, "v").text
    assert ncz.check(str(archive)).is_clean


def damaged(path: Path) -> None:
    path.write_bytes(path.read_bytes()[:-1])


def changed(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[10] ^= 1
    path.write_bytes(data)


def missing(path: Path) -> None:
    path.unlink()


@pytest.mark.parametrize("harm", [damaged, changed, missing])
def test_a_file_that_has_changed(archive: Path, harm: Callable[[Path], None]) -> None:
    (name,) = files_beside(archive)
    harm(folder_of(archive) / name)
    with ncz.open(archive) as dataset, pytest.raises(NczError, match=name):
        dataset["v"][:]
    assert not ncz.check(str(archive)).is_clean


def test_copies_and_times_of_files_do_not_matter(archive: Path) -> None:
    (name,) = files_beside(archive)
    os.utime(folder_of(archive) / name, ns=(0, 0))
    assert_days(archive, range(3))


@others_read
def test_set_and_folder_are_moved_together(archive: Path, tmp_path: Path) -> None:
    new = tmp_path / "new"
    new.mkdir()
    for path in (archive, folder_of(archive), *tmp_path.glob("*.nc")):
        shutil.move(path, new / path.name)
    moved = new / archive.name
    with ncz.open(moved) as dataset:
        assert np.array_equal(dataset["v"][:], values_of(range(3)))  # next to the set
    told = ncz.edit(str(moved), move_sources=f"{tmp_path}={new}", notify=ignore_notice)
    assert sorted(Path(str(each.after)).parent.name for each in told) == [
        f"{archive.name}.chunks",
        "new",
    ]
    assert_days(moved, range(3))
    assert np.array_equal(as_others_see_it(moved), values_of(range(3)))


def test_only_the_set_and_its_folder_are_moved(make: Make, tmp_path: Path) -> None:
    archive = make("a.json", range(3))
    (tmp_path / "new").mkdir()
    for path in (archive, folder_of(archive)):
        shutil.move(path, tmp_path / "new" / path.name)
    moved = tmp_path / "new" / "a.json"
    ncz.edit(str(moved), move_sources=f"{tmp_path}/a.json.chunks=x", notify=ignore_notice)
    assert np.array_equal(as_others_see_it(moved), values_of(range(3)))


def test_names_from_the_folder_of_the_set(make: Make, tmp_path: Path) -> None:
    target = make("a.json", range(3), relative_to="ref")
    refs = json.loads(target.read_text())["refs"]
    (name,) = files_beside(target)
    assert refs["v/0.0"][0] == f"a.json.chunks/{name}"
    tmp_path.rename(tmp_path.with_name("renamed"))
    assert_days(tmp_path.with_name("renamed") / "a.json", range(3))


@pytest.mark.parametrize("name", [".hidden.json", "of two words.json", "ü.json"])
def test_names_of_sets(make: Make, name: str) -> None:
    target = make(name, range(3))
    assert_days(target, range(3))
    ncz.rm(str(target))
    assert not folder_of(target).exists()


def test_a_copy_has_its_own_folder(archive: Path, tmp_path: Path) -> None:
    copy = tmp_path / f"copy-{archive.name}"
    ncz.copy(str(archive), str(copy), notify=ignore_notice)
    assert files_beside(copy) == files_beside(archive)
    ncz.rm(str(archive))
    assert_days(copy, range(3))
    ncz.copy(str(copy), str(tmp_path / "all.zarr"), notify=ignore_notice)
    ncz.rm(str(copy))
    for path in tmp_path.glob("*.nc"):
        path.unlink()
    assert_days(tmp_path / "all.zarr", range(3))


def test_a_repository_contains_the_values(archive: Path, tmp_path: Path) -> None:
    pytest.importorskip("icechunk")
    target = tmp_path / "b.icechunk"
    ncz.copy(str(archive), str(target), modes=("reference",), notify=ignore_notice)
    ncz.rm(str(archive))
    assert_days(target, range(3))


def test_a_join_of_sets(make: Make, tmp_path: Path) -> None:
    parts = [make("a.json", range(3)), make("b.json", range(3, 6))]
    target = tmp_path / "all.json"
    ncz.copy([*map(str, parts)], str(target), concat="t", notify=ignore_notice)
    for part in parts:
        ncz.rm(str(part))
    assert_days(target, range(6))


def test_files_that_ncz_did_not_make_stay(archive: Path) -> None:
    note = folder_of(archive) / "note.txt"
    note.write_text("mine")
    ncz.rm(str(archive))
    assert [*folder_of(archive).iterdir()] == [note]


def test_rm_counts_and_removes_the_folder(archive: Path, run: Run) -> None:
    size = sum(p.stat().st_size for p in folder_of(archive).iterdir())
    (found,) = ncz.rm(str(archive), dry_run=True)
    assert found.size > size
    assert folder_of(archive).exists()
    assert found.objects == 2 or archive.suffix == ".parq"
    assert run("rm", archive).code == 0
    assert not archive.exists()
    assert not folder_of(archive).exists()


def test_rm_below_a_folder(archive: Path, tmp_path: Path, run: Run) -> None:
    for path in tmp_path.glob("*.nc"):
        path.unlink()
    ran = run("rm", "-r", "--yes", tmp_path)
    assert ran.code == 0
    assert "not stores" not in ran.stderr
    assert not any(tmp_path.iterdir())


def test_rm_removes_the_rest_of_a_killed_one(archive: Path) -> None:
    shutil.rmtree(archive) if archive.is_dir() else archive.unlink()
    (found,) = ncz.rm(str(archive))
    assert (found.kind, found.objects) == ("rest", 1)
    assert not folder_of(archive).exists()


def test_clean_removes_files_that_no_set_uses(archive: Path, run: Run) -> None:
    used = files_beside(archive)
    rest = [folder_of(archive) / name for name in ("0" * 32, ".ncz-00000001.partial")]
    for path in rest:
        path.write_bytes(b"rest")
    ran = run("clean", "--dry-run", archive)
    assert "would remove" in ran.text
    assert all(path.exists() for path in rest)
    assert run("clean", archive).code == 0
    assert files_beside(archive) == used
    assert_days(archive, range(3))
    assert run("clean", archive).text == ""


@others_read
def test_an_append_adds_a_file(archive: Path, tmp_path: Path) -> None:
    before = files_beside(archive)
    new = write_days(tmp_path / "new.nc", [3, 4])
    ncz.copy(new, str(archive), append="t", verify=True, notify=ignore_notice)
    assert len(files_beside(archive)) == 2
    assert set(before) < set(files_beside(archive))
    assert_days(archive, range(5))
    assert ncz.check(str(archive)).is_clean
    assert np.array_equal(as_others_see_it(archive), values_of(range(5)))


def test_values_that_are_held_and_grow_too_many_are_moved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    archive = make_set(tmp_path, "a.json", [0])
    assert not folder_of(archive).exists()
    monkeypatch.setattr("ncz.zmap.reference.held_values.LARGEST_HELD", 6000)
    for day in (1, 2):
        new = write_days(tmp_path / f"{day}.nc", [day])
        ncz.copy(new, str(archive), append="t", notify=ignore_notice)
    assert len(files_beside(archive)) == 1
    refs = json.loads(archive.read_text())["refs"]
    assert all(isinstance(refs[key], list) for key in refs if key.startswith("v/0."))
    assert_days(archive, range(3))


def test_replaced_values_leave_no_files(make: Make, tmp_path: Path) -> None:
    archive = make("a.json", range(3))
    file = write_days(tmp_path / "new.nc", range(3))
    ncz.copy(file, str(archive), append="t", overlap="last", notify=ignore_notice)
    assert_days(archive, range(3))
    assert len(files_beside(archive)) == 1
    assert ncz.info(str(archive), sources=True).sources


def test_an_edit_keeps_the_folder(archive: Path) -> None:
    before = files_beside(archive)
    ncz.edit(str(archive), set='v:units="K"', notify=ignore_notice)
    assert files_beside(archive) == before
    ncz.edit(str(archive), remove="v", notify=ignore_notice)
    assert not folder_of(archive).exists()


def test_a_change_that_is_not_committed_leaves_nothing(archive: Path) -> None:
    before = files_beside(archive)
    with contextlib.closing(open_zmap(parse_location(str(archive)), write=True)) as zmap:
        zmap.put("v/0.0", bytes(LIMIT + 1))
    assert files_beside(archive) == before
    assert_days(archive, range(3))


def test_a_change_of_another_program_is_kept(archive: Path) -> None:
    place = parse_location(str(archive))
    with contextlib.closing(open_zmap(place, write=True)) as revision:
        revision.put("v/0.0", bytes(LIMIT + 1))
        ncz.edit(str(archive), set='v:units="K"', notify=ignore_notice)
        with pytest.raises(NczError, match="another program changed the set"):
            revision.commit("change")
    assert len(files_beside(archive)) == 1
    assert_days(archive, range(3))


def test_two_writers_do_not_share_the_folder(make: Make, tmp_path: Path, run: Run) -> None:
    old = make("a.json", range(3))
    place = parse_location(f"{old}#mode=reference")
    with contextlib.suppress(KeyboardInterrupt), create_zmap(place, overwrite=True) as zmap:
        zmap.put(".zgroup", b'{"zarr_format": 2}')
        zmap.put("v/0", bytes(LIMIT + 1))
        command = [sys.executable, "-m", "ncz", "clean", str(old)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        assert done.returncode == 1
        assert "another process" in done.stderr
        raise KeyboardInterrupt
    assert_days(old, range(3))


def test_a_link_in_the_place_of_the_folder_is_refused(make: Make, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "a.json.chunks").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(NczError, match="something else has its name"):
        make("a.json", range(3))
    assert not any((tmp_path / "elsewhere").iterdir())


def test_a_set_does_not_lead_out_through_its_folder(make: Make, tmp_path: Path) -> None:
    (tmp_path / "sets").mkdir()
    secret = tmp_path / "secret"
    secret.write_bytes(bytes(20_000))
    write_days(tmp_path / "sets" / "days.nc", range(3))
    archive = make_set(tmp_path / "sets", "a.json", range(3), modes="reference")
    (name,) = files_beside(archive)
    (folder_of(archive) / name).unlink()
    (folder_of(archive) / name).symlink_to(secret)
    with ncz.open(archive) as dataset, pytest.raises(NczError, match="outside the folder"):
        dataset["v"][:]


def test_the_plan_lists_the_files_next_to_the_set(
    tmp_path: Path, few_held: None, run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ncz.commands.references.LARGEST_HELD", LIMIT)
    file = write_days(tmp_path / "f.nc", range(3))
    more = write_days(tmp_path / "g.nc", range(3, 5))
    target = tmp_path / "a.json"
    command = ["copy", "-c", "v:1,300", file, target, "--dry-run"]
    expected = json.loads(run(*command, "--json").text)["forecast"]
    text = run(*command).text
    assert not target.exists()
    assert not folder_of(target).exists()
    run("copy", "-c", "v:1,300", file, target)
    written = sum(p.stat().st_size for p in folder_of(target).iterdir())
    assert expected["bytes_beside"] == pytest.approx(written, rel=0.1)
    assert expected["objects"] == 2
    assert "kB of them in a folder next to the set, and references to" in text
    command = ["copy", "--append", "t", more, target, "--dry-run"]
    rows = {row["variable"]: row for row in json.loads(run(*command, "--json").text)["append"]}
    assert rows["/v"]["bytes_beside"] == rows["/v"]["bytes"] > LIMIT
    assert rows["/w"]["bytes_beside"] == rows["/t"]["bytes_beside"] == 0
    assert "in a folder next to the set, and references to" in run(*command).text


SIZES = st.lists(
    st.tuples(st.sampled_from(["v", "g/v", "w"]), st.integers(0, 9), st.integers(0, LARGEST_HELD)),
    max_size=60,
)


@given(SIZES, st.sampled_from([0, 500, 100_000]))
def test_values_that_are_held_are_bounded(puts: list[tuple[str, int, int]], inline: int) -> None:
    values, held = HeldValues(inline), dict[tuple[str, int], int]()
    for array, number, size in puts:
        key = f"{array}/{number}.0"
        if values.admits(key, size):
            held[array, number] = size
        else:
            moved = values.exclude(key)
            assert all(each.rpartition("/")[0] == array for each in moved)
            held = {at: n for at, n in held.items() if f"{at[0]}/{at[1]}.0" not in {*moved, key}}
        counted = {at: n for at, n in held.items() if n > inline}
        assert sum(counted.values()) <= MOST_HELD
        for each in {at[0] for at in counted}:
            assert sum(n for at, n in counted.items() if at[0] == each) <= LARGEST_HELD
