"""The rows that read a whole variable in Python: ncz, zarr-python, zarrs and tensorstore."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.peers import program
from benchmarks.row import Limit, Row
from benchmarks.scale import Scale

_PEERS = {
    "zarr-python": ("zarr",),
    "zarr-python with zarrs": ("zarr", "zarrs"),
    "tensorstore": ("tensorstore",),
}
"""For each peer, the modules that it needs; `benchmarks/programs/read.py` is the program."""


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows; start-up is included."""
    side = scale.large_side
    store = folder / "python.zarr"
    script = str(Path(__file__).parents[1] / "programs" / "read.py")
    alone = program("codecs_alone", "numcodecs", "deflate", "isal", own=True)
    square, series = (side, side), (64, side * side // 64)
    for level, codec, shape in (
        (0, "uncompressed", square),
        (1, "zlib 1", square),
        (0, "64 long series", series),
    ):
        limit = Limit("codecs alone", [*alone, str(store)]) if alone and level else None
        make("field", store, "float", shape, (max(1, shape[0] // 64), shape[1]), level)
        work = f"read {side * side * 4 / 1e6:.0f} MB in Python, {codec}"
        for peer, modules in _PEERS.items():
            command = program("read", *modules)
            if command is not None:
                yield Row(
                    work, peer,
                    [sys.executable, script, "ncz", str(store)], [*command, peer, str(store)], 1.0,
                    texts=True, limit=limit, told=work,
                )  # fmt: skip
        shutil.rmtree(store)
