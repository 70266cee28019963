"""``ncz rm``: stores of every kind are removed, and nothing else is."""

from __future__ import annotations

import contextlib
import gzip
import io
import json
import os
import shutil
import time
import uuid
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import ncz
from ncz.errors import NczError, ignore_notice
from ncz.model.netcdf_kinds import NetcdfKind
from ncz.zmap.key import MARK
from ncz.zmap.local import claims, creation
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap
from ncz.zmap.remote.opening import connect_to_write
from ncz.zmap.remote.store import WritableRemoteZmap
from tests.conftest import Run
from tests.forked import forked

TEXT = b"""netcdf a {
dimensions: x = 4 ; time = 4 ;
variables: int v(x) ; float t(time) ; int time(time) ;
data: v = 1, 2, 3, 4 ; t = 1, 2, 3, 4 ; time = 1, 2, 3, 4 ;
group: g { variables: int w(x) ; data: w = 1, 2, 3, 4 ; }
}"""

KINDS = {
    "a.zarr": "store",
    "v3.zarr#mode=v3": "store",
    "pure.zarr#mode=zarr": "store",
    "a.zip": "zip file",
    "a.nc": "netCDF file",
    "classic.nc": "netCDF file",
    "a.json#mode=reference": "reference set",
    "a.json.gz#mode=reference": "reference set",
    "a.parq#mode=reference": "reference set",
}


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    ncz.gen(io.BytesIO(TEXT), "source.zarr", notify=ignore_notice)
    (tmp_path / "note.txt").write_text("mine")
    return tmp_path


def test_force_ignores_missing_stores(here: Path, run: Run):
    assert run("rm", "-f", "source.zarr", "older.zarr").code == 0
    assert not (here / "source.zarr").exists()
    assert run("rm", "-f", "older.zarr").code == 0
    done = run("rm", "-f", "note.txt", "older.zarr")
    assert done.code == 1
    assert (here / "note.txt").exists()


def made(target: str) -> str:
    """Make a store of the kind that a name promises, and return its path."""
    flat = ["v", "t", "time"] if target.endswith("classic.nc") else None
    kind: NetcdfKind | None = "classic" if flat else None
    ncz.copy("source.zarr", target, variables=flat, kind=kind, notify=ignore_notice)
    return target.partition("#")[0]


def contents(folder: Path) -> dict[str, bytes | None]:
    return {
        str(path.relative_to(folder)): path.read_bytes() if path.is_file() else None
        for path in folder.rglob("*")
    }


@pytest.mark.parametrize("target", KINDS)
def test_each_kind_is_removed(run: Run, here, target):
    before = contents(here)
    path = made(target)
    shown = run("rm", path, "--dry-run", "--json")
    assert [row["kind"] for row in json.loads(shown.text)["removed"]] == [KINDS[target]]
    assert os.path.exists(path)
    ran = run("rm", path)
    assert (ran.code, ran.text, ran.stderr) == (0, "", "")
    assert contents(here) == before


def planted(here: Path, name: str) -> str:
    """Make something that is not a store, and return its path."""
    made("a.zarr")
    path = here / "planted"
    if name in ("folder", "empty folder"):
        path.mkdir()
        if name == "folder":
            (path / "a.zarr").mkdir()
            shutil.copytree(here / "a.zarr", path / "a.zarr", dirs_exist_ok=True)
    elif name == "text":
        path.write_text("text")
    elif name == "json":
        path = path.with_suffix(".json")
        path.write_text('{"name": "package", "version": 1}')
    elif name == "zip":
        made_at = shutil.make_archive(str(path), "zip", here, "note.txt")
        path = Path(made_at).rename(path)
    elif name == "link":
        path.symlink_to(here / "a.zarr")
    elif name == "broken zip":
        path.write_bytes(b"PK\3\4 broken off")
    elif name == "compressed":
        path = path.with_suffix(".json.gz")
        path.write_bytes(gzip.compress(b'{"name": "package", "version": 1}'))
    elif name == "names":
        path = path.with_suffix(".json")
        path.write_text('{"refs": {"thesis": "years of work"}}')
    elif name == "home":
        path.mkdir()
        (path / ".zgroup").write_text("{}")
        (path / "thesis.pdf").write_text("text")
    elif name == "numbers":
        path.mkdir()
        (path / ".zgroup").write_text("{}")
        (path / "2020").write_text("no array has this chunk")
    elif name == "stranger":
        (here / "a.zarr/v/notes").mkdir()
        (here / "a.zarr/v/notes/1").write_text("not of the array")
        path = here / "a.zarr"
    elif name == "group":
        path = here / "a.zarr/g"
    elif name == "array":
        path = here / "a.zarr/v"
    elif name == "group in a zip file":
        made("a.zip")
        path = here / "a.zip/g"
    elif name == "here":
        path = Path("a.zarr/../a.zarr")
        os.chdir(here / "a.zarr")
        path = here / "a.zarr"
    return str(path)


