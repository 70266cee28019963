"""Object headers: the messages of a group, a dataset or a committed datatype.

Source: HDF5 File Format Specification, "Data Object Headers" (IV.A.1), and "The Object Header
Continuation Message" (IV.A.2.q).
"""

from __future__ import annotations

from struct import Struct
from typing import NamedTuple

from ncz.formats.hdf5.metadata.blocks import MetadataSource
from ncz.formats.hdf5.metadata.faults import DamageError, UnsupportedError
from ncz.formats.hdf5.metadata.superblock import Sizes

NIL, DATASPACE, LINK_INFO, DATATYPE, OLD_FILL, FILL, LINK = 0, 1, 2, 3, 4, 5, 6
EXTERNAL, LAYOUT, FILTERS, ATTRIBUTE, SHARED_TABLE, CONTINUATION = 7, 8, 11, 12, 15, 16
SYMBOL_TABLE, DRIVER, ATTRIBUTE_INFO, FILE_SPACE, CACHE_IMAGE = 17, 20, 21, 23, 24
_LAST_KNOWN = CACHE_IMAGE

SHARED = 2
"""The flag of a message that is elsewhere."""

_MUST_BE_KNOWN = 128
"""The flag of a message that readers of its object must know."""

FIRST_READ = 512
"""Bytes of a header that are read at first."""

_TIMES, _PHASES, _TRACKED, _KNOWN_FLAGS = 32, 16, 4, 63

_OLD_MESSAGE = Struct("<HHB").unpack_from
_MESSAGE = Struct("<BHB").unpack_from
_SHORT, _LONG = Struct("<H").unpack_from, Struct("<I").unpack_from


class Message(NamedTuple):
    """A message of an object header. `order` is the sort key of attributes."""

    kind: int
    flags: int
    data: bytes
    order: int


def read_header(source: MetadataSource, sizes: Sizes, address: int | None) -> list[Message]:
    """Return the messages of an object, without messages about the header itself."""
    data = source.peek(address, FIRST_READ)
    if data[:4] == b"OHDR":
        return _read_new(source, sizes, address, data)
    if data[0] != 1:
        raise DamageError("an object is not at its address")
    return _read_old(source, sizes, address or 0, data)


def _read_old(source: MetadataSource, sizes: Sizes, address: int, data: bytes) -> list[Message]:
    """Return the messages of a header of version 1."""
    (count,) = _SHORT(data, 2)
    (size,) = _LONG(data, 8)
    data = data[16 : 16 + size] if size <= FIRST_READ - 16 else source.read(address + 16, size)
    if len(data) < size:
        raise DamageError("a structure is beyond the end of the file")
    messages: list[Message] = []
    parts = [data]
    seen: set[int | None] = {address}
    number = 0
    for data in parts:
        at, end = 0, len(data)
        while at + 8 <= end and number < count:
            kind, size, flags = _OLD_MESSAGE(data, at)
            start = at + 8
            at = start + size
            if at > end:
                raise DamageError("a message is longer than its object header")
            number += 1
            if kind == CONTINUATION:
                place, size = _continuation(sizes, data, start, seen)
                parts.append(source.read(place, size))
            elif kind:
                _append(messages, Message(kind, flags, data[start:at], number))
    return messages


def _read_new(
    source: MetadataSource, sizes: Sizes, address: int | None, data: bytes
) -> list[Message]:
    """Return the messages of a header of version 2."""
    if data[4] != 2:
        raise UnsupportedError(f"an object header has the unknown version {data[4]}")
    flags = data[5]
    if flags & ~_KNOWN_FLAGS:
        raise UnsupportedError(f"an object header has the unknown flags {flags:#x}")
    at = 6 + (16 if flags & _TIMES else 0) + (4 if flags & _PHASES else 0)
    width = 1 << (flags & 3)
    end = at + width + int.from_bytes(data[at : at + width], "little")
    at += width
    data = data[: end + 4] if end + 4 <= len(data) else source.read(address, end + 4)
    source.check(address, data[:-4], data[-4:], "an object header")
    tracked = flags & _TRACKED
    step = 6 if tracked else 4
    messages: list[Message] = []
    seen = {address}
    parts = [(data, at, end)]
    for data, at, end in parts:
        while at + step <= end:
            kind, size, flags = _MESSAGE(data, at)
            start = at + step
            at = start + size
            if at > end:
                raise DamageError("a message is longer than its object header")
            if kind == CONTINUATION:
                place, size = _continuation(sizes, data, start, seen)
                more = source.read_structure(place, size, b"OCHK", "the rest of an object header")
                parts.append((more, 4, size - 4))
            elif kind:
                order = _SHORT(data, start - 2)[0] if tracked else len(messages)
                _append(messages, Message(kind, flags, data[start:at], order))
    return messages


def _continuation(sizes: Sizes, data: bytes, at: int, seen: set[int | None]) -> tuple[int, int]:
    """Return the address and the length of the rest of a header."""
    place = sizes.offset(data, at)
    size = sizes.length(data, at + sizes.offset_size)
    if place is None or place in seen or size < 8:
        raise DamageError("an object header continues in a circle, or nowhere")
    seen.add(place)
    return place, size


def _append(messages: list[Message], message: Message) -> None:
    if message.kind > _LAST_KNOWN and message.flags & _MUST_BE_KNOWN:
        raise UnsupportedError(f"an object has a message of the unknown kind {message.kind}")
    messages.append(message)
