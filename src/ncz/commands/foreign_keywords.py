"""Keyword arguments of xarray, zarr-python and netCDF4, and what a function of ncz has instead.

Most are converted to the keywords of ncz. The others raise an error with a hint.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ncz.commands.option_error import OptionError
from ncz.late import numpy as np
from ncz.zmap.foreign_stores import with_storage_options

_Converted = Iterator[tuple[str, Any]]


def _named(name: str) -> Callable[[Any], _Converted]:
    """Return the conversion into another name."""

    def convert(value: Any) -> _Converted:
        yield name, value

    return convert


def _zarr_format(value: Any) -> _Converted:
    if value is not None:
        yield "modes", [f"v{value}"]


def _compressor(value: Any) -> _Converted:
    if isinstance(value, str) and value in ("auto", "default"):
        return
    yield "codecs", texts_of_codecs(value)


def texts_of_codecs(value: Any) -> list[str]:
    """Return codecs of zarr-python or numcodecs, one or several, as ncz spells them."""
    several = value if isinstance(value, (list, tuple)) else [value]
    texts = [each if isinstance(each, str) else codec_text(each) for each in several]
    if value in (None, (), [], False):
        return ["none"]
    if None in texts:
        raise OptionError(f"{value!r} is not a codec", hint='write codecs=["zstd:5"], for example')
    return [text for text in texts if text is not None]


def codec_text(codec: object) -> str | None:
    """Return the text of a codec of numcodecs or zarr-python, or of a mapping; None of others."""
    for name in ("get_config", "to_dict"):
        if hasattr(codec, name):
            codec = getattr(codec, name)()
    if isinstance(codec, Mapping):
        return json.dumps(codec, default=lambda each: getattr(each, "value", str(each)))
    return None


def _zlib(value: Any) -> _Converted:
    if value:
        yield "deflate", 4


def _level(value: Any) -> _Converted:
    if value is not None:
        yield "deflate", value


def _dates(value: Any) -> _Converted:
    if value:
        yield "times", " "


def _precision(value: Any) -> _Converted:
    if value is not None:
        yield "digits", value if isinstance(value, (list, tuple)) else (value, value)


_OUTPUTS = ("output", "out", "outfile", "savefig")


def _output(value: Any) -> _Converted:
    is_page = str(value).lower().endswith((".html", ".htm"))
    yield ("html|target" if is_page else "png|target"), value


_FORMS = frozenset({"zarr", "nczarr", "v2", "v3", "zip", "reference", "icechunk", "cfa", "cf"})
"""Forms of a target, which `--mode` of the command line names."""


def _mode(value: Any) -> _Converted:
    if value in ("a", "a-", "r+"):
        yield "add", True
        return
    if isinstance(value, str) and not {*value.split(",")} - _FORMS:
        yield "modes", value.split(",")
        return
    if value not in (None, "w", "w-", "x"):
        raise OptionError(f"mode cannot be {value!r}", hint="use overwrite=True to replace")
    yield "overwrite", value == "w"


_VIEWS = ("json", "csv", "ncml", "summary")
"""Texts of a dataset, which options of the command line name."""


def _view(view: str) -> Callable[[Any], _Converted]:
    """Return the conversion of a flag into the view of a dataset."""

    def convert(value: Any) -> _Converted:
        if value:
            yield "view", view

    return convert


def _nearest(value: Any) -> _Converted:
    if value not in (None, "nearest"):
        raise OptionError(f"method cannot be {value!r}", hint='choose "nearest"')
    yield "nearest", value == "nearest"


_NETCDF_KINDS = {
    "NETCDF4": "netCDF-4",
    "NETCDF4_CLASSIC": "netCDF-4 classic model",
    "NETCDF3_64BIT": "64-bit offset",
    "NETCDF3_64BIT_OFFSET": "64-bit offset",
    "NETCDF3_64BIT_DATA": "cdf5",
    "NETCDF3_CLASSIC": "classic",
}


def _format(value: Any) -> _Converted:
    if value in _VIEWS:
        yield "view", value
        return
    if value is not None and value not in _NETCDF_KINDS:
        raise OptionError(f"format cannot be {value!r}", hint=f"use {', '.join(_NETCDF_KINDS)}")
    if value is not None:
        yield "kind", _NETCDF_KINDS[value]


_OF_ENCODINGS = {
    "chunks": "chunks", "chunksizes": "chunks", "shards": "shards", "zlib": "codecs",
    "compressor": "codecs", "compressors": "codecs", "compression": "codecs",
    "significant_digits": "quantize", "dtype": "types", "scale_factor": "pack",
    "_FillValue": "missing_value", "missing_value": "missing_value",
}  # fmt: skip
"""Settings of the encoding of a variable, and the arguments that they become."""

_WITH_OTHERS = {
    "complevel": "zlib", "shuffle": "zlib", "preferred_chunks": None,
    "quantize_mode": "significant_digits", "add_offset": "scale_factor",
}  # fmt: skip
"""Settings that belong to others, or that ncz does not need."""


def is_of_copy(encoding: Any) -> bool:
    """Return whether an encoding says only how variables are stored: chunks, shards and codecs."""
    return all(
        name not in _NUMBERS and (name in _OF_ENCODINGS or name in _WITH_OTHERS)
        for settings in (encoding or {}).values()
        for name in settings
    )


_NUMBERS = (
    "dtype", "scale_factor", "add_offset", "_FillValue", "missing_value", "_Unsigned", "units",
    "calendar",
)  # fmt: skip
"""Settings of an encoding that say how numbers and times are stored."""


def with_group(
    arguments: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return the arguments of a call whose dataset of xarray is in the group that it is for."""
    path = given["group"]
    if not (arguments and isinstance(path, str) and hasattr(arguments[0], "data_vars")):
        return arguments, given
    if not type(arguments[0]).__module__.startswith("xarray."):
        return arguments, given
    import xarray

    tree = xarray.DataTree.from_dict({f"/{path.strip('/')}": arguments[0]})
    rest = {name: value for name, value in given.items() if name != "group"}
    return (tree, *arguments[1:]), rest


