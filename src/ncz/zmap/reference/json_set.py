"""Reference sets as JSON: read, with generated references and templates, and written."""

from __future__ import annotations

import binascii
import contextlib
import json
import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import lru_cache
from itertools import product
from json.encoder import encode_basestring_ascii as quoted
from typing import Any

from ncz.errors import DUMP_AS_JSON, FormatError, ZmapError, command, counted
from ncz.zmap.byte_range import ByteRange, ByteRanges
from ncz.zmap.key import (
    LARGEST_SET,
    MOST_GENERATED,
    ROOT_DOCUMENTS,
    ZARR_JSON,
    check_inside,
    too_large,
)
from ncz.zmap.kinds import GZIP, GZIP_SUFFIXES, ZSTD, ZSTD_SUFFIXES
from ncz.zmap.reference.reader import Entry, Reference, single_references
from ncz.zmap.reference.templates import (
    LONGEST,
    Template,
    TemplateError,
    Value,
    is_template,
    parse_template,
)

# Generate the references of the entries ``gen`` of a reference set, and find such entries.

_MOST_GENERATED = 1 << 60
_Numbers = range | list[int]


def generated(
    entries: Any, templates: Mapping[str, Template], location: str
) -> Iterator[tuple[str, ByteRange]]:
    """Yield the key and the range of each reference that the entries generate, in order.

    Parameters
    ----------
    entries
        The value of ``gen``.
    templates
        The templates of the set, by name.
    location
        The set, for messages.

    Raises
    ------
    FormatError
        If an entry is not valid, or if all entries together generate too many references.
    """
    if not isinstance(entries, list):
        raise FormatError("gen must be a list", location)
    all_dimensions = []
    left = MOST_GENERATED
    for number, entry in enumerate(entries):
        where = f"{location}: gen[{number}]"
        if not isinstance(entry, dict):
            raise FormatError("an entry must be an object", where)
        dimensions = _dimensions(entry.get("dimensions"), where)
        all_dimensions.append(dimensions)
        left -= math.prod(map(len, dimensions.values()))
        if left < 0:
            raise FormatError(
                f"the set generates more than {MOST_GENERATED} references",
                where,
                "store it in the Parquet layout",
            )
    for number, (entry, dimensions) in enumerate(zip(entries, all_dimensions, strict=True)):
        where = f"{location}: gen[{number}]"
        try:
            yield from _expanded(entry, dimensions, templates, where)
        except TemplateError as error:
            raise FormatError(str(error), where) from error


def _dimensions(value: Any, where: str) -> dict[str, _Numbers]:
    if not isinstance(value, dict):
        raise FormatError("dimensions must be an object", where)
    return {
        name: _numbers(numbers, f"{where}.dimensions.{name}") for name, numbers in value.items()
    }


def _numbers(value: Any, where: str) -> _Numbers:
    if isinstance(value, list) and all(type(number) is int for number in value):
        return value
    if isinstance(value, dict):
        numbers: list[Any] = [value.get("start", 0), value.get("stop"), value.get("step", 1)]
        if all(type(n) is int and abs(n) < _MOST_GENERATED for n in numbers) and numbers[2]:
            return range(*numbers)
    raise FormatError(
        "a dimension must be a list of whole numbers, or have start, stop and step", where
    )


def _expanded(
    entry: Mapping[str, Any],
    dimensions: Mapping[str, _Numbers],
    templates: Mapping[str, Template],
    where: str,
) -> Iterator[tuple[str, ByteRange]]:
    if ("offset" in entry) != ("length" in entry):
        raise FormatError("offset and length must be given together", where)
    key, url = (_template(entry, name, where) for name in ("key", "url"))
    has_range = "offset" in entry
    ends = [_template(entry, name, where) for name in ("offset", "length")] if has_range else []
    for values in product(*dimensions.values()):
        scope: dict[str, Value | Template] = dict(templates)
        scope.update(zip(dimensions, values, strict=True))
        numbers = [_whole_number(end.render(scope), where) for end in ends]
        yield key.render(scope), ByteRange(url.render(scope), *numbers)


def _template(entry: Mapping[str, Any], name: str, where: str) -> Template:
    value = entry.get(name)
    if name in ("offset", "length") and type(value) is int:
        value = str(value)
    if not isinstance(value, str):
        raise FormatError(f"{name} must be a text", where)
    return parse_template(value)


def _whole_number(text: str, where: str) -> int:
    digits = text.strip()
    if not (digits.isascii() and digits.isdecimal() and len(digits) < 20):
        raise FormatError(f"{digits[:40]!r} is not a valid offset or length", where)
    return int(digits)


