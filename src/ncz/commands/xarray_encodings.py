"""Convert encodings of xarray, which describe the storage of variables, to keywords of a copy."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ncz.commands.codec_texts import texts_of_codecs
from ncz.commands.option_error import OptionError
from ncz.late import numpy as np

_OF_ENCODINGS = {
    "chunks": "chunks", "chunksizes": "chunks", "shards": "shards", "zlib": "codecs",
    "compressor": "codecs", "compressors": "codecs", "compression": "codecs",
    "significant_digits": "quantize", "dtype": "types", "scale_factor": "pack",
    "_FillValue": "missing_value", "missing_value": "missing_value",
}  # fmt: skip
"""Settings of the encoding of a variable, and the arguments that they become."""

_DEFAULT_CODECS = ("auto", "default")
"""Texts for the codecs that a copy chooses."""

_WITH_OTHERS = {
    "complevel": "zlib", "shuffle": "zlib", "preferred_chunks": None,
    "quantize_mode": "significant_digits", "add_offset": "scale_factor",
}  # fmt: skip
"""Settings that belong to others, or that ncz does not need."""


def is_of_copy(encoding: Any) -> bool:
    """Return whether an encoding says only how variables are stored: chunks, shards and codecs."""
    return all(
        name not in _NUMBERS and (name in _OF_ENCODINGS or name in _WITH_OTHERS)
        for settings in _settings_by_variable(encoding).values()
        for name in settings
    )


_NUMBERS = (
    "dtype", "scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units",
    "calendar",
)  # fmt: skip
"""Settings of an encoding for the storage of numbers and times."""


def with_encoding(
    arguments: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return the arguments of a call; a dataset of xarray gets the encoding of numbers.

    The rest of the encoding stays a keyword.
    """
    encoding = _settings_by_variable(given["encoding"])
    if not arguments or not is_xarray_dataset(arguments[0]):
        return arguments, given
    dataset = arguments[0].copy()
    rest = dict(encoding)
    for name in encoding.keys() & dataset.variables.keys():
        numbers, rest[name] = _divide(encoding[name])
        if numbers:
            dataset[name].encoding = _divide(dataset[name].encoding)[1] | numbers
    return (dataset, *arguments[1:]), {**given, "encoding": rest}


def is_xarray_dataset(source: object) -> bool:
    """Return whether an object is a dataset of xarray, which need not be imported."""
    return type(source).__module__.startswith("xarray.") and hasattr(source, "data_vars")


def _divide(settings: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the settings for numbers and times, and the other ones."""
    numbers = {key: value for key, value in settings.items() if key in _NUMBERS}
    return numbers, {key: value for key, value in settings.items() if key not in _NUMBERS}


def keywords_of_encoding(encoding: Any) -> Iterator[tuple[str, Any]]:
    """Yield the keywords of `ncz.copy`, with their values, that an encoding means.

    A setting that is None is not given, except that a compressor of None means no compression.

    Raises
    ------
    OptionError
        If the encoding is not a mapping for each variable, or a setting has no such keyword.
    """
    found: dict[str, list[str]] = {"chunks": [], "shards": [], "codecs": []}
    by_variable: dict[str, dict[str, Any]] = {}
    for variable, settings in _settings_by_variable(encoding).items():
        for name, setting in settings.items():
            own = _OF_ENCODINGS.get(name)
            if own is None and _WITH_OTHERS.get(name, "none") not in (None, *settings):
                raise OptionError(
                    f"the encoding of {variable} has {name!r}, which ncz.copy does not take",
                    hint="write it with to_zarr or to_netcdf of xarray",
                )
            if setting is None and own != "codecs":
                continue
            if own in ("chunks", "shards"):
                found[own].append(f"{variable}:{','.join(map(str, setting))}")
            elif name == "zlib" and setting:
                shuffle = "shuffle+" if settings.get("shuffle", True) else ""
                found["codecs"].append(f"{variable}={shuffle}zlib:{settings.get('complevel', 4)}")
            elif own == "codecs" and name != "zlib" and setting not in _DEFAULT_CODECS:
                found["codecs"] += [f"{variable}={text}" for text in texts_of_codecs(setting)]
        for own, given in _numbers(settings):
            by_variable.setdefault(own, {})[variable] = given
    yield from ((name, texts) for name, texts in found.items() if texts)
    yield from by_variable.items()


def _settings_by_variable(encoding: Any) -> Mapping[str, Mapping[str, Any]]:
    """Return an encoding, which is a mapping of mappings.

    Raises
    ------
    OptionError
        If it is not.
    """
    found = {} if encoding is None else encoding
    if isinstance(found, Mapping) and all(isinstance(each, Mapping) for each in found.values()):
        return found
    raise OptionError(
        "the encoding has no settings for each variable",
        hint='write encoding={"temperature": {"dtype": "int16"}}, for example',
    )


def _numbers(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the keywords for numbers: their type, packing, digits and missing data."""
    settings = {name: value for name, value in settings.items() if value is not None}
    word = np.dtype(settings["dtype"]).name if "dtype" in settings else None
    if "scale_factor" in settings:
        scale, offset = settings["scale_factor"], settings.get("add_offset", 0.0)
        yield "pack", f"{word or 'short'}:{float(scale)!r}:{float(offset)!r}"
    elif word is not None:
        yield "types", word
    missing = settings.get("_FillValue", settings.get("missing_value"))
    if missing is not None:
        yield "missing_value", float(missing)
    if settings.get("significant_digits"):
        mode = settings.get("quantize_mode", "BitGroom")
        yield "quantize", f"{mode}:{settings['significant_digits']}"
