"""Requests to a server for the metadata of a file, and their bytes."""

from __future__ import annotations

from pathlib import Path

import h5py
import numpy as np
import pytest

from ncz.errors import Notice
from ncz.formats.hdf5.chunks import Hdf5Chunks
from ncz.formats.hdf5.metadata.blocks import FileBlocks
from ncz.formats.hdf5.reader import read_hdf5
from ncz.model.tree import Dataset, variables_by_fqn


class Server:
    """A file on a server, which notes the requests."""

    path = None

    def __init__(self, path: Path) -> None:
        self.url = self.address = f"https://host/{path.name}"
        self._data = path.read_bytes()
        self.size = len(self._data)
        self.requests: list[tuple[int, int]] = []

    @property
    def traffic(self) -> int:
        """The number of requested bytes."""
        return sum(count for _, count in self.requests)

    def read(self, start: int, count: int) -> bytes:
        assert start >= 0
        assert start + count <= self.size
        self.requests.append((start, count))
        return self._data[start : start + count]

    def check_unchanged(self) -> None:
        pass

    def close(self) -> None:
        pass


@pytest.fixture
def rounds(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Note the number of requests each time that some are made together."""
    noted: list[int] = []
    fetch, load = FileBlocks.fetch, FileBlocks.load

    def counted_fetch(self, numbers):
        before = len(self.file.requests)
        fetch(self, numbers)
        if len(self.file.requests) > before:
            noted.append(len(self.file.requests) - before)

    def counted_load(self, number):
        noted.append(1)
        return load(self, number)

    monkeypatch.setattr(FileBlocks, "fetch", counted_fetch)
    monkeypatch.setattr(FileBlocks, "load", counted_load)
    return noted


def read(server: Server) -> Dataset:
    def fail(notice: Notice) -> None:
        pytest.fail(str(notice))

    return read_hdf5(server, "x", fail)


@pytest.mark.parametrize("version", ["earliest", "latest"])
def test_headers_between_data_are_read_together(tmp_path, rounds, version):
    """A reader that follows one address after the other needs a request in turn for each."""
    path = tmp_path / "scattered.h5"
    with h5py.File(path, "w", libver=version) as file:
        for n in range(50):
            made = file.create_dataset(f"v{n:02}", (160_000,), "u1", chunks=(80_000,))
            made[:] = n
            made.attrs["units"] = "K"
            file.flush()
    server = Server(path)
    dataset = read(server)
    assert len(dataset.root.variables) == 50
    assert len(rounds) <= 8
    assert server.traffic <= 62 << 16
    before = len(rounds)
    indexes = [v.data for _, v in variables_by_fqn(dataset.root) if isinstance(v.data, Hdf5Chunks)]
    assert [len(list(source.present())) for source in indexes] == [2] * 50
    assert len(rounds) - before <= 5


def test_a_header_at_the_start_of_a_large_file_needs_few_bytes(tmp_path, rounds):
    path = tmp_path / "good.h5"
    with h5py.File(path, "w", libver="latest") as file:
        for n in range(20):
            file.create_dataset(f"v{n}", (400_000,), "u1", chunks=(100_000,)).attrs["units"] = "K"
        for n in range(20):
            file[f"v{n}"][:] = n
    server = Server(path)
    read(server)
    assert server.size > 8_000_000
    assert server.traffic <= 2 << 16
    assert len(rounds) <= 2


def test_a_header_of_many_variables_is_read_in_few_requests(tmp_path, rounds):
    path = tmp_path / "many.h5"
    with h5py.File(path, "w", libver="latest") as file:
        for n in range(1500):
            file[f"group{n % 7}/a variable {n}"] = np.arange(4)
            file[f"group{n % 7}/a variable {n}"].attrs["units"] = "K"
    server = Server(path)
    dataset = read(server)
    assert sum(len(group.variables) for group in dataset.root.groups) == 1500
    assert server.size > 500_000
    assert len(rounds) <= 12
    assert server.traffic <= server.size + (2 << 16)


def test_strings_of_attributes_are_read_together(tmp_path, rounds):
    path = tmp_path / "strings.h5"
    with h5py.File(path, "w") as file:
        for n in range(30):
            file[f"v{n:02}"] = np.zeros(100_000, "u1")
            file[f"v{n:02}"].attrs["text"] = [f"text {n}" * 400] * 4
            file.flush()
    server = Server(path)
    dataset = read(server)
    texts = [v.attributes[0].values for v in dataset.root.variables]
    assert texts == [(f"text {n}" * 400,) * 4 for n in range(30)]
    assert len(rounds) <= 8


def test_blocks_are_dropped(tmp_path, monkeypatch):
    path = tmp_path / "x.h5"
    path.write_bytes(bytes(range(256)) * 40_000)
    monkeypatch.setattr("ncz.formats.hdf5.metadata.blocks._MOST_KEPT", 1 << 18)
    blocks = FileBlocks(Server(path))
    for number in range(0, 100, 3):
        assert blocks.load(number)[:4] == b"\0\1\2\3"
    blocks.fetch(range(150))
    assert len(blocks.known) <= 4 + 32
    assert blocks.part(100, 300_000) == path.read_bytes()[100:300_100]
