"""The rows whose stores are on an S3 server, which is another process on this machine."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.row import NCZ, Row
from benchmarks.s3_server import (
    BUCKET,
    find_rclone,
    obstore_copy,
    rclone_copy,
    rclone_place,
    rclone_purge,
    s5cmd_copy,
    serving,
)
from benchmarks.scale import Scale


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows; without rclone, which is also the server, there are none."""
    if find_rclone() is None:
        return
    with serving(folder / "served") as endpoint:
        yield from _dump_rows(folder, scale, endpoint)
        for count in (2000,) if scale.tenth else (1600, 20_000):
            yield from _copy_rows(folder, count, endpoint)
        keys = scale.count(200_000)
        make("field", folder / "served" / BUCKET / "keys.zarr", "int", (keys,), (1,), 0)
        yield Row(
            f"ls -r on S3, {keys:,} keys", "rclone lsf -R",
            [*NCZ, "ls", "-r", f"{endpoint}/{BUCKET}/keys.zarr#mode=s3"],
            [str(find_rclone()), "lsf", "-R", rclone_place(endpoint, "keys.zarr")], 0.8,
        )  # fmt: skip
    shutil.rmtree(folder / "served")


def _copy_rows(folder: Path, count: int, endpoint: str) -> Iterator[Row]:
    """Yield the copies to the server and from it, beside each program that is installed."""
    local, here, theirs = (folder / f"{name}.zarr" for name in ("chunks", "here", "theirs"))
    make("field", local, "float", (count, 6250 if count < 10_000 else 1250), (1, 6250), 1)
    there = f"{endpoint}/{BUCKET}/ours.zarr#mode=s3"
    clearing = [rclone_purge(rclone_place(endpoint, name)) for name in ("ours.zarr", "theirs.zarr")]
    peers = {"rclone": rclone_copy, "s5cmd": s5cmd_copy, "obstore": obstore_copy}
    for peer, copy in peers.items():
        command = copy(endpoint, str(local), "theirs.zarr", True)
        if command is not None:
            yield Row(
                f"copy, raw, to S3, {count:,} chunks", peer, [*NCZ, "copy", str(local), there],
                command, 0.95, clearing=tuple(clearing),
            )  # fmt: skip
    subprocess.run([*NCZ, "copy", "-q", str(local), there], check=True, timeout=600)
    for peer, copy in peers.items():
        command = copy(endpoint, str(theirs), "ours.zarr", False)
        if command is not None:
            yield Row(
                f"copy, raw, from S3, {count:,} chunks", peer, [*NCZ, "copy", there, str(here)],
                command, 0.95, targets=(here, theirs),
            )  # fmt: skip
    subprocess.run(clearing[0], check=False, capture_output=True, timeout=600)
    shutil.rmtree(local)


def _dump_rows(folder: Path, scale: Scale, endpoint: str) -> Iterator[Row]:
    """Yield the rows that print stores on the server, beside another library for S3."""
    local = folder / "far.zarr"
    side = scale.side(scale.values)
    for name, kind, arguments, options in (
        ("1,600 chunks", "field", ("float", (side, side), (side // 16, side // 100), 1), ()),
        ("2,000 variables", "many", (2000,), ("-h",)),
    ):
        make(kind, local, *arguments)
        there = f"{endpoint}/{BUCKET}/far.zarr#mode=s3"
        command = [*NCZ, "copy", "-q", "--overwrite", str(local), there]
        subprocess.run(command, check=True, timeout=600)
        dump = [*NCZ, "dump", *options, there]
        yield Row(
            f"dump {' '.join((*options, 'from S3'))}, {name}", "ncz with s3fs", dump,
            ["env", "NCZ_S3=s3fs", *dump], texts=True,
        )  # fmt: skip
        shutil.rmtree(local)
