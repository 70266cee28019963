"""Check that the codecs of chunks are installed, and that chunks decode."""

from __future__ import annotations

from collections.abc import Iterator

from ncz.codec.catalogue import codec_of
from ncz.errors import CodecError, CodecMissing, NczError, Progress
from ncz.formats.findings import Finding, finding
from ncz.formats.zarr.arrays.array import ZarrArray
from ncz.formats.zarr.check.contents import StoreContents, key_in
from ncz.zmap import Zmap


def check_codecs(read: StoreContents) -> Iterator[Finding]:
    """Yield the arrays whose codecs are not installed."""
    for key in read.variables:
        data = read.data(key)
        if data is None:
            continue
        for codec in (*data.layout.codecs, *data.layout.inner_codecs):
            configuration = codec.to_json()
            known = codec_of(configuration)
            if known.kind == "unknown":
                try:
                    known.load(configuration)
                except CodecError as error:
                    yield finding("codec-missing", key, error.message, error.hint)
                    break


def check_chunks(read: StoreContents, progress: Progress) -> Iterator[Finding]:
    """Decode every stored chunk, and yield the damaged ones."""
    arrays = [data for key in read.variables if (data := read.data(key)) is not None]
    progress.expect(sum(data.layout.grid.size for data in arrays))
    for data in arrays:
        yield from _check_array(read.zmap, data, progress)


def _check_array(zmap: Zmap, data: ZarrArray, progress: Progress) -> Iterator[Finding]:
    chunks = data.with_checks(decodes=True)
    for index in data.present():
        size = 0
        try:
            size = len(chunks.encoded_chunk(index) or b"")
        except CodecMissing as error:
            yield finding("codec-missing", data.key, error.message, error.hint)
            return
        except NczError as error:
            yield finding("chunk-damaged", key_in(zmap, error.location), error.message, error.hint)
        progress.advance(f"/{data.key}", 1, size)
