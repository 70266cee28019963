"""The first look at a location."""

from __future__ import annotations

from pathlib import Path

import pytest

from ncz.errors import ZmapError
from ncz.formats.kinds import START, Source
from ncz.zmap.location import parse_location

DATA = bytes(range(200))


def test_a_file_is_known_by_its_first_bytes(tmp_path: Path):
    (tmp_path / "a").write_bytes(DATA)
    source = Source(parse_location(str(tmp_path / "a")))
    assert source.start == DATA[:START]
    assert source.holds(DATA[150:160], 150)
    assert not source.holds(DATA[150:160], 151)
    assert not source.holds(b"\xff", 500)


@pytest.mark.parametrize("name", ["missing", "."])
def test_a_folder_and_nothing_have_no_bytes(tmp_path: Path, name: str):
    source = Source(parse_location(str(tmp_path / name)))
    assert source.start == b""
    assert not source.holds(b"a", 0)


def test_a_file_on_a_server_is_read_only_for_its_suffix(monkeypatch: pytest.MonkeyPatch):
    counts: list[int] = []

    def read_start(_: object, count: int) -> bytes:
        counts.append(count)
        return DATA[:count]

    monkeypatch.setattr("ncz.zmap.remote.opening.read_start", read_start)
    store = Source(parse_location("https://example.org/a.zarr"), (".nc",))
    assert (store.start, store.holds(b"\0", 0)) == (b"", False)
    assert Source(parse_location("https://example.org/a.nc")).start == b""
    assert counts == []
    file = Source(parse_location("https://example.org/a.NC"), (".nc",))
    assert file.start == DATA[:START]
    assert file.holds(DATA[150:160], 150)
    assert file.holds(DATA[:3], 0)
    assert counts[0] == START
    assert len(counts) == 2


def test_an_error_of_a_server_is_reported_by_the_format(monkeypatch: pytest.MonkeyPatch):
    def fail(*_: object) -> bytes:
        raise ZmapError("refused")

    monkeypatch.setattr("ncz.zmap.remote.opening.read_start", fail)
    assert Source(parse_location("https://example.org/a.nc"), (".nc",)).start == b""
