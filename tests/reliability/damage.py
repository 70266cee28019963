"""Damaged chunks and files: the results of ncz, zarr-python and netCDF-C.

Each reader runs in a separate process, because it may crash, hang, or take much memory.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import ncz
from ncz.errors import ignore_notice
from tests.reliability.page import Form, Row, grouped
from tests.reliability.reading import Program, Verdict, judge, printed

CODECS = ("none", "zlib:1", "blosc:lz4:1", "zstd:1")
FILTERS = ("none", "zlib:1", "shuffle+zlib:1", "fletcher32")
COUNT = 96
SEED = 13


def _join(rows: Iterable[Row]) -> Iterator[Row]:
    """Join rows of equal counts."""
    for counts, group in grouped(rows, lambda row: row[1:-1]).items():
        memory = max(int(row[-1].removesuffix(" MiB")) for row in group)
        yield ", ".join(row[0] for row in group), *counts, f"{memory} MiB"


FORM = Form(
    ("reader", "tried", "refused", "right", "wrong", "crashed", "hung", "most memory"), _join
)

_NCZ = {
    "ncz dump": """
import sys, ncz, numpy
with ncz.open(sys.argv[1], notify=lambda _: None) as d: print(ncz.read(d, "v").tolist())
""",
    "ncz copy": """
import sys, ncz
ncz.copy(sys.argv[1], "memory://copied", notify=lambda _: None)
with ncz.open("memory://copied", notify=lambda _: None) as d: print(ncz.read(d, "v").tolist())
""",
}

READERS = {
    **_NCZ,
    "ncz check": """
import sys, ncz
if ncz.check(sys.argv[1], data=True).count("error"): sys.exit(1)
with ncz.open(sys.argv[1], notify=lambda _: None) as d: print(ncz.read(d, "v").tolist())
""",
    "zarr-python": """
import sys, warnings; warnings.simplefilter("ignore")
import zarr
print(zarr.open_group(sys.argv[1], mode="r")["v"][:].tolist())
""",
    "netCDF-C": """
import sys, netCDF4
d = netCDF4.Dataset(f"file://{sys.argv[1]}#mode=nczarr,file"); d.set_auto_mask(False)
print(d["v"][:].tolist())
""",
}
"""A program for each reader of Zarr, which prints the values of v."""

NETCDF_READERS = {
    **_NCZ,
    "ncz copy to netCDF": """
import sys, ncz
ncz.copy(sys.argv[1], sys.argv[1] + ".nc", notify=lambda _: None)
with ncz.open(sys.argv[1] + ".nc", notify=lambda _: None) as d: print(ncz.read(d, "v").tolist())
""",
    "netCDF-C": """
import sys, netCDF4
d = netCDF4.Dataset(sys.argv[1]); d.set_auto_mask(False)
print(d["v"][:].tolist())
""",
    "h5py": """
import sys, h5py
print(h5py.File(sys.argv[1])["v"][:].tolist())
""",
}
"""A program for each reader of netCDF-4 files."""


def chunk_rows(jobs: int) -> Iterator[Row]:
    """Yield a row for each reader of stores with a damaged chunk."""
    with tempfile.TemporaryDirectory() as folder:
        stores = list(damaged(Path(folder), COUNT, SEED))
        yield from _read_by(READERS, stores, Path(folder, "whole.zarr"), jobs)


def file_rows(jobs: int) -> Iterator[Row]:
    """Yield a row for each reader of damaged netCDF-4 files."""
    with tempfile.TemporaryDirectory() as folder:
        files = list(damaged_netcdf(Path(folder), COUNT // 2, SEED))
        yield from _read_by(NETCDF_READERS, files, Path(folder, "whole.nc"), jobs)


def _read_by(readers: dict[str, str], paths: list[Path], whole: Path, jobs: int) -> Iterator[Row]:
    """Yield a row for each reader; `whole` is the folder for undamaged stores."""
    ncz.copy("memory://whole", whole, codecs=["zlib:1"], notify=ignore_notice)
    for reader, text in readers.items():
        program = Program(text)
        expected = printed(program, str(whole))
        if expected is None:
            yield (reader, str(0), *["not installed"] * 6)
            continue
        judged: Callable[[str], Verdict] = partial(judge, program, expected=expected)
        with ThreadPoolExecutor(jobs) as pool:
            seen = list(pool.map(judged, map(str, paths)))
        count = Counter(verdict.word for verdict in seen)
        words = ("refused", "right", "wrong", "crashed", "hung")
        memory = max(verdict.memory for verdict in seen)
        yield reader, str(len(seen)), *(str(count[w]) for w in words), f"{memory} MiB"


def damaged(folder: Path, count: int, seed: int) -> Iterator[Path]:
    """Write stores, each with one damaged chunk, and yield their paths."""
    draw = random.Random(seed)
    write_whole()
    for number in range(count):
        codec = CODECS[number % len(CODECS)]
        path = folder / f"{number}.zarr"
        ncz.copy("memory://whole", path, codecs=[codec], notify=ignore_notice)
        chunk = path / "v/1"
        data = bytearray(chunk.read_bytes())
        match number // len(CODECS) % 3:
            case 0:
                del data[draw.randrange(len(data)) :]
            case 1:
                data[draw.randrange(min(16, len(data)))] = draw.randrange(256)
            case _:
                data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)
        chunk.write_bytes(data)
        yield path


def damaged_netcdf(folder: Path, count: int, seed: int) -> Iterator[Path]:
    """Write netCDF-4 files, each with damage in a chunk or outside chunks; yield their paths."""
    import h5py

    draw = random.Random(seed)
    write_whole()
    for number in range(count):
        path = folder / f"{number}.nc"
        codec = FILTERS[number % len(FILTERS)]
        ncz.copy("memory://whole", path, codecs=[codec], notify=ignore_notice)
        with h5py.File(path) as file:
            chunk = file["v"].id.get_chunk_info(1)
        data = bytearray(path.read_bytes())
        match number // len(FILTERS) % 3:
            case 0:
                data[chunk.byte_offset + draw.randrange(8)] = draw.randrange(256)
            case 1:
                data[chunk.byte_offset + draw.randrange(chunk.size)] ^= 1 << draw.randrange(8)
            case _:
                data[draw.randrange(chunk.byte_offset)] = draw.choice((0, 1, 127, 128, 255))
        path.write_bytes(data)
        yield path


def write_whole() -> None:
    """Write the dataset that is damaged to ``memory://whole``."""
    import io

    values = ", ".join(str(n * n % 1000) for n in range(600))
    text = (
        "netcdf d { dimensions: x = 600 ; variables: int v(x) ; v:_ChunkSizes = 200 ;"
        f" data: v = {values} ; }}"
    )
    ncz.gen(io.BytesIO(text.encode()), "memory://whole", overwrite=True, notify=ignore_notice)
