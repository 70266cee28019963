"""Places in a text, and the part of a long line that an error shows."""

from __future__ import annotations

import mmap
from pathlib import Path

import pytest

from ncz.cdl.reader import read_cdl
from ncz.errors import CdlError
from ncz.text.source import SourceText


@pytest.mark.parametrize(
    ("text", "at", "place"),
    [
        (b"abc", 0, "t:1:1"),
        (b"abc", 3, "t:1:4"),
        (b"a\nbc", 1, "t:1:2"),
        (b"a\nbc", 2, "t:2:1"),
        ("äö\nüx".encode(), 7, "t:2:2"),  # columns count characters
    ],
)
def test_lines_and_columns_count_from_1(text, at, place):
    assert SourceText(text, "t").location(at) == place


@pytest.mark.parametrize(
    ("text", "at", "shown", "column"),
    [
        (b"one\nanother line\r\nlast", 8, "another line", 5),
        (b"one\nanother line\nlast", 4, "another line", 1),
        (b"one\nlast", 99, "last", 5),
        (b"<" * 100 + b"!" + b">" * 100, 100, "<" * 60 + "!" + ">" * 59, 61),
        (b"<" * 60 + b"!" + b">" * 59, 60, "<" * 60 + "!" + ">" * 59, 61),
        (b"\n" + b"<" * 59 + b"!" + b">" * 58 + b"\nx", 60, "<" * 59 + "!" + ">" * 58, 60),
    ],
)
def test_an_error_shows_at_most_60_bytes_on_each_side(text, at, shown, column):
    error = SourceText(text, "t").error(at, "wrong", "mend it")
    assert (error.source_line, error.column) == (shown, column)
    place = SourceText(text, "t").location(min(at, len(text)))
    assert str(error) == f"{place}: wrong; mend it"


def test_the_place_of_a_byte_that_is_not_utf8():
    text = SourceText(b"a\nbc\xe9", "t")
    assert text.decode(0, 4) == "a\nbc"
    with pytest.raises(CdlError, match="t:2:3: byte 0xe9 is not valid UTF-8; save the file as"):
        text.decode(2, 5)


@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs Linux")
def test_a_mapped_text_is_not_kept_in_memory(tmp_path: Path):
    file = tmp_path / "t.cdl"
    size = 16 << 20
    file.write_bytes(b"netcdf t { dimensions: x = UNLIMITED; variables: int v(x); data: v = "
                     + b"12345, " * (size // 7) + b"1; }")  # fmt: skip
    with file.open("rb") as stream, mmap.mmap(stream.fileno(), 0, access=mmap.ACCESS_READ) as text:
        dataset = read_cdl(text, source="t")
        assert _resident(file) < size // 16
        del dataset


@pytest.mark.long
@pytest.mark.skipif(not Path("/proc/self/smaps").exists(), reason="needs Linux")
def test_a_mapped_text_of_small_lists_is_not_kept_in_memory_either(tmp_path: Path):
    file = tmp_path / "t.cdl"
    names = [f"v{number}" for number in range(2000)]
    lists = (f"{name} = {'12345, ' * 600} 1;\n" for name in names)
    head = f"netcdf t {{ dimensions: x = UNLIMITED; variables: int {'(x), '.join(names)}(x); data:"
    file.write_text(f"{head} {''.join(lists)} }}")
    with file.open("rb") as stream, Counted(stream.fileno(), 0, access=mmap.ACCESS_READ) as text:
        read_cdl(text, source="t")
        assert _resident(file) < file.stat().st_size // 3
        assert text.released < 100


class Counted(mmap.mmap):
    """A mapped file that counts the releases of its memory."""

    released = 0

    def madvise(self, *arguments: int) -> None:
        self.released += 1
        super().madvise(*arguments)


def _resident(file: Path) -> int:
    """Return the bytes of a mapped file that this process has in memory."""
    mapping = Path("/proc/self/smaps").read_text().split(f"{file}\n")[1]
    return int(mapping.split("Rss:")[1].split()[0]) << 10
