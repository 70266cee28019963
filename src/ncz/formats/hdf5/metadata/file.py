"""Open the metadata of an HDF5 file: its superblock, its objects and the indexes of its chunks."""

from __future__ import annotations

from typing import Any

from ncz.formats.hdf5.metadata.blocks import FileBlocks, MetadataSource, Readable
from ncz.formats.hdf5.metadata.faults import PARSE_ERRORS, DamageError
from ncz.formats.hdf5.metadata.global_heap import GlobalHeap
from ncz.formats.hdf5.metadata.objects import Objects
from ncz.formats.hdf5.metadata.superblock import Superblock, read_superblock


class Hdf5Metadata:
    """The metadata of an open file.

    Attributes
    ----------
    superblock
        The superblock.
    """

    def __init__(self, file: Readable) -> None:
        self._blocks = FileBlocks(file)
        try:
            self.superblock: Superblock = read_superblock(self._blocks)
        except PARSE_ERRORS as error:
            raise DamageError(f"the superblock cannot be parsed ({error})") from error

    def __reduce__(self) -> tuple[Any, ...]:
        return open_metadata, (self._blocks.file,)

    def source(self, bad: frozenset[int] = frozenset()) -> MetadataSource:
        """Return a reader for the metadata of one operation, with a separate limit."""
        return MetadataSource(self._blocks, self.superblock.base, bad)

    def objects(self, bad: frozenset[int] = frozenset()) -> Objects:
        """Return the objects. Structures at the addresses `bad` have a wrong checksum."""
        return Objects(self.source(bad), self.superblock)

    def heap(self, source: MetadataSource | None = None) -> GlobalHeap:
        """Return the values of variable length: as metadata if a source is given, or as data."""
        peek = self._peek if source is None else source.peek
        return GlobalHeap(peek, self.superblock.sizes, self._blocks.size)

    def _peek(self, address: int, count: int) -> bytes:
        at = address + self.superblock.base
        size = self._blocks.size
        return self._blocks.file.read(at, min(count, size - at)) if at < size else b""


def open_metadata(file: Readable) -> Hdf5Metadata:
    """Read the superblock of an HDF5 file.

    Parameters
    ----------
    file
        The file, which must stay open.

    Returns
    -------
    Hdf5Metadata
        The file's metadata.

    Raises
    ------
    UnreadableError
        If the superblock is damaged, or has something that ncz does not read; if the file is
        truncated, or a program has it open for writing.
    """
    return Hdf5Metadata(file)
