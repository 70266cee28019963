"""The rows that copy with Dask, and make the same copy in one process."""

from __future__ import annotations

import contextlib
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from benchmarks.data import make
from benchmarks.row import NCZ, Row
from benchmarks.scale import Scale

_CLUSTER = """import sys
from distributed import LocalCluster
if __name__ == "__main__":
    workers, threads = map(int, sys.argv[1:])
    with LocalCluster(n_workers=workers, threads_per_worker=threads, dashboard_address=None) as c:
        print(c.scheduler_address, flush=True)
        sys.stdin.read()
"""


def rows(folder: Path, scale: Scale) -> Iterator[Row]:
    """Yield the rows; the cluster runs before the command starts."""
    if importlib.util.find_spec("distributed") is None:
        return
    side = scale.side(4 * scale.values)
    store, ours, theirs = (folder / f"{name}.zarr" for name in ("source", "ours", "theirs"))
    make("field", store, "float", (side, side), (side // 32, side), 1)
    copy = [*NCZ, "copy", "--codec", "shuffle+zlib:5"]
    for workers, threads in ((1, 1), (1, 2), (2, 1)):
        with cluster(workers, threads) as address:
            yield Row(
                f"copy, recode, {side * side * 4 / 1e6:.0f} MB, Dask, {workers} workers of"
                f" {threads} threads",
                f"ncz --threads {workers * threads}",
                [*copy, "--dask", address, str(store), str(ours)],
                [*copy, "--threads", str(workers * threads), str(store), str(theirs)],
                targets=(ours, theirs),
            )  # fmt: skip
    shutil.rmtree(store)


@contextlib.contextmanager
def cluster(workers: int, threads: int) -> Iterator[str]:
    """Run a cluster on this machine; yield the address of its scheduler."""
    command = [sys.executable, "-c", _CLUSTER, str(workers), str(threads)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stdin is not None
        try:
            address = process.stdout.readline().strip()
            if not re.fullmatch(r"tcp://\S+", address):
                raise RuntimeError("the Dask cluster does not start")
            yield address
            process.stdin.close()
            process.wait(30)
        finally:
            process.kill()
