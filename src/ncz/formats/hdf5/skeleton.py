"""A netCDF-4 file whose chunks follow its end: their index, and the total size.

HDF5 writes the file without chunks, as `ncz.formats.hdf5.write` does. Then each dataset gets an
index of chunks, which names offsets that are known before: B-trees of version 1, which every
version of the HDF5 library reads.

Source: HDF5 File Format Specification, "Disk Format: Level 1A1 - Version 1 B-trees", "Data Object
Headers" (IV.A.1), "The Data Layout Message" (IV.A.2.i) and "Level 0A - Superblock".
"""

from __future__ import annotations

from struct import Struct
from typing import TYPE_CHECKING, BinaryIO

import numpy as np

from ncz.formats.hdf5.h5py_import import load_h5py
from ncz.formats.hdf5.metadata.header import CONTINUATION, LAYOUT
from ncz.formats.hdf5.scales import link_names
from ncz.formats.hdf5.text_types import encode_name
from ncz.formats.hdf5.write import address_of
from ncz.model.tree import Dataset, join, walk
from ncz.record import record

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

MOST_CHILDREN = 64
"""Children of a node: twice the number K of superblocks that do not give another."""

_NO_ADDRESS = (1 << 64) - 1

_HEAD = Struct("<4sBBHQQ")
_CHUNK_NODES = 1
_ADDRESS = Struct("<Q")

_END_OF_FILE, _SUPERBLOCK = 28, 44
"""The offsets of the end of the file and of the checksum in a superblock of version 2."""

_TIMES, _PHASES, _TRACKED = 32, 16, 4


@record(kw_only=True)
class IndexedChunks:
    """The chunks of a dataset, in row-major order, as columns.

    Attributes
    ----------
    indices
        The indices of the chunks, of shape (chunks, rank).
    offsets, sizes
        The first byte of each chunk in the file, and the number of its bytes.
    skipped
        The filters that are not applied to each chunk, as bits.
    shape
        The shape of a chunk.
    """

    indices: NDArray[np.int64]
    offsets: NDArray[np.int64]
    sizes: NDArray[np.int64]
    skipped: NDArray[np.uint32]
    shape: tuple[int, ...]


