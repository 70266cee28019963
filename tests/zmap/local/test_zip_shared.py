"""A zip file that many threads read at the same time, and zip files with long comments."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import zipfile
from concurrent.futures import ThreadPoolExecutor

import pytest

from ncz.errors import ZmapError
from ncz.parallel.processes import can_fork
from ncz.zmap.local import offset_reads
from ncz.zmap.local.zip import ZipZmap
from tests.sampled import sampled

SIZE = 3000


def content(number: int) -> bytes:
    return number.to_bytes(2, "big") * (SIZE // 2)


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_threads_do_not_disturb_each_other(tmp_path, method):
    """Whole objects and parts of them, by threads that begin together and share one file."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr(".zgroup", "{}")
        for number in range(40):
            archive.writestr(f"v/{number}", content(number))
    zmap = ZipZmap(str(tmp_path / "a.zip"))
    together = threading.Barrier(4)

    def read(thread: int) -> list[int]:
        together.wait()
        wrong = []
        for number in range(40 * 5):
            key = f"v/{(number * 7 + thread) % 40}"
            expected = content((number * 7 + thread) % 40)
            if thread % 2:
                found, expected = zmap.get_range(key, 100, 200), expected[100:300]
            else:
                found = zmap.get(key)
            if found != expected:
                wrong.append(number)
        return wrong

    with ThreadPoolExecutor(4) as pool:
        assert list(pool.map(read, range(4))) == [[]] * 4
    zmap.close()


@pytest.mark.skipif(not can_fork(), reason="processes are not forked on this system")
@pytest.mark.parametrize("method", sampled([zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED], 2))
def test_a_forked_process_reads_while_a_thread_of_its_parent_did(tmp_path, method):
    """The process has the locks that the thread held, but not the thread."""
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr(".zgroup", "{}")
        archive.writestr("v/0", bytes(1 << 20))
    zmap = ZipZmap(str(tmp_path / "a.zip"))
    end = threading.Event()

    def read() -> None:
        while not end.is_set():
            zmap.get("v/0")

    with ThreadPoolExecutor(1) as pool:
        reading = pool.submit(read)
        codes = []
        for _ in range(8):
            child = os.fork()
            if child == 0:
                signal.alarm(10)
                os._exit(0 if zmap.get("v/0") == bytes(1 << 20) else 1)
            codes.append(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
        end.set()
        reading.result(60)
    assert codes == [0] * 8
    zmap.close()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
@pytest.mark.parametrize("kind", ["whole", "part"])
def test_a_store_that_is_closed_during_a_read_is_closed(tmp_path, monkeypatch, method, kind):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr(".zgroup", "{}")
        archive.writestr("v/0", content(7))
    zmap = ZipZmap(str(tmp_path / "a.zip"))

    def close_and_read(number: int, start: int, count: int) -> bytes:
        zmap.close()
        return os.pread(number, count, start)

    monkeypatch.setattr(offset_reads, "read_at", close_and_read)
    with pytest.raises(ZmapError, match="the store is closed"):
        _ = zmap.get("v/0") if kind == "whole" else zmap.get_range("v/0", 10, 10)


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_entries_of_every_method_are_read_in_pieces(tmp_path, method):
    """More than one piece of stored and of decompressed bytes, also without a local length."""
    data = random.Random(1).randbytes(5 << 18) + bytes(5 << 18)
    with zipfile.ZipFile(tmp_path / "a.zip", "w", method) as archive:
        archive.writestr(".zgroup", "")
        archive.writestr("v/0", data)
        with archive.open("v/1", "w") as stream:
            stream.write(data[:100])
    zmap = ZipZmap(str(tmp_path / "a.zip"))
    assert zmap.get(".zgroup") == b""
    assert zmap.get("v/0", 1 << 30) == data
    assert zmap.get("v/1") == data[:100]
    assert zmap.get_range("v/0", (5 << 18) - 5, 10) == data[(5 << 18) - 5 :][:10]
    zmap.close()


def test_lzma_declares_no_memory_that_its_entry_does_not_need(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.zip", "w", zipfile.ZIP_LZMA) as archive:
        archive.writestr(".zgroup", "{}")
    data = (tmp_path / "a.zip").read_bytes()
    (tmp_path / "a.zip").write_bytes(data.replace(b"\x05\0\x5d\0\0\x80\0", b"\x05\0\x5d\0\0\0\xf0"))
    code = (
        "import resource; from ncz.zmap.local.zip import ZipZmap; import lzma;"
        " resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30));"
        " print(ZipZmap('a.zip').get('.zgroup'))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True)
    assert done.stdout == b"b'{}'\n"


def commented(path, *, archive_comment=b"", entry_comment=b""):
    with zipfile.ZipFile(path, "w") as archive:
        for name in (".zgroup", "v/.zarray", "v/0", "w/0"):
            entry = zipfile.ZipInfo(name)
            entry.comment = entry_comment if name == "v/.zarray" else b""
            archive.writestr(entry, b"{}")
        archive.comment = archive_comment
    return str(path)


@pytest.mark.parametrize("length", [0, 1, 1000, 65535])
@pytest.mark.parametrize("where", ["archive_comment", "entry_comment"])
def test_a_comment_hides_no_entry(tmp_path, where, length):
    path = commented(tmp_path / "a.zip", **{where: b"c" * length})
    zmap = ZipZmap(path)
    assert list(zmap.walk()) == [".zgroup", "v/.zarray", "v/0", "w/0"]
    assert zmap.get("w/0") == b"{}"
    zmap.close()


def test_a_comment_that_looks_like_the_end_of_a_zip_file(tmp_path):
    """The right one of two ends cannot be known, so no entry is lost silently."""
    end = b"PK\5\6" + bytes(18)
    path = commented(tmp_path / "a.zip", archive_comment=b"x" * 40 + end)
    with pytest.raises(ZmapError, match=r"damaged \(it has two ends"):
        ZipZmap(path)


def test_an_entry_whose_comment_is_longer_than_the_directory(tmp_path):
    """The entries behind it would be part of the comment."""
    path = commented(tmp_path / "a.zip", entry_comment=b"c" * 5)
    data = bytearray((tmp_path / "a.zip").read_bytes())
    at = data.index(b"PK\1\2", data.index(b"PK\1\2") + 1)  # the directory's entry of v/.zarray
    data[at + 32 : at + 34] = (200).to_bytes(2, "little")
    (tmp_path / "a.zip").write_bytes(data)
    with pytest.raises(ZmapError, match="damaged"):
        ZipZmap(path)


def test_an_empty_zip_file_that_counts_an_entry(tmp_path):
    """Its end is at its first byte."""
    (tmp_path / "a.zip").write_bytes(b"PK\5\6" + bytes(4) + b"\1\0\1\0" + bytes(10))
    with pytest.raises(ZmapError, match=r"damaged \(it counts 1 entries, and lists 0"):
        ZipZmap(str(tmp_path / "a.zip"))
