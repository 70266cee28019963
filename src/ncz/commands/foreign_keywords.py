"""Keyword arguments of xarray, zarr-python and netCDF4, and their equivalents in ncz.

Most are converted to the keywords of ncz. The others raise an error with a hint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from ncz.commands.codec_texts import texts_of_codecs
from ncz.commands.option_error import OptionError
from ncz.commands.xarray_encodings import is_xarray_dataset, keywords_of_encoding
from ncz.zmap.foreign_stores import with_storage_options

_Keywords = Iterator[tuple[str, Any]]


def _rename_to(name: str) -> Callable[[Any], _Keywords]:
    """Return the conversion into another name."""

    def convert(value: Any) -> _Keywords:
        yield name, value

    return convert


def _zarr_format(value: Any) -> _Keywords:
    if value is not None:
        yield "modes", [f"v{value}"]


def _compressor(value: Any) -> _Keywords:
    if isinstance(value, str) and value in ("auto", "default"):
        return
    yield "codecs", texts_of_codecs(value)


def _zlib(value: Any) -> _Keywords:
    if value:
        yield "deflate", 4


def _level(value: Any) -> _Keywords:
    if value is not None:
        yield "deflate", value


def _dates(value: Any) -> _Keywords:
    if value:
        yield "times", " "


def _precision(value: Any) -> _Keywords:
    if value is not None:
        yield "digits", value if isinstance(value, (list, tuple)) else (value, value)


_OUTPUTS = ("output", "out", "outfile", "savefig")


def _output(value: Any) -> _Keywords:
    is_page = str(value).lower().endswith((".html", ".htm"))
    yield ("html|target" if is_page else "png|target"), value


_FORMS = frozenset({"zarr", "nczarr", "v2", "v3", "zip", "reference", "icechunk", "cfa", "cf"})
"""Forms of a target, which `--mode` of the command line names."""


def _mode(value: Any) -> _Keywords:
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


def _view(view: str) -> Callable[[Any], _Keywords]:
    """Return the conversion of a flag into the view of a dataset."""

    def convert(value: Any) -> _Keywords:
        if value:
            yield "view", view

    return convert


def _nearest(value: Any) -> _Keywords:
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


def _format(value: Any) -> _Keywords:
    if value in _VIEWS:
        yield "view", value
        return
    if value in _FORMS:
        yield "modes", [value]
        return
    if value is not None and value not in _NETCDF_KINDS:
        known = ", ".join((*_NETCDF_KINDS, *sorted(_FORMS)))
        raise OptionError(f"format cannot be {value!r}", hint=f"use {known}")
    if value is not None:
        yield "kind", _NETCDF_KINDS[value]


def with_group(
    arguments: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return the arguments of a call whose dataset of xarray is in the group that it is for."""
    path = given["group"]
    if not (arguments and isinstance(path, str) and is_xarray_dataset(arguments[0])):
        return arguments, given
    import xarray

    tree = xarray.DataTree.from_dict({f"/{path.strip('/')}": arguments[0]})
    rest = {name: value for name, value in given.items() if name != "group"}
    return (tree, *arguments[1:]), rest


def _one_dimension(value: Any) -> _Keywords:
    if isinstance(value, (list, tuple)) and len(value) == 1:
        value = value[0]
    if value is not None:
        yield "concat", value


def _combine(value: Any) -> _Keywords:
    if value not in (None, "by_coords", "nested"):
        raise OptionError(f"combine cannot be {value!r}", hint='omit it, or use concat="time"')
    yield from ()


def _nothing(_: Any) -> _Keywords:
    yield from ()


