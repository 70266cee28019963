"""Run every fault at every operation, and damaged chunks; write docs/reliability.md.

``python -m tests.faults.table [--write]``, which takes some minutes.
"""

from __future__ import annotations

import argparse
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path

from tests.faults import damage, server
from tests.faults.cases import disk_cases
from tests.faults.disk import CHANGES, FAULTS
from tests.faults.judge import Case
from tests.faults.run import READERS, run_changed, run_disk, run_limited, run_reader

PAGE = Path(__file__).resolve().parents[2] / "docs" / "reliability.md"
BEGIN, END = "<!-- table: begin -->", "<!-- table: end -->"
DAMAGED = 96
SEED = 13

Row = tuple[str, ...]
_READING = ("error", "denied", "short")
_LOST = ("lost in silence", "half of a store opens", "the old store is lost")
_LEFT = ("left behind", "cannot be repeated", "cannot be resumed", "clean:")


def _row(name: str, kinds: str, tried: int, wrong: Iterable[list[str]]) -> Row:
    texts = Counter(text for found in wrong for text in found)
    lost = sum(n for text, n in texts.items() if text.startswith(_LOST))
    left = sum(n for text, n in texts.items() if text.startswith(_LEFT))
    return name, kinds, str(tried), str(lost), str(left), str(sum(texts.values()) - lost - left)


_SOURCES = (
    "raw", "rechunk", "zip", "append", "from netCDF-4", "from classic", "from references",
    "references",
)  # fmt: skip
_CHANGED = ("raw", "rechunk", "zip", "from netCDF-4", "from classic")
_LIMITED = ("netCDF", "netCDF-4", "classic")

Run = Callable[[Case, Path, str], tuple[int, dict[str, list[str]]]]


def disk_rows() -> Iterator[Row]:
    """Yield a row for each command on a disk that fails."""
    with tempfile.TemporaryDirectory() as folder:
        names = list(disk_cases(Path(folder)))
    for name in names:
        yield _disk_row(name, "disk", FAULTS, run_disk)
    for name in _LIMITED:
        yield _disk_row(name, "part of a file", ("limit",), lambda c, f, _: run_limited(c, f))
    for name in READERS:
        yield _tried(f"{name}, store on a disk", _READING, partial(run_reader, name))
    for name in _SOURCES:
        yield _disk_row(name, "source on a disk", _READING, partial(run_disk, reading=True))
    for name in _CHANGED:
        yield _disk_row(name, "source that changes", CHANGES, run_changed)


def _disk_row(name: str, where: str, faults: tuple[str, ...], run: Run) -> Row:
    def tried(folder: Path, fault: str) -> tuple[int, dict[str, list[str]]]:
        return run(disk_cases(folder)[name], folder, fault)

    return _tried(f"{name}, {where}", faults, tried)


def _tried(
    name: str,
    faults: tuple[str, ...],
    run: Callable[[Path, str], tuple[int, dict[str, list[str]]]],
) -> Row:
    """Return the row of a command, which `run` tries with each fault."""
    tried = 0
    wrong: list[list[str]] = []
    for fault in faults:
        with tempfile.TemporaryDirectory() as folder:
            count, found = run(Path(folder), fault)
        tried += count
        wrong += found.values()
        _tell(f"{name}, {fault}", count, found)
    return _row(name, ", ".join(faults), tried, wrong)


def server_rows(step: int) -> Iterator[Row]:
    """Yield a row for each command on a server that fails; `step` leaves requests out."""
    with tempfile.TemporaryDirectory() as folder, server.s3_server(Path(folder)) as served:
        for name, case in server.server_cases(served, Path(folder)).items():
            for lasts, faults in ((False, server.PASSING), (True, server.LASTING)):
                tried = 0
                wrong: list[list[str]] = []
                for fault in faults:
                    # To wait for a server takes long, so fewer requests hang.
                    part = max(step, 4) if fault in server.WAITING else step
                    count, found = server.run_server(
                        case, served, Path(folder), fault, lasts=lasts, step=part
                    )
                    tried += count
                    wrong += found.values()
                    _tell(f"{name}, {fault}", count, found)
                when = "from one request on" if lasts else "one request"
                yield _row(f"{name}, {when}", ", ".join(faults), tried, wrong)


