"""Requested codecs and their text: nccopy's -F, and ncz's own --codec."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

from ncz.codec import Codec, Parameter
from ncz.codec.catalogue import find, find_hdf5_name, find_v3, short_names
from ncz.commands.copy.filters import checked_filter
from ncz.commands.option_error import OptionError
from ncz.errors import option
from ncz.model.filters import Filter, Hdf5Filter, make_filter
from ncz.model.hdf5_filters import from_hdf5, missing_codec_reason, parse_numbers
from ncz.record import record


@record
class CodecSpec:
    """The codecs of variables; None means all of them."""

    codecs: tuple[Filter, ...]
    variables: tuple[str, ...] | None = None


@record
class FilterSpec:
    """The HDF5 filters of variables; None means all of them."""

    filters: tuple[Hdf5Filter, ...]
    variables: tuple[str, ...] | None = None


def cloud_codec() -> CodecSpec:
    """Return the codec of data without a specified codec, and of all data for object stores."""
    codec = make_filter("blosc", cname="zstd", clevel=3, shuffle=1, blocksize=0)
    return CodecSpec((codec,))


def codecs_of(codecs: str | Sequence[str | CodecSpec]) -> tuple[CodecSpec, ...]:
    """Return the codecs that texts name. Raises `OptionError`."""
    texts = (codecs,) if isinstance(codecs, str) else codecs
    return tuple(one if isinstance(one, CodecSpec) else _codec_of(one) for one in texts)


def _codec_of(codec: object) -> CodecSpec:
    """Return the codec that a text names, or that an object of numcodecs or zarr-python is."""
    if not isinstance(codec, str):
        from ncz.commands.codec_texts import codec_text

        text = codec_text(codec)
        if text is None:
            raise OptionError(f"{codec!r} is not a codec", hint='write codecs=["zstd:5"]')
        codec = text
    return parse_codecs(codec)


def filters_of(filters: str | Sequence[str | FilterSpec]) -> tuple[FilterSpec, ...]:
    """Return the filters that texts name. Raises `OptionError`."""
    texts = (filters,) if isinstance(filters, str) else filters
    return tuple(parse_filterspec(one) if isinstance(one, str) else one for one in texts)


def parse_filterspec(spec: str) -> FilterSpec:
    """Read nccopy's -F: names or *, and filters by their HDF5 numbers or names, or none."""
    if spec.strip().lower() == "none":
        return FilterSpec(())
    text, comma, tail = spec.partition(",")
    if not comma or not tail:
        raise _no_filter(spec)
    names = None if text == "*" else tuple(text.split("|"))
    if tail.strip().lower() == "none":
        return FilterSpec((), names)
    return FilterSpec(tuple(_parse_hdf5(one, spec) for one in tail.split("|")), names)


def _parse_hdf5(text: str, spec: str) -> Hdf5Filter:
    name, comma, parameters = text.partition(",")
    named = find_hdf5_name(name.strip().lower())
    number = None if named is None or named.hdf5 is None else named.hdf5.number
    numbers = parse_numbers(text if number is None else f"{number}{comma}{parameters}")
    if numbers is None or not all(0 <= number < 2**32 for number in numbers):
        raise _no_filter(spec, text)
    hdf5_filter = Hdf5Filter(numbers[0], tuple(numbers[1:]))
    codec = from_hdf5(hdf5_filter, 4)
    if codec is None:
        raise OptionError(
            f"-F {spec!r}: {missing_codec_reason(hdf5_filter)}",
            hint=f"use {option('codecs')} to choose a codec",
        )
    checked_filter(codec, f"-F {spec!r}")
    return hdf5_filter


def _no_filter(spec: str, text: str = "") -> OptionError:
    """Return the error of a filterspec; `text` is the filter that is not a number."""
    name = text.partition(",")[0].strip()
    hint = "write var,id,parameter,... or *,none"
    if find(name) is not None:
        hint = f"a filter has a number; for a name, use {option('codecs', text.replace(',', ':'))}"
    return OptionError(f"-F {spec!r} is not a valid filterspec", hint=hint)


def parse_codecs(spec: str) -> CodecSpec:
    """Read ncz's --codec: names of variables, if not all are meant, and the codecs to apply."""
    names: tuple[str, ...] | None = None
    text = spec.strip()
    text = _LEVEL.sub(r"\1:\2", text)
    match = re.match(r"([^:={}\[\]+]+)=(.*)", text, re.DOTALL)
    if match:
        names, text = tuple(match[1].split(",")), match[2].strip()
    if text[:1] in ("{", "["):
        return CodecSpec(_json_codecs(text, spec), names)
    if text.lower() in ("none", ""):
        return CodecSpec((), names)
    codecs = tuple(_parse_codec(one, spec) for one in re.split(r"[+|,]", text))
    return CodecSpec(codecs, names)


