"""Many sources whose headers are read several at a time, and kept until the copy is complete."""

from __future__ import annotations

import json
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import pytest

import ncz
from ncz.commands.copy import scan
from ncz.errors import NczError, Notice, ignore_notice, quantity
from ncz.formats import headers
from ncz.formats.kinds import OpenOptions
from ncz.zmap.local.kept_headers import kept_headers
from ncz.zmap.location import Location
from tests.conftest import Run
from tests.forked import forked
from tests.sampled import sampled

MANY = 16
COUNT = MANY + 32
MAIN = f"import ncz.cli, ncz.commands.copy.scan as scan; scan.MANY = {MANY}; ncz.cli.main()"
"""The program ncz, with a low limit for many sources."""
each_kind = pytest.mark.parametrize("made", ["netCDF-4", "classic"], indirect=True)


@pytest.fixture(
    scope="module", params=["classic", pytest.param("netCDF-4", marks=pytest.mark.long)]
)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of files that follow each other; `each_kind` has netCDF-4 in short tests too."""
    folder: Path = tmp_path_factory.mktemp("many")
    text = """netcdf d {{ dimensions: t = UNLIMITED ; x = 300 ;
    variables: double t(t) ; float x(x) ; float v(t, x) ; v:units = "K" ; string w(t) ;
    data: t = {0} ; x = {1} ; v = {2} ; w = "d{0}" ; }}"""
    if request.param == "classic":
        text = text.replace("string w(t) ;", "").replace('w = "d{0}" ;', "")
    for day in range(COUNT):
        values = (", ".join(str(n + shift) for n in range(300)) for shift in (0, day))
        (folder / "d.cdl").write_text(text.format(day, *values))
        ncz.gen(folder / "d.cdl", folder / f"{day:04}.nc", kind=request.param, notify=ignore_notice)
    return folder


@pytest.fixture(autouse=True)
def few_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scan, "MANY", MANY)


@pytest.fixture
def files(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    shutil.copytree(made, tmp_path / "days")
    monkeypatch.chdir(tmp_path)
    return sorted(f"days/{path.name}" for path in (tmp_path / "days").glob("*.nc"))


def scanned(monkeypatch: pytest.MonkeyPatch, before: Callable[[int], object]) -> list[str]:
    """Note each file that is scanned in this process, after `before` was called with the count."""
    found: list[str] = []
    read = headers.scan

    def counting(place: Location, how: OpenOptions) -> bytes:
        before(len(found))
        found.append(place.path)
        return read(place, how)

    monkeypatch.setattr(headers, "scan", counting)
    return found


def interrupt_at(count: int) -> Callable[[int], None]:
    def interrupt(number: int) -> None:
        if number == count:
            raise KeyboardInterrupt

    return interrupt


def join(files: list[str], target: str = "a.json", **options: Any) -> list[Notice]:
    """Join files, and return the notices. One thread scans in this process."""
    notices: list[Notice] = []
    ncz.copy(files, target, concat="t", threads=1, notify=notices.append, **options)
    return notices


def left() -> list[str]:
    return sorted(path.name for path in Path().iterdir() if path.name.startswith(".ncz"))


@each_kind
@pytest.mark.parametrize("target", sampled(["a.json", "a.zarr", "a.parq", "a.nc"], 4))
def test_several_processes_give_the_same_as_one(files: list[str], target: str) -> None:
    if target == "a.parq":
        pytest.importorskip("pyarrow")
    join(files, f"one-{target}")
    words = ["-c", MAIN, "copy", "--concat", "t", *files, target, "--verify"]
    subprocess.run([sys.executable, *words], check=True, timeout=120)
    assert ncz.diff(f"one-{target}", target, notify=ignore_notice) == []
    if target == "a.json":
        assert Path(target).read_text() == Path("one-a.json").read_text()
    with ncz.open(target) as dataset:
        assert dataset["v"][:, 1].tolist() == [1 + day for day in range(COUNT)]
        assert dataset["v"][COUNT - 1, 299] == 299 + COUNT - 1
    assert left() == []


@pytest.mark.parametrize("damage", [b"", b"CDF\x01", b"\x89HDF\r\n\x1a\n" + bytes(100)])
def test_the_first_file_that_cannot_be_read_is_named(files: list[str], damage: bytes) -> None:
    for number in (20, 35):
        Path(files[number]).write_bytes(damage)
    with pytest.raises(NczError) as caught:
        join(files)
    words = ["-c", MAIN, "copy", "--concat", "t", *files, "a.json"]
    ran = subprocess.run(
        [sys.executable, *words], capture_output=True, text=True, timeout=120, check=False
    )
    assert (ran.returncode, ran.stderr) == (1, f"ncz: {caught.value}\n")
    assert files[20] in ran.stderr
    assert left() == []


@each_kind
@pytest.mark.parametrize("moment", sampled([30, 1, COUNT - 2], 3))
def test_the_same_command_continues(
    files: list[str], moment: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        first = scanned(patch, interrupt_at(moment))
        with pytest.raises(KeyboardInterrupt) as caught:
            join(files)
    assert len(first) == moment
    (note,) = caught.value.__notes__
    assert f"the headers of {quantity(moment, 'source')} are kept" in note
    assert len(left()) == 1
    second = scanned(monkeypatch, lambda _: None)
    notices = join(files)
    assert [*first, *second] == files[1:]
    (told,) = [notice.message for notice in notices if notice.code == "scan-resumed"]
    assert told.startswith(f"the headers of {moment} of {COUNT} sources were read before")
    assert left() == []
    join(files, "b.json")
    refs = [json.loads(Path(name).read_text())["refs"] for name in ("a.json", "b.json")]
    assert refs[0] == refs[1]


def test_a_file_that_changed_is_read_again(
    files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        scanned(patch, interrupt_at(30))
        with pytest.raises(KeyboardInterrupt):
            join(files)
    os.utime(files[7], ns=(0, 10**18))
    again = scanned(monkeypatch, lambda _: None)
    join(files)
    assert again == [files[7], *files[31:]]


def test_no_resume_starts_again(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        scanned(patch, interrupt_at(30))
        with pytest.raises(KeyboardInterrupt):
            join(files)
    with monkeypatch.context() as patch:
        again = scanned(patch, interrupt_at(20))
        with pytest.raises(KeyboardInterrupt):
            join(files, resume=False)
        assert len(again) == 20
    assert left() == []


def test_an_error_leaves_nothing(files: list[str]) -> None:
    with pytest.raises(NczError, match=r"is before|overlaps|all its values"):
        join([files[5], *files])
    assert left() == []


def test_nothing_is_kept_by_a_dry_run(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    scanned(monkeypatch, interrupt_at(30))
    with pytest.raises(KeyboardInterrupt):
        join(files, dry_run=True)
    assert left() == []


def test_clean_removes_kept_files(
    files: list[str], run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    scanned(monkeypatch, interrupt_at(30))
    with pytest.raises(KeyboardInterrupt):
        join(files)
    done = run("clean", "a.json")
    assert done.code == 0
    assert left() == []


def kill_at(moment: int, sink: Connection, words: list[str]) -> None:
    """Join files, kill this process after a number of scanned files, and report the number."""
    import ncz.cli
    from ncz.cli.terminal import run as run_command

    seen, read = 0, headers.scan

    def killing(place: Location, how: OpenOptions) -> bytes:
        nonlocal seen
        seen += 1
        if seen == moment:
            os.kill(os.getpid(), signal.SIGKILL)
        return read(place, how)

    vars(headers)["scan"] = killing
    vars(scan)["MANY"] = MANY
    code = run_command(ncz.cli.ncz, "ncz", words)
    sink.send(seen)
    sys.exit(code)


@pytest.mark.long
@pytest.mark.parametrize("moment", sampled([1, 33, 40, COUNT - 1], 3))
def test_a_killed_scan_continues(files: list[str], moment: int) -> None:
    words = ["copy", "-q", "--concat", "t", "--threads", "1", *files, "a.json"]
    ours, theirs = multiprocessing.Pipe(duplex=False)
    with ours, theirs:
        with forked(kill_at, moment, theirs, words) as process:
            pass
        assert process.exitcode == -signal.SIGKILL
        assert not Path("a.json").exists()
        with forked(kill_at, 0, theirs, words) as process:
            pass
        assert process.exitcode == 0
        kept = COUNT - 1 - ours.recv()
        assert (moment - 1) // 32 * 32 <= kept < moment  # 32 are written together, at most
    assert left() == []
    join(files, "b.json")
    assert ncz.diff("a.json", "b.json", notify=ignore_notice) == []


@pytest.mark.parametrize("damage", ["cut", "changed", "garbage", "empty"])
def test_a_damaged_file_of_headers_is_not_used(
    files: list[str], damage: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patch:
        scanned(patch, interrupt_at(30))
        with pytest.raises(KeyboardInterrupt):
            join(files)
    (name,) = left()
    data = bytearray(Path(name).read_bytes())
    if damage == "changed":
        data[len(data) // 2] ^= 1
    kept = {"cut": bytes(data[:-5]), "changed": bytes(data), "garbage": b"\xff" * 5000}
    Path(name).write_bytes(kept.get(damage, b""))
    join(files)
    join(files, "b.json")
    assert Path("a.json").read_text() == Path("b.json").read_text()
    assert left() == []


@pytest.mark.skipif(not hasattr(os, "symlink"), reason="there are no links")
def test_a_planted_link_is_not_followed(files: list[str], tmp_path: Path) -> None:
    with kept_headers(str(tmp_path / "a.json"), "x"):
        (name,) = left()
    victim = tmp_path / "victim"
    victim.write_bytes(b"precious")
    (tmp_path / name).symlink_to(victim)
    join(files)
    assert victim.read_bytes() == b"precious"


def test_sources_on_a_server_are_opened_ahead_in_order(s3: str, files: list[str]) -> None:
    from ncz.zmap.location import parse_location
    from ncz.zmap.remote.opening import connect_to_write

    folder = connect_to_write(parse_location(f"{s3}/days#mode=s3"))
    for name in files[:6]:
        folder.put(Path(name).name, Path(name).read_bytes())
    urls = [f"{s3}/days/{Path(name).name}#mode=s3" for name in files[:6]]
    ncz.copy(urls, "a.zarr", concat="t", notify=ignore_notice)
    with ncz.open("a.zarr") as dataset:
        assert dataset["v"][:, 1].tolist() == [1 + day for day in range(6)]
    folder.put(Path(files[2]).name, b"none")
    folder.delete(Path(files[4]).name)
    with pytest.raises(NczError, match=Path(files[2]).name):
        ncz.copy(urls, "b.zarr", concat="t", notify=ignore_notice)
