"""The description of a dataset, as text for people and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ncz.cli.dataset_page import page_lines, storage_line, wrap_words
from ncz.cli.terminal import visible
from ncz.commands.description import DatasetInfo, Statistics, VariableInfo
from ncz.errors import quantity
from ncz.model.tree import Attribute
from ncz.model.types import Atomic
from ncz.text.sizes import format_ratio, format_size
from ncz.zmap.history import History
from ncz.zmap.source_file import SourceFile

_UNLIMITED = 1 << 30
"""The width of a table of paths, which are not broken."""

_BARS = " ▁▂▃▄▅▆▇█"


def info_lines(info: DatasetInfo, width: int, *, storage: bool = False) -> Iterator[str]:
    """Yield the lines of the description, which have at most `width` columns.

    With `storage`, they have a table of the storage of each variable.
    """
    form = [info.format, *(["consolidated"] if info.consolidated else [])]
    form += ["annotated"] if info.annotated else []
    text = quantity(len(info.variables), "variable")
    if info.groups > 1:
        text += f" in {info.groups} groups"
    yield from wrap_words(visible(f"{info.name}: {', '.join(form)}, {text}"), width)
    if info.history is not None:
        yield from history_lines(info.history)
    yield ""
    yield from page_lines(info, width, whole=info.is_part)
    found = [(v, v.statistics) for v in info.variables if v.statistics is not None]
    if found:
        yield ""
        yield from _table(
            ("variable", "count", "missing", "infinite", "min", "max", "mean", "std", ""),
            [(v.path, *_statistics_row(s, v)) for v, s in found],
            width,
        )
    yield ""
    yield from storage_line(info, width)
    if storage:
        if info.writer:
            yield from wrap_words(visible(f"Written by {info.writer}"), width)
        yield ""
        yield from _table(
            ("variable", "shape", "chunks", "codecs", "size", "stored", "ratio", "present"),
            [_row(v) for v in info.variables],
            width,
        )
    if info.sources is not None:
        yield ""
        yield from _sources(info.sources)


def history_lines(history: History) -> Iterator[str]:
    """Yield the lines about the branches, the tags and the snapshots of a store."""
    yield f"branches: {', '.join(map(visible, history.branches))}"
    if history.tags:
        yield f"tags: {', '.join(map(visible, history.tags))}"
    yield "snapshots:"
    for version in history.versions:
        yield f"  {version.name}  {version.time}  {visible(version.message)}"
    if history.has_more:
        yield "  ..."


def _sources(sources: Sequence[SourceFile]) -> Iterator[str]:
    """Yield the lines about the files that a dataset refers to."""
    if not sources:
        yield "sources: none; all data are in the dataset"
        return
    rows = [
        (s.url, "" if s.size is None else format_size(s.size), s.state, s.reason) for s in sources
    ]
    yield from _table(("source", "size", "state", "reason"), rows, _UNLIMITED)


def _row(variable: VariableInfo) -> tuple[str, ...]:
    chunks = _lengths(variable.chunks)
    if variable.shards:
        chunks += f" in {_lengths(variable.shards)}"
    present = ""
    if variable.chunks_present is not None:
        present = f"{variable.chunks_present}/{variable.chunks_expected}"
    return (
        variable.path,
        _lengths(variable.shape),
        chunks,
        " ".join(variable.codecs),
        "" if variable.unpacked is None else format_size(variable.unpacked),
        "" if variable.stored is None else format_size(variable.stored),
        "" if variable.ratio is None else format_ratio(variable.ratio),
        present,
    )


def _lengths(lengths: Sequence[int] | None) -> str:
    return "x".join(map(str, lengths or ()))


def _statistics_row(found: Statistics, variable: VariableInfo) -> tuple[str, ...]:
    cells = [
        date or ("" if n is None else f"{n:.6g}")
        for n, date in zip(
            (found.minimum, found.maximum, found.mean), found.dates or (None,) * 3, strict=True
        )
    ]
    std = "" if found.std is None else f"{found.std:.6g}"
    if std and found.dates is not None:  # dates have no units, but their deviation has
        unit = variable.text("units").partition(" since ")[0]
        std = f"{std} {_SYMBOLS.get(unit.rstrip('s'), unit)}".rstrip()
    return (
        str(found.count),
        str(found.missing),
        str(found.infinite or ""),
        *cells,
        std,
        _bar(found.histogram) if variable.role == "data" else "",
    )


_SYMBOLS = {"day": "d", "hour": "h", "minute": "min", "second": "s"}
"""The symbols of units of time, which leave room in the table."""


def _bar(histogram: Sequence[int]) -> str:
    """Return the histogram as a row of blocks; a bin that is not empty shows at least the least."""
    most = max(histogram, default=0)
    steps = len(_BARS) - 1
    return "".join(_BARS[math.ceil(steps * n / most)] for n in histogram) if most else ""


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> Iterator[str]:
    """Yield the lines of a table. Columns without any content are left out.

    If it is too wide, the last column without a title is left out, and then each row has a line of
    its first cell; the others are wrapped below it with their titles.
    """
    cells = [titles, *([visible(cell) for cell in row] for row in rows)]
    columns = [c for c in range(len(titles)) if any(row[c] for row in cells[1:])]
    widths = {c: max(len(row[c]) for row in cells) for c in columns}

    def total() -> int:
        return sum(widths[c] for c in columns) + 2 * (len(columns) - 1)

    if columns and not titles[columns[-1]] and total() > width:
        columns.pop()
    if total() > width:
        for row in cells[1:]:
            yield row[0]
            parts = [f"{titles[c]} {row[c]}".replace(" ", "\0") for c in columns[1:] if row[c]]
            for line in wrap_words("  ".join(parts), width, "  "):
                yield line.replace("\0", " ")
        return
    for row in cells:
        yield "  ".join(f"{row[c]:{widths[c]}}" for c in columns).rstrip()


def info_json(info: DatasetInfo) -> dict[str, object]:
    """Return the description for JSON; members that are unknown are null."""
    members: dict[str, object] = {
        "name": info.name,
        "format": info.format,
        "writer": info.writer,
        "consolidated": info.consolidated,
        "annotated": info.annotated,
        "groups": info.groups,
        "unpacked_bytes": info.unpacked,
        "stored_bytes": info.stored,
        "dimensions": [
            {"path": path, "size": size, "unlimited": unlimited}
            for path, size, unlimited in info.dimensions
        ],
        "variables": [_variable_json(v) for v in info.variables],
        "attributes": [
            {"group": fqn or "/", "attributes": _attributes_json(attributes)}
            for fqn, attributes in info.attributes
        ],
    }
    if info.history is not None:
        members["history"] = {
            "branches": list(info.history.branches),
            "tags": list(info.history.tags),
            "snapshots": [
                {"name": version.name, "time": version.time, "message": version.message}
                for version in info.history.versions
            ],
        }
    if info.coordinates:
        members["coordinates"] = [*map(_coordinate_json, info.coordinates)]
    if info.sources is not None:
        members["sources"] = [
            {"url": s.url, "size": s.size, "state": s.state, "reason": s.reason or None}
            for s in info.sources
        ]
    return members


def _variable_json(variable: VariableInfo) -> dict[str, object]:
    found = variable.statistics
    members: dict[str, Any] = {
        "path": variable.path,
        "type": variable.type,
        "dtype": variable.dtype,
        "dimensions": list(variable.dimensions),
        "shape": list(variable.shape),
        "chunks": variable.chunks,
        "shards": variable.shards,
        "codecs": list(variable.codecs),
        "unpacked_bytes": variable.unpacked,
        "stored_bytes": variable.stored,
        "ratio": variable.ratio,
        "chunks_present": variable.chunks_present,
        "chunks_expected": variable.chunks_expected,
        "role": variable.role,
        "long_name": variable.text("long_name") or None,
        "units": variable.text("units") or None,
        "attributes": _attributes_json(variable.attributes),
    }
    members |= _range_json(variable)
    if found is not None:
        members["statistics"] = {
            "count": found.count,
            "missing": found.missing,
            "infinite": found.infinite,
            "min": found.minimum,
            "max": found.maximum,
            "mean": found.mean,
            "std": found.std,
            "histogram": list(found.histogram),
        }
        if found.dates is not None:
            dates = dict(zip(("min", "max", "mean"), found.dates, strict=True))
            members["statistics"] |= {"dates": dates}
    return members


def _coordinate_json(variable: VariableInfo) -> dict[str, object]:
    """Return the path, the units and the range of a coordinate that was not named."""
    return {
        "path": variable.path, "units": variable.text("units") or None, **_range_json(variable)
    }  # fmt: skip


def _range_json(variable: VariableInfo) -> dict[str, Any]:
    """Return the range of a coordinate as a member."""
    span = variable.range
    if span is None:
        return {}
    members: dict[str, Any] = {"first": span.first, "last": span.last, "step": span.step}
    if span.has_dates:
        members |= {"dates": list(span.texts), "step_of_dates": span.step_of_dates}
    return {"range": members}


def _attributes_json(attributes: Sequence[Attribute]) -> dict[str, Any]:
    """Return attributes by name: a text, a number, or a list; other values as text."""
    return {attribute.name: _plain(attribute) for attribute in attributes}


def _plain(attribute: Attribute) -> Any:
    if attribute.type is Atomic.CHAR:
        return attribute.text
    values = [
        v if isinstance(v, str | int) or (isinstance(v, float) and math.isfinite(v)) else str(v)
        for v in attribute.values
    ]
    return values[0] if len(values) == 1 else values