_FEWEST = 8
"""The number of references below which an entry is not shorter than they are."""


def as_generated(
    entries: Mapping[str, Entry],
) -> tuple[list[dict[str, Any]], dict[str, Reference]]:
    """Return entries of ``gen`` for references that are regular, and the references that are left.

    Chunks of an array are regular if they are all there, have the same length in the same file, and
    their offsets grow by the same number along each axis.
    """
    references = dict(single_references(entries))
    of_folder: dict[str, list[str]] = defaultdict(list)
    for key, reference in references.items():
        if isinstance(reference, ByteRange) and key[-1:].isdecimal():
            of_folder[key.rpartition("/")[0]].append(key)
    found = []
    left = MOST_GENERATED
    for folder, keys in of_folder.items():
        entry = _entry_of(folder, {key: references[key] for key in keys})
        if entry is not None and len(keys) <= left:
            found.append(entry)
            left -= len(keys)
            for key in keys:
                del references[key]
    return found, references


def _entry_of(folder: str, chunks: Mapping[str, Reference]) -> dict[str, Any] | None:
    """Return the entry that generates the chunks below a folder; None if they are not regular."""
    import numpy as np

    places = [place for place in chunks.values() if isinstance(place, ByteRange)]
    url, length = places[0].url, places[0].length
    names = [key.rpartition("/")[2].split(".") for key in chunks]
    rank = len(names[0])
    if (
        len(places) < _FEWEST
        or length is None
        or any((place.url, place.length) != (url, length) for place in places)
        or any(len(name) != rank or not all(map(_is_index, name)) for name in names)
        or is_template(folder)
        or is_template(url)
    ):
        return None
    indices = np.array([list(map(int, name)) for name in names], np.int64)
    offsets = np.array([place.offset for place in places], np.int64)
    order = np.lexsort(indices.T[::-1])
    shape = tuple((indices.max(axis=0) + 1).tolist())
    if math.prod(shape) != len(places):
        return None
    grid = offsets[order].reshape(shape)
    first = int(grid.flat[0])
    steps = [
        int(grid[(0,) * axis + (1,) + (0,) * (rank - axis - 1)]) - first if size > 1 else 0
        for axis, size in enumerate(shape)
    ]
    wanted = first + sum(step * axis for step, axis in zip(steps, np.indices(shape), strict=True))
    if min(steps) < 0 or (wanted != grid).any():
        return None
    letters = [f"i{axis}" for axis in range(rank)]
    terms = [f"{letter} * {step}" for letter, step in zip(letters, steps, strict=True) if step]
    name = ".".join(f"{{{{{letter}}}}}" for letter in letters)
    return {
        "key": f"{folder}/{name}" if folder else name,
        "url": url,
        "offset": f"{{{{{' + '.join([str(first), *terms])}}}}}",
        "length": str(length),
        "dimensions": {letter: {"stop": size} for letter, size in zip(letters, shape, strict=True)},
    }


def _is_index(text: str) -> bool:
    return text.isascii() and text.isdecimal() and len(text) < 18 and str(int(text)) == text


_BASE64 = "base64:"
_LARGEST = 1 << 62
"""The limit of offsets and lengths: no file has more bytes."""


def read_json(data: bytes, location: str) -> dict[str, Reference]:
    """Read a reference set.

    Parameters
    ----------
    data
        The JSON text.
    location
        The set, for messages.

    Returns
    -------
    dict
        For each key its bytes, or the `ByteRange` where they are.

    Raises
    ------
    FormatError
        If the text is not a reference set, or one of its references is not valid.
    """
    document = _parse(data, location)
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
    for key, place in generated(document.get("gen") or [], templates, location):
        _check_key(key, location)
        references[key] = place
    return references


def _parse(data: bytes, location: str) -> dict[str, Any]:
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
    """Return the key of the chunk of a scalar, for which VirtualiZarr writes ``NAME/``."""
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
    """Return the bytes that a set holds as text, or as base64. Raises ValueError."""
    if text.startswith(_BASE64):
        try:
            return binascii.a2b_base64(text[len(_BASE64) :], strict_mode=True)
        except ValueError as error:
            raise ValueError("its base64 cannot be decoded") from error
    return text.encode("utf-8")  # a UnicodeEncodeError is a ValueError