def _tell(name: str, count: int, found: dict[str, list[str]]) -> None:
    sys.stderr.write(f"{name}: {count} tried, {len(found)} wrong\n")
    for where, texts in found.items():
        sys.stderr.write(f"    {where}: {texts}\n")


def damage_rows() -> Iterator[Row]:
    """Yield a row for each reader of stores with a damaged chunk."""
    with tempfile.TemporaryDirectory() as folder:
        stores = list(damage.damaged(Path(folder), DAMAGED, SEED))
        yield from _read_by(damage.READERS, stores, Path(folder) / "whole.zarr")


def damaged_netcdf_rows() -> Iterator[Row]:
    """Yield a row for each reader of damaged netCDF-4 files."""
    with tempfile.TemporaryDirectory() as folder:
        files = list(damage.damaged_netcdf(Path(folder), DAMAGED // 2, SEED))
        yield from _read_by(damage.NETCDF_READERS, files, Path(folder) / "whole.nc")


def _read_by(readers: dict[str, str], paths: list[Path], whole: Path) -> Iterator[Row]:
    """Yield a row for each reader; `whole` is where to write what is not damaged."""
    import ncz
    from ncz.errors import ignore_notice

    ncz.copy("memory://whole", whole, codecs=["zlib:1"], notify=ignore_notice)
    for reader, program in readers.items():
        expected = damage.can_read(program, whole)
        if expected is None:
            yield (reader, str(0), *["not installed"] * 6)
            continue
        seen = [damage.judge(program, path, expected) for path in paths]
        count = Counter(verdict.word for verdict in seen)
        words = ("refused", "right", "wrong", "crashed", "hung")
        memory = max(verdict.memory for verdict in seen)
        yield reader, str(len(seen)), *(str(count[w]) for w in words), f"{memory} MiB"


def table(heads: Row, rows: Iterable[Row]) -> str:
    """Return a table in Markdown."""
    lines = [heads, tuple("---" for _ in heads), *rows]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines) + "\n"


def main() -> int:
    """Run everything; return 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true", help="write docs/reliability.md")
    parser.add_argument("--step", type=int, default=1, help="leave out requests of servers")
    given = parser.parse_args()
    faults = [*disk_rows(), *server_rows(given.step)]
    text = table(("command", "faults", "tried", "lost or wrong", "left behind", "other"), faults)
    heads = ("reader", "tried", "refused", "right", "wrong", "crashed", "hung", "most memory")
    text += f"\n{_DAMAGE}\n\n" + table(heads, damage_rows())
    text += f"\n{_NETCDF}\n\n" + table(heads, damaged_netcdf_rows())
    if given.write:
        page = PAGE.read_text(encoding="utf-8")
        pattern = f"{re.escape(BEGIN)}.*{re.escape(END)}"
        new = re.sub(pattern, lambda _: f"{BEGIN}\n\n{text}\n{END}", page, flags=re.DOTALL)
        PAGE.write_text(new, encoding="utf-8")
    else:
        sys.stdout.write(text)
    return int(any(row[3:] != ("0", "0", "0") for row in faults))


_DAMAGE = f"""\
The second table is of {DAMAGED} stores with one damaged chunk: truncated, with a changed byte in
its header, or with a flipped bit; without codecs, with zlib, blosc and zstd; seed {SEED}. Values
that differ from those that were stored are "wrong". Without a checksum no reader can notice a
flipped bit of uncompressed data. A peer that cannot read a whole store here is not installed."""

_NETCDF = f"""\
The third table is of {DAMAGED // 2} netCDF-4 files with a changed byte at the start of a chunk, a
flipped bit in a chunk, or a changed byte outside of chunks, many of which nobody reads; without
filters, with zlib, shuffle and zlib, and fletcher32."""


if __name__ == "__main__":
    raise SystemExit(main())
