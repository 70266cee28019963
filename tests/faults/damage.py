"""Damaged chunks: what ncz, zarr-python and netCDF-C read of them.

Each reader runs in a process of its own, because it may crash, hang, or take much memory.
"""

from __future__ import annotations

import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import ncz
from ncz.errors import ignore_notice
from ncz.record import record

CODECS = ("none", "zlib:1", "blosc:lz4:1", "zstd:1")
SECONDS = 20

READERS = {
    "ncz dump": """
import sys, ncz, numpy
with ncz.open(sys.argv[1], notify=lambda _: None) as d: print(ncz.read(d, "v").tolist())
""",
    "ncz copy": """
import sys, ncz
ncz.copy(sys.argv[1], "memory://copied", notify=lambda _: None)
with ncz.open("memory://copied", notify=lambda _: None) as d: print(ncz.read(d, "v").tolist())
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
"""A program for each reader, which prints the values of v."""

_MEASURED = """
import atexit, re, resource, sys
resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
def tell():
    with open("/proc/self/status") as status:
        sys.stderr.write("\\n" + re.search(r"VmHWM:\\s*(\\d+)", status.read())[1])
atexit.register(tell)
"""
"""Prints the most memory in KiB, which the system counts anew for each program."""


@record
class Verdict:
    """What one reader did with one input: "right", "refused", "wrong", "crashed" or "hung"."""

    word: str
    memory: int
    """Most memory in MiB."""


def damaged(folder: Path, count: int, seed: int) -> Iterator[Path]:
    """Write stores, each with one damaged chunk, and yield their paths."""
    import io

    draw = random.Random(seed)
    values = ", ".join(str(n * n % 1000) for n in range(600))
    text = (
        "netcdf d { dimensions: x = 600 ; variables: int v(x) ; v:_ChunkSizes = 200 ;"
        f" data: v = {values} ; }}"
    )
    for number in range(count):
        codec = CODECS[number % len(CODECS)]
        ncz.gen(io.BytesIO(text.encode()), "memory://whole", overwrite=True, notify=ignore_notice)
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


def judge(reader: str, path: Path, expected: str) -> Verdict:
    """Read a store with one of `READERS`."""
    try:
        done = subprocess.run(
            [sys.executable, "-c", _MEASURED + READERS[reader], str(path)],
            capture_output=True, text=True, timeout=SECONDS,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return Verdict("hung", 0)
    last = done.stderr.rpartition("\n")[2]
    memory = int(last) >> 10 if last.isdigit() else 0
    if done.returncode < 0:
        return Verdict("crashed", memory)
    if done.returncode:
        return Verdict("refused", memory)
    return Verdict("right" if done.stdout == expected else "wrong", memory)


def can_read(reader: str, path: Path) -> str | None:
    """Return what a reader prints for a whole store; None if it is not installed."""
    done = subprocess.run(
        [sys.executable, "-c", READERS[reader], str(path)], capture_output=True, text=True
    )
    return None if done.returncode else done.stdout
