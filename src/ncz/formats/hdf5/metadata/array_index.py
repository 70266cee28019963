"""The fixed and the extensible array, which index the chunks of datasets of new files.

Source: HDF5 File Format Specification, "The Fixed Array Index" and "The Extensible Array Index" of
the appendix "Types of Indexes for Dataset Chunks".
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ncz.formats.hdf5.metadata.blocks import MetadataSource
from ncz.formats.hdf5.metadata.faults import DamageError
from ncz.formats.hdf5.metadata.superblock import Sizes
from ncz.late import numpy as np
from ncz.record import record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Column = NDArray[Any]

_IMPOSSIBLE = "an index of chunks has an impossible size"
_WHAT = "an index of chunks"


@record
class IndexElements:
    """Elements of an array: their numbers, and their bytes as rows of a table.

    `is_filtered` says whether each has the size and the filter mask of a chunk next to its address.
    """

    numbers: Column
    table: Column
    is_filtered: bool


class _ElementTable:
    """Elements that are gathered from pages and blocks."""

    def __init__(self, width: int, is_filtered: bool) -> None:
        self._numbers = [np.empty(0, "i8")]
        self._tables = [np.empty((0, width), "u1")]
        self._width, self._is_filtered = width, is_filtered

    def add(self, data: bytes, start: int, first: int, count: int) -> None:
        """Add elements: from `start` of the data on, `count` of them, with numbers from `first`."""
        table = np.frombuffer(data, "u1", count * self._width, start)
        self._tables.append(table.reshape(count, self._width))
        self._numbers.append(np.arange(first, first + count))

    def elements(self) -> IndexElements:
        """Return all of them."""
        return IndexElements(
            np.concatenate(self._numbers), np.concatenate(self._tables), self._is_filtered
        )


def read_fixed_array(source: MetadataSource, sizes: Sizes, address: int) -> IndexElements:
    """Return the elements of a fixed array."""
    size = 12 + sizes.length_size + sizes.offset_size
    data = source.read_structure(address, size, b"FAHD", _WHAT)
    is_filtered, width, page_bits = data[5] == 1, data[6], data[7]
    count = sizes.length(data, 8)
    block = sizes.offset(data, 8 + sizes.length_size)
    found = _ElementTable(width, is_filtered)
    if block is None:
        return found.elements()
    if not width or page_bits > 32 or count * width > source.size:
        raise DamageError(_IMPOSSIBLE)
    page = 1 << page_bits
    head = 6 + sizes.offset_size
    if count <= page:
        data = source.read_structure(block, head + count * width + 4, b"FADB", _WHAT)
        found.add(data, head, 0, count)
        return found.elements()
    pages = -(-count // page)
    bitmap = -(-pages // 8)
    data = source.read_structure(block, head + bitmap + 4, b"FADB", _WHAT)
    at = block + head + bitmap + 4
    for number in range(pages):
        inside = min(page, count - number * page)
        if _is_set(data, head, number):
            found.add(_page(source, at, inside * width), 0, number * page, inside)
        at += page * width + 4
    return found.elements()


def _is_set(data: bytes, start: int, number: int) -> bool:
    """Return whether a page exists, by its bit; the first is the highest of a byte."""
    return bool(data[start + number // 8] >> (7 - number % 8) & 1)


def _page(source: MetadataSource, address: int, size: int) -> bytes:
    """Return a page of elements, which has no signature."""
    data = source.read(address, size + 4)
    source.check(address, data[:-4], data[-4:], _WHAT)
    return data


def read_extensible_array(source: MetadataSource, sizes: Sizes, address: int) -> IndexElements:
    """Return the elements of an extensible array."""
    return _ExtensibleArray(source, sizes, address).read()


class _ExtensibleArray:
    """An array that grows: elements in its index block, in data blocks, and in secondary blocks.

    The number of elements of data blocks doubles now and then; large ones are divided into pages.
    """

    def __init__(self, source: MetadataSource, sizes: Sizes, address: int) -> None:
        self._source, self._sizes = source, sizes
        offset, length = sizes.offset_size, sizes.length_size
        data = source.read_structure(address, 16 + 6 * length + offset, b"EAHD", _WHAT)
        self._width, bits, self._in_index, self._least, self._pointers, page_bits = data[6:12]
        self._used = sizes.length(data, 12 + 4 * length)
        self._index_block = sizes.offset(data, 12 + 6 * length)
        self._found = _ElementTable(self._width, data[5] == 1)
        for number in (self._least, self._pointers):
            if not number or number & (number - 1):
                raise DamageError(_IMPOSSIBLE)
        if not self._width or bits > 64 or page_bits > 32:
            raise DamageError(_IMPOSSIBLE)
        if self._used * self._width > 8 * source.size:
            raise DamageError(_IMPOSSIBLE)
        self._page = 1 << page_bits
        self._head = 6 + offset
        self._prefix = self._head + (bits + 7) // 8
        self._blocks = 1 + bits - (self._least.bit_length() - 1)

    def read(self) -> IndexElements:
        """Return all elements."""
        if self._index_block is None:
            return self._found.elements()
        offset_size = self._sizes.offset_size
        first = 2 * (self._pointers.bit_length() - 1)
        direct = 2 * (self._pointers - 1)
        at = self._head + self._in_index * self._width
        size = at + (direct + max(0, self._blocks - first)) * offset_size + 4
        data = self._source.read_structure(self._index_block, size, b"EAIB", _WHAT)
        self._found.add(data, self._head, 0, self._in_index)
        start = self._in_index
        for level in range(self._blocks):
            if start >= self._used and level >= first:
                break
            blocks, count = 1 << level // 2, self._least << (level + 1) // 2
            if level >= first:
                self._secondary_block(self._sizes.offset(data, at), start, blocks, count)
                at += offset_size
                start += blocks * count
                continue
            for _ in range(blocks):
                self._data_block(self._sizes.offset(data, at), start, count, None)
                at += offset_size
                start += count
        return self._found.elements()

    def _secondary_block(self, address: int | None, start: int, blocks: int, count: int) -> None:
        """Add the elements of the data blocks that a secondary block lists."""
        if address is None:
            return
        pages = count // self._page if count > self._page else 0
        bitmap = -(-pages // 8)
        size = self._prefix + blocks * (bitmap + self._sizes.offset_size) + 4
        data = self._source.read_structure(address, size, b"EASB", _WHAT)
        places = self._prefix + blocks * bitmap
        for number in range(blocks):
            child = self._sizes.offset(data, places + number * self._sizes.offset_size)
            at = self._prefix + number * bitmap
            self._data_block(child, start, count, data[at : at + bitmap])
            start += count

    def _data_block(
        self, address: int | None, start: int, count: int, bitmap: bytes | None
    ) -> None:
        """Add the elements of a data block. `bitmap` has the existing pages."""
        if address is None:
            return
        if count <= self._page:
            size = self._prefix + count * self._width + 4
            data = self._source.read_structure(address, size, b"EADB", _WHAT)
            self._found.add(data, self._prefix, start, count)
            return
        self._source.read_structure(address, self._prefix + 4, b"EADB", _WHAT)
        size = self._page * self._width
        for number in range(count // self._page):
            if bitmap is None or _is_set(bitmap, 0, number):
                place = address + self._prefix + 4 + number * (size + 4)
                self._found.add(
                    _page(self._source, place, size), 0, start + number * self._page, self._page
                )
