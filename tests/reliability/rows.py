"""The rows of the tables of faults, and their commands."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import groupby
from pathlib import Path

from tests.reliability import server
from tests.reliability.cases import disk_cases
from tests.reliability.disk import CHANGES, FAULTS
from tests.reliability.judge import Case
from tests.reliability.page import Form, Row, grouped
from tests.reliability.run import READERS, run_changed, run_disk, run_limited, run_reader
from tests.reliability.signals import SIGNALS
from tests.reliability.work import Part, Result


def _join(rows: Iterable[Row]) -> Iterator[Row]:
    """Count the rows with the same faults and no errors, and name the others."""

    def key(row: Row) -> Row:
        when = row[0].partition(", ")[2]
        return f"{when}: " * bool(when) + row[1], row[3]

    for (faults, wrong), group in grouped(rows, key).items():
        names = ", ".join(row[0].partition(", ")[0] for row in group)
        tried = sum(int(row[2]) for row in group)
        memory = max(int(row[4].removesuffix(" MiB")) for row in group)
        commands = f"{len(group)}" if wrong == "0" else names
        yield faults, commands, f"{tried:,}", wrong, f"{memory} MiB"


FORM = Form(("faults", "commands", "runs", "not right", "most memory"), _join)
"""A row before it is joined: the command, the faults, the number of runs, the errors, and the most
memory."""

_CLASSES = {
    "lost": ("lost in silence", "the old store is lost"),
    "wrong": ("half of a store opens",),
    "left behind": ("left behind", "cannot be repeated", "cannot be resumed", "clean:"),
    "crashed": ("internal error", "exit code", "crashed"),
    "hung": ("hung",),
}
"""The beginnings of the texts of each kind of fault; "other" has the rest."""

_READING = ("error", "denied", "short")
_SOURCES = (
    "raw", "rechunk", "zip", "append", "from netCDF-4", "from classic", "from references",
    "references",
)  # fmt: skip
_CHANGED = ("raw", "rechunk", "zip", "from netCDF-4", "from classic")
_LIMITED = ("netCDF", "netCDF-4", "classic")

_Found = tuple[int, dict[str, list[str]]]
_Run = Callable[[Case, Path, str], _Found]


def row_of(name: str, results: Iterable[tuple[Part, Result]]) -> Row:
    """Return a row of a table from the results of its parts."""
    parts = list(results)
    texts = Counter(
        text for _, result in parts for found in result.wrong.values() for text in found
    )
    counts = {
        kind: sum(n for text, n in texts.items() if text.startswith(begins))
        for kind, begins in _CLASSES.items()
    }
    counts["other"] = sum(texts.values()) - sum(counts.values())
    wrong = ", ".join(f"{count} {kind}" for kind, count in counts.items() if count) or "0"
    tried = sum(result.tried for _, result in parts)
    memory = max(result.memory for _, result in parts) >> 20
    faults = ", ".join(part.fault for part, _ in parts)
    return name, faults, str(tried), wrong, f"{memory} MiB"


def is_right(row: Row) -> bool:
    """Return whether nothing was wrong in any run of a row."""
    return row[3] == "0" and row[2] != "0"


def rows_of(results: Iterable[tuple[Part, Result]]) -> Iterator[Row]:
    """Yield a row for related parts, as soon as it is complete."""
    for name, group in groupby(results, lambda result: result[0].row):
        yield row_of(name, group)


def writers(step: int) -> Iterator[Part]:
    """Yield the parts of commands on a disk that fails under their target.

    There, `step` has no meaning: each operation is tried.
    """
    for name in _case_names():
        for fault in FAULTS:
            yield Part(name, fault, partial(_on_disk, run_disk, name, fault))
    for name in _LIMITED:
        yield Part(f"{name}, part of a file", "limit", partial(_on_disk, _limited, name, "limit"))


def readers(step: int) -> Iterator[Part]:
    """Yield the parts of commands on a disk that fails, or changes, under their source."""
    for name in READERS:
        for fault in _READING:
            yield Part(f"{name}, store", fault, partial(_read, name, fault))
    for name in _SOURCES:
        run = partial(run_disk, reading=True)
        for fault in _READING:
            yield Part(f"{name}, source", fault, partial(_on_disk, run, name, fault))
    for name in _CHANGED:
        for fault in CHANGES:
            work = partial(_on_disk, run_changed, name, fault)
            yield Part(f"{name}, source that changes", fault, work)


def servers(step: int) -> Iterator[Part]:
    """Yield the parts of commands on an S3 server that fails at each `step`-th request."""
    for name in _server_names():
        for lasts, faults in ((False, server.PASSING), (True, server.LASTING)):
            when = "from one request on" if lasts else "one request"
            for fault in faults:
                work = partial(_on_server, name, fault, lasts, step)
                yield Part(f"{name}, {when}", fault, work)


def signals(step: int) -> Iterator[Part]:
    """Yield the parts of commands that a signal ends, also at each `step`-th request."""
    for name in _case_names():
        for signal in SIGNALS:
            yield Part(name, signal, partial(_on_disk, run_disk, name, signal))
    for name in _server_names():
        for signal in SIGNALS:
            yield Part(name, signal, partial(_on_server, name, signal, False, step))


def _case_names() -> list[str]:
    with tempfile.TemporaryDirectory() as folder:
        return list(disk_cases(Path(folder)))


def _server_names() -> list[str]:
    with tempfile.TemporaryDirectory() as folder, server.s3_server(Path(folder)) as served:
        return list(server.server_cases(served, Path(folder)))


def _limited(case: Case, folder: Path, fault: str) -> _Found:
    return run_limited(case, folder)


def _on_disk(run: _Run, name: str, fault: str, folder: Path) -> _Found:
    return run(disk_cases(folder)[name], folder, fault)


def _read(name: str, fault: str, folder: Path) -> _Found:
    return run_reader(name, folder, fault)


def _on_server(name: str, fault: str, lasts: bool, step: int, folder: Path) -> _Found:
    with server.s3_server(folder) as served:
        case = server.server_cases(served, folder)[name]
        return server.run_server(case, served, folder, fault, lasts=lasts, step=step)
