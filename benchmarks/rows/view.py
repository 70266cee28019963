"""The rows of the first picture of `ncz view`: on the local disk, and on a distant S3 server.

The time covers a whole program: it imports ncz, opens the dataset, starts the server, and makes the
requests of the page, up to the values of the picture.
"""

from __future__ import annotations

import shutil
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path

from benchmarks.data import make
from benchmarks.listing_server import serving_keys
from benchmarks.row import Row
from benchmarks.s3_server import BUCKET, credentials
from benchmarks.scale import Scale

_PROGRAM = str(Path(__file__).parents[1] / "programs" / "first_picture.py")
_LATENCY = 0.05


class _Files(Mapping[str, bytes]):
    """The files below a folder by their keys, which are read on request."""

    def __init__(self, folder: Path) -> None:
        self._paths = {
            path.relative_to(folder).as_posix(): path
            for path in folder.rglob("*")
            if path.is_file()
        }

    def __getitem__(self, key: str) -> bytes:
        return self._paths[key].read_bytes()

    def __iter__(self) -> Iterator[str]:
        return iter(self._paths)

    def __len__(self) -> int:
        return len(self._paths)


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, for a variable of 500 MB whose picture is in 16 chunks of 1.25 MB."""
    steps = scale.count(125)
    size = f"{steps * 4} MB"
    served = folder / "served"
    store = served / "field.zarr"
    served.mkdir()
    make("field", store, "float", (steps, 1000, 1000), (5, 250, 250), 1)
    yield Row(
        f"first picture of {size}, on disk", "", [sys.executable, _PROGRAM, str(store)],
        most_seconds=1.5,
    )  # fmt: skip
    with serving_keys([], _Files(served), _LATENCY) as endpoint, credentials():
        there = f"{endpoint}/{BUCKET}/field.zarr#mode=s3"
        yield Row(
            f"first picture of {size}, on S3, 50 ms", "", [sys.executable, _PROGRAM, there],
            most_seconds=3.0,
        )  # fmt: skip
    shutil.rmtree(served)
