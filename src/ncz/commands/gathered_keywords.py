"""Several keywords of other libraries combined to one keyword of ncz."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any

_OF_SERVERS = ("anon", "endpoint_url", "key", "profile", "secret", "token")
"""Keywords of the file systems of fsspec, which belong to the storage options."""

_COORDINATES = ("time", "lat", "lon", "latitude", "longitude", "level", "lev", "depth")
"""Coordinates that people give as keywords, as `sel` of xarray has them."""

_CODECS = ("compression", "compressor", "compressors", "codec", "codecs")
"""Keywords for a codec; a keyword for its level belongs to each."""

_SECOND = {"info": "variables", "dump": "variables", "edit": "set"}
"""Functions of one dataset, and the keyword that a second argument is for."""


def gather(given: Mapping[str, Any], known: Container[str]) -> dict[str, Any]:
    """Return the keywords of a call, with related ones combined.

    Parameters
    ----------
    given
        The keywords of the call, with their values.
    known
        The keywords of the function.
    """
    own = _with_level(dict(given))
    own = _together(own, _OF_SERVERS, "storage_options", known)
    if "sel" in known:
        own = _together(own, _COORDINATES, "sel", known)
    return _with_range(own) if "range" in known and "range" not in own else own


def _together(
    given: dict[str, Any], names: tuple[str, ...], name: str, known: Container[str]
) -> dict[str, Any]:
    """Return keywords with one mapping for the unknown ones among `names`."""
    parts = {each: given[each] for each in names if each in given and each not in known}
    whole = given.get(name) or {}
    if not parts or not isinstance(whole, Mapping):
        return given
    rest = {each: value for each, value in given.items() if each not in parts}
    return {**rest, name: {**whole, **parts}}


def _with_level(given: dict[str, Any]) -> dict[str, Any]:
    """Return keywords with the level of a codec behind its name: ``zstd:5``."""
    codec = next((name for name in _CODECS if isinstance(given.get(name), str)), "")
    if not codec or "level" not in given or not given[codec].isalnum():
        return given
    rest = {name: value for name, value in given.items() if name != "level"}
    return {**rest, codec: f"{given[codec]}:{given['level']}"}


def _with_range(given: dict[str, Any]) -> dict[str, Any]:
    """Return keywords with a range for the limits of colours of matplotlib."""
    limits = [given.get(name) for name in ("vmin", "vmax")]
    if limits == [None, None]:
        return given
    rest = {name: value for name, value in given.items() if name not in ("vmin", "vmax")}
    return {**rest, "range": ":".join("" if each is None else str(each) for each in limits)}


def with_keywords(
    name: str, arguments: tuple[Any, ...], given: Mapping[str, Any]
) -> tuple[tuple[Any, ...], Mapping[str, Any]]:
    """Return the arguments of a function of one dataset, with a keyword for the second one."""
    keyword = _SECOND.get(name, "")
    if len(arguments) != 2 or not keyword or keyword in given:
        return arguments, given
    return arguments[:1], {**given, keyword: arguments[1]}
