"""``make bench``: compare the run time and memory of ncz and its peers on the same data.

``python -m benchmarks.run [--values N] [--large] [--output docs/performance.md]``. Each row runs
ncz and the peer alternately and keeps the shortest time of each. Texts that both print must be
equal, and so must the values of stores that both write.
"""

from __future__ import annotations

import argparse
import compileall
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

import ncz
from benchmarks import everyday, python_reads
from benchmarks.latency import HEADER_WITH_H5NETCDF, serving_late
from benchmarks.measure import Measured, best, measure
from benchmarks.netcdf import (
    LEAST_VALUES,
    make_file,
    make_many_chunks,
    peers,
    reference_peers,
)
from benchmarks.s3 import BUCKET, find_rclone, rclone_copy, rclone_place, rclone_purge, serving
from ncz.codec.deflate import library

NCZ = [sys.executable, "-m", "ncz"]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of the table: the commands of ncz and of its peer, and what is compared."""

    work: str
    ours: list[str]
    theirs: list[str] | None
    wanted: str = ""
    times: int | None = None
    texts: bool = False
    """Whether both print text, which must be equal except for the first line."""
    peer: str = ""
    """Name of the peer in the table, if it is not the name of its command."""
    targets: tuple[Path, ...] = ()
    """Stores that the commands create, removed before each run; the first one is that of ncz."""
    clearing: tuple[list[str], ...] = ()
    """Commands that remove what a run created on a server; each may fail."""


_TO_NETCDF = """import sys, xarray
source = xarray.open_zarr(sys.argv[1], consolidated=False, chunks=None)
chunks = {name: v.encoding["chunks"] for name, v in source.data_vars.items()}
encoding = {name: {"zlib": True, "complevel": 5, "chunksizes": c} for name, c in chunks.items()}
source.drop_encoding().to_netcdf(sys.argv[2], engine="netcdf4", encoding=encoding)
"""
"""The same copy with xarray."""


def rows(folder: Path, values: int, large: bool) -> Iterator[Row]:
    """Yield all rows, and create their data."""
    side = max(
        16, int(values**0.5) // 16 * 16
    )  # whole chunks; netCDF-C 4.9.0 can crash on partial ones
    shape, chunks = (side, side), (max(1, side // 16), side)
    for name, wanted in (("float", "3"), ("double", "1.5"), ("int", "2")):
        for level in (0, 5) if name == "float" else (0,):
            store = folder / f"{name}{level}.zarr"
            make("field", store, name, shape, chunks, level)
            yield Row(
                f"dump, {side * side:,} {name}" + (", zlib 5" if level else ""),
                [*NCZ, "dump", str(store)],
                ["ncdump", url(store) if not level else netcdf(store)],
                "2.5" if level else wanted, texts=True,
            )  # fmt: skip
    wide = folder / "wide.zarr"
    many_values = 10 * side * side if large else side * side
    width = int(many_values**0.5) // 16 * 16
    make("field", wide, "float", (width, width), (width // 16, width), 0)
    yield Row(
        f"dump, {width * width:,} float, two processes against one",
        [*NCZ, "dump", "-j", "2", str(wide)], [*NCZ, "dump", "-j", "1", str(wide)], "1.8",
        peer="ncz -j 1",
    )  # fmt: skip
    shutil.rmtree(wide)
    for name in ("float", "double", "int"):
        text = folder / f"{name}.cdl"
        measure([*NCZ, "dump", str(folder / f"{name}0.zarr")], text)
        made, theirs = folder / "gen.zarr", folder / "gen.nc"
        yield Row(
            f"gen, {text.stat().st_size >> 20} MB of CDL, {name}",
            [*NCZ, "gen", str(text), "-o", str(made)],
            ["ncgen", "-4", "-o", str(theirs), str(text)], "4; memory 1/10",
            targets=(made, theirs),
        )  # fmt: skip
        text.unlink()
    source = folder / "float5.zarr"
    file = str(source.with_suffix(".nc"))  # netCDF-C 4.9.0 cannot read compressed Zarr
    ours, other = folder / "copy.zarr", folder / "copy.nc"
    yield Row(
        "copy, raw, directory", [*NCZ, "copy", str(source), str(ours)],
        ["nccopy", file, str(other)], "5", targets=(ours, other),
    )  # fmt: skip
    yield Row(
        "copy, raw, to a zip", [*NCZ, "copy", str(source), str(folder / "copy.zip")], None,
        targets=(folder / "copy.zip",),
    )  # fmt: skip
    yield from rows_to_netcdf(folder, source)
    rechunk = ["-d", "5", "-s", "-c", f"d0/{side // 4},d1/{side // 4}"]
    yield Row(
        "copy, rechunk, zlib 5 and shuffle", [*NCZ, "copy", *rechunk, str(source), str(ours)],
        ["nccopy", *rechunk, file, str(other)], "2", targets=(ours, other),
    )  # fmt: skip
    yield from netcdf_rows(folder, values, large)
    yield from python_rows(folder, values, large)
    yield from everyday_rows(folder, values, large)
    many = folder / "many.zarr"
    make("many", many, 2000)
    yield Row(
        "dump -h, 2,000 variables", [*NCZ, "dump", "-h", str(many)], ["ncdump", "-h", url(many)],
        "1.5", texts=True,
    )  # fmt: skip
    few = folder / "few.zarr"
    make("many", few, 3)
    yield Row(
        "dump -h, 3 variables", [*NCZ, "dump", "-h", str(few)], ["ncdump", "-h", url(few)],
        "1/4", texts=True,
    )  # fmt: skip
    keys = folder / "keys.zarr"
    count = 20_000 if values < 10**7 else 200_000
    make("field", keys, "int", (count,), (1,), 0)
    yield Row(
        f"ls -r, {count:,} keys", [*NCZ, "ls", "-r", str(keys)], ["find", str(keys), "-type", "f"],
        "1/4",
    )  # fmt: skip
    if large:
        vast = folder / "vast.zarr"
        make("field", vast, "float", (1000, 1000, 1000), (1, 1000, 1000), 1)
        yield Row(
            "dump of 4 GB", [*NCZ, "dump", str(vast)], None, "300 MB", times=1,
        )  # fmt: skip
        yield Row(
            "copy of 4 GB, raw", [*NCZ, "copy", str(vast), str(ours)], None, "300 MB",
            targets=(ours,), times=1,
        )  # fmt: skip
        shutil.rmtree(vast)
        big = folder / "big.zarr"
        make("field", big, "float", (500, 1000, 1000), (1, 1000, 1000), 1)
        yield Row(
            "copy of 2 GB, rechunk along the slowest axis",
            [*NCZ, "copy", "-c", "d0/,d1/10,d2/10", str(big), str(ours)], None, "300 MB",
            targets=(ours,),
        )  # fmt: skip


def netcdf_rows(folder: Path, values: int, large: bool) -> Iterator[Row]:
    """Yield the rows that copy a netCDF-4 file with deflate and shuffle to Zarr."""
    count = max(values, LEAST_VALUES) if large else values
    side = max(16, int(count**0.5) // 16 * 16)
    store, file = folder / "source.zarr", folder / "source.nc"
    make("field", store, "float", (side, side), (max(1, side // 32), side), 0)
    make_file(store, file)
    shutil.rmtree(store)
    ours = folder / "netcdf.zarr"
    size = side * side * 4 // 10**6
    for name, theirs, wanted, targets in peers(file, folder / "peer.zarr", folder / "peer.nc"):
        yield Row(
            f"copy, netCDF-4 of {size:,} MB to Zarr", [*NCZ, "copy", str(file), str(ours)], theirs,
            wanted, peer=name, targets=(ours, *targets),
        )  # fmt: skip
    header = [sys.executable, "-c", HEADER_WITH_H5NETCDF]
    with serving_late(file) as (web, _):
        yield Row(
            "dump -h, netCDF-4 over http, 20 ms", [*NCZ, "dump", "-h", web], [*header, web],
            peer="h5netcdf",
        )  # fmt: skip
    file.unlink()
    many, chunks = folder / "many.nc", values // 100
    make_many_chunks(many, chunks)
    for layout, theirs, our_set, their_set in reference_peers(many, folder):
        yield Row(
            f"copy, {chunks:,} references as {layout}",
            [*NCZ, "copy", str(many), str(our_set), "--mode", "reference"], theirs, "3",
            peer="kerchunk", targets=(our_set, their_set),
        )  # fmt: skip
    many.unlink()


def python_rows(folder: Path, values: int, large: bool) -> Iterator[Row]:
    """Yield the rows that read a whole variable in Python; start-up is included."""
    count = max(values, python_reads.LEAST_VALUES) if large else values
    side = max(16, int(count**0.5) // 16 * 16)
    store = folder / "python.zarr"
    for level, codec in ((0, "uncompressed"), (1, "zlib 1")):
        make("field", store, "float", (side, side), (max(1, side // 64), side), level)
        for name, theirs in python_reads.peers(store):
            yield Row(
                f"read {side * side * 4 // 10**6:,} MB in Python, {codec}",
                python_reads.ours(store), theirs, "1", texts=True, peer=name,
            )  # fmt: skip
        shutil.rmtree(store)


def everyday_rows(folder: Path, values: int, large: bool) -> Iterator[Row]:
    """Yield the rows of statistics and of comparing two equal stores."""
    count = max(values, everyday.LEAST_VALUES) if large else values
    side = max(16, int(count**0.5) // 16 * 16)
    store, other = folder / "everyday.zarr", folder / "equal.zarr"
    size = side * side * 4 // 10**6
    make("field", store, "float", (side, side), (max(1, side // 64), side), 1)
    peer = everyday.statistics_peer(store)
    if peer is not None:
        yield Row(
            f"info --stats, {size:,} MB", [*NCZ, "info", "--stats", str(store)], peer[1], "3",
            peer=peer[0],
        )  # fmt: skip
    shutil.rmtree(store)
    make("field", store, "float", (side, side), (max(1, side // 64), side), 0)
    shutil.copytree(store, other)
    yield Row(
        f"diff of equal stores, {size:,} MB", [*NCZ, "diff", str(store), str(other)],
        everyday.compare_bytes(store, other), "2/3", peer="cmp",
    )  # fmt: skip
    shutil.rmtree(store)
    shutil.rmtree(other)


def rows_to_netcdf(folder: Path, source: Path) -> Iterator[Row]:
    """Yield the rows of a copy to netCDF-4, whose values are those of `source`."""
    ours, theirs = folder / "raw.nc", folder / "theirs.nc"
    python = [sys.executable, "-c", _TO_NETCDF, str(source), str(theirs)]
    others = (("xarray", python, "10"), ("cp", ["cp", "-r", str(source), str(theirs)], "1/2"))
    for peer, command, wanted in others:
        yield Row(
            "copy, raw, to netCDF-4", [*NCZ, "copy", str(source), str(ours)], command, wanted,
            peer=peer, targets=(ours, theirs),
        )  # fmt: skip


def rows_on_s3(folder: Path, values: int) -> Iterator[Row]:
    """Yield the rows whose stores are on a server, which is another process."""
    if find_rclone() is None:
        return
    with serving(folder / "served") as endpoint:
        side = max(16, int(values**0.5) // 16 * 16)
        local = folder / "chunks.zarr"
        count = -(-side // (side // 16)) * -(-side // (side // 100))
        make("field", local, "float", (side, side), (side // 16, side // 100), 1)
        there = f"{endpoint}/{BUCKET}/chunks.zarr#mode=s3"
        yield Row(
            f"copy, raw, to S3, {count:,} chunks", [*NCZ, "copy", str(local), there],
            rclone_copy(str(local), rclone_place(endpoint, "other.zarr")), peer="rclone",
            clearing=tuple(
                rclone_purge(rclone_place(endpoint, name)) for name in ("chunks.zarr", "other.zarr")
            ),
        )  # fmt: skip
        subprocess.run([*NCZ, "copy", str(local), there], check=True)
        here, theirs = folder / "here.zarr", folder / "theirs.zarr"
        yield Row(
            f"copy, raw, from S3, {count:,} chunks", [*NCZ, "copy", there, str(here)],
            rclone_copy(rclone_place(endpoint, "chunks.zarr"), str(theirs)),
            targets=(here, theirs), peer="rclone",
        )  # fmt: skip
        yield Row(
            f"dump from S3, {count:,} chunks", [*NCZ, "dump", there],
            ["env", "NCZ_S3=s3fs", *NCZ, "dump", there], texts=True, peer="ncz with s3fs",
        )  # fmt: skip
        make("many", folder / "far.zarr", 2000)
        many = f"{endpoint}/{BUCKET}/many.zarr#mode=s3"
        subprocess.run([*NCZ, "copy", str(folder / "far.zarr"), many], check=True)
        yield Row(
            "dump -h from S3, 2,000 variables", [*NCZ, "dump", "-h", many],
            ["env", "NCZ_S3=s3fs", *NCZ, "dump", "-h", many], texts=True, peer="ncz with s3fs",
        )  # fmt: skip
        shutil.rmtree(local)


def make(kind: str, store: Path, *arguments: object) -> None:
    """Create data in another process, because memory of this one would count for its children."""
    words = ["x".join(map(str, a)) if isinstance(a, tuple) else str(a) for a in arguments]
    subprocess.run([sys.executable, "-m", "benchmarks.data", kind, str(store), *words], check=True)


def netcdf(store: Path) -> str:
    """Return the same data as a netCDF-4 file; netCDF-C 4.9.0 crashes on compressed Zarr."""
    text, file = store.with_suffix(".cdl"), store.with_suffix(".nc")
    if shutil.which("ncgen"):
        measure([*NCZ, "dump", "-s", str(store)], text)
        measure(["ncgen", "-4", "-o", str(file), str(text)])
        text.unlink()
    return str(file)


def url(store: Path) -> str:
    """Return the URL of a directory store for netCDF-C."""
    return f"file://{store}#mode=zarr,file"


def run_row(row: Row, folder: Path, times: int) -> tuple[Measured, Measured | None]:
    """Run both alternately. Raise `RuntimeError` if their results differ."""
    has_peer = row.theirs is not None and shutil.which(row.theirs[0]) is not None
    texts = folder / "ours.txt", folder / "theirs.txt"
    ours, theirs = [], []
    for _ in range(row.times or times):
        clear(row)
        remove(row.targets[:1])
        ours.append(measure(row.ours, texts[0] if row.texts else None))
        if has_peer and row.theirs:
            remove(row.targets[1:])
            theirs.append(measure(row.theirs, texts[1]))
    if has_peer and row.texts and not same_text(*texts):
        raise RuntimeError(f"{row.work}: the texts differ")
    if row.ours[len(NCZ)] == "copy":
        subprocess.run([*NCZ, "copy", "-q", "--verify", *row.ours[-2:]], check=True)
    remove(row.targets)
    clear(row)
    return best(ours), best(theirs) if theirs else None


def clear(row: Row) -> None:
    """Remove what an earlier run created on a server."""
    for command in row.clearing:
        subprocess.run(command, check=False, capture_output=True)


def same_text(ours: Path, theirs: Path) -> bool:
    """Return whether two texts are equal except for the first line, which names the dataset."""
    with open(ours, "rb") as one, open(theirs, "rb") as other:
        one.readline()
        other.readline()
        while True:
            block = one.read(1 << 20)
            if block != other.read(1 << 20):
                return False
            if not block:
                return True


def remove(paths: tuple[Path, ...]) -> None:
    """Remove what an earlier run created."""
    for path in paths:
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink(missing_ok=True)


def table(folder: Path, values: int, times: int, large: bool, say: Callable[[str], None]) -> str:
    """Return the table as Markdown."""
    lines = [
        "| task | ncz | peer | time of peer | ratio | target | memory of ncz | memory of peer |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for row in chain(rows(folder, values, large), rows_on_s3(folder, values)):
        ours, theirs = run_row(row, folder, times)
        name = (row.peer or row.theirs[0]) if row.theirs and theirs else "-"
        peer = f"{theirs.seconds:.2f} s" if theirs else "-"
        ratio = f"{theirs.seconds / ours.seconds:.2f}" if theirs else "-"
        memory = f"{theirs.memory >> 20} MB" if theirs else "-"
        cells = (
            row.work, f"{ours.seconds:.2f} s", name, peer, ratio, row.wanted or "-",
            f"{ours.memory >> 20} MB", memory,
        )  # fmt: skip
        lines.append(f"| {' | '.join(cells)} |")
        say(lines[-1])
    return "\n".join(lines) + "\n"


def growth(folder: Path, say: Callable[[str], None]) -> str:
    """Return a Markdown table of how the run time of ncz grows."""
    lines = ["| task | size | time | time per unit |", "|---|---|---|---|"]

    def add(
        work: str, count: int, unit: str, command: list[str], target: Path | None = None
    ) -> None:
        taken = []
        for _ in range(2):
            remove((target,) if target else ())
            taken.append(measure(command).seconds)
        each = min(taken) / count
        told = f"{each * 1e9:.0f} ns" if each < 1e-6 else f"{each * 1e6:.1f} us"
        lines.append(f"| {work} | {count:,} {unit} | {min(taken):.2f} s | {told} |")
        say(lines[-1])

    made = folder / "made.zarr"
    for side in (1000, 3160, 10_000):
        store, text = folder / "values.zarr", folder / "values.cdl"
        make("field", store, "float", (side, side), (side // 10, side), 0)
        add("dump", side * side, "values", [*NCZ, "dump", str(store)])
        measure([*NCZ, "dump", str(store)], text)
        add("gen", side * side, "values", [*NCZ, "gen", str(text), "-o", str(made)], made)
        text.unlink()
        shutil.rmtree(store)
    for count in (1000, 10_000, 100_000):
        store = folder / "chunks.zarr"
        make("field", store, "int", (count,), (1,), 0)
        add("ls -r", count, "chunks", [*NCZ, "ls", "-r", str(store)])
        add("copy, raw", count, "chunks", [*NCZ, "copy", str(store), str(made)], made)
        add("dump", count, "chunks", [*NCZ, "dump", str(store)])
        shutil.rmtree(store)
    for count in (10, 100, 1000, 10_000):
        store = folder / "variables.zarr"
        make("many", store, count)
        add("dump -h", count, "variables", [*NCZ, "dump", "-h", str(store)])
        shutil.rmtree(store)
    remove((made,))
    return "\n".join(lines) + "\n"


HEAD = """\
# Performance

