"""The readers of other environments: their places, and their results.

The message about a missing peer names the packages to install. ``NCZ_PEERS_PYTHON`` is a Python
with tensorstore and zarrs, ``NCZ_PEERS_ZARR2`` one with zarr-python 2, ``NCZ_PEERS_ZARR3`` one with
zarr-python 3.2 or later, ``NCZ_PEERS_GDAL`` one with rasterio, and ``NCZ_PEERS_NODE`` a folder with
zarrita.js in its ``node_modules``; without them, this Python and folders next to it are used.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from ncz.record import record
from tests.conftest import ROOT

HERE = Path(sys.prefix) / "peers"
"""The folder where ``make interop`` makes environments of peers."""

Format = Literal[2, 3]

PATIENCE = 600
"""The time limit for an answer of a peer in seconds, before it is killed."""


@record
class Peer:
    """A reader: its name, its library, and the formats that it reads."""

    name: str
    library: Literal["zarr", "zarr-3.2", "zarrs", "tensorstore", "netcdf4", "zarrita", "gdal"]
    formats: tuple[Format, ...] = (2, 3)
    version_of: str = ""


PEERS: Mapping[str, Peer] = MappingProxyType(
    {
        "netcdf-c": Peer("netCDF4 (netcdf-c)", "netcdf4", (2,), "netCDF4"),
        "zarr-2": Peer("zarr-python 2", "zarr", (2,), "zarr"),
        "tensorstore": Peer("tensorstore", "tensorstore", (2, 3), "tensorstore"),
        "zarrs": Peer("zarrs", "zarrs", (2, 3), "zarrs"),
        "zarrita": Peer("zarrita.js", "zarrita", (2, 3), "zarrita"),
    }
)


MORE: Mapping[str, Peer] = MappingProxyType(
    {
        "zarr-3.2": Peer("zarr-python 3.2", "zarr-3.2", (2, 3), "zarr"),
        "gdal": Peer("rasterio with GDAL", "gdal", (2, 3), "rasterio"),
    }
)
"""Readers that are not in the matrix."""

_ENVIRONMENTS = {
    "zarr": ("NCZ_PEERS_ZARR2", "zarr2"),
    "zarr-3.2": ("NCZ_PEERS_ZARR3", "zarr3"),
    "gdal": ("NCZ_PEERS_GDAL", "zarr3"),
}
"""The variable and the folder of the Python that has a library."""


@record
class Request:
    """A store to read; `mode` is NCZarr's, for netcdf-c.

    If `address` is given, values are read from there; the store is a copy of the served one.
    """

    store: Path
    format: Format
    mode: Literal["nczarr", "zarr"] = "zarr"
    address: str | None = None


Answer = dict[str, Any]
"""``{"arrays": {path: values or error}}``, or ``{"error": why}``."""


def python_of(name: str) -> str:
    """Return the Python of a peer."""
    return _python(_peer(name))


def _peer(name: str) -> Peer:
    return PEERS.get(name) or MORE[name]


def _python(peer: Peer) -> str:
    if peer.library in _ENVIRONMENTS:
        variable, folder = _ENVIRONMENTS[peer.library]
        return os.environ.get(variable) or str(HERE / folder / "bin" / "python")
    if peer.library == "netcdf4":
        return sys.executable
    return os.environ.get("NCZ_PEERS_PYTHON") or sys.executable


def node() -> Path:
    """Return the folder whose ``node_modules`` have zarrita.js."""
    return Path(os.environ.get("NCZ_PEERS_NODE") or HERE / "node")


@functools.cache
def version(name: str) -> str | None:
    """The version of a peer; None if it is not installed."""
    peer = _peer(name)
    if peer.library == "zarrita":
        package = node() / "node_modules" / "zarrita" / "package.json"
        if shutil.which("node") is None or not package.exists():
            return None
        return str(json.loads(package.read_text(encoding="utf-8"))["version"])
    python = _python(peer)
    program = f"import importlib.metadata as m; print(m.version({peer.version_of!r}))"
    if shutil.which(python) is None:
        return None
    done = subprocess.run([python, "-c", program], capture_output=True, text=True, check=False)
    found = done.stdout.strip()
    if done.returncode or (peer.library == "zarr" and not found.startswith("2.")):
        return None
    return found


def absent(name: str) -> str | None:
    """Why a peer cannot be asked, and what to do; None if it can."""
    if version(name) is not None:
        return None
    return f"{_peer(name).name} is not installed; 'make interop' installs it where it can"


def ask(name: str, requests: Sequence[Request]) -> list[Answer]:
    """Return the view of each store. A store that ends the process is a separate error.

    The process of a peer is kept for later requests, as importing its library takes a second.
    """
    answers: list[Answer] = []
    for asked in requests:
        where = {"store": str(asked.store), "mode": asked.mode, "address": asked.address}
        process = _process(name)
        told = process.answer(json.dumps({"format": asked.format, **where}))
        if told is None:
            _process.cache_clear()
            told = process.end()
        answers.append(told)
    return answers


class Process:
    """A process that answers each line of its standard input, until that is closed."""

    def __init__(self, command: Sequence[str]) -> None:
        self.errors = tempfile.TemporaryFile(mode="w+")  # noqa: SIM115 -- `close` closes it
        self.process = subprocess.Popen(
            command,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            text=True,
        )
        atexit.register(self.close)

    def answer(self, request: str) -> Answer | None:
        """Return the answer to a request; None if the process ends without one."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        too_late = threading.Timer(PATIENCE, self.process.kill)
        too_late.start()
        try:
            with contextlib.suppress(BrokenPipeError):
                self.process.stdin.write(f"{request}\n")
                self.process.stdin.flush()
            lines = (line for line in self.process.stdout if line.startswith("{"))
            told: Answer | None = next((json.loads(line) for line in lines), None)
            return told
        finally:
            too_late.cancel()

    def end(self) -> Answer:
        """Return the signal that ended the process; raise an error for another end."""
        self._wait()
        if self.process.returncode >= 0 or self.process.returncode == -signal.SIGKILL:
            self.errors.seek(0)
            raise RuntimeError(f"{self.process.args!r:.200}: {self.errors.read()[-500:]}")
        return {"error": f"the process ended with signal {-self.process.returncode}"}

    def _wait(self) -> None:
        with contextlib.suppress(BrokenPipeError):
            self.process.communicate()

    def close(self) -> None:
        """End the process."""
        self._wait()
        self.errors.close()


@functools.cache
def _process(name: str) -> Process:
    return Process(_command(_peer(name)))


def _command(peer: Peer) -> list[str]:
    if peer.library == "zarrita":
        return ["node", str(Path(__file__).with_name("read.mjs")), str(node())]
    return [_python(peer), "-m", "tests.interop.peers.read", peer.library]