OTHERS = (
    "folder", "text", "json", "names", "compressed", "zip", "broken zip", "home", "numbers",
    "stranger", "group", "array", "here",
)  # fmt: skip
"""Paths that neither ``ncz rm`` nor ``--overwrite`` deletes."""


@pytest.mark.parametrize(
    "name", [*OTHERS, "empty folder", "link", "group in a zip file", "nothing"]
)
def test_nothing_else_is(run: Run, here, name):
    path = planted(here, name)
    good = str(here / "good.zarr")
    shutil.copytree(here / "source.zarr", good)
    before = contents(here)
    ran = run("rm", good, path)
    assert (ran.code, ran.stdout, ran.stderr.count("\n")) == (1, b"", 1)
    refused = "will not be removed: "
    if name in ("nothing", "group in a zip file"):
        refused = "no file or store exists"
    elif name == "broken zip":
        refused = "the zip file is truncated or damaged"
    elif name == "names":
        refused = "is not a reference set"
    assert refused in ran.stderr
    assert contents(here) == before


@pytest.mark.parametrize("name", OTHERS)
@pytest.mark.parametrize("form", ["", "#mode=zip", "#mode=reference", "-k"])
def test_overwriting_deletes_nothing_that_is_not_removed(run: Run, here, name, form):
    path = planted(here, name)
    before = contents(here)
    shutil.copytree(here / "source.zarr", here / "source")
    options = ["--overwrite", *(["--kind", "netCDF-4"] if form == "-k" else [])]
    ran = run("copy", *options, here / "source", f"{path}{form.removeprefix('-k')}")
    shutil.rmtree(here / "source")
    if name == "folder" and form in ("", "-k"):  # as by cp, the copy is in the folder
        assert ran.code == 0
        assert before.items() <= contents(here).items()
        return
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert "will not be overwritten: " in ran.stderr
    assert contents(here) == before


STORES = [name for name in KINDS if not name.endswith((".nc", "#mode=reference")) or "parq" in name]


@pytest.mark.parametrize("target", STORES)
@pytest.mark.parametrize("mode", ["", "#mode=zip", "#mode=reference"])
def test_overwriting_replaces_a_store(here, target, mode):
    os.rename(made(target), here / "planted")
    ncz.copy("source.zarr", f"planted{mode}", overwrite=True, notify=ignore_notice)
    assert ncz.diff("source.zarr", "planted", notify=ignore_notice) == []


def test_links_in_a_store_are_not_followed(here):
    path = made("a.zarr")
    (here / "elsewhere").mkdir()
    (here / "elsewhere/0").write_text("stays")
    os.symlink(here / "elsewhere", here / "a.zarr/linked")
    os.symlink(here / "note.txt", here / "a.zarr/v/9")
    ncz.rm(path)
    assert not (here / "a.zarr").exists()
    assert (here / "elsewhere/0").read_text() == "stays"
    assert (here / "note.txt").read_text() == "mine"


def removed_in_part(path, connection=None):
    """Remove a store, and end in the middle, as a killed process does."""

    def stop(*_):
        os._exit(9)

    creation.remove = stop  # type: ignore[attr-defined]
    WritableRemoteZmap.delete_everything = stop  # type: ignore[method-assign]
    ncz.rm(path)


def test_a_killed_removal_can_be_run_again(run: Run, here):
    before = contents(here)
    path = made("a.zarr")
    with forked(removed_in_part, path):
        pass
    assert not os.path.exists(path)
    assert len(contents(here)) > len(before)
    assert run("rm", "--dry-run", path).text.startswith("would remove a.zarr (rest, ")
    assert run("rm", path).code == 0
    assert contents(here) == before
    assert run("rm", path).code == 1


def test_a_store_that_another_process_changes_is_refused(here):
    path = made("a.zarr")
    with claims.only_writer(path, path), ThreadPoolExecutor(1) as pool:
        error = pool.submit(ncz.rm, path).exception()
    assert isinstance(error, NczError)
    assert error.message == "another process is changing this store"
    assert os.path.exists(path)


