"""The rows that copy chunks raw, within the local disk."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.row import NCZ, Row
from benchmarks.scale import Scale

_WITHIN = 1 / 1.15


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, and create their data."""
    store, ours, theirs = (folder / f"{name}.zarr" for name in ("source", "ours", "theirs"))
    side = scale.large_side
    size = f"{side * side * 4 / 1e6:.0f} MB"
    make("field", store, "float", (side, side), (side // 24, side // 24), 0)
    files = sum(1 for path in (store / "v").iterdir() if not path.name.startswith("."))
    yield Row(
        f"copy, raw, {size} in {files:,} chunks", "cp -r", [*NCZ, "copy", str(store), str(ours)],
        ["cp", "-r", str(store), str(theirs)], _WITHIN, targets=(ours, theirs), verify=True,
        told=f"copy {size} of chunks unchanged",
    )  # fmt: skip
    yield from _zip_rows(store, size, folder)
    shutil.rmtree(store)
    # Nothing is removed meanwhile; see `Row.many_files`.
    for count, length, target in ((20_000, 1250, _WITHIN), (100_000, 1000, 1 / 1.3)):
        number = scale.count(count)
        store = folder / f"{number}.zarr"
        make("field", store, "float", (number, length), (1, length), 0)
        yield Row(
            f"copy, raw, {number * length * 4 / 1e6:.0f} MB in {number:,} chunks", "cp -r",
            [*NCZ, "copy", str(store), str(ours)], ["cp", "-r", str(store), str(theirs)], target,
            targets=(ours, theirs), many_files=True,
        )  # fmt: skip


def _zip_rows(store: Path, size: str, folder: Path) -> Iterator[Row]:
    """Yield the rows of a copy to a zip file and from one."""
    ours, theirs, out = folder / "ours.zip", folder / "theirs.zip", folder / "out"
    there = ["sh", "-c", 'cd "$0" && exec zip -q -0 -r "$1" .', str(store), str(theirs)]
    yield Row(
        f"copy, raw, to a zip, {size}", "zip -0 -r", [*NCZ, "copy", str(store), str(ours)], there,
        1.0, targets=(ours, theirs), verify=True,
    )  # fmt: skip
    source, made = folder / "source.zip", folder / "made.zarr"
    subprocess.run([*NCZ, "copy", "-q", str(store), str(source)], check=True, timeout=600)
    yield Row(
        f"copy, raw, from a zip, {size}", "unzip", [*NCZ, "copy", str(source), str(made)],
        ["unzip", "-q", str(source), "-d", str(out)], 1.0, targets=(made, out), verify=True,
    )  # fmt: skip
    source.unlink()
