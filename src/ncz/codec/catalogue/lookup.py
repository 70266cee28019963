"""Questions to the catalogue of codecs: which codec a name means, and whether its parameters hold.

The table itself is imported when the first question needs it. Printing a header needs none of it.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ncz.errors import shorten

if TYPE_CHECKING:
    from ncz.codec.catalogue.entry import Codec, Kind, V3Spelling

Json = Any
"""A value that `json.loads` returns."""

Configuration = Mapping[str, Json]
"""A codec as Zarr V2 spells it: the member "id" and the parameters."""

_PREFIX = "numcodecs."


@functools.cache
def _by_id() -> dict[str, Codec]:
    from ncz.codec.catalogue.table import CODECS

    return {codec.id: codec for codec in CODECS}


@functools.cache
def _by_hdf5_number() -> dict[int, Codec]:
    return {codec.hdf5.number: codec for codec in _by_id().values() if codec.hdf5 is not None}


@functools.cache
def _by_v3_name() -> dict[str, tuple[Codec, V3Spelling]]:
    return {codec.v3.name: (codec, codec.v3) for codec in _by_id().values() if codec.v3 is not None}


def codec_id(configuration: Configuration) -> str:
    """Return the codec's id, without the prefix that zarr-python 3 puts before it."""
    return str(configuration.get("id")).removeprefix(_PREFIX)


def find(name: str) -> Codec | None:
    """Return the codec with that id; None if the catalogue has none."""
    return _by_id().get(name.removeprefix(_PREFIX))


def short_names() -> list[str]:
    """Return the ids of the codecs that have a short form (NAME:VALUE), sorted."""
    return sorted(name for name, codec in _by_id().items() if codec.short is not None)


def codec_of(configuration: Configuration) -> Codec | None:
    """Return the codec of a configuration; None if the catalogue has none."""
    return _by_id().get(codec_id(configuration))


def find_hdf5(number: int) -> Codec | None:
    """Return the codec of an HDF5 filter; None if the catalogue has none."""
    return _by_hdf5_number().get(number)


def find_deflate(window: int) -> Codec:
    """Return the compressor that wraps a deflate stream so that zlib decodes it by `window`."""
    return next(codec for codec in _by_id().values() if codec.deflate_window == window)


def find_v3(name: str) -> tuple[Codec, V3Spelling] | None:
    """Return the codec with that name in Zarr V3, and how its parameters are spelled there.

    Some writers leave out the prefix of numcodecs, so codecs that change bytes are found without
    it too.
    """
    found = _by_v3_name().get(name)
    if found is None and not name.startswith(_PREFIX):
        found = _by_v3_name().get(_PREFIX + name)
        if found is not None and found[0].place != "bytes to bytes":
            return None
    return found


def is_kind(configuration: Configuration, kind: Kind) -> bool:
    """Return whether the catalogue has the codec, and as one of that kind."""
    codec = codec_of(configuration)
    return codec is not None and codec.kind == kind


def is_object_codec(configuration: Configuration) -> bool:
    """Return whether the codec encodes objects, which have no fixed size."""
    codec = codec_of(configuration)
    if codec is None:
        return False
    if codec.dtype_of_objects is not None:
        return configuration.get(codec.dtype_of_objects) in ("|O", "O", "object")
    return codec.kind == "object codec"


def with_defaults(configuration: Configuration, item_size: int) -> dict[str, Json]:
    """Return the configuration with every parameter that has a default.

    Two configurations that mean the same become equal. An element size that is missing or 0
    becomes `item_size`.
    """
    codec = codec_of(configuration)
    full = {**configuration, "id": codec_id(configuration)}
    for parameter in codec.parameters if codec is not None else ():
        if parameter.is_item_size:
            full[parameter.name] = full.get(parameter.name) or item_size
        elif not parameter.required:
            full.setdefault(parameter.name, parameter.default)
    return full


def for_readers_of_v2(configuration: Configuration) -> dict[str, Json]:
    """Return the configuration without the defaults of parameters that some readers refuse."""
    codec = codec_of(configuration)
    recent = {p.name: p.default for p in codec.parameters if p.is_recent} if codec else {}
    return {k: v for k, v in configuration.items() if k not in recent or v != recent[k]}


def parameter_fault(configuration: Configuration) -> str | None:
    """Return what is wrong with the parameters, for a person to read; None if they are valid.

    A codec that is not in the catalogue has no known parameters, so None is returned for it.
    Decoding does not need this check: most parameters matter to encoding alone.
    """
    codec = codec_of(configuration)
    if codec is None:
        return None
    known = {parameter.name: parameter for parameter in codec.parameters}
    for name, value in configuration.items():
        if name == "id":
            continue
        if name not in known:
            valid = f"; its parameters are {', '.join(known)}" if known else ""
            return f"the codec {codec.id} has no parameter {str(name)[:40]!r}{valid}"
        fault = known[name].fault(value)
        if fault is not None:
            return f"the codec {codec.id}: {name} {fault}, not {shorten(repr(value))}"
    for name, parameter in known.items():
        if parameter.required and name not in configuration:
            return f"the codec {codec.id} needs the parameter {name!r}"
    return None