def test_a_folder_with_many_stores(run: Run, here):
    (here / "many/deep").mkdir(parents=True)
    for name in KINDS:
        made(f"many/deep/{name}")
    made("many/b.zarr")
    os.symlink(here / "source.zarr", here / "many/link.zarr")
    (here / "many/note.txt").write_text("mine")
    (here / "many/other.json").write_text('{"name": "package"}')
    old = time.time() - 8 * 86400
    for path in (here / "many/deep").rglob("*"):
        os.utime(path, (old, old))
    os.utime(here / "many/deep/a.zarr/g/w/0")  # one chunk is new
    assert run("rm", "-r", "many").code == 2
    ran = run("rm", "-r", "--older-than", "7d", "--yes", "many")
    assert ran.code == 0
    assert "many/deep/a.zarr: it changed later" in ran.stderr
    assert sorted(path.name for path in (here / "many/deep").iterdir()) == ["a.zarr"]
    assert run("rm", "-r", "--yes", "many").code == 0
    assert {path.name for path in (here / "many").rglob("*")} == {
        "deep", "link.zarr", "note.txt", "other.json",
    }  # fmt: skip
    assert (here / "source.zarr/.zgroup").exists()


@pytest.mark.parametrize("age", ["7", "d", "-1d", "7 days", ""])
def test_an_age_that_is_not_valid(run: Run, here, age):
    ran = run("rm", "source.zarr", "--older-than", age)
    assert (ran.code, ran.stderr.count("\n")) == (2, 1)


@pytest.mark.parametrize("form", ["x.nca", "x.zarr#mode=cfa"])
def test_an_aggregation_with_its_pieces(run: Run, here, form):
    path = form.partition("#")[0]
    before = contents(here)
    ncz.copy("source.zarr", form, pieces={"time": 2}, variables=["t", "time"])
    with_pieces = contents(here)
    ran = run("rm", path)
    assert ran.code == 0
    assert len(contents(here)) > len(before)  # the pieces
    ran = run("rm", "--pieces", "source.zarr")
    assert (ran.code, "it is not an aggregation" in ran.stderr) == (2, True)
    shutil.rmtree(here / "x")
    ncz.copy("source.zarr", form, pieces={"time": 2}, variables=["t", "time"])
    assert contents(here).keys() == with_pieces.keys()
    claims.remove(str(next((here / "x").iterdir())))  # an interrupted removal
    assert run("rm", "--pieces", path).code == 0
    assert contents(here) == before


def test_pieces_elsewhere_stay(run: Run, here):
    made("a.nc")
    assert run("aggregate", "m.nca", "a.nc", "--axis", "time").code == 0
    ran = run("rm", "--pieces", "m.nca")
    assert ran.code == 0
    assert "pieces elsewhere: " in ran.stderr
    assert (here / "a.nc").exists()
    assert not (here / "m.nca").exists()


def test_a_terminal_is_asked(run: Run, here, monkeypatch):
    path = made("a.zarr")
    monkeypatch.setattr("ncz.cli.rm.is_terminal", lambda: True)
    refused = run("rm", path, stdin=b"n\n")
    assert os.path.exists(path)
    assert "a.zarr (store, " in refused.stderr
    assert run("rm", path, stdin=b"y\n").code == 0
    assert not os.path.exists(path)
    assert run("rm", made("a.zarr"), "--yes", stdin=b"").code == 0


# On a server.


def at(prefix, name=""):
    path, _, mode = f"{prefix}/{name}".rstrip("/").partition("#mode=")
    return f"{path}#mode=s3,{mode}".rstrip(",")


def written_in_part(url, connection=None):
    """Write a part of a store, and end without leaving the block, as a killed process does."""
    with create_zmap(parse_location(url)) as zmap:
        zmap.put("v/0", b"12")
        zmap.put("v/.zarray", b"{}")
        zmap.search("")  # wait until they are sent
        os._exit(9)


def test_a_store_on_s3(run: Run, here, s3):
    url = f"{s3}/a.zarr#mode=s3"
    ncz.copy("source.zarr", url, notify=ignore_notice)
    ncz.copy("source.zarr", f"{s3}/b.zarr#mode=s3", notify=ignore_notice)
    for part in ("/v", "/g"):
        ran = run("rm", url.replace("#", f"{part}#"))
        assert (ran.code, "it is part of the store" in ran.stderr) == (1, True)
    assert run("rm", f"{s3}#mode=s3").code == 1  # many stores
    assert run("rm", url).code == 0
    assert run("ls", url).code == 1
    assert run("rm", url).code == 1
    assert run("diff", "source.zarr", f"{s3}/b.zarr#mode=s3").code == 0


