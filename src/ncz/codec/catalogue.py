"""The catalogue of codecs: codecs by name, and checks of their parameters.

To add a codec, add a class to the module of its family, and its instance to `CODECS` there. A new
family is a new module, named in `_FAMILIES`. Readers, writers, the options of the command line and
the special attributes of CDL use this module. A family is imported when it is needed: printing a
header needs one or two.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from importlib import import_module

from ncz.codec import Codec, Configuration, Json, Kind
from ncz.errors import CodecMissing, shorten

_FAMILIES = (
    "deflate",
    "endianness",
    "shuffle",
    "objects",
    "zstd",
    "compressors",
    "blosc",
    "array_compressors",
    "szip",
    "checksums",
    "numbers",
    "transpose",
    "sharding_indexed",
    "scale_offset",
    "cast_value",
    "reshape",
    "bit_packing",
    "bit_rounding",
    "zfp",
    "n5_default",
    "conditional",
)
"""Modules of this package; modules with the most used codecs come first."""

_PREFIX = "numcodecs."


@functools.cache
def _family(name: str) -> dict[str, Codec]:
    return {codec.id: codec for codec in import_module(f"ncz.codec.{name}").CODECS}


def codecs() -> Iterator[Codec]:
    """Iterate over all codecs."""
    for name in _FAMILIES:
        yield from _family(name).values()


def codec_id(configuration: Configuration) -> str:
    """Return the codec's id, without the prefix that zarr-python 3 puts before it."""
    return str(configuration.get("id")).removeprefix(_PREFIX)


@functools.lru_cache(256)
def find(name: str) -> Codec | None:
    """Return the codec with an id, or None if it is unknown."""
    name = name.removeprefix(_PREFIX)
    if name in _FAMILIES and name in _family(name):  # a module with the name of its codec
        return _family(name)[name]
    codecs = (_family(family).get(name) for family in _FAMILIES)
    return next(filter(None, codecs), None)


def codec_of(configuration: Configuration) -> Codec:
    """Return the codec of a configuration, of kind "unknown" if it is not in the catalogue."""
    name = codec_id(configuration)
    return find(name) or Codec(name)


def short_names() -> list[str]:
    """Return the ids of the codecs that have a short form (NAME:VALUE), sorted."""
    return sorted(codec.id for codec in codecs() if codec.short is not None)


def find_hdf5(number: int) -> Codec | None:
    """Return the codec of an HDF5 filter, or None if it is unknown."""
    return next((c for c in codecs() if c.hdf5 is not None and c.hdf5.number == number), None)


def find_hdf5_name(name: str) -> Codec | None:
    """Return the codec of the HDF5 filter with a name, or None if it is unknown."""
    filters = [codec for codec in codecs() if codec.hdf5 is not None]
    return next((c for c in filters if c.hdf5 and name in (c.id, *c.hdf5.names)), None)


def find_deflate(window: int) -> Codec:
    """Return the compressor that wraps a deflate stream so that zlib decodes it by `window`."""
    return next(codec for codec in codecs() if codec.deflate_window == window)


def find_v3(name: str) -> Codec | None:
    """Return the codec with a name in Zarr V3, or None if it is unknown.

    Names of numcodecs are also found without its prefix: some writers omit it, and zarr-extensions
    registers some names without it.
    """
    twin = None
    for codec in codecs():
        if codec.v3 is not None and codec.v3.name == name:
            return codec
        if codec.v3 is not None and codec.v3.name == _PREFIX + name:
            twin = codec
    return twin


def is_kind(configuration: Configuration, kind: Kind) -> bool:
    """Return whether the catalogue has the codec, and as one of that kind."""
    return codec_of(configuration).kind == kind


def is_object_codec(configuration: Configuration) -> bool:
    """Return whether the codec encodes objects, which have no fixed size."""
    return codec_of(configuration).encodes_objects(configuration)


def with_defaults(configuration: Configuration, item_size: int) -> dict[str, Json]:
    """Return the configuration with every parameter that has a default.

    Two configurations that mean the same become equal. An element size that is missing or 0
    becomes `item_size`.
    """
    codec = codec_of(configuration)
    full = {**codec.to_signed(configuration), "id": codec.id}
    for parameter in codec.parameters:
        if parameter.is_item_size:
            full[parameter.name] = full.get(parameter.name) or item_size
        elif not parameter.required:
            full.setdefault(parameter.name, parameter.default)
    return full


def decoding_configuration(configuration: Configuration, item_size: int) -> dict[str, Json]:
    """Return the configuration with defaults, and without parameters that decoding does not need.

    The chunks of two configurations that become equal are decoded alike.
    """
    effort = codec_of(configuration).effort
    full = with_defaults(configuration, item_size)
    return {name: value for name, value in full.items() if name not in effort}


def for_readers_of_v2(configuration: Configuration) -> dict[str, Json]:
    """Return the configuration without the defaults of parameters that some readers refuse."""
    recent = {p.name: p.default for p in codec_of(configuration).parameters if p.is_recent}
    return {k: v for k, v in configuration.items() if k not in recent or v != recent[k]}


def parameter_fault(configuration: Configuration) -> str | None:
    """Return a message about invalid parameters; None if they are valid.

    A codec that is not in the catalogue has no known parameters, so None is returned for it.
    Decoding does not need this check: most parameters matter to encoding alone.
    """
    codec = codec_of(configuration)
    if codec.kind == "unknown":
        return None
    parameters = {parameter.name: parameter for parameter in codec.parameters}
    for name, value in configuration.items():
        if name == "id":
            continue
        if name not in parameters:
            valid = f"; its parameters are {', '.join(parameters)}" if parameters else ""
            return f"the codec {codec.id} has no parameter {str(name)[:40]!r}{valid}"
        fault = parameters[name].fault(value)
        if fault is not None:
            return f"the codec {codec.id}: {name} {fault}, not {shorten(repr(value))}"
    for name, parameter in parameters.items():
        if parameter.required and name not in configuration:
            return f"the codec {codec.id} needs the parameter {name!r}"
    return None


def writing_fault(configuration: Configuration) -> str | None:
    """Return the reason that ncz cannot write this configuration, as a message.

    None is returned for valid parameters of a codec in the catalogue, and for any other codec that
    numcodecs accepts: a plug-in may have registered it.
    """
    codec = codec_of(configuration)
    if codec.kind != "unknown":
        return parameter_fault(configuration)
    try:
        codec.load(configuration)
    except CodecMissing:
        return f"unknown codec {codec.id[:40]!r}"
    except Exception as error:  # a library may raise anything
        from ncz.failed_imports import failed_import

        broken = failed_import(error)
        reason = error if broken is None else broken.message
        return f"the codec {codec.id[:40]} cannot be used: {reason}"
    return None
