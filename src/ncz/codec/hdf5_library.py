"""Decode a chunk by filters that only the HDF5 library has, in a file in memory.

The file is made byte by byte, because HDF5 itself computes some parameters of filters again when it
creates a dataset, and the parameters of a chunk must be the ones that it was encoded with.

Source: HDF5 File Format Specification Version 3.0: superblock version 2, object headers of version
2, and the single chunk index.
"""

from __future__ import annotations

from collections.abc import Sequence
from struct import pack

from ncz.late import numpy as np
from ncz.record import record

_UNDEFINED = 2**64 - 1
_ROOT = 48
"""The address of the root group, behind the superblock."""


@record
class LibraryFilter:
    """A filter of HDF5: its number, and the parameters that a file has for it."""

    number: int
    parameters: tuple[int, ...]


def decode_by_hdf5(
    data: bytes,
    filters: Sequence[LibraryFilter],
    *,
    mask: int,
    datatype: bytes,
    chunks: tuple[int, ...],
    item_size: int,
) -> bytes:
    """Return the decoded bytes of a chunk.

    Parameters
    ----------
    data
        The encoded chunk.
    filters
        The filters, in the order of encoding.
    mask
        Bit N is set if filter N was skipped.
    datatype
        The datatype of the elements, as a message of HDF5.
    chunks
        The shape of the chunk.
    item_size
        The bytes of an element.

    Raises
    ------
    OSError, RuntimeError, ValueError
        If the library cannot decode it.
    """
    from h5py import h5d, h5f, h5s

    image = _image(data, filters, mask, datatype, chunks, item_size)
    dataset = h5d.open(h5f.open_file_image(image), b"chunk")
    decoded = np.empty(chunks, f"V{item_size}")
    dataset.read(h5s.ALL, h5s.ALL, decoded, dataset.get_type())
    return decoded.tobytes()


def _image(
    data: bytes,
    filters: Sequence[LibraryFilter],
    mask: int,
    datatype: bytes,
    chunks: tuple[int, ...],
    item_size: int,
) -> bytes:
    """Return a file with one dataset of one chunk."""
    dataset_at = _ROOT + len(_root(0))
    shape = pack(f"<{len(chunks)}Q", *chunks)
    pipeline = b"".join([_filter(each) for each in filters])
    width = (max(*chunks, item_size).bit_length() + 7) // 8
    lengths = b"".join([length.to_bytes(width, "little") for length in (*chunks, item_size)])

    def messages(at: int) -> list[tuple[int, bytes]]:
        place = pack("<QIQ", len(data), mask, at)
        layout = bytes([4, 2, 2, len(chunks) + 1, width]) + lengths + b"\1" + place
        return [
            (1, bytes([2, len(chunks), 0, 1]) + shape),
            (3, datatype),
            (5, b"\3\x0a"),  # late allocation, no fill value
            (8, layout),
            (11, bytes([2, len(filters)]) + pipeline),
        ]

    data_at = dataset_at + len(_header(messages(0)))
    end = data_at + len(data)
    superblock = b"\x89HDF\r\n\x1a\n\2\x08\x08\0" + pack("<4Q", 0, _UNDEFINED, end, _ROOT)
    head = superblock + _checksum(superblock) + _root(dataset_at)
    return head + _header(messages(data_at)) + data


def _root(dataset_at: int) -> bytes:
    """Return the header of the root group, with a link to the dataset."""
    link = b"\1\0\5chunk" + pack("<Q", dataset_at)
    return _header([(2, b"\0\0" + pack("<QQ", _UNDEFINED, _UNDEFINED)), (10, b"\0\0"), (6, link)])


def _filter(used: LibraryFilter) -> bytes:
    """Return the description of a filter; those above 255 have a name, which may be empty."""
    name = b"" if used.number < 256 else pack("<H", 0)
    numbers = pack(f"<{len(used.parameters)}I", *used.parameters)
    return pack("<H", used.number) + name + pack("<HH", 0, len(used.parameters)) + numbers


def _header(messages: list[tuple[int, bytes]]) -> bytes:
    """Return an object header with its messages."""
    body = b"".join([pack("<BHB", kind, len(data), 0) + data for kind, data in messages])
    head = b"OHDR\2\2" + pack("<I", len(body))
    return head + body + _checksum(head + body)


def _checksum(data: bytes) -> bytes:
    from numcodecs.jenkins import jenkins_lookup3

    return pack("<I", jenkins_lookup3(data, 0))