This page is generated by `make bench`. It shows the wall time of whole processes, the best of
{times} alternating runs, on {cores} cores ({system}), with {values:,} values. A ratio above 1 means
that ncz is faster. The printed texts and the stored values were compared and are equal. Memory is
the peak of the largest process; ncz prints and parses text in one additional process per core.
zlib is {zlib}.

The peers `ncdump`, `ncgen` and `nccopy` are those of netCDF-C 4.9.0 as Debian packages it, an old
version. Because it crashes on compressed Zarr, it reads and writes netCDF-4 files where data are
compressed, so these rows do not compare equal work on the same format.

"""

GROWTH = """
## Scaling

The run time of ncz, including start-up (about 0.1 s, or 0.2 s with data).

"""


EXPLAINED = Path(__file__).with_name("explained.md")
"""Reasons for the rows below their target, from profiles; written by hand."""


def say(line: str) -> None:
    """Print a line at once."""
    print(line, file=sys.stderr, flush=True)  # noqa: T201


def main() -> None:
    """Measure and write the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--values", type=int, default=10_000_000)
    parser.add_argument("--times", type=int, default=3)
    parser.add_argument("--large", action="store_true", help="also measure stores of several GB")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    compileall.compile_dir(str(Path(ncz.__file__).parent), quiet=1)  # as an installation does
    with tempfile.TemporaryDirectory(prefix="ncz-bench-") as folder:
        text = HEAD.format(
            times=options.times,
            cores=os.cpu_count(),
            system=platform.system(),
            values=options.values,
            zlib="zlib-ng" if library().__name__ != "zlib" else "Python's",
        )
        text += table(Path(folder), options.values, options.times, options.large, say)
        text += GROWTH + growth(Path(folder), say) + EXPLAINED.read_text(encoding="utf-8")
    if options.output:
        options.output.write_text(text, encoding="utf-8")
    else:
        sys.stdout.write(text)


if __name__ == "__main__":
    main()
