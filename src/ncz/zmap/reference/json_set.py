"""Reference sets as JSON: read, with generated references and templates, and written."""

from __future__ import annotations

import binascii
import contextlib
import json
from collections.abc import Mapping
from typing import Any

from ncz.errors import DUMP_AS_JSON, FormatError, ZmapError, command, quantity
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import ROOT_DOCUMENTS, ZARR_JSON, check_inside
from ncz.zmap.reference.gen_entries import generate_references
from ncz.zmap.reference.reference_set import Reference
from ncz.zmap.reference.templates import (
    LONGEST,
    Template,
    TemplateError,
    is_template,
    parse_template,
)

_BASE64 = "base64:"
_LARGEST = 1 << 62
"""The limit of offsets and lengths: no file has more bytes."""


def read_json(document: Mapping[str, Any], location: str) -> dict[str, Reference]:
    """Read a reference set.

    Parameters
    ----------
    document
        The JSON object, of `parse_json`.
    location
        The set, for messages.

    Returns
    -------
    dict
        For each key its bytes, or their `ByteRange`.

    Raises
    ------
    FormatError
        If the object is not a reference set, or one of its references is not valid.
    """
    if "version" not in document:
        if not _looks_like_references(document):
            raise FormatError(
                "this JSON text is not a reference set", location,
                f"{command('gen')} reads what '{DUMP_AS_JSON}' prints",
            )  # fmt: skip
        return _references(document, {}, location)
    version = document["version"]
    if type(version) is not int or version != 1:
        raise FormatError(
            f"reference sets of version {json.dumps(version)[:20]} are not known", location,
            "write it as version 1",
        )  # fmt: skip
    templates = _templates(document.get("templates") or {}, location)
    refs = document.get("refs", {})
    if not isinstance(refs, dict):
        raise FormatError("refs must be an object", location)
    references = _references(refs, templates, location)
    for key, place in generate_references(document.get("gen") or [], templates, location):
        _check_key(key, location)
        references[key] = place
    return references


def parse_json(data: bytes, location: str) -> dict[str, Any]:
    """Return the JSON object of a text. Raises `FormatError` if the text is not an object."""
    try:
        document = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise FormatError(f"this is not valid JSON: {error}", location) from error
    if not isinstance(document, dict):
        raise FormatError("this JSON text is not a reference set", location)
    return document


def _looks_like_references(document: Mapping[str, Any]) -> bool:
    """Return whether a set of version 0 has a document of Zarr, or a reference to a file."""
    return any(
        key.rpartition("/")[2] in ROOT_DOCUMENTS or isinstance(value, list)
        for key, value in document.items()
    )


def _templates(value: Any, location: str) -> dict[str, Template]:
    if not isinstance(value, dict) or not all(isinstance(text, str) for text in value.values()):
        raise FormatError("templates must be an object of texts", location)
    try:
        return {name: parse_template(text) for name, text in value.items()}
    except TemplateError as error:
        raise FormatError(str(error), f"{location}: templates") from error


def _references(
    refs: Mapping[str, Any], templates: Mapping[str, Template], location: str
) -> dict[str, Reference]:
    urls = _Urls(templates)
    references: dict[str, Reference] = {}
    for name, value in refs.items():
        key = _key_of_scalar(name, refs) if name.endswith("/") else name
        _check_key(key, location)
        try:
            if isinstance(value, str):
                references[key] = held_bytes(value)
            elif isinstance(value, list):
                references[key] = _range(value, urls)
            elif isinstance(value, dict):
                references[key] = json.dumps(value).encode()
            else:
                kind = "null" if value is None else type(value).__name__
                raise ValueError(f"a reference cannot be of type {kind}")
        except (ValueError, RecursionError) as error:
            raise FormatError(
                f"this reference is not valid: {error}", _at(location, key)
            ) from error
    return references


def _key_of_scalar(key: str, refs: Mapping[str, Any]) -> str:
    """Return the key of the chunk of a scalar, which VirtualiZarr writes as ``NAME/``."""
    for document, name in ((".zarray", "0"), (ZARR_JSON, "c")):
        value = refs.get(key + document)
        with contextlib.suppress(ValueError, RecursionError):
            parsed = json.loads(held_bytes(value)) if isinstance(value, str) else value
            if isinstance(parsed, dict) and parsed.get("shape") == [] and key + name not in refs:
                return key + name
    return key


def _check_key(key: str, location: str) -> None:
    try:
        check_inside(key)
        reason = "" if key else "a key cannot be empty"
    except ZmapError as error:
        reason = error.message
    if reason:
        raise FormatError(reason, _at(location, key))


def _at(location: str, key: str) -> str:
    return f"{location}: key {key[:200]!r}"


def held_bytes(text: str) -> bytes:
    """Return the bytes that a set contains as text, or as base64. Raises ValueError."""
    if text.startswith(_BASE64):
        try:
            return binascii.a2b_base64(text[len(_BASE64) :], strict_mode=True)
        except ValueError as error:
            raise ValueError("its base64 cannot be decoded") from error
    return text.encode("utf-8")  # a UnicodeEncodeError is a ValueError


def _range(value: list[Any], urls: _Urls) -> ByteRange:
    if len(value) not in (1, 3):
        raise ValueError(
            f"a list must be [url] or [url, offset, length], and has {quantity(len(value), 'item')}"
        )
    url = value[0]
    if not isinstance(url, str) or not url:
        raise ValueError("the URL must be a text")
    numbers = value[1:]
    if not all(type(n) is int and 0 <= n < _LARGEST for n in numbers):
        raise ValueError("the offset and the length must be whole numbers that are not negative")
    return ByteRange(urls.render(url), *numbers)


class _Urls:
    """Replaces the expressions in URLs; only sets with templates have expressions."""

    def __init__(self, templates: Mapping[str, Template]) -> None:
        self._templates = templates
        self._known: dict[str, str] = {}

    def render(self, url: str) -> str:
        known = self._known.get(url)
        if known is None:
            if len(url) > LONGEST:
                raise ValueError(f"its URL has more than {LONGEST} characters")
            known = url
            if self._templates and is_template(url):
                known = parse_template(url).render(self._templates)
            self._known[url] = known  # one text for all references to a file
        return known
