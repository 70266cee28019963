"""``ncz info``: describe a dataset, its storage and its values, as text or as JSON."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import click

from ncz.cli.command import command, fields_of, json_option, option, options_of
from ncz.cli.source_options import dataset_options, located
from ncz.cli.terminal import (
    Terminal,
    print_json,
    print_lines,
    standard_output,
    terminal_of,
    visible,
)
from ncz.commands.description import DatasetInfo, Statistics, VariableInfo
from ncz.commands.info import InfoOptions
from ncz.errors import Callbacks, counted, note_if_interrupted
from ncz.text.sizes import format_size


@command(
    "info",
    "ncz info weather.zarr",
    "ncz info --stats -v t2m,wind weather.zarr",
    "ncz info --json s3://bucket/key.zarr",
    "ncz info --html weather.html weather.zarr",
)
@click.argument("source", metavar="STORE")
@click.argument("names", metavar="[VAR]...", nargs=-1)
@options_of(InfoOptions)
@json_option("Print the description as JSON.")
@option(
    "--html",
    "page",
    metavar="FILE",
    section="Output",
    common=True,
    help="Write a page with attributes, statistics, pictures and chunks. - is standard output.",
)
@dataset_options
def info(
    ctx: click.Context,
    /,
    source: str,
    names: tuple[str, ...],
    as_json: bool,
    page: str | None,
    **values: Any,
) -> None:
    """Describe a dataset: format, writer, variables and how they are stored.

    STORE is a path or URL of anything that ncz reads; - is CDL text from standard input. VAR are
    the variables to describe, as with -v. Only --stats and --html read values, which are unpacked
    and masked as xarray does.
    """
    if page is not None and as_json:
        raise click.UsageError("--html cannot be used with --json")
    from ncz.cli.progress import ProgressBar
    from ncz.commands.info import info as carry_out

    terminal = terminal_of(ctx)
    if names:
        values["variables"] = (*names, *values["variables"])
    if values["statistics"] is None:
        values["statistics"] = page is not None
    options = InfoOptions(
        source=located(ctx, source),
        **fields_of(InfoOptions, ctx, values) | {"partial": True},
    )
    if page is not None:
        _write_page(terminal, options, page)
        return
    with note_if_interrupted("nothing was changed"), ProgressBar(terminal) as progress:
        found = carry_out(options, Callbacks(terminal.notify, progress))
    if as_json:
        print_json(info_json(found), indent=1)
    else:
        print_lines(info_lines(found))


def _write_page(terminal: Terminal, options: InfoOptions, target: str) -> None:
    """Write the page to a file or to standard output."""
    from ncz.cli.progress import ProgressBar
    from ncz.commands.info import info_page, write_page

    with note_if_interrupted("nothing was written"), ProgressBar(terminal) as progress:
        _, page = info_page(options, Callbacks(terminal.notify, progress))
    if target != "-":
        write_page(page, target)
        return
    with standard_output() as write:
        write(page.encode())


# The description of a dataset, as text for people and as JSON.

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
    yield ""
    yield from _table(
        ("variable", "type", "shape", "chunks", "codecs", "unpacked", "stored", "ratio", "present"),
        [_row(v) for v in info.variables],
    )
    counted = [(v.path, v.statistics) for v in info.variables if v.statistics is not None]
    if counted:
        yield ""
        yield from _table(
            ("variable", "count", "missing", "infinite", "min", "max", "mean", "std", ""),
            [(path, *_statistics_row(s)) for path, s in counted],
        )


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
    return {
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
