"""The table of store kinds: the kinds that it recognises, and the effect of a new entry."""

from __future__ import annotations

import contextlib
import sys
import types

import pytest

from ncz.errors import ZmapError
from ncz.zmap import kinds
from ncz.zmap.foreign import LONGEST_SIGNATURE, SIGNATURES, foreign
from ncz.zmap.kinds import KINDS, StoreKind, kind_of_name, recognise_kind
from ncz.zmap.location import parse_location
from ncz.zmap.memory import MemoryZmap
from ncz.zmap.opening import Opener, create_zmap, load_opener, open_zmap


@pytest.mark.parametrize(
    ("first", "kind"),
    [
        (None, "directory"),
        (b"PK\3\4....", "zip"),
        (b"PK\5\6....", "zip"),
        (b"PK\7\x08PK\3\4", "zip"),
        (b"PK", None),
        (b"", None),
        (b"\x89HDF\r\n\x1a\n", None),
    ],
)
def test_content_decides_the_kind_of_a_path(first, kind):
    assert recognise_kind("any.zip", first) == kind


@pytest.mark.parametrize(
    ("name", "kind"), [("x.zip", "zip"), ("X.ZIP", "zip"), ("x.zarr", None), ("zip", None)]
)
def test_the_suffix_decides_the_kind_of_a_new_store(name, kind):
    assert kind_of_name(name) == kind


def test_foreign_files_are_not_stores():
    known = foreign(b"CDF\x02...")
    assert known is not None
    assert known.title == "a netCDF 64-bit offset file"
    assert foreign(b"CD") is None
    assert all(recognise_kind("x", magic) is None for _, magic, _, _ in SIGNATURES)
    assert max(offset + len(magic) for offset, magic, _, _ in SIGNATURES) <= LONGEST_SIGNATURE


def test_every_entry_has_its_functions():
    for kind in KINDS:
        assert isinstance(load_opener(kind), Opener)


def test_a_new_kind_is_one_entry(tmp_path, monkeypatch):
    """A kind that is recognised by a key in a directory, and another by the bytes of a file."""
    opened = []

    def open_it(location):
        opened.append(location.path)
        return MemoryZmap({".zgroup": b"{}"})

    @contextlib.contextmanager
    def create_it(location, overwrite, claim):
        yield MemoryZmap()

    opener = Opener(open=open_it, open_to_write=open_it, create=create_it)

    def is_special(path, first):
        if first is None:
            return (tmp_path / path / "repo").exists()
        return first.startswith(b"SPECIAL")

    package = types.ModuleType("special_package")
    package.OPENER = opener  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "special_package", package)
    entry = StoreKind(
        "special store", "special_package:OPENER", recognise=is_special, suffixes=(".special",)
    )
    monkeypatch.setitem(kinds.KINDS, "special", entry)
    (tmp_path / "repository").mkdir()
    (tmp_path / "repository" / "repo").touch()
    (tmp_path / "file").write_bytes(b"SPECIAL bytes")
    for name in ("repository", "file"):
        zmap = open_zmap(parse_location(str(tmp_path / name)))
        assert zmap.get(".zgroup") == b"{}"
    assert [path.rpartition("/")[2] for path in opened] == ["repository", "file"]
    with create_zmap(parse_location(str(tmp_path / "new.special"))) as made:
        assert isinstance(made, MemoryZmap)
    (tmp_path / "plain").write_bytes(b"other bytes")
    with pytest.raises(ZmapError, match="not a dataset that ncz knows"):
        open_zmap(parse_location(str(tmp_path / "plain")))
