"""Codecs of a variable: those that its elements need, in the form that readers of the store know.

Zarr V3 specifies gzip and not zlib; netcdf-c reads zlib and not gzip in NCZarr V2. Both hold the
same compressed bytes.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ncz.codec.catalogue import codec_of, find_deflate, is_object_codec
from ncz.codec.deflate import GZIP, ZLIB
from ncz.model.filters import Filter, make_filter
from ncz.model.tree import Provenance, Variable

_TEXT_CODEC = make_filter("vlen-utf8")


def codecs_to_write(
    variable: Variable,
    item_size: int,
    zarr_format: int,
    *,
    is_bare: bool = False,
    object_codec: Filter | None = None,
) -> tuple[Filter, ...]:
    """Return the codecs of a variable, with an object codec exactly if elements are objects.

    Parameters
    ----------
    variable
        The variable, which may have other codecs where it is stored now.
    item_size
        The size of an element in bytes, or 0 for objects.
    zarr_format
        The version of Zarr to write.
    is_bare
        Leave out what is not an object codec, as for scalars of NCZarr V2: netcdf-c opens no store
        in which a scalar is compressed.
    object_codec
        The codec that the objects need; None if codecs of text do.
    """
    filters = variable.storage.filters or ()
    objects = tuple(f for f in filters if is_object_codec(f.to_json()))
    others = () if is_bare else tuple(f for f in filters if f not in objects)
    if item_size:
        filters = others
    elif object_codec is not None:
        filters = (object_codec, *_of_any_size(others))
    elif not any(zarr_format == 2 or _is_in_v3(f) for f in objects):
        filters = (_TEXT_CODEC, *_of_any_size(others))
    return tuple(_with_item_size(codec, item_size) for codec in filters)


def _of_any_size(filters: Iterable[Filter]) -> Iterator[Filter]:
    return (f for f in filters if _item_size_parameter(f) is None)


def are_bytes(variable: Variable) -> bool:
    """Return whether a codec stores strings as bytes, whose fill value is base64."""
    filters = variable.storage.filters or ()
    return any(codec_of(codec.to_json()).objects == "bytes" for codec in filters)


def _is_in_v3(codec: Filter) -> bool:
    return codec_of(codec.to_json()).v3 is not None


def _item_size_parameter(codec: Filter) -> str | None:
    return codec_of(codec.to_json()).item_size_parameter


def _with_item_size(codec: Filter, item_size: int) -> Filter:
    """Return the codec; shuffle gets the size of an element, which readers need to decode it."""
    name = _item_size_parameter(codec)
    if name is None or not item_size:
        return codec
    return Filter.from_json({**codec.to_json(), name: item_size})


def with_known_deflate(
    codecs: tuple[Filter, ...],
    *,
    zarr_format: int,
    pure: bool,
    inherited: tuple[Filter, ...],
    provenance: Provenance,
) -> tuple[Filter, ...]:
    """Return the codecs, with deflate in the wrapper that readers of the store know.

    Parameters
    ----------
    codecs
        The codecs of a variable.
    zarr_format, pure
        The form of the store to write.
    inherited
        The codecs that the variable has where it is stored now; () for one that is not stored.
    provenance
        The form of that store. A codec that is inherited from the same form is kept, and so is any
        codec of V2 that the user chose.
    """
    if zarr_format == 3:
        kept = inherited if provenance.zarr_format == 3 else ()
        return tuple(codec if codec in kept else _wrapped(codec, GZIP) for codec in codecs)
    if pure or (provenance.zarr_format == 2 and provenance.superblock):
        return codecs
    return tuple(_wrapped(codec, ZLIB) if codec in inherited else codec for codec in codecs)


def _wrapped(codec: Filter, window: int) -> Filter:
    if codec_of(codec.to_json()).deflate_window in (None, window):
        return codec
    return make_filter(find_deflate(window).id, level=codec.get("level", 1))
