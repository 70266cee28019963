"""The start of HDF5 files: which files are refused, and why."""

from __future__ import annotations

import h5py
import numpy as np
import pytest

import ncz
from ncz.errors import FormatError


@pytest.fixture
def path(tmp_path):
    return tmp_path / "x.h5"


def make(path, **options):
    with h5py.File(path, "w", **options) as file:
        file["v"] = np.arange(5)


@pytest.mark.parametrize("version", ["earliest", "latest"])
@pytest.mark.parametrize("user_block", [0, 512])
def test_a_file_that_is_shorter_than_it_says(path, version, user_block):
    make(path, libver=version, userblock_size=user_block)
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    with pytest.raises(
        FormatError, match=f"truncated: the file has {len(data) - 1} bytes, and had"
    ):
        ncz.dump(path)
    path.write_bytes(data + b"more")
    assert " v = 0, 1, 2, 3, 4 ;" in ncz.dump(path)


@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_a_user_block_that_was_added_later(path, version):
    make(path, libver=version)
    path.write_bytes(bytes(1024) + path.read_bytes())
    assert " v = 0, 1, 2, 3, 4 ;" in ncz.dump(path)


def test_a_file_that_a_program_did_not_close(path):
    make(path, libver="latest")
    data = bytearray(path.read_bytes())
    data[11] |= 1  # a program writes
    path.write_bytes(_with_checksum(data))
    with pytest.raises(FormatError, match=r"or ended without closing it; .*h5clear"):
        ncz.dump(path)


def test_a_file_that_is_written_for_several_readers(path):
    with h5py.File(path, "w", libver="latest") as file:
        file.create_dataset("v", data=np.arange(5), maxshape=(None,), chunks=(2,))
        file.swmr_mode = True
        file["v"].resize((7,))
        file["v"][5:] = [8, 9]
        file["v"].flush()
        assert " v = 0, 1, 2, 3, 4, 8, 9 ;" in ncz.dump(path)


def _with_checksum(data):
    from numcodecs.jenkins import jenkins_lookup3

    return bytes(data[:44]) + jenkins_lookup3(bytes(data[:44]), 0).to_bytes(4, "little") + data[48:]


@pytest.mark.parametrize(
    ("at", "byte", "says"),
    [
        (8, 9, "ncz does not read this HDF5 file: the superblock has the unknown version 9"),
        (9, 3, "ncz does not read this HDF5 file: addresses or lengths have 3 and 8 bytes"),
        (20, 1, "damaged: a checksum of its metadata is wrong"),
    ],
)
def test_a_changed_superblock(path, at, byte, says):
    make(path, libver="latest")
    data = bytearray(path.read_bytes())
    data[at] = byte
    path.write_bytes(data)
    with pytest.raises(FormatError, match=says):
        ncz.dump(path)


def test_no_superblock(path):
    path.write_bytes(b"\x89HDF\r\n\x1a\n")
    with pytest.raises(FormatError, match="damaged: the superblock cannot be parsed"):
        ncz.dump(path)


SHARED_TABLE, CACHE_IMAGE = 15, 24


@pytest.mark.parametrize(
    ("message", "size", "says"),
    [
        (CACHE_IMAGE, None, r"its metadata are in an image .*; h5repack"),
        (CACHE_IMAGE, 4, "damaged: the superblock cannot be parsed"),
        (SHARED_TABLE, 4, "damaged: the superblock cannot be parsed"),
    ],
)
def test_other_messages_of_the_superblock(path, message, size, says):
    """h5py does not write them; the message about free space becomes one, and may be shortened."""
    from numcodecs.jenkins import jenkins_lookup3

    make(path, libver="latest", fs_strategy="page", fs_persist=True)
    data = path.read_bytes()
    start = int.from_bytes(data[20:28], "little")  # of the extension of the superblock
    at = start + 23  # of its first message, after its times and its size
    end = at + data[at - 1]
    assert (data[start : start + 4], data[start + 5], data[at]) == (b"OHDR", 32, 23)
    changed = bytes([message]) + data[at + 1 : end]
    if size is not None:
        rest = bytes(len(changed) - 8 - size)
        changed = bytes([message, size, 0, 0]) + changed[4 : 4 + size]
        changed += bytes([0]) + len(rest).to_bytes(2, "little") + bytes(1) + rest
    header = data[start:at] + changed
    checksum = jenkins_lookup3(header, 0).to_bytes(4, "little")
    path.write_bytes(data[:start] + header + checksum + data[end + 4 :])
    with pytest.raises(FormatError, match=says):
        ncz.dump(path)


@pytest.mark.parametrize("driver", ["family", "split"])
def test_a_part_of_a_file(tmp_path, driver):
    if driver == "family":
        with h5py.File(tmp_path / "x%d.h5", "w", driver="family", memb_size=2048) as file:
            file["v"] = np.arange(500)  # in several parts, so that the first is shorter than all
        path = tmp_path / "x0.h5"
    else:
        with h5py.File(tmp_path / "x", "w", driver="split") as file:
            file["v"] = np.arange(5)
        path = tmp_path / "x-m.h5"
    with pytest.raises(FormatError, match="it is one of several parts of a file"):
        ncz.dump(path)
