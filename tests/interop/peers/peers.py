"""The readers of other environments: where they are, and what they see.

A peer that is absent is said plainly, with what to install. ``NCZ_PEERS_PYTHON`` is a Python with
tensorstore and zarrs, ``NCZ_PEERS_ZARR2`` one with zarr-python 2, and ``NCZ_PEERS_NODE`` a folder
with zarrita.js in its ``node_modules``; without them, this Python and folders beside it are used.
"""

from __future__ import annotations

import functools
import json
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal

from ncz.record import record
from tests.conftest import ROOT

HERE = Path(sys.prefix) / "peers"
"""Where ``make interop`` puts environments of peers."""

Format = Literal[2, 3]


@record
class Peer:
    """A reader: its name, its library, and the formats that it reads."""

    name: str
    library: Literal["zarr", "zarrs", "tensorstore", "netcdf4", "zarrita"]
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


@record
class Request:
    """A store to read; `mode` is NCZarr's, for netcdf-c.

    If `address` is given, values are read from there; the store is a copy of what it serves.
    """

    store: Path
    format: Format
    mode: Literal["nczarr", "zarr"] = "zarr"
    address: str | None = None


Answer = dict[str, Any]
"""``{"arrays": {path: values or error}}``, or ``{"error": why}``."""


def python_of(name: str) -> str:
    """Return the Python of a peer."""
    return _python(PEERS[name])


def _python(peer: Peer) -> str:
    if peer.library == "zarr":
        return os.environ.get("NCZ_PEERS_ZARR2") or str(HERE / "zarr2" / "bin" / "python")
    if peer.library == "netcdf4":
        return sys.executable
    return os.environ.get("NCZ_PEERS_PYTHON") or sys.executable


def node() -> Path:
    """Return the folder whose ``node_modules`` have zarrita.js."""
    return Path(os.environ.get("NCZ_PEERS_NODE") or HERE / "node")


@functools.cache
def version(name: str) -> str | None:
    """The version of a peer; None if it is not installed."""
    peer = PEERS[name]
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
    return f"{PEERS[name].name} is not installed; 'make interop' installs it where it can"


def ask(name: str, requests: Sequence[Request]) -> list[Answer]:
    """What a peer sees of each store. A store that ends the process is an error of its own."""
    peer = PEERS[name]
    answers: list[Answer] = []
    while len(answers) < len(requests):
        left = requests[len(answers) :]
        lines = "".join(
            json.dumps(
                {"store": str(r.store), "format": r.format, "mode": r.mode, "address": r.address}
            )
            + "\n"
            for r in left
        )
        done = subprocess.run(
            _command(peer),
            input=lines,
            cwd=ROOT,
            env={**os.environ, "PYTHONPATH": str(ROOT)},
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
        )
        answers += [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
        if len(answers) < len(requests):
            if done.returncode >= 0:
                raise RuntimeError(f"{peer.name}: {done.stderr[-500:]}")
            answers.append({"error": f"the process ended with signal {-done.returncode}"})
    return answers


def _command(peer: Peer) -> list[str]:
    if peer.library == "zarrita":
        return ["node", str(Path(__file__).with_name("read.mjs")), str(node())]
    return [_python(peer), "-m", "tests.interop.peers.read", peer.library]
