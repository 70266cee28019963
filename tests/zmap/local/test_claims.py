"""Names that others prepare in a shared folder, and stores that are replaced."""

from __future__ import annotations

import fcntl
import os
import threading

import pytest

from ncz.errors import ZmapError
from ncz.zmap.claim import Claim
from ncz.zmap.local.build_names import claimed_name
from ncz.zmap.local.claims import hold_claim
from ncz.zmap.location import parse_location
from ncz.zmap.opening import create_zmap, open_zmap


def create(target, objects, *, resume=False, overwrite=False):
    claim = Claim("mine", resume)
    with create_zmap(parse_location(str(target)), overwrite=overwrite, claim=claim) as zmap:
        for key, value in objects.items():
            zmap.put(key, value)


def names(target):
    partial = target.parent / claimed_name(str(target))
    return partial, partial.with_suffix(".claim")


@pytest.mark.parametrize("link", [os.symlink, os.link])
def test_a_link_in_place_of_the_claim(tmp_path, link):
    precious = tmp_path / "precious"
    precious.write_bytes(b"precious")
    target = tmp_path / "x.zarr"
    link(precious, names(target)[1])
    with pytest.raises(ZmapError, match=r"symbolic link|was not created by this user"):
        create(target, {".zgroup": b"{}"})
    assert precious.read_bytes() == b"precious"


def test_a_pipe_in_place_of_the_claim(tmp_path):
    os.mkfifo(names(tmp_path / "x.zarr")[1])
    with pytest.raises(ZmapError, match="was not created by this user"):
        create(tmp_path / "x.zarr", {".zgroup": b"{}"})


@pytest.mark.parametrize("suffix", [".zarr", ".zip"])
def test_a_link_in_place_of_the_unfinished_store(tmp_path, suffix):
    target = tmp_path / f"x{suffix}"
    partial, claim = names(target)
    claim.write_text("mine")
    elsewhere = tmp_path / "elsewhere"
    if suffix == ".zip":
        elsewhere.write_bytes(b"precious")
    else:
        elsewhere.mkdir()
        (elsewhere / "precious").write_bytes(b"precious")
    partial.symlink_to(elsewhere)
    create(target, {".zgroup": b"{}"}, resume=True)
    zmap = open_zmap(parse_location(str(target)))
    assert list(zmap.walk()) == [".zgroup"]
    kept = elsewhere if suffix == ".zip" else elsewhere / "precious"
    assert kept.read_bytes() == b"precious"


@pytest.mark.skipif(os.geteuid() != 0, reason="only root may give files away")
def test_an_unfinished_store_of_another_user(tmp_path):
    partial, claim = names(tmp_path / "x.zarr")
    claim.write_text("mine")
    partial.mkdir()
    (partial / "planted").write_bytes(b"1")
    os.chown(partial, 12345, 12345)
    with pytest.raises(ZmapError, match="was not created by this user"):
        create(tmp_path / "x.zarr", {".zgroup": b"{}"}, resume=True)


def test_a_claim_that_is_removed_while_another_waits_for_it(tmp_path, monkeypatch):
    """The lock of a removed file is not a claim: it is opened again."""
    partial, path = names(tmp_path / "x.zarr")
    lock = fcntl.flock
    removed: list[int] = []

    def flock(file, how):
        if not removed:
            removed.append(os.fstat(file).st_ino)
            path.unlink()  # its owner finishes between opening and locking
        lock(file, how)

    monkeypatch.setattr(fcntl, "flock", flock)
    with hold_claim(str(partial), "x.zarr", Claim("mine"), False):
        assert path.read_text() == "mine"
        partial.mkdir()
        failed = []

        def other():
            held = hold_claim(str(partial), "x.zarr", Claim("mine"), False)
            with pytest.raises(ZmapError, match="another process") as caught, held:
                pass
            failed.append(caught)

        thread = threading.Thread(target=other)
        thread.start()
        thread.join()
        assert failed


@pytest.mark.parametrize("overwrite", [False, True])
@pytest.mark.parametrize("suffix", ["zarr", "zip"])
def test_nothing_is_left_next_to_a_store_that_is_complete(tmp_path, suffix, overwrite):
    target = tmp_path / f"x.{suffix}"
    for again in range(1 + overwrite):
        create(target, {".zgroup": b"{}"}, overwrite=again > 0)
        assert os.listdir(tmp_path) == [target.name]


@pytest.mark.parametrize("suffix", ["zarr", "zip"])
def test_a_claim_stays_with_the_unfinished_store_that_can_be_resumed(tmp_path, suffix):
    target = tmp_path / f"x.{suffix}"
    claim = Claim("mine", True)

    def interrupted():
        with create_zmap(parse_location(str(target)), claim=claim) as zmap:
            zmap.put(".zgroup", b"{}")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert sorted(tmp_path.iterdir()) == sorted(names(target))
    create(target, {".zgroup": b"{}", "v/0": b"1"}, resume=True)
    assert os.listdir(tmp_path) == [target.name]
