"""Connect to a Dask cluster, and receive the results of its workers."""

from __future__ import annotations

import gc
from typing import Any

from ncz.errors import NczError, option


def connect(address: str) -> Any:
    """Return a client of the scheduler at an address."""
    try:
        from distributed import Client
    except ImportError as error:
        raise NczError(
            f"{option('dask')} needs the package distributed", hint="pip install 'ncz[dask]'"
        ) from error
    try:
        return Client(address, timeout="20s", set_as_default=False)
    except (OSError, ValueError) as error:
        failure = NczError(
            f"the Dask scheduler does not answer: {error}", address, f"check {option('dask')}"
        )
    # The client that failed is in a cycle of references and still open. It takes a lock of all
    # clients when it is deleted, which must not happen while another client has that lock.
    gc.collect()
    raise failure


def threads_of(client: Any) -> int:
    """Return the number of threads of all workers."""
    threads: dict[str, int] = client.nthreads()
    return max(1, sum(threads.values()))


def result_of(future: Any, address: str) -> Any:
    """Return the result of a worker. Raises `NczError` if it fails."""
    try:
        return future.result()
    except NczError:
        raise
    except Exception as error:
        raise NczError(f"a worker failed: {type(error).__name__}: {error}", address) from error