def test_a_killed_removal_on_s3_can_be_run_again(run: Run, here, s3):
    url = f"{s3}/a.zarr#mode=s3"
    ncz.copy("source.zarr", url, notify=ignore_notice)
    with forked(removed_in_part, url):
        pass
    assert run("dump", url).code == 1
    assert json.loads(run("rm", "--dry-run", "--json", url).text)["removed"][0]["kind"] == "rest"
    assert run("rm", url).code == 0
    assert "no file or store exists" in run("rm", url).stderr


def test_a_pattern_of_urls_is_replaced_by_its_matches(run: Run, here, moto, monkeypatch):
    with moto.bucket("patterns", monkeypatch) as bucket:
        for name in ("runs/a.zarr", "runs/b.zarr", "keep.zarr"):
            ncz.copy("source.zarr", f"{bucket}/{name}", notify=ignore_notice)
        pattern = f"{bucket}/runs/*.zarr"
        assert [*json.loads(run("info", "--json", pattern).text)] == [
            f"{bucket}/runs/{name}.zarr" for name in "ab"
        ]
        assert run("ls", "--sum", pattern).text.count("\n") == 2
        assert run("rm", f"{bucket}/runs/c*").code == 1
        assert run("rm", pattern).code == 0
        assert run("ls", "-r", pattern).code == 1
        assert run("diff", "source.zarr", f"{bucket}/keep.zarr").code == 0


def test_a_prefix_with_many_stores(run: Run, here, s3):
    made("a.nc")
    for name in ("one/a.zarr", "one/b.zarr#mode=v3", "two/c.nc", "d.zip"):
        source = "a.nc" if name.endswith(".nc") else "source.zarr"
        ncz.copy(source, at(s3, name), notify=ignore_notice)
    with create_zmap(parse_location(at(s3, "one/e.zarr"))) as zmap:
        zmap.put("note.txt", b"mine")
        zmap.put(".zgroup", b'{"zarr_format": 2}')
    shown = json.loads(run("rm", "-r", "--dry-run", "--json", at(s3)).text)["removed"]
    assert sorted(row["place"].partition("#")[0].removeprefix(s3) for row in shown) == [
        "/d.zip", "/one/a.zarr", "/one/b.zarr", "/two/c.nc",
    ]  # fmt: skip
    ran = run("rm", "-r", "--older-than", "1h", "--yes", at(s3))
    assert (ran.code, ran.stderr.count("it changed later")) == (0, 4), ran.stderr
    ran = run("rm", "-r", "--yes", at(s3))
    assert (ran.code, "not stores: " in ran.stderr) == (0, True)
    assert run("ls", "-r", at(s3)).text.split() == [
        "/one/e.zarr/.zgroup", "/one/e.zarr/note.txt",
    ]  # fmt: skip


def test_other_files_in_a_folder_are_named(run: Run, here):
    (here / "f/deep").mkdir(parents=True)
    ncz.copy("source.zarr", "f/a.zarr", notify=ignore_notice)
    (here / "f/note.txt").write_text("mine")
    (here / "f/deep/data.bin").write_bytes(bytes(9))
    for options in (["--dry-run"], ["--yes"]):
        ran = run("rm", "-r", *options, "f")
        assert (ran.code, ran.stderr) == (
            0, "ncz: notice: f: not stores: f/note.txt, f/deep/data.bin\n",
        )  # fmt: skip
    assert not (here / "f/a.zarr").exists()
    (here / "g").mkdir()
    (here / "g/link.nc").symlink_to(here / "source.zarr")
    ran = run("rm", "-r", "--yes", "g")
    assert (ran.code, ran.stderr) == (0, "ncz: notice: g: not stores: g/link.nc\n")
    assert (here / "source.zarr/.zgroup").exists()


def test_plain_objects_below_a_prefix_are_named(run: Run, here, s3):
    ncz.copy("source.zarr", at(s3, "a.zarr"), notify=ignore_notice)
    with create_zmap(parse_location(at(s3, "plain"))) as zmap:
        zmap.put("note.txt", b"mine")
    ran = run("rm", "-r", "--yes", at(s3))
    assert (ran.code, "not stores: " in ran.stderr, "note.txt" in ran.stderr) == (0, True, True)
    assert run("ls", "-r", at(s3)).text.split() == ["/plain/note.txt"]


