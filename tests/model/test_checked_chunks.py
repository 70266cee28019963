"""Encoded chunks that are checked before they are copied."""

from __future__ import annotations

from typing import Any, cast

import pytest

from ncz.errors import CodecError, CodecMissing
from ncz.model.checked_chunks import CheckedChunks
from ncz.model.encoded_arrays import EncodedSource
from ncz.zmap.memory import MemoryZmap

CHUNKS: dict[tuple[int, ...], bytes | None] = {(0,): b"whole", (1,): None, (2,): b"torn"}


class Source:
    """A source of three chunks, the second of them missing."""

    def encoded_chunks(self, indices: list[tuple[int, ...]]) -> list[bytes | None]:
        return [CHUNKS[index] for index in indices]


class Decoder:
    """A decoder that remembers its chunks, and raises an error for damaged ones."""

    def __init__(self, error: CodecError | None = None) -> None:
        self.decoded: list[tuple[int, ...]] = []
        self.error = error

    def __call__(self, data: bytes, index: tuple[int, ...]) -> None:
        self.decoded.append(index)
        if self.error is not None:
            raise self.error
        if data == b"torn":
            raise CodecError("the chunk is damaged", f"chunk {index[0]}")


def checked(decode: Decoder, *, decodes: bool = False, **options: Any) -> CheckedChunks:
    source = cast("EncodedSource", Source())
    return CheckedChunks(
        source, lambda _: lambda data: data == b"whole", decode, decodes=decodes, **options
    )


def test_only_chunks_that_do_not_look_whole_are_decoded():
    decode = Decoder()
    assert checked(decode).encoded_chunks([(0,), (1,)]) == [b"whole", None]
    assert decode.decoded == []
    with pytest.raises(CodecError, match="chunk 2: the chunk is damaged"):
        checked(decode).encoded_chunks([(0,), (2,)])
    assert decode.decoded == [(2,)]


def test_every_stored_chunk_is_decoded_on_request():
    decode = Decoder()
    checked(decode, decodes=True).encoded_chunks([(0,), (1,)])
    assert decode.decoded == [(0,)]


def test_a_codec_that_is_missing_is_an_error_only_if_all_are_decoded():
    """A chunk can be copied without the codec, but not be decoded."""
    missing = Decoder(CodecMissing("the codec is missing"))
    assert checked(missing).encoded_chunks([(2,)]) == [b"torn"]
    with pytest.raises(CodecMissing):
        checked(missing, decodes=True).encoded_chunks([(0,)])


def test_chunks_are_copied_one_by_one_and_a_damaged_one_is_not():
    zmap = MemoryZmap({}, "memory://t")
    sizes = checked(Decoder()).copy([(0,), (1,), (2,)], zmap, ["a", "b", "c"])
    with pytest.raises(CodecError, match="chunk 2"):
        list(sizes)
    assert zmap.get("c") is None


def test_a_faster_copy_gets_the_check():
    calls: list[Any] = []

    def copy(check: Any, *arguments: Any) -> Any:
        calls.append(arguments)
        with pytest.raises(CodecError):
            check(b"torn", (2,))
        return iter([5])

    zmap = MemoryZmap({}, "memory://t")
    assert list(checked(Decoder(), copy=copy).copy([(0,)], zmap, ["a"])) == [5]
    assert calls == [([(0,)], zmap, ["a"])]
