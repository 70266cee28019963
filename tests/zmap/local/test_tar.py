"""Tar archives as stores, which are read in place."""

from __future__ import annotations

import io
import os
import shutil
import subprocess
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

import ncz
from ncz.errors import StoreMissing, ZmapError, ignore_notice
from ncz.zmap.local.tar import TarZmap

CDL = b"netcdf d { dimensions: x = 3 ; variables: int v(x) ; data: v = 1, 2, 3 ; }"


def member(name: str, data: bytes = b"", **fields: object) -> tuple[tarfile.TarInfo, bytes]:
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    for field, value in fields.items():
        setattr(entry, field, value)
    return entry, data


def archive(path: Path, *members: tuple[tarfile.TarInfo, bytes]) -> str:
    with tarfile.open(path, "w") as file:
        for entry, data in members:
            file.addfile(entry, io.BytesIO(data))
    return str(path)


@pytest.fixture
def store(tmp_path):
    ncz.gen(io.BytesIO(CDL), tmp_path / "d.zarr", notify=ignore_notice)
    return tmp_path / "d.zarr"


def test_objects_are_read_in_place(tmp_path):
    path = archive(
        tmp_path / "x.tar", member("s/.zgroup", b"{}"), member("s/v/0", b"old"),
        member("s/v/0", b"01234"), member("s/v/1", b""),
    )  # fmt: skip
    zmap = TarZmap(path, path)
    assert (zmap.prefix, [*zmap.walk()]) == ("s/", [".zgroup", "v/0", "v/1"])
    assert (zmap.get("v/0"), zmap.get("v/1"), zmap.get("v/2")) == (b"01234", b"", None)
    assert zmap.get_range("v/0", 1, 2) == b"12"
    assert zmap.get_range("v/0", -2, 9) == b"34"
    assert (zmap.size("v/0"), zmap.search("")) == (5, [".zgroup", "v"])
    place = zmap.place("v/0")
    assert place is not None
    assert Path(path).read_bytes()[place.offset :][: place.length] == b"01234"
    with pytest.raises(ZmapError, match="larger than"):
        zmap.get("v/0", limit=3)
    zmap.close()
    with pytest.raises(ZmapError, match="the store is closed"):
        zmap.get("v/0")


def test_no_name_and_no_link_leads_out(tmp_path):
    (tmp_path / "secret").write_bytes(b"secret")
    path = archive(
        tmp_path / "x.tar", member(".zgroup", b"{}"), member("v/0", b"0"),
        member("../secret/.zarray", b"1"), member("/etc/.zarray", b"2"),
        member("v/1", type=tarfile.SYMTYPE, linkname="../../secret"),
        member("v/2", type=tarfile.LNKTYPE, linkname=str(tmp_path / "secret")),
        member("v/3", type=tarfile.LNKTYPE, linkname="v/0"),
    )  # fmt: skip
    zmap = TarZmap(path, path)
    assert [*zmap.walk()] == [".zgroup", "v/0", "v/3"]
    assert zmap.get("v/3") == b"0"
    assert zmap.misnamed_objects == ("../secret/.zarray", "/etc/.zarray")
    zmap.close()


@pytest.mark.parametrize(
    "change",
    [
        lambda data: data[:700],
        lambda data: data[:1536],
        lambda data: data[:1024] + b"?" * 512 + data[1536:],
    ],
    ids=["within a member", "between members", "a header"],
)
def test_damage_is_found_when_it_is_opened(tmp_path, change: Callable[[bytes], bytes]):
    path = archive(
        tmp_path / "x.tar", member(".zgroup", b"{}"), member("v/.zarray", b"{}" * 50),
        member("v/0", b"0"),
    )  # fmt: skip
    assert [*TarZmap(path, path).walk()] == [".zgroup", "v/.zarray", "v/0"]
    Path(path).write_bytes(change(Path(path).read_bytes()))
    with pytest.raises(ZmapError, match="truncated or damaged"):
        TarZmap(path, path)


def test_a_changed_archive_is_not_read(tmp_path):
    path = archive(tmp_path / "x.tar", member(".zgroup", b"{}"))
    zmap = TarZmap(path, path)
    os.replace(archive(tmp_path / "y.tar", member(".zgroup", b"[]")), path)
    with pytest.raises(ZmapError, match="changed"):
        zmap.check_unchanged()
    zmap.close()


def test_a_group_is_a_store(tmp_path):
    path = archive(tmp_path / "x.tar", member("a/.zgroup", b"{}"), member("a/g/.zgroup", b"[]"))
    zmap = TarZmap(path, path, inside="g")
    assert zmap.get(".zgroup") == b"[]"
    zmap.close()
    with pytest.raises(StoreMissing, match="no group h"):
        TarZmap(path, path, inside="h")


@pytest.mark.skipif(shutil.which("tar") is None, reason="needs tar")
@pytest.mark.parametrize("name", ["d.tar", "d.tgz", "d.tar.bz2"])
def test_commands_read_archives_of_tar(run, tmp_path, store, name):
    subprocess.run(["tar", "-caf", tmp_path / name, "-C", tmp_path, store.name], check=True)
    path = tmp_path / name
    assert ncz.digest(path) == ncz.digest(store)
    assert run("diff", store, path).code == 0
    assert run("dump", "-h", path).text.startswith("netcdf d {")
    assert run("info", path).text.startswith("d: NCZarr 2 on Zarr V2")
    assert ncz.copy(path, tmp_path / "o.nc", notify=ignore_notice).variables == 1
    assert run("dump", "-h", "-", stdin=path.read_bytes()).code == 0
    changed = run("edit", "-a", "title=x", path)
    assert (changed.code, path.name in changed.stderr) == (1, True)


def test_a_reference_set_refers_into_an_archive(tmp_path, store):
    path = tmp_path / "d.tar"
    with tarfile.open(path, "w") as file:
        file.add(store, "d.zarr")
    ncz.copy(path, tmp_path / "refs.json", inline=0, notify=ignore_notice)
    assert ncz.diff(tmp_path / "refs.json", store) == []
    assert str(path) in (tmp_path / "refs.json").read_text("utf-8")


def test_an_archive_is_only_read(tmp_path, store):
    path = tmp_path / "d.tar"
    with tarfile.open(path, "w") as file:
        file.add(store, "d.zarr")
    with pytest.raises(ncz.NczError, match="a tar archive can only be read"):
        ncz.consolidate(path)