def with_encoding(
    arguments: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return the arguments of a call; a dataset of xarray gets the encoding of numbers.

    The rest of the encoding stays a keyword.
    """
    encoding: Mapping[str, Mapping[str, Any]] = given["encoding"] or {}
    is_xarray = type(arguments[0]).__module__.startswith("xarray.") if arguments else False
    if not is_xarray or not hasattr(arguments[0], "data_vars"):
        return arguments, given
    dataset = arguments[0].copy()
    for name, settings in encoding.items():
        numbers = {key: value for key, value in settings.items() if key in _NUMBERS}
        if numbers and name in dataset.variables:
            kept = {k: v for k, v in dataset[name].encoding.items() if k not in _NUMBERS}
            dataset[name].encoding = kept | numbers
    rest = {
        name: {key: value for key, value in settings.items() if key not in _NUMBERS}
        for name, settings in encoding.items()
        if name in dataset.variables
    }
    others = {name: each for name, each in encoding.items() if name not in dataset.variables}
    return (dataset, *arguments[1:]), {**given, "encoding": rest | others}


def _encoding(value: Any) -> _Converted:
    """Convert the encoding of variables to the keywords of a copy."""
    found: dict[str, list[str]] = {"chunks": [], "shards": [], "codecs": []}
    by_variable: dict[str, dict[str, Any]] = {}
    for variable, settings in (value or {}).items():
        for name, setting in settings.items():
            own = _OF_ENCODINGS.get(name)
            if own is None and _WITH_OTHERS.get(name, "none") not in (None, *settings):
                raise OptionError(
                    f"the encoding of {variable} has {name!r}, which ncz.copy does not take",
                    hint="write it with to_zarr or to_netcdf of xarray",
                )
            if own in ("chunks", "shards") and setting is not None:
                found[own].append(f"{variable}:{','.join(map(str, setting))}")
            elif name == "zlib" and setting:
                shuffle = "shuffle+" if settings.get("shuffle", True) else ""
                found["codecs"].append(f"{variable}={shuffle}zlib:{settings.get('complevel', 4)}")
            elif own == "codecs" and name != "zlib":
                for _, texts in _compressor(setting):
                    found["codecs"] += [f"{variable}={text}" for text in texts]
        for own, given in _numbers(settings):
            by_variable.setdefault(own, {})[variable] = given
    yield from ((name, texts) for name, texts in found.items() if texts)
    yield from by_variable.items()


def _numbers(settings: Mapping[str, Any]) -> _Converted:
    """Yield what an encoding says of numbers: their type, packing, digits and missing data."""
    dtype = settings.get("dtype")
    word = None if dtype is None else np.dtype(dtype).name
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


def _one_dimension(value: Any) -> _Converted:
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if value is not None:
        yield "concat", value


def _combine(value: Any) -> _Converted:
    if value not in (None, "by_coords", "nested"):
        raise OptionError(f"combine cannot be {value!r}", hint='omit it, or use concat="time"')
    yield from ()


def _nothing(_: Any) -> _Converted:
    yield from ()


_CONVERTED: Mapping[str, Callable[[Any], _Converted]] = {
    **dict.fromkeys(("zarr_format", "zarr_version"), _zarr_format),
    **dict.fromkeys(("compressor", "compressors", "compression", "codec"), _compressor),
    "zlib": _zlib,
    **dict.fromkeys(("complevel", "compression_level", "deflate_level"), _level),
    "mode": _mode,
    "method": _nearest,
    "format": _format,
    "encoding": _encoding,
    **dict.fromkeys(("clobber", "force", "replace"), _named("overwrite")),
    **dict.fromkeys(("append_dim", "append_to"), _named("append")),
    **dict.fromkeys(("concat_dim", "concat_dims", "dim"), _one_dimension),
    **dict.fromkeys(("new_dim", "member_dim"), _named("new_dimension")),
    **dict.fromkeys(("drop_variables", "drop_vars", "drop"), _named("exclude")),
    **dict.fromkeys(("data_vars", "select"), _named("vars")),
    **dict.fromkeys(("chunk", "chunksizes", "target_chunks", "chunk_shape"), _named("chunks")),
    **dict.fromkeys(("shard", "shard_shape", "shard_size"), _named("shards")),
    **dict.fromkeys(("n_threads", "num_threads", "n_jobs", "workers"), _named("threads")),
    **dict.fromkeys(("max_mem", "memory_limit", "max_memory"), _named("memory")),
    **dict.fromkeys(("dimension_separator", "chunk_key_separator"), _named("separator")),
    **dict.fromkeys(("group", "groups"), _named("only_groups")),
    **dict.fromkeys(("region",), _named("into")),
    **dict.fromkeys(("unlimited_dims", "unlimited_dim"), _named("unlimited")),
    "combine": _combine,
    **{name: _view(name) for name in _VIEWS},
    **dict.fromkeys(("header", "h"), _named("header_only")),
    **dict.fromkeys(("dates", "iso_dates"), _dates),
    "precision": _precision,
    "cmap": _named("colormap"),
    **dict.fromkeys(("v", "var", "variable"), _named("variables")),
    **dict.fromkeys(_OUTPUTS, _output),
    **dict.fromkeys(("atol", "abs_tol", "tol"), _named("tolerance")),
    "rel_tol": _named("rtol"),
    **dict.fromkeys(("max", "max_diffs", "limit"), _named("most")),
    **dict.fromkeys(("ignore", "ignore_variables"), _named("exclude")),
    **dict.fromkeys(("for_", "reader", "readers", "target_readers"), _named("audience")),
    **dict.fromkeys(("dtype", "type", "astype"), _named("types")),
    **dict.fromkeys(("fill_value", "_FillValue", "missing"), _named("missing_value")),
    **dict.fromkeys(("significant_digits", "nsd", "round"), _named("quantize")),
    **dict.fromkeys(("decode", "decoded", "mask_and_scale"), _named("unpack")),
    **dict.fromkeys(("attrs", "attributes", "set_attrs", "set_attributes"), _named("set")),
    "r": _named("recursive"),
    "l": _named("long"),
    **dict.fromkeys(("engine", "progress", "progress_bar", "parallel"), _nothing),
}
"""Keywords of other libraries, and the conversion into ncz's."""

_OF_XARRAY = [
    "chunks",
    "decode_times",
    "mask_and_scale",
    "decode_cf",
    "decode_coords",
    "use_cftime",
]


def _as_stored(value: Any) -> _Converted:
    if value not in (False, None):
        raise OptionError(
            "values are read without unpacking", hint="ncz.open_dataset(...) decodes them"
        )
    yield from ()


_OF_OPEN: Mapping[str, Callable[[Any], _Converted]] = {
    "mask_and_scale": _named("unpack"),
    "path": _named("group"),
    **dict.fromkeys(("decode_times", "decode_cf", "decode_coords"), _as_stored),
    "use_consolidated": _named("consolidated"),
    **dict.fromkeys(("drop_variables", "drop_vars"), _named("exclude")),
    **dict.fromkeys(("zarr_format", "zarr_version", "engine", "backend_kwargs", "cache", "lock"),
                    _nothing),
}  # fmt: skip
"""Keywords of functions that open a dataset, and the conversion into keywords of ncz."""

_ANSWERS: Mapping[str, str] = {
    **dict.fromkeys(
        (*_OF_XARRAY, "preprocess"),
        "use ncz.open_dataset(...), which passes it to xarray",
    ),
    "path": "give the group as part of the path: x.zarr/GROUP",
    "zarr_format": "ncz.open finds the version itself",
    "fs": "give an fsspec mapper: fs.get_mapper(path)",
    "filesystem": "give an fsspec mapper: fs.get_mapper(path)",
    **dict.fromkeys(
        ("cf", "conventions"), "use cfchecks, or compliance-checker, for the conventions of CF"
    ),
    **dict.fromkeys(_OUTPUTS, "use ncz.copy(source, 'x.cdl'), which writes text to a file"),
    "store": "give the path, the URL or the store as the first argument",
}
"""Keywords that are not converted -> what to write instead."""


def converted(
    name: str, known: Mapping[str, str], given: Mapping[str, Any]
) -> Mapping[str, Any] | None:
    """Return the keywords of a function for one that it does not have; None if none exist.

    Parameters
    ----------
    name
        The keyword that is not known.
    known
        The keywords of the function.
    given
        The keywords of the call, with their values.
    """
    convert = (_OF_OPEN.get(name) if "mode" in known else None) or _CONVERTED.get(name)
    if convert is None or (name in _OUTPUTS and "view" in known):  # dump writes to a stream
        return None
    if name == "zlib" and "complevel" in given:
        return {}  # which says more
    found: dict[str, Any] = {}
    for names, value in convert(given[name]):
        own = next((each for each in names.split("|") if each in known), "")
        if not own or own in given:
            return None
        found[own] = value
    return found


def answer(name: str) -> str | None:
    """Return the replacement for a keyword that is not converted."""
    return _ANSWERS.get(name)


def located(arguments: Sequence[Any], options: Mapping[str, Any] | None) -> tuple[Any, ...]:
    """Return positional arguments whose URLs have storage options, as fsspec has them."""

    def one(each: Any) -> Any:
        if isinstance(each, list):
            return [*map(one, each)]
        is_url = isinstance(each, str) and "://" in each
        return with_storage_options(each, options or {}) if is_url else each

    return tuple(map(one, arguments))
