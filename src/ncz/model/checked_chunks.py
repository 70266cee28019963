"""Encoded chunks that are checked before they are copied."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from ncz.errors import CodecMissing
from ncz.model.encoded_arrays import EncodedChunks, EncodedSource
from ncz.model.grid import Index

if TYPE_CHECKING:
    from ncz.codec import EncodedBytes
    from ncz.codec.probe import Probe
    from ncz.zmap import WritableZmap

Check = Callable[["EncodedBytes", Index], None]
"""A function that raises `CodecError` if a chunk is damaged."""

Copy = Callable[[Check, Sequence[Index], "WritableZmap", Sequence[str]], Iterator["int | None"]]
"""A function that copies chunks if the check finds no damage."""


class CheckedChunks(EncodedChunks):
    """The encoded chunks of a source; reading a damaged one raises `CodecError`.

    A chunk that does not look whole is decoded, and every chunk on request: the error of
    decoding names the chunk and the reason.

    Parameters
    ----------
    source
        The chunks.
    probe_of
        Returns the check of a chunk that needs no decoding: of its length and its header.
    decode
        Decodes a chunk from its bytes and its index.
    decodes
        Whether every chunk is decoded; otherwise only chunks that look incomplete.
    copy
        Copies chunks faster than by reading them; see `EncodedChunks.copy`. It gets a check too.
    """

    def __init__(
        self,
        source: EncodedSource,
        probe_of: Callable[[Index], Probe],
        decode: Callable[[bytes, Index], object],
        *,
        decodes: bool,
        copy: Copy | None = None,
    ) -> None:
        self._source = source
        self._probe_of = probe_of
        self._decode = decode
        self._decodes = decodes
        self._copy = copy

    def encoded_chunks(self, indices: Sequence[Index]) -> list[bytes | None]:
        """Return stored chunks without decoding them; see `EncodedChunks.encoded_chunks`."""
        chunks = self._source.encoded_chunks(indices)
        for index, data in zip(indices, chunks, strict=True):
            if data is not None:
                self.check(data, index)
        return chunks

    def copy(
        self, indices: Sequence[Index], zmap: WritableZmap, keys: Sequence[str]
    ) -> Iterator[int | None]:
        """Put stored chunks into `zmap` under `keys`; see `EncodedChunks.copy`."""
        if self._copy is None:
            return super().copy(indices, zmap, keys)
        return self._copy(self.check, indices, zmap, keys)

    def check(self, data: EncodedBytes, index: Index) -> None:
        """Raise `CodecError` if a chunk is damaged."""
        if not self._decodes and self._probe_of(index)(data):
            return
        try:
            self._decode(data[:], index)
        except CodecMissing:
            if self._decodes:
                raise