def test_an_unfinished_store_on_s3(run: Run, here, s3):
    with forked(written_in_part, f"{s3}/a.zarr#mode=s3"):
        pass
    assert run("rm", "--dry-run", "-r", at(s3)).text.startswith(
        f"would remove {s3}/a.zarr#mode=s3 (rest, "
    )
    assert run("rm", "-r", "--yes", at(s3)).code == 0
    with contextlib.closing(connect_to_write(parse_location(at(s3)))) as zmap:
        assert list(zmap.everything()) == []


def test_a_store_that_another_computer_writes_to_s3(run: Run, here, s3):
    with forked(written_in_part, f"{s3}/a.zarr#mode=s3"):
        pass
    with contextlib.closing(connect_to_write(parse_location(f"{s3}/a.zarr#mode=s3"))) as zmap:
        zmap.put(MARK, b"\nelsewhere 1")
    ran = run("rm", f"{s3}/a.zarr#mode=s3")
    assert (ran.code, ran.stderr.count("\n")) == (1, 1)
    assert "process 1 on elsewhere began to write this store" in ran.stderr
    assert run("rm", "--older-than", "0s", f"{s3}/a.zarr#mode=s3").code == 0


def test_an_aggregation_on_s3_with_its_pieces(run: Run, here, s3):
    url = at(s3, "x.nca")
    ncz.copy("source.zarr", url, pieces={"time": 2}, vars="t", notify=ignore_notice)
    shown = json.loads(run("rm", "--dry-run", "--pieces", "--json", url).text)["removed"]
    assert [row["place"].partition("#")[0].removeprefix(s3) for row in shown] == [
        "/x/x.t.0.nc", "/x/x.t.1.nc", "/x.nca",
    ]  # fmt: skip
    assert run("rm", "--pieces", url).code == 0
    with contextlib.closing(connect_to_write(parse_location(at(s3)))) as zmap:
        assert list(zmap.everything()) == []


# Other servers than S3: every file system of fsspec, Google and Azure.


@pytest.mark.parametrize("scheme", ["fsspec+memory", "local", "gs", "az"])
def test_other_servers(run: Run, here, request, scheme):
    if scheme in ("gs", "az"):
        pytest.importorskip("obstore", reason="obstore is not installed")
        request.getfixturevalue("cloud")
    below = {"gs": "gs://bucket", "az": "az://bucket", "local": f"local://{here}/out"}
    prefix = below.get(scheme, f"{scheme}://{uuid.uuid4().hex}")
    for name in ("a.zarr", "deep/b.zarr", "deep/c.zarr#mode=v3"):
        ncz.copy("source.zarr", f"{prefix}/{name}", notify=ignore_notice)
    with create_zmap(parse_location(f"{prefix}/deep/d.zarr")) as zmap:
        zmap.put("note.txt", b"mine")
        zmap.put(".zgroup", b'{"zarr_format": 2}')
    done = run("rm", f"{prefix}/deep/d.zarr")
    assert (done.code, "holds /note.txt, which is not part of a store" in done.stderr) == (1, True)
    done = run("rm", f"{prefix}/a.zarr/v")
    assert (done.code, "it is part of the store" in done.stderr) == (1, True), done.stderr
    assert run("rm", "--dry-run", f"{prefix}/a.zarr").code == 0
    assert run("info", f"{prefix}/a.zarr").code == 0
    done = run("rm", f"{prefix}/a.zarr")
    assert (done.code, done.stderr) == (0, "")
    assert "no file or store exists" in run("info", f"{prefix}/a.zarr").stderr
    assert "no file or store exists" in run("rm", f"{prefix}/a.zarr").stderr
    done = run("rm", "-r", "--yes", prefix)
    assert (done.code, "not stores: " in done.stderr) == (0, True), done.stderr
    left = run("ls", "-r", prefix).text.split()
    assert [key for key in left if not key.endswith("/")] == [
        "/deep/d.zarr/.zgroup",
        "/deep/d.zarr/note.txt",
    ]


def test_stores_in_memory_or_on_a_web_server_are_kept(run: Run, here, web):
    ncz.copy("source.zarr", "memory://kept", notify=ignore_notice)
    done = run("rm", "memory://kept")
    assert (done.code, "will not be removed: it is in memory" in done.stderr) == (1, True)
    assert run("info", "memory://kept").code == 0
    done = run("rm", f"{web.endpoint}/a.zarr")
    assert (done.code, "a web server is read-only" in done.stderr) == (1, True)
