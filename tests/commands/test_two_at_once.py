"""Two simultaneous changes of one store: one after the other, or one of them is refused."""

from __future__ import annotations

import io
import itertools
import multiprocessing
import os
import shutil
import threading
from collections.abc import Callable
from multiprocessing.synchronize import Barrier
from pathlib import Path
from zipfile import ZipFile

import pytest

import ncz
from ncz.errors import ZmapError, ignore_notice
from ncz.zmap.key import JOURNAL
from ncz.zmap.local import claims as claim
from ncz.zmap.local.claims import only_writer
from ncz.zmap.location import parse_location
from ncz.zmap.opening import open_zmap
from tests.conftest import Run
from tests.forked import forked, run_ncz_with_stderr

CDL = b"""netcdf s {
dimensions: x = UNLIMITED ; y = 3 ;
variables: int v(x, y) ; v:_ChunkSizes = 2, 3 ; float w(y) ; w:units = "m" ;
 byte b(y) ;
data: b = 1, 2, 3 ; v = 1, 2, 3, 4, 5, 6 ; w = 1, 2, 3 ;
group: g { variables: short s(y) ; data: s = 7, 8, 9 ; } }"""

Contents = dict[str, bytes]


def changes(store: str, folder: Path) -> dict[str, tuple[str, ...]]:
    """Return the commands that change a store."""
    return {
        "set": ("edit", store, "--set", 'v:units = "km"', "--set", ":n = 1"),
        "rename": ("edit", store, "--rename", "w=z", "--rename", "dimension y=lat"),
        "remove": ("edit", store, "--remove", "g"),
        "append": ("copy", "--append", "x", f"{folder}/more.zarr", store),
        "consolidate": ("consolidate", store),
        "fix": ("check", "--fix", store),
        "replace": ("copy", "--overwrite", f"{folder}/other.zarr", store),
    }


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the store, and with others to append and to copy."""
    folder = tmp_path_factory.mktemp("made")
    more = CDL.partition(b"group:")[0].replace(b"4, 5, 6 ;", b"4, 5, 6, 7, 8, 9 ;") + b"}"
    for name, text in (("s.zarr", CDL), ("other.zarr", more)):
        ncz.gen(io.BytesIO(text), folder / name, notify=ignore_notice)
    shutil.copytree(folder / "s.zarr", folder / "more.zarr")
    array = folder / "s.zarr" / "b" / ".zarray"
    array.write_bytes(array.read_bytes().replace(b"|i1", b"<i1"))
    assert b"<i1" in array.read_bytes()  # which check --fix repairs
    ncz.copy(folder / "s.zarr", folder / "s.zip", notify=ignore_notice)
    return folder


def contents(store: str) -> Contents:
    if store.endswith(".zip"):
        with ZipFile(store) as zipped:
            return {name: zipped.read(name) for name in zipped.namelist()}
    zmap = open_zmap(parse_location(store))
    found = {key: zmap.get(key) or b"" for key in zmap.walk()}
    assert zmap.get(JOURNAL) is None
    zmap.close()
    return found


def waiting(barrier: Barrier, error: str, *arguments: str) -> None:
    """Run a command when the other process is ready too."""
    barrier.wait(60)
    run_ncz_with_stderr(error, *arguments)


def at_once(tmp_path: Path, *lines: tuple[str, ...]) -> list[tuple[int | None, str]]:
    """Run commands in processes that begin together; return their codes and errors."""
    barrier = multiprocessing.get_context("forkserver").Barrier(2)
    errors = [str(tmp_path / f"error{i}") for i in range(2)]
    with (
        forked(waiting, barrier, errors[0], *lines[0]) as one,
        forked(waiting, barrier, errors[1], *lines[1]) as other,
    ):
        pass
    ends = [(p.exitcode, Path(e).read_text()) for p, e in zip((one, other), errors, strict=True)]
    for error in errors:
        os.unlink(error)
    return ends


def check_pair(
    begin: Callable[[], str], lines: list[tuple[str, ...]], run: Run, tmp_path: Path
) -> None:
    """Run two commands one by one, one after the other in both orders, and at the same time."""

    def after(*order: int) -> Contents | None:
        store = begin()
        codes = [run(*lines[i]).code for i in order]
        return None if any(codes) else contents(store)

    alone = [after(0), after(1)]
    serial = [after(0, 1), after(1, 0)]
    store = begin()
    ends = at_once(tmp_path, *lines)
    found = contents(store)
    told = [error for code, error in ends if code]
    assert len(told) < 2, told
    if not told:
        assert found in serial
        return
    assert found == alone[0 if ends[0][0] == 0 else 1]
    refused = (
        "another process is changing this store", "is writing this store",
        "changed while it was read",
    )  # fmt: skip
    # Otherwise the command is one that fails after the other.
    assert any(text in told[0] for text in refused) or None in serial, told


PAIRS = [*itertools.combinations(changes("", Path()), 2), ("append", "append")]
ON_S3 = [("set", "rename"), ("set", "append"), ("remove", "replace"), ("append", "append")]


def marked(pairs: list[tuple[str, str]], often: int) -> list[object]:
    marks = [() if number % often == 0 else (pytest.mark.long,) for number in range(len(pairs))]
    return [
        pytest.param(*pair, id="-".join(pair), marks=mark)
        for pair, mark in zip(pairs, marks, strict=True)
    ]


@pytest.mark.parametrize(("one", "other"), marked(PAIRS, 2))
def test_a_directory(made, tmp_path, run: Run, one, other):
    place = tmp_path / "out"
    store = str(place / "s.zarr")

    def begin() -> str:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        shutil.copytree(made / "s.zarr", store)
        return store

    lines = changes(store, made)
    check_pair(begin, [lines[one], lines[other]], run, tmp_path)
    assert os.listdir(place) == ["s.zarr"]


@pytest.mark.parametrize(
    ("one", "other"), marked([("set", "rename"), ("append", "set"), ("remove", "replace")], 2)
)
def test_a_zip_file(made, tmp_path, run: Run, one, other):
    place = tmp_path / "out"
    store = str(place / "s.zip")

    def begin() -> str:
        shutil.rmtree(place, ignore_errors=True)
        place.mkdir()
        shutil.copy(made / "s.zip", store)
        return store

    lines = changes(store, made)
    check_pair(begin, [lines[one], lines[other]], run, tmp_path)
    assert os.listdir(place) == ["s.zip"]


@pytest.mark.long
@pytest.mark.parametrize(("one", "other"), marked(ON_S3, 4))
def test_a_store_on_s3(made, s3, tmp_path, run: Run, one, other):
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    numbers = itertools.count()
    store = ""

    def begin() -> str:
        nonlocal store
        store = f"{s3}/{next(numbers)}.zarr#mode=s3"
        ncz.copy(made / "s.zarr", store, notify=ignore_notice)
        lines[:] = [changes(store, made)[name] for name in (one, other)]
        return store

    lines: list[tuple[str, ...]] = []
    check_pair(begin, lines, run, tmp_path)


@pytest.mark.parametrize("form", ["s.zarr", "s.zip"])
@pytest.mark.parametrize("has_locks", [True, False])
def test_a_store_that_another_command_locks_is_refused(
    made, tmp_path, run: Run, form, has_locks, monkeypatch: pytest.MonkeyPatch
):
    """Also where folders cannot be locked: the file next to them is locked instead."""
    if not has_locks:
        monkeypatch.setattr(claim, "try_lock", lambda _: None)
    store = tmp_path / form
    (shutil.copytree if form == "s.zarr" else shutil.copy)(made / form, store)
    before = contents(str(store))
    held, done = threading.Event(), threading.Event()

    def hold() -> None:
        with only_writer(str(store), str(store)):
            held.set()
            done.wait(60)

    holder = threading.Thread(target=hold)
    holder.start()
    held.wait(60)
    try:
        for name, line in changes(str(store), made).items():
            if (name, form) in (("fix", "s.zip"), ("consolidate", "s.zip")):
                continue  # nothing to repair, and refused anyway
            ran = run(*line)
            assert (ran.code, "another process is" in ran.stderr) == (1, True), (name, ran.stderr)
        group = f"{store}/g"
        assert form == "s.zip" or run("edit", group, "--set", ":n = 1").code == 1
        assert run("edit", "--dry-run", store, "--set", ":n = 1").code == 0
        assert run("dump", "-h", store).code == 0
    finally:
        done.set()
        holder.join()
    assert contents(str(store)) == before
    assert run("edit", store, "--set", ":n = 1").code == 0
    assert {path.name for path in tmp_path.iterdir()} == {form}


def test_a_server_without_conditional_puts(made, s3, run: Run, monkeypatch: pytest.MonkeyPatch):
    """Without conditional requests, the one whose lock was replaced notices it."""
    from ncz.zmap.journal import Journal, only_change
    from ncz.zmap.remote.store import WritableRemoteZmap

    pytest.importorskip("s3fs", reason="s3fs is not installed")
    store = f"{s3}/s.zarr#mode=s3"
    ncz.copy(made / "s.zarr", store, notify=ignore_notice)
    zmap = open_zmap(parse_location(store), write=True)
    with only_change(zmap):
        assert isinstance(zmap, WritableRemoteZmap)
        assert not zmap.put_new(JOURNAL, b"{}")
        ran = run("edit", store, "--set", ":n = 1")
        assert (ran.code, "another process is changing this store" in ran.stderr) == (1, True)
    with only_change(zmap) as check:
        zmap.put(JOURNAL, Journal(put={}).to_bytes())
        with pytest.raises(ZmapError, match="another process is changing"):
            check()
    zmap.delete(JOURNAL)
    zmap.close()