_CONVERTED: Mapping[str, Callable[[Any], _Keywords]] = {
    **dict.fromkeys(("zarr_format", "zarr_version"), _zarr_format),
    **dict.fromkeys(("compressor", "compressors", "compression", "codec"), _compressor),
    "zlib": _zlib,
    **dict.fromkeys(("complevel", "compression_level", "deflate_level"), _level),
    "mode": _mode,
    "method": _nearest,
    "format": _format,
    "encoding": keywords_of_encoding,
    **dict.fromkeys(("clobber", "force", "replace"), _rename_to("overwrite")),
    **dict.fromkeys(("append_dim", "append_to"), _rename_to("append")),
    **dict.fromkeys(("concat_dim", "concat_dims", "dim"), _one_dimension),
    **dict.fromkeys(("new_dim", "member_dim"), _rename_to("new_dimension")),
    **dict.fromkeys(("drop_variables", "drop_vars", "drop"), _rename_to("exclude")),
    **dict.fromkeys(("data_vars", "select"), _rename_to("vars")),
    **dict.fromkeys(("chunk", "chunksizes", "target_chunks", "chunk_shape"), _rename_to("chunks")),
    **dict.fromkeys(("shard", "shard_shape", "shard_size"), _rename_to("shards")),
    **dict.fromkeys(("n_threads", "num_threads", "n_jobs", "workers"), _rename_to("threads")),
    **dict.fromkeys(("max_mem", "memory_limit", "max_memory"), _rename_to("memory")),
    **dict.fromkeys(("dimension_separator", "chunk_key_separator"), _rename_to("separator")),
    **dict.fromkeys(("group", "groups"), _rename_to("only_groups")),
    **dict.fromkeys(("region",), _rename_to("into")),
    **dict.fromkeys(("unlimited_dims", "unlimited_dim"), _rename_to("unlimited")),
    "combine": _combine,
    **{name: _view(name) for name in _VIEWS},
    **dict.fromkeys(("header", "h"), _rename_to("header_only")),
    **dict.fromkeys(("dates", "iso_dates"), _dates),
    "precision": _precision,
    "cmap": _rename_to("colormap"),
    **dict.fromkeys(("v", "var", "variable"), _rename_to("variables")),
    **dict.fromkeys(_OUTPUTS, _output),
    **dict.fromkeys(("atol", "abs_tol", "tol"), _rename_to("tolerance")),
    "rel_tol": _rename_to("rtol"),
    **dict.fromkeys(("max", "max_diffs", "limit"), _rename_to("most")),
    **dict.fromkeys(("ignore", "ignore_variables"), _rename_to("exclude")),
    **dict.fromkeys(("for_", "reader", "readers", "target_readers"), _rename_to("audience")),
    **dict.fromkeys(("dtype", "type", "astype"), _rename_to("types")),
    **dict.fromkeys(("fill_value", "_FillValue", "missing"), _rename_to("missing_value")),
    **dict.fromkeys(("significant_digits", "nsd", "round"), _rename_to("quantize")),
    **dict.fromkeys(("decode", "decoded", "mask_and_scale"), _rename_to("unpack")),
    **dict.fromkeys(("attrs", "attributes", "set_attrs", "set_attributes"), _rename_to("set")),
    "r": _rename_to("recursive"),
    "l": _rename_to("long"),
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


def _as_stored(value: Any) -> _Keywords:
    if value not in (False, None):
        raise OptionError(
            "values are read without unpacking", hint="ncz.open_dataset(...) decodes them"
        )
    yield from ()


_OF_OPEN: Mapping[str, Callable[[Any], _Keywords]] = {
    "mask_and_scale": _rename_to("unpack"),
    "path": _rename_to("group"),
    **dict.fromkeys(("decode_times", "decode_cf", "decode_coords"), _as_stored),
    "use_consolidated": _rename_to("consolidated"),
    **dict.fromkeys(("drop_variables", "drop_vars"), _rename_to("exclude")),
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


def convert_keywords(
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
        if not own or (own in given and given[own] != value):
            return None
        found[own] = value
    return found


def answer(name: str) -> str | None:
    """Return the replacement for a keyword that is not converted."""
    return _ANSWERS.get(name)


def locate_arguments(
    arguments: Sequence[Any], options: Mapping[str, Any] | None
) -> tuple[Any, ...]:
    """Return positional arguments whose URLs have storage options, as in fsspec."""

    def one(each: Any) -> Any:
        if isinstance(each, list):
            return [*map(one, each)]
        is_url = isinstance(each, str) and "://" in each
        return with_storage_options(each, options or {}) if is_url else each

    return tuple(map(one, arguments))
