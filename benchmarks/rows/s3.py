"""The rows whose stores are on an S3 server, which is another process on this machine."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.listing_server import serving_keys
from benchmarks.peers import tool
from benchmarks.row import NCZ, Row
from benchmarks.s3_server import (
    BUCKET,
    COPIES,
    credentials,
    find_rclone,
    rclone_place,
    removal,
    serving,
)
from benchmarks.scale import Scale


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows, except without rclone or in a quick run."""
    if find_rclone() is None or scale.tenth:
        return
    yield from _list_rows(200_000)
    if shutil.which(tool("weed")) is None:
        return
    with serving(folder / "served") as (endpoint, bucket):
        yield from _dump_rows(folder, scale, endpoint, bucket)
        yield from _copy_rows(folder, 1600, endpoint, bucket, ("rclone", "s5cmd", "obstore"))
        yield from _copy_rows(folder, 20_000, endpoint, bucket, ("s5cmd", "obstore"))
    shutil.rmtree(folder / "served")


def _list_rows(count: int) -> Iterator[Row]:
    """Yield the row of a long listing, by a server that takes no time to make it."""
    keys = [f"keys.zarr/v/{n}" for n in range(count)]
    array = {"zarr_format": 2, "shape": [count], "chunks": [1], "dtype": "<i4", "order": "C"}
    array |= {"compressor": None, "fill_value": 0, "filters": None}
    documents = {
        "keys.zarr/.zgroup": b'{"zarr_format": 2}',
        "keys.zarr/v/.zarray": json.dumps(array).encode(),
    }
    with serving_keys(keys, documents) as endpoint, credentials():
        yield Row(
            f"ls -r on S3, {count:,} keys", "rclone lsf -R",
            [*NCZ, "ls", "-r", f"{endpoint}/{BUCKET}/keys.zarr#mode=s3"],
            [str(find_rclone()), "lsf", "-R", rclone_place(endpoint, "keys.zarr")], 0.8,
        )  # fmt: skip


def _copy_rows(
    folder: Path, count: int, endpoint: str, bucket: str, peers: tuple[str, ...]
) -> Iterator[Row]:
    """Yield the copies to the server and from it, compared with each installed program."""
    local, here, theirs = (folder / f"{name}.zarr" for name in ("chunks", "here", "theirs"))
    make("field", local, "float", (count, 6250 if count < 10_000 else 1250), (1, 6250), 1)
    there = f"{endpoint}/{BUCKET}/ours.zarr#mode=s3"
    clearing = [removal(f"{bucket}/{name}") for name in ("ours.zarr", "theirs.zarr")]
    for peer in peers:
        command = COPIES[peer](endpoint, str(local), "theirs.zarr", True)
        if command is not None:
            yield Row(
                f"copy, raw, to S3, {count:,} chunks", peer, [*NCZ, "copy", str(local), there],
                command, 0.95, clearing=tuple(clearing), told=f"{count:,} chunks to S3",
            )  # fmt: skip
    subprocess.run([*NCZ, "copy", "-q", str(local), there], check=True, timeout=600)
    for peer in peers:
        command = COPIES[peer](endpoint, str(theirs), "ours.zarr", False)
        if command is not None:
            yield Row(
                f"copy, raw, from S3, {count:,} chunks", peer, [*NCZ, "copy", there, str(here)],
                command, 0.95, targets=(here, theirs), told=f"{count:,} chunks from S3",
            )  # fmt: skip
    subprocess.run(clearing[0], check=False, capture_output=True, timeout=600)
    shutil.rmtree(local)


def _dump_rows(folder: Path, scale: Scale, endpoint: str, bucket: str) -> Iterator[Row]:
    """Yield the rows that print stores on the server, compared with another library for S3."""
    local = folder / "far.zarr"
    side = scale.side(scale.values)
    for name, kind, arguments, options in (
        ("1,600 chunks", "field", ("float", (side, side), (side // 16, side // 100), 1), ()),
        ("2,000 variables", "many", (2000,), ("-h",)),
    ):
        make(kind, local, *arguments)
        there = f"{endpoint}/{BUCKET}/far.zarr#mode=s3"
        subprocess.run([*NCZ, "copy", "-q", str(local), there], check=True, timeout=600)
        dump = [*NCZ, "dump", *options, there]
        yield Row(
            f"dump {' '.join((*options, 'from S3'))}, {name}", "ncz with s3fs", dump,
            ["env", "NCZ_S3=s3fs", *dump], texts=True,
        )  # fmt: skip
        shutil.rmtree(local)
        subprocess.run(removal(f"{bucket}/far.zarr"), check=False, timeout=600)
