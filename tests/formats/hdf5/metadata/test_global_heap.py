"""Values of variable length: strings are read and decoded many at a time."""

from __future__ import annotations

import struct

import pytest

from ncz.formats.hdf5.metadata.faults import DamageError
from ncz.formats.hdf5.metadata.global_heap import GlobalHeap
from ncz.formats.hdf5.metadata.superblock import Sizes
from ncz.formats.hdf5.types import texts_of
from tests.counted_calls import calls_of

SIZES = Sizes(8, 8)


def heap_of(*collections: list[bytes]) -> tuple[GlobalHeap, list[tuple[int, int, int]]]:
    """A heap of collections of objects, and the references of elements to each object."""
    file, references = b"\0" * 8, []
    for objects in collections:
        body = b""
        for number, data in enumerate(objects, 1):
            references.append((len(data), len(file), number))
            body += struct.pack("<H6xQ", number, len(data)) + data + b"\0" * (-len(data) % 8)
        body += b"\0" * 16
        file += b"GCOL\x01\0\0\0" + struct.pack("<Q", 16 + len(body)) + body
    return GlobalHeap(lambda at, size: file[at : at + size], SIZES, len(file)), references


def test_objects_of_any_collection_and_length():
    heap, references = heap_of([b"a", b"bc" * 9], [b"12345678", b"9"])
    reader = heap.reader()
    assert reader.read_all(references) == [b"a", b"bc" * 9, b"12345678", b"9"]
    mixed = [references[3], (0, 0, 0), references[0], (1, *references[2][1:])]
    assert heap.reader().read_all(mixed) == [b"9", b"", b"a", b"1"]
    assert heap.reader().read(*references[1]) == b"bc" * 9


@pytest.mark.parametrize(
    ("size", "number", "message"),
    [(1, 3, "is not in the global heap"), (9, 1, "too short"), (10**6, 1, "more bytes than")],
)
def test_a_wrong_reference_is_damage(size, number, message):
    heap, references = heap_of([b"abc", b"d"])
    with pytest.raises(DamageError, match=message):
        heap.reader().read_all([*references, (size, references[0][1], number)])


def test_texts_end_at_their_first_nul():
    assert texts_of([]) == ()
    assert texts_of([b""]) == ("",)
    assert texts_of([b"a", b"\xff", b"", "é".encode()]) == ("a", "\udcff", "", "é")
    assert texts_of([b"a\0b", b"\xc3", b"\xa9"]) == ("a", "\udcc3", "\udca9")


def test_few_functions_are_called_for_each_string():
    def read(count: int) -> None:
        heap, references = heap_of([b"Exeter"] * count)
        texts_of(heap.reader().read_all(references))

    assert calls_of(read, 1000) - calls_of(read, 500) <= 500
