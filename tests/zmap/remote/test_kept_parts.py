"""Parts of files on servers, kept for the next run."""

from __future__ import annotations

import zlib

import pytest

from ncz.zmap.location import parse_location
from ncz.zmap.remote.kept_parts import FileParts, current, keep_parts
from ncz.zmap.remote.versions import Version

PARTS = FileParts(Version("e", "m", 20), ((0, b"01234"), (10, b"abc")))
PLACE = parse_location("s3://b/f.nc")


class Headers(dict):
    """Headers in memory, and the number of used ones."""

    used = 0

    def find(self, name):
        return self.get(name)

    def add(self, name, data):
        self[name] = data

    def note_use(self, count):
        self.used += count


@pytest.mark.parametrize(
    ("start", "count", "data"),
    [(0, 5, b"01234"), (2, 2, b"23"), (11, 2, b"bc"), (4, 2, None), (12, 2, None), (5, 1, None)],
)
def test_bytes_of_one_part(start, count, data):
    assert PARTS.read(start, count) == data
    assert FileParts.from_bytes(PARTS.to_bytes()).read(start, count) == data


@pytest.mark.parametrize("data", [b"", b"x", zlib.compress(b"{}"), zlib.compress(b"[1, 2]\n")])
def test_damage(data):
    with pytest.raises((ValueError, TypeError, zlib.error)):
        FileParts.from_bytes(data)


def noted(headers: Headers, version: Version, data: bytes = b"abc") -> None:
    with keep_parts(headers):
        recorder = current()
        assert recorder is not None
        recorder.note(PLACE, version, 4, data[:1])
        recorder.note(PLACE, version, 4, data)
    assert not recorder.is_open


def known(headers: Headers, now: Version | None) -> FileParts | None:
    with keep_parts(headers):
        recorder = current()
        assert recorder is not None
        return recorder.find(PLACE, lambda: now)


def test_parts_are_kept_while_the_version_is_the_same():
    headers = Headers()
    version = Version("e", None, 20)
    assert known(headers, version) is None
    noted(headers, version)
    found = known(headers, version)
    assert found is not None
    assert (found.read(4, 3), headers.used) == (b"abc", 1)
    assert known(headers, Version("other", None, 20)) is None
    assert known(headers, None) is None
    assert current() is None


@pytest.mark.parametrize("version", [Version(None, None, 20), Version("e", None, None)])
def test_a_version_that_does_not_show_changes(version):
    headers = Headers()
    noted(headers, version)
    assert headers == {}


def test_an_error_keeps_nothing():
    headers = Headers()
    with pytest.raises(TypeError):
        noted(headers, Version("e", None, 20), None)  # type: ignore[arg-type]
    assert headers == {}
    assert current() is None
