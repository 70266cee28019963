"""Links of groups in HDF5 files."""

from __future__ import annotations

import struct

import pytest

from ncz.formats.hdf5.metadata.faults import DamageError, UnsupportedError
from ncz.formats.hdf5.metadata.links import Hdf5Link, parse_link, text_at
from ncz.formats.hdf5.metadata.superblock import Sizes

SIZES = Sizes(8, 8)


def parsed(data: bytes) -> Hdf5Link:
    return parse_link(data, SIZES)


def test_a_hard_link_leads_to_an_address():
    link = parsed(bytes([1, 0, 3]) + b"abc" + struct.pack("<Q", 800))
    assert (link.name, link.kind, link.address, link.order) == (b"abc", "hard", 800, None)


def test_the_order_and_the_character_set_are_skipped_or_kept():
    head = bytes([1, 4 | 16 | 1]) + struct.pack("<q", 7) + b"\1" + struct.pack("<H", 2)
    link = parsed(head + b"ab" + struct.pack("<Q", 800))
    assert (link.name, link.order) == (b"ab", 7)


@pytest.mark.parametrize(("number", "kind"), [(1, "soft"), (64, "external"), (200, "external")])
def test_other_links_have_a_path(number: int, kind: str):
    link = parsed(bytes([1, 8, number, 1]) + b"a" + struct.pack("<H", 4) + b"/g/v")
    assert (link.kind, link.path, link.address) == (kind, b"/g/v", None)


@pytest.mark.parametrize(
    ("data", "error"),
    [
        (bytes([2, 0, 1]) + b"a" + bytes(8), UnsupportedError),
        (bytes([1, 32, 1]) + b"a" + bytes(8), UnsupportedError),
        (bytes([1, 8, 5, 1]) + b"a" + bytes(8), UnsupportedError),
        (bytes([1, 0, 0]) + bytes(8), DamageError),
        (bytes([1, 0, 9]) + b"a", DamageError),
        (bytes([1, 8, 1, 1]) + b"a" + struct.pack("<H", 9) + b"/g", DamageError),
    ],
)
def test_what_cannot_be_a_link_is_refused(data: bytes, error: type[Exception]):
    with pytest.raises(error):
        parsed(data)


def test_names_of_a_local_heap_end_with_nul():
    assert text_at(b"\0abc\0de\0", 1) == b"abc"
    assert text_at(b"\0abc\0", 0) == b""
    for start in (5, 99):
        with pytest.raises(DamageError, match="a name is not in its local heap"):
            text_at(b"\0abc\0de", start)


@pytest.mark.parametrize("libver", ["earliest", "latest"])
@pytest.mark.parametrize("count", [3, 20])
def test_links_of_h5py_in_old_and_new_groups(tmp_path, libver: str, count: int):
    h5py = pytest.importorskip("h5py")
    from ncz.errors import ignore_notice
    from ncz.formats.opening import open_dataset
    from ncz.zmap.location import parse_location

    with h5py.File(tmp_path / "l.h5", "w", libver=libver) as file:
        for number in range(count):
            file.create_dataset(f"v{number:02}", data=number)
    location = parse_location(str(tmp_path / "l.h5"))
    with open_dataset(location, notify=ignore_notice) as opened:
        names = [variable.name for variable in opened.dataset.root.variables]
    assert names == [f"v{number:02}" for number in range(count)]