def _range(value: list[Any], urls: _Urls) -> ByteRange:
    if len(value) not in (1, 3):
        raise ValueError(
            f"a list must be [url] or [url, offset, length], and has {counted(len(value), 'item')}"
        )
    url = value[0]
    if not isinstance(url, str) or not url:
        raise ValueError("the URL must be a text")
    numbers = value[1:]
    if not all(type(n) is int and 0 <= n < _LARGEST for n in numbers):
        raise ValueError("the offset and the length must be whole numbers that are not negative")
    return ByteRange(urls.rendered(url), *numbers)


class _Urls:
    """Replaces the expressions in URLs; a text has none if the set has no templates."""

    def __init__(self, templates: Mapping[str, Template]) -> None:
        self._templates = templates
        self._known: dict[str, str] = {}

    def rendered(self, url: str) -> str:
        known = self._known.get(url)
        if known is None:
            if len(url) > LONGEST:
                raise ValueError(f"its URL has more than {LONGEST} characters")
            known = url
            if self._templates and is_template(url):
                known = parse_template(url).render(self._templates)
            self._known[url] = known  # one text for all references to a file
        return known


# Write a reference set as JSON of version 0 or 1, and compress or decompress its text.


def json_text(entries: Mapping[str, Entry], version: int = 1, *, generates: bool = False) -> bytes:
    """Return the text of a set, in which bytes that are not ASCII text are base64.

    `generates` says whether version 1 has regular references as ``gen``.
    """
    lines: list[str] = []
    gen = ""
    if generates and version:
        found, entries = as_generated(entries)
        gen = f'"gen":{json.dumps(found)},\n' if found else ""
    for key, entry in entries.items():
        if isinstance(entry, ByteRanges):
            lines += _lines(entry)
        else:
            lines.append(member(key, entry))
    start, end = ('{"version":1,' + gen + '"refs":{', "}}") if version else ("{", "}")
    return (start + "\n" + ",\n".join(lines) + "\n" + end + "\n").encode("ascii")


def member(key: str, reference: Reference) -> str:
    """Return a key and what it refers to, as a member of a JSON object."""
    return f"{quoted(key)}:{_value(reference)}"


def _lines(ranges: ByteRanges) -> Iterator[str]:
    url = quoted(ranges.url)
    keys = map(quoted, ranges.keys(ranges.indices))
    for key, offset, length in zip(
        keys, ranges.offsets.tolist(), ranges.lengths.tolist(), strict=True
    ):
        yield f"{key}:[{url},{offset},{length}]"


_quoted = lru_cache(maxsize=1000)(quoted)
"""The JSON text of a URL, which thousands of references have in common."""


def _value(reference: Reference) -> str:
    if isinstance(reference, ByteRange):
        url = _quoted(reference.url)
        if reference.length is None:
            return f"[{url}]"
        return f"[{url},{reference.offset},{reference.length}]"
    if reference.isascii() and not reference.startswith(b"base64:"):
        return quoted(reference.decode("ascii"))
    return f'"base64:{binascii.b2a_base64(reference, newline=False).decode("ascii")}"'


_ZSTD_LEVEL, _GZIP_LEVEL = 3, 6


def compressed(text: bytes, path: str) -> bytes:
    """Return the text of a set as the name of its file says: ``.json.zst``, ``.json.gz``."""
    name = path.lower()
    if name.endswith(ZSTD_SUFFIXES):
        from numcodecs.zstd import compress

        return bytes(compress(text, _ZSTD_LEVEL))
    if name.endswith(GZIP_SUFFIXES):
        from ncz.codec.deflate_streams import GZIP as WINDOW
        from ncz.codec.deflate_streams import deflate

        return deflate(text, _GZIP_LEVEL, WINDOW)
    return text


def decompressed(data: bytes, location: str) -> bytes:
    """Return the text of a set that may be compressed with Zstandard or gzip.

    Raises `FormatError` for damaged data, and `ZmapError` for more than `LARGEST_SET` bytes of
    text, of which no more are made.
    """
    if not data.startswith((GZIP, ZSTD)):
        return data
    import zlib

    from ncz.codec import TooLong
    from ncz.codec.deflate_streams import GZIP as WINDOW
    from ncz.codec.inflate import inflate

    try:
        if data.startswith(GZIP):
            return bytes(inflate(data, LARGEST_SET, WINDOW))
        from numcodecs.zstd import decompress as decoded

        from ncz.codec.zstd import decompress_zstd

        return decompress_zstd(data, LARGEST_SET, lambda frame: bytes(decoded(frame)))
    except TooLong as error:
        raise too_large(location, LARGEST_SET) from error
    except (ValueError, RuntimeError, zlib.error) as error:
        raise FormatError(f"the compressed text is damaged: {error}", location) from error