def _json_codecs(text: str, spec: str) -> tuple[Filter, ...]:
    try:
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        reason = error.msg if isinstance(error, json.JSONDecodeError) else "nested too deeply"
        raise OptionError(f"{option('codecs')} {spec!r}: invalid JSON: {reason}") from error
    chain = [_as_v2(one) for one in (value if isinstance(value, list) else [value])]
    if not all(isinstance(one, dict) and isinstance(one.get("id"), str) for one in chain):
        raise OptionError(f'{option("codecs")} {spec!r}: a codec is a JSON object with an "id"')
    return tuple(
        checked_filter(Filter.from_json(one), f"{option('codecs')} {spec!r}") for one in chain
    )


def _as_v2(value: Any) -> Any:
    """Return a codec in Zarr V2's form; V3 has ``{"name": ..., "configuration": {...}}``."""
    if not isinstance(value, dict) or "id" in value or not isinstance(value.get("name"), str):
        return value
    codec = find_v3(value["name"])
    given = value.get("configuration", {})
    if codec is None or codec.v3 is None or not isinstance(given, dict):
        return {**(given if isinstance(given, dict) else {}), "id": value["name"]}
    words = {each.name: each.words for each in codec.v3.parameters or ()}
    own = {parameter.name for parameter in codec.parameters}
    converted = {
        name: words[name].index(setting) if setting in words.get(name, ()) else setting
        for name, setting in given.items()
        if name in own and setting is not None
    }
    return {**converted, "id": codec.id}


_OTHER_NAMES = {
    **dict.fromkeys(("deflate", "gz"), "zlib"),
    **dict.fromkeys(("zstandard", "zst"), "zstd"),
    **dict.fromkeys(("bzip2", "bzip"), "bz2"),
    **dict.fromkeys(("xz", "lzma2"), "lzma"),
    "blosc2": "blosc",
}
"""Names that other programs have for codecs."""

_LEVEL = re.compile(r"\b([a-z0-9]+)[= ]([0-9]{1,2})$", re.IGNORECASE)
"""A codec and its level, as in ``gzip=5``."""


def _parse_codec(text: str, spec: str) -> Filter:
    text = re.sub(r"^(blosc2?)[-_/](?=[a-z])", r"\1:", text.strip())
    name, *values = text.split(":")
    codec = find(_OTHER_NAMES.get(name.lower(), name.lower()))
    parameters = () if codec is None else _in_short(codec)
    if codec is None or len(values) > len(parameters):
        raise OptionError(
            f"{option('codecs')} {spec!r} is not valid",
            hint=f"write NAME:LEVEL with one of {', '.join(short_names())}; or none; or JSON",
        )
    if len(values) == 1 and values[0].isdecimal() and _is_word(parameters[0]):
        parameters = parameters[1:]  # blosc:5 has the level alone
    configuration: dict[str, object] = dict(codec.short or ())
    for parameter, value in zip(parameters, values, strict=False):
        configuration[parameter.name] = _value_of(parameter, value, spec)
    parsed = make_filter(codec.id, **configuration)
    checked_filter(with_dtype(parsed, "<f8"), f"{option('codecs')} {spec!r}")
    return parsed


def _in_short(codec: Codec) -> tuple[Parameter, ...]:
    """Return the parameters of the short form, in order: its own, or the ones without a flag."""
    by_name = {parameter.name: parameter for parameter in codec.parameters}
    if codec.short is not None:
        return tuple(by_name[name] for name, _ in codec.short)
    return tuple(p for p in codec.parameters if p.type != "boolean" and p.name != "dtype")


def _is_word(parameter: Parameter) -> bool:
    """Return whether all values of a parameter are words."""
    return bool(parameter.choices) and all(isinstance(each, str) for each in parameter.choices)


def _value_of(parameter: Parameter, value: str, spec: str) -> object:
    """Return the value of a parameter from its text."""
    if parameter.type == "integer" or (parameter.choices and value.lstrip("-").isdecimal()):
        if re.fullmatch(r"-?[0-9]{1,10}", value):
            return int(value)
        raise OptionError(
            f"{option('codecs')} {spec!r}: {parameter.name} must be an integer, not {value!r}"
        )
    if parameter.type == "number":
        try:
            return float(value)
        except ValueError:
            raise OptionError(
                f"{option('codecs')} {spec!r}: {parameter.name} must be a number, not {value!r}"
            ) from None
    return value


def with_dtype(codec: Filter, dtype: str) -> Filter:
    """Return the codec with the dtype of its elements, if it needs a dtype and lacks it."""
    configuration = codec.to_json()
    entry = find(codec.id)
    needs = entry is not None and any(p.name == "dtype" and p.required for p in entry.parameters)
    if not needs or "dtype" in configuration:
        return codec
    return Filter.from_json({**configuration, "dtype": dtype})