def index_size(count: int, rank: int) -> int:
    """Return the bytes of the index of a number of chunks."""
    size = 0
    while True:
        count = -(-count // MOST_CHILDREN)
        size += count * _node_size(rank)
        if count == 1:
            return size


def print_index(chunks: IndexedChunks, address: int) -> tuple[bytes, int]:
    """Return the index of one or more chunks from an address on, and the address of its root."""
    rank = len(chunks.shape)
    key = np.dtype([("size", "<u4"), ("skipped", "<u4"), ("start", "<u8", (rank + 1,))])
    keys = np.zeros(len(chunks.sizes) + 1, key)
    keys["size"][:-1] = chunks.sizes
    keys["skipped"][:-1] = chunks.skipped
    keys["start"][:-1, :rank] = chunks.indices * np.array(chunks.shape, np.int64)
    keys["start"][-1, 0] = (chunks.indices[-1, 0] + 1) * chunks.shape[0]  # beyond the last one
    children = chunks.offsets.astype("<u8")
    parts, level = [], 0
    while True:
        nodes = _print_level(keys, children, level, address)
        parts.append(nodes.tobytes())
        starts = np.arange(len(nodes), dtype="<u8") * nodes.shape[1] + address
        address += nodes.size
        if len(nodes) == 1:
            return b"".join(parts), int(starts[0])
        keys = np.append(keys[:-1:MOST_CHILDREN], keys[-1:])
        children, level = starts, level + 1


def _print_level(
    keys: NDArray[np.void], children: NDArray[np.uint64], level: int, address: int
) -> NDArray[np.uint8]:
    """Return the nodes of one level of a B-tree, as rows."""
    count = len(children)
    entry = np.dtype([("key", keys.dtype), ("child", "<u8")])
    entries = np.zeros(count, entry)
    entries["key"], entries["child"] = keys[:-1], children
    size = _HEAD.size + MOST_CHILDREN * entry.itemsize + keys.dtype.itemsize
    total = -(-count // MOST_CHILDREN)
    nodes = np.zeros((total, size), np.uint8)
    for number in range(total):
        first = number * MOST_CHILDREN
        own = entries[first : first + MOST_CHILDREN]
        left = address + (number - 1) * size if number else _NO_ADDRESS
        right = address + (number + 1) * size if number < total - 1 else _NO_ADDRESS
        head = _HEAD.pack(b"TREE", _CHUNK_NODES, level, len(own), left, right)
        end = keys[first + len(own) : first + len(own) + 1]
        data = head + own.tobytes() + end.tobytes()
        nodes[number, : len(data)] = np.frombuffer(data, np.uint8)
    return nodes


def _node_size(rank: int) -> int:
    key = 8 + 8 * (rank + 1)
    return _HEAD.size + MOST_CHILDREN * (key + 8) + key


def set_index(file: BinaryIO, dataset: int, root: int) -> None:
    """Let the dataset at an address have the index whose root is at another.

    The dataset has chunks, a layout of version 3 and a header of version 2.
    """
    part, at, end = _find_layout(file, dataset)
    file.seek(part)
    data = bytearray(file.read(end - part))
    _ADDRESS.pack_into(data, at - part + 3, root)
    file.seek(part)
    file.write(data + _checksum(data))


def set_end(file: BinaryIO, end: int) -> None:
    """Let a file with a superblock of version 2 end at an offset."""
    file.seek(0)
    data = bytearray(file.read(_SUPERBLOCK))
    _ADDRESS.pack_into(data, _END_OF_FILE, end)
    file.seek(0)
    file.write(data + _checksum(data))


def _checksum(data: bytes | bytearray) -> bytes:
    from numcodecs.jenkins import jenkins_lookup3

    return int(jenkins_lookup3(bytes(data), 0)).to_bytes(4, "little")


def _find_layout(file: BinaryIO, address: int) -> tuple[int, int, int]:
    """Return the start of a part of a header, its layout message, and the checksum of the part."""
    file.seek(address)
    head = file.read(6)
    assert head[:5] == b"OHDR\x02"
    flags = head[5]
    start = address + 6 + (16 if flags & _TIMES else 0) + (4 if flags & _PHASES else 0)
    width = 1 << (flags & 3)
    file.seek(start)
    size = int.from_bytes(file.read(width), "little")
    step = 6 if flags & _TRACKED else 4
    parts = [(address, start + width, start + width + size)]
    for part, first, end in parts:
        at = first
        while at + step <= end:
            file.seek(at)
            message = file.read(step + 16)
            kind, length = message[0], int.from_bytes(message[1:3], "little")
            if kind == LAYOUT:
                assert message[step : step + 2] == b"\x03\x02"
                return part, at + step, end
            if kind == CONTINUATION:
                place = int.from_bytes(message[step : step + 8], "little")
                rest = int.from_bytes(message[step + 8 : step + 16], "little")
                parts.append((place, place + 4, place + rest - 4))
            at += step + length
    raise AssertionError("the dataset has no layout")


def row_major(indices: Sequence[tuple[int, ...]], rank: int) -> NDArray[np.int64]:
    """Return indices of chunks as an array, in row-major order."""
    found = np.array(indices, np.int64).reshape(len(indices), rank)
    return found[np.lexsort(found.T[::-1])] if len(found) else found


def addresses_of(path: str, dataset: Dataset) -> dict[str, int]:
    """Return the address of the dataset of each variable in a file that was written."""
    h5py = load_h5py()
    found = {}
    with h5py.File(path, "r") as file:
        for fqn, group in walk(dataset.root):
            own = h5py.h5g.open(file.id, encode_name(fqn or "/"))
            for name, link in link_names(group, fqn).items():
                found[join(fqn, name)] = address_of(h5py.h5d.open(own, encode_name(link)))
    return found
