"""Generate the references of the entries ``gen`` of a reference set, and find such entries."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from ncz.errors import FormatError
from ncz.late import numpy as np
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import MOST_GENERATED, ChunkKeys
from ncz.zmap.reference.reference_set import Entry, Reference, single_references
from ncz.zmap.reference.templates import Template, TemplateError, Value, is_template, parse_template

_LARGEST_LIMIT = 1 << 60
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
        if all(type(n) is int and abs(n) < _LARGEST_LIMIT for n in numbers) and numbers[2]:
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


_KEYS = ChunkKeys()
"""The keys of chunks that entries generate, as kerchunk writes them: those of Zarr V2."""

_FEWEST_GENERATED = 8
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
    places = [place for place in chunks.values() if isinstance(place, ByteRange)]
    url, length = places[0].url, places[0].length
    names = [key.rpartition("/")[2] for key in chunks]
    rank = names[0].count(_KEYS.separator) + 1
    indices = _KEYS.indices(names, rank)
    if (
        len(places) < _FEWEST_GENERATED
        or length is None
        or any((place.url, place.length) != (url, length) for place in places)
        or indices is None
        or is_template(folder)
        or is_template(url)
    ):
        return None
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
    name = _KEYS.joined([f"{{{{{letter}}}}}" for letter in letters])
    return {
        "key": f"{folder}/{name}" if folder else name,
        "url": url,
        "offset": f"{{{{{' + '.join([str(first), *terms])}}}}}",
        "length": str(length),
        "dimensions": {letter: {"stop": size} for letter, size in zip(letters, shape, strict=True)},
    }
