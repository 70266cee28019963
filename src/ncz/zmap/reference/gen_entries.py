"""Generate the references of the entries ``gen`` of a reference set."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

from ncz.errors import FormatError
from ncz.zmap.byte_range import ByteRange
from ncz.zmap.key import MOST_GENERATED
from ncz.zmap.reference.templates import Template, TemplateError, Value, parse_template

_LARGEST_LIMIT = 1 << 60
_Numbers = range | list[int]


def generate_references(
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
            yield from _expand(entry, dimensions, templates, where)
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


def _expand(
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
