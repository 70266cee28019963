"""Differences between two datasets, as lines for people and as JSON."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping

from ncz.cli.terminal import visible
from ncz.errors import shorten
from ncz.model.tree import Dimension
from ncz.transfer.difference import Difference

_MOST_SHOWN = 60
"""Characters of a value in a line."""


def print_lines(found: Iterator[Difference], write: Callable[[bytes], object]) -> int:
    """Print a line for each difference, and return their number."""
    count = 0
    for difference in found:
        count += 1
        write(visible(line_of(difference)).encode("utf-8", "surrogateescape") + b"\n")
    return count


def print_json(
    found: Iterator[Difference], write: Callable[[bytes], object], has_lost: Callable[[], bool]
) -> int:
    """Print each difference when it is found, as one JSON object, and return their number.

    Its member "equal" is null if nothing differs, but `has_lost` is true: a part is unreadable.
    """
    count = 0
    for difference in found:
        write(b",\n  " if count else b'{"differences": [\n  ')
        write(json.dumps(as_json(difference), ensure_ascii=True).encode())
        count += 1
    write(b"\n]" if count else b'{"differences": []')
    equal = "false" if count else "null" if has_lost() else "true"
    write(f', "equal": {equal}}}\n'.encode())
    return count


def print_unified_diff(
    found: Iterator[Difference],
    write: Callable[[bytes], object],
    names: tuple[str, str],
) -> int:
    """Print lines that begin with - for A and with + for B; return the number of differences."""
    count = 0
    for difference in found:
        head = [f"{sign} {name}" for sign, name in zip(("---", "+++"), names, strict=True)]
        lines = [*([] if count else head), *_unified_lines(difference)]
        text = "".join(f"{visible(line)}\n" for line in lines)
        write(text.encode("utf-8", "surrogateescape"))
        count += 1
    return count


def _unified_lines(difference: Difference) -> Iterator[str]:
    """Yield the lines of a difference; a sum of differing values belongs to both datasets."""
    side, _, what = difference.kind.partition("-")
    if side in ("missing", "extra"):
        name = "" if difference.name is None else f" {difference.name}"
        yield f"{'-' if side == 'missing' else '+'}{difference.fqn}: {what}{name}"
    elif difference.kind == "values":
        yield f" {line_of(difference)}"
    else:
        for sign, value in (("-", difference.expected), ("+", difference.found)):
            yield f"{sign}{_subject(difference)}: {_format_value(value)}"


def line_of(difference: Difference) -> str:
    """Return the line that describes a difference."""
    kind, name, fqn = difference.kind, difference.name, difference.fqn
    first, second = _format_value(difference.expected), _format_value(difference.found)
    side, _, what = kind.partition("-")
    if side in ("missing", "extra"):
        place = f"{fqn}: {what} {name}" if name is not None else f"{fqn}: {what}"
        return f"{place} is only in {'A' if side == 'missing' else 'B'}"
    if kind == "values":
        most = "" if difference.largest is None else f", by at most {difference.largest:.6g}"
        return f"{fqn}: {difference.count} of {difference.size} values differ{most}"
    return f"{_subject(difference)}: {first} != {second}"


def _subject(difference: Difference) -> str:
    """Return the element of a variable, or the property, that differs."""
    kind, name = difference.kind, difference.name
    if kind == "value":
        date = "" if difference.date is None else f" at {difference.date}"
        return f"{difference.fqn}[{','.join(map(str, difference.index or ()))}]{date}"
    subject = {
        "attribute": f"attribute {name}",
        "attribute-type": f"type of attribute {name}",
        "dimension": f"dimension {name}",
        "dimension-order": "order of dimensions",
        "storage": name,
    }.get(kind, kind)
    return f"{difference.fqn}: {subject}"


def _format_value(value: object) -> str:
    if isinstance(value, Dimension):
        return f"{value.size} (unlimited)" if value.unlimited else str(value.size)
    if value is None:
        return "none"
    if isinstance(value, tuple):
        if len(value) == 1:
            return _format_value(value[0])
        return shorten(f"({', '.join(_format_value(v) for v in value)})", _MOST_SHOWN)
    if isinstance(value, (str, bytes)):
        return shorten(json.dumps(_text(value), ensure_ascii=False), _MOST_SHOWN)
    return shorten(value, _MOST_SHOWN)


def as_json(difference: Difference) -> Mapping[str, object]:
    """Return a difference as a JSON object; members that do not apply are left out."""
    members = {
        "kind": difference.kind,
        "path": difference.fqn,
        "name": difference.name,
        "index": None if difference.index is None else list(difference.index),
        "a": _json(difference.expected),
        "b": _json(difference.found),
        "count": difference.count,
        "size": difference.size,
        "largest": _json(difference.largest),
    }
    return {key: value for key, value in members.items() if value is not None}


def _json(value: object) -> object:
    """Convert a value to JSON; NaN and infinities become texts."""
    if isinstance(value, float) and not math.isfinite(value):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(value, "NaN")
    if isinstance(value, (str, bytes)):
        return _text(value)
    if isinstance(value, (tuple, list)):
        return [_json(v) for v in value]
    if value is None or isinstance(value, (bool, int, float)):
        return value
    if isinstance(value, Dimension):
        return {"size": value.size, "unlimited": value.unlimited}
    return str(value)


def _text(value: str | bytes) -> str:
    return value if isinstance(value, str) else value.decode("latin-1")
