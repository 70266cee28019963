"""Write a reference set as JSON of version 0 or 1."""

from __future__ import annotations

import binascii
import json
from collections.abc import Iterator, Mapping
from functools import lru_cache
from json.encoder import encode_basestring_ascii as quoted

from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.reference.reference_set import Entry, Reference
from ncz.zmap.reference.seals import MEMBER, NO_SEALS, Seal, write_seals


def json_text(
    entries: Mapping[str, Entry],
    version: int = 1,
    *,
    seals: Mapping[str, Seal] = NO_SEALS,
) -> bytes:
    """Return the text of a set. Bytes that are not ASCII text are written as base64.

    `seals` are the states of the targets, which only version 1 can record.
    """
    lines: list[str] = []
    for key, entry in entries.items():
        if isinstance(entry, ByteRanges):
            lines += _lines(entry)
        else:
            lines.append(member(key, entry))
    # After the references, because a set is recognised by their beginning.
    sealed = f',\n"{MEMBER}":{json.dumps(write_seals(seals))}' if seals else ""
    start, end = ('{"version":1,"refs":{', "}" + sealed + "}") if version else ("{", "}")
    return (start + "\n" + ",\n".join(lines) + "\n" + end + "\n").encode("ascii")


def member(key: str, reference: Reference) -> str:
    """Return a key and its reference, as a member of a JSON object."""
    return f"{quoted(key)}:{_value(reference)}"


def _lines(ranges: ByteRanges) -> Iterator[str]:
    url = quoted(ranges.url)
    keys = map(quoted, ranges.keys(ranges.indices))
    for key, offset, length in zip(
        keys, ranges.offsets.tolist(), ranges.lengths.tolist(), strict=True
    ):
        yield f"{key}:[{url},{offset},{length}]"


_quoted = lru_cache(maxsize=1000)(quoted)
"""The JSON text of a URL, which thousands of references have in common."""


def _value(reference: Reference) -> str:
    if isinstance(reference, ByteRange):
        url = _quoted(reference.url)
        if reference.length is None:
            return f"[{url}]"
        return f"[{url},{reference.offset},{reference.length}]"
    if reference.isascii() and not reference.startswith(b"base64:"):
        return quoted(reference.decode("ascii"))
    return f'"base64:{binascii.b2a_base64(reference, newline=False).decode("ascii")}"'
