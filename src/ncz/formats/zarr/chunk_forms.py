"""The codecs and the forms of chunks that readers do not decode."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ncz.codec.catalogue import codec_id
from ncz.formats.zarr.dtypes import BOOLEAN
from ncz.formats.zarr.readers import ChunkForm, Reader
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.filters import with_whole_elements


def refused_chunks(readers: Iterable[Reader], zarr_format: int) -> frozenset[ChunkForm]:
    """Return the forms of chunks that some of the readers do not decode."""
    refused = [r.refused | (r.refused_v2 if zarr_format == 2 else r.refused_v3) for r in readers]
    return frozenset().union(*refused)


def refused_forms(
    layout: ChunkLayout, dtype: object, reader: Reader, zarr_format: int
) -> list[str]:
    """Return the forms of the chunks of an array of a dtype that a reader does not decode."""
    refused = refused_chunks([reader], zarr_format)
    return [form for form in _chunk_forms(layout, dtype) if form in refused] if refused else []


def _chunk_forms(layout: ChunkLayout, dtype: object) -> Iterator[ChunkForm]:
    if str(dtype)[:1] == ">" and dtype != ">S1":
        yield "big-endian elements"
    if layout.order != in_order(layout.rank, "C"):
        yield "the axis order F"
    codecs = [codec.to_json() for codec in layout.inner_codecs]
    if any(codec_id(codec) == "zstd" and codec.get("checksum") for codec in codecs):
        yield "zstd with a checksum"
    if any(codec_id(codec) == "zstd" and _is_negative(codec.get("level")) for codec in codecs):
        yield "zstd of a level below zero"
    if with_whole_elements(layout.inner_codecs) != layout.inner_codecs:
        yield "shuffle of a part of an element"
    if dtype != BOOLEAN and any(codec_id(codec) == "packbits" for codec in codecs):
        yield "packbits of numbers"


def _is_negative(level: object) -> bool:
    return isinstance(level, int) and level < 0


def common_codecs(readers: Iterable[Reader], zarr_format: int) -> frozenset[str] | None:
    """Return the ids of the codecs that all readers decode; None for all of numcodecs."""
    common: frozenset[str] | None = None
    for reader in readers:
        codecs = reader.codecs_v2 if zarr_format == 2 else reader.codecs_v3
        if codecs is not None:
            common = codecs if common is None else common & codecs
    return common
