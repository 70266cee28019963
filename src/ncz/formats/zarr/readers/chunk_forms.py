"""The codecs and the forms of chunks that readers do not decode."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from ncz.codec.catalogue import codec_id, codec_of
from ncz.codec.element_types import is_narrow
from ncz.formats.zarr.readers.programs import ChunkForm, Reader
from ncz.formats.zarr.types.dtypes import BOOLEAN
from ncz.model.chunks import ChunkLayout, in_order
from ncz.model.element_sizes import with_whole_elements
from ncz.model.filters import Filter

EXTENSIONS: frozenset[ChunkForm] = frozenset(
    {
        "the codec scale_offset",
        "other codecs of zarr-extensions",
        "shards that divide a chunk only after its transpose",
        "numbers that numpy does not have",
    }
)
"""Forms that programs give arrays on purpose, which a copy keeps unless it is for a reader."""


def refused_chunks(readers: Iterable[Reader], zarr_format: int) -> frozenset[ChunkForm]:
    """Return the forms of chunks that some of the readers do not decode."""
    refused = [r.refused | (r.refused_v2 if zarr_format == 2 else r.refused_v3) for r in readers]
    return frozenset().union(*refused)


def refused_forms(refused: frozenset[ChunkForm], layout: ChunkLayout, dtype: object) -> list[str]:
    """Return the refused forms that the chunks of an array of a dtype have."""
    return [form for form in _FORMS if form in refused and _FORMS[form](layout, dtype)]


def _is_big_endian(_: ChunkLayout, dtype: object) -> bool:
    return str(dtype)[:1] == ">" and dtype != ">S1"


def _is_in_other_order(layout: ChunkLayout, _: object) -> bool:
    return layout.order != in_order(layout.rank, "C")


def _has_zstd_with_checksum(layout: ChunkLayout, _: object) -> bool:
    return any(codec.get("checksum") for codec in _of(layout, "zstd"))


def _has_zstd_below_zero(layout: ChunkLayout, _: object) -> bool:
    levels = [codec.get("level") for codec in _of(layout, "zstd")]
    return any(isinstance(level, int) and level < 0 for level in levels)


def _shuffles_part_of_element(layout: ChunkLayout, _: object) -> bool:
    return with_whole_elements(layout.inner_codecs) != layout.inner_codecs


def _packs_numbers(layout: ChunkLayout, dtype: object) -> bool:
    return dtype != BOOLEAN and bool(_of(layout, "packbits"))


def _rounds_integers(layout: ChunkLayout, dtype: object) -> bool:
    """Return whether numcodecs would take signed integers for the bits of floats."""
    return _kind(dtype) == "i" and bool(_of(layout, "bitround"))


def _kind(dtype: object) -> str:
    return str(dtype).lstrip("<>|")[:1]


def without_bitround(filters: tuple[Filter, ...], dtype: object) -> tuple[Filter, ...]:
    """Return filters without bitround of numcodecs if elements are integers.

    It does not encode them, and some programs take them for floats. Integers that are stored are
    rounded already, and decoding does not change them.
    """
    if _kind(dtype) not in ("i", "u"):
        return filters
    return tuple(f for f in filters if codec_id(f.to_json()) != "bitround")


def _has_scale_offset(layout: ChunkLayout, _: object) -> bool:
    return any(extension_form(codec) == "the codec scale_offset" for codec in layout.all_codecs)


def _has_other_extensions(layout: ChunkLayout, _: object) -> bool:
    form: ChunkForm = "other codecs of zarr-extensions"
    return any(extension_form(codec) == form for codec in layout.all_codecs)


def _has_shards_of_transposed(layout: ChunkLayout, _: object) -> bool:
    inner = layout.shard.chunks if layout.shard is not None else layout.chunks
    return any(outer % part for outer, part in zip(layout.chunks, inner, strict=True))


def extension_form(codec: Filter) -> ChunkForm | None:
    """Return the form that a codec of zarr-extensions gives to chunks; None for other codecs."""
    configuration = codec.to_json()
    if not codec_of(configuration).is_extension:
        return None
    is_scale_offset = codec_id(configuration) == "scale_offset"
    return "the codec scale_offset" if is_scale_offset else "other codecs of zarr-extensions"


def _has_narrow_numbers(_: ChunkLayout, dtype: object) -> bool:
    return is_narrow(dtype)


def _of(layout: ChunkLayout, name: str) -> list[Filter]:
    """Return the codecs of the chunks that have this id."""
    return [codec for codec in layout.inner_codecs if codec_id(codec.to_json()) == name]


_FORMS: dict[ChunkForm, Callable[[ChunkLayout, object], bool]] = {
    "big-endian elements": _is_big_endian,
    "the axis order F": _is_in_other_order,
    "zstd with a checksum": _has_zstd_with_checksum,
    "zstd of a level below zero": _has_zstd_below_zero,
    "shuffle of a part of an element": _shuffles_part_of_element,
    "packbits of numbers": _packs_numbers,
    "bitround of signed integers": _rounds_integers,
    "the codec scale_offset": _has_scale_offset,
    "other codecs of zarr-extensions": _has_other_extensions,
    "shards that divide a chunk only after its transpose": _has_shards_of_transposed,
    "numbers that numpy does not have": _has_narrow_numbers,
}
"""Whether chunks of a layout and a dtype have a form."""


def common_codecs(readers: Iterable[Reader], zarr_format: int) -> frozenset[str] | None:
    """Return the ids of the codecs that all readers decode; None for all of numcodecs."""
    common: frozenset[str] | None = None
    for reader in readers:
        codecs = reader.codecs_v2 if zarr_format == 2 else reader.codecs_v3
        if codecs is not None:
            common = codecs if common is None else common & codecs
    return common
