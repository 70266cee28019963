"""The description of a dataset, as text for people and as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

from ncz.cli.terminal import visible
from ncz.commands.description import DatasetInfo, Statistics, VariableInfo
from ncz.errors import counted
from ncz.text.sizes import format_size
from ncz.zmap.history import History
from ncz.zmap.source_file import SourceFile

_BARS = " ▁▂▃▄▅▆▇█"


def info_lines(info: DatasetInfo) -> Iterator[str]:
    """Yield the lines of the description."""
    form = [info.format, *(["consolidated"] if info.consolidated else [])]
    form += ["annotated"] if info.annotated else []
    yield f"{info.name}: {', '.join(form)}"
    if info.writer:
        yield f"written by {info.writer}"
    yield _totals(info)
    if info.dimensions:
        lengths = (f"{p.lstrip('/')} {n}{' unlimited' * u}" for p, n, u in info.dimensions)
        yield f"dimensions: {', '.join(lengths)}"
    if info.history is not None:
        yield from _history(info.history)
    yield ""
    yield from _table(
        ("variable", "type", "shape", "chunks", "codecs", "unpacked", "stored", "ratio", "present"),
        [_row(v) for v in info.variables],
    )
    if info.sources is not None:
        yield ""
        yield from _sources(info.sources)
    counted = [(v.path, v.statistics) for v in info.variables if v.statistics is not None]
    if counted:
        yield ""
        yield from _table(
            ("variable", "count", "missing", "infinite", "min", "max", "mean", "std", ""),
            [(path, *_statistics_row(s)) for path, s in counted],
        )


def _history(history: History) -> Iterator[str]:
    yield f"branches: {', '.join(map(visible, history.branches))}"
    if history.tags:
        yield f"tags: {', '.join(map(visible, history.tags))}"
    yield "snapshots:"
    for version in history.versions:
        yield f"  {version.name}  {version.time}  {visible(version.message)}"
    if history.has_more:
        yield "  ..."


def _sources(sources: Sequence[SourceFile]) -> Iterator[str]:
    """Yield the lines about the files to which a dataset refers."""
    if not sources:
        yield "sources: none; all data are in the dataset"
        return
    rows = [
        (s.url, "" if s.size is None else format_size(s.size), s.state, s.reason) for s in sources
    ]
    yield from _table(("source", "size", "state", "reason"), rows)


def _totals(info: DatasetInfo) -> str:
    unpacked = sum(v.unpacked or 0 for v in info.variables)
    known = [v.stored for v in info.variables if v.stored is not None]
    text = counted(len(info.variables), "variable")
    if info.groups > 1:
        text += f" in {info.groups} groups"
    text += f", {format_size(unpacked)} unpacked"
    return f"{text}, {format_size(sum(known))} stored" if known else text


def _row(variable: VariableInfo) -> tuple[str, ...]:
    chunks = _lengths(variable.chunks)
    if variable.shards:
        chunks += f" in {_lengths(variable.shards)}"
    present = ""
    if variable.chunks_present is not None:
        present = f"{variable.chunks_present}/{variable.chunks_expected}"
    return (
        variable.path,
        variable.type,
        _lengths(variable.shape),
        chunks,
        " ".join(variable.codecs),
        "" if variable.unpacked is None else format_size(variable.unpacked),
        "" if variable.stored is None else format_size(variable.stored),
        "" if variable.ratio is None else f"{variable.ratio:.3g}",
        present,
    )


def _lengths(lengths: Sequence[int] | None) -> str:
    return "x".join(map(str, lengths or ()))


def _statistics_row(found: Statistics) -> tuple[str, ...]:
    cells = [
        date or ("" if n is None else f"{n:.6g}")
        for n, date in zip(
            (found.minimum, found.maximum, found.mean), found.dates or (None,) * 3, strict=True
        )
    ]
    return (
        str(found.count),
        str(found.missing),
        str(found.infinite),
        *cells,
        "" if found.std is None else f"{found.std:.6g}",
        _bar(found.histogram),
    )


def _bar(histogram: Sequence[int]) -> str:
    """Return the histogram as a row of blocks; a bin that is not empty shows at least the least."""
    most = max(histogram, default=0)
    steps = len(_BARS) - 1
    return "".join(_BARS[math.ceil(steps * n / most)] for n in histogram) if most else ""


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield the lines of a table. Columns without any content are left out."""
    cells = [titles, *([visible(cell) for cell in row] for row in rows)]
    columns = [c for c in range(len(titles)) if any(row[c] for row in cells[1:])]
    widths = {c: max(len(row[c]) for row in cells) for c in columns}
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
        "dimensions": [
            {"path": path, "size": size, "unlimited": unlimited}
            for path, size, unlimited in info.dimensions
        ],
        "variables": [_variable_json(v) for v in info.variables],
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
    }
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
