"""``python -m benchmarks.simulated_cluster``: how copies with many Dask workers scale.

The scheduler, the client and the pieces are real; a worker waits as long as storage takes for its
bytes, instead of copying them. All workers run in this process, so that its processor time includes
the scheduler, the client and the workers.
"""

from __future__ import annotations

import pickle
import sys
import time
from collections import Counter
from collections.abc import Iterator

from ncz.commands.copy.cluster import each, parts, piece_length
from ncz.commands.copy.options import CopyOptions
from ncz.commands.copy.worker import Piece, WorkerResult
from ncz.commands.sources import location_of_target
from ncz.zmap.location import location_of, parse_location

_CHUNK = 8 << 20
"""Bytes of a chunk."""

_CHUNKS = 40
"""The number of chunks for each worker; a piece has five."""

_RATE = 32 << 20
"""Bytes per second that a worker reads, recodes with zlib and writes."""

_QUIET = {
    "distributed.worker.profile.enabled": False,
    "distributed.admin.system-monitor.interval": "60s",
}
"""The functions that would take most of the time of many workers in one process."""

HEAD = (
    "workers", "pieces", "time", "time of one worker", "processor time for each piece",
    "bytes sent for each piece", "pieces of a worker, least and most",
)  # fmt: skip


def _wait(piece: Piece) -> WorkerResult:
    """Wait as long as storage would take for a piece."""
    from distributed import get_worker

    time.sleep(len(piece.indices) * _CHUNK / _RATE)
    return WorkerResult(get_worker().name, tuple(f"v/{index[0]}" for index in piece.indices), 0)


def _pieces(chunks: int, threads: int, sizes: list[int]) -> Iterator[Piece]:
    options = CopyOptions(
        source=location_of("s3://bucket/source.zarr"),
        target=location_of_target("s3://bucket/target.zarr"),
    )
    target = parse_location("s3://bucket/target.zarr")
    indices = ((n, 0, 0) for n in range(chunks))
    for part in parts(indices, piece_length(chunks, _CHUNK, threads)):
        piece = Piece("0123456789abcdef" * 2, options, target, target, "/variable", part)
        sizes.append(len(pickle.dumps(piece)))
        yield piece


def simulate(workers: int) -> tuple[str, ...]:
    """Return a line of the table."""
    import logging

    import dask
    from distributed import Client, LocalCluster

    sizes: list[int] = []
    chunks = workers * _CHUNKS
    with (
        dask.config.set(_QUIET),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, processes=False, dashboard_address=None,
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster, set_as_default=False) as client,
    ):  # fmt: skip
        begun, used = time.perf_counter(), time.process_time()
        done = list(each(client, _wait, _pieces(chunks, workers, sizes), 4 * workers, ""))
        seconds, used = time.perf_counter() - begun, time.process_time() - used
    by_worker = Counter(one.fqn for one in done)
    ideal = _CHUNKS * _CHUNK / _RATE
    return (
        str(workers), str(len(done)), f"{seconds:.1f} s", f"{ideal:.1f} s",
        f"{1e3 * used / len(done):.1f} ms", f"{sum(sizes) // len(sizes):,}",
        f"{min(by_worker.values())}, {max(by_worker.values())}",
    )  # fmt: skip


def main() -> None:
    """Print the table."""
    for line in (HEAD, ("---",) * len(HEAD)):
        sys.stdout.write(f"| {' | '.join(line)} |\n")
    for workers in (1, 2, 4, 16, 64):
        sys.stdout.write(f"| {' | '.join(simulate(workers))} |\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
