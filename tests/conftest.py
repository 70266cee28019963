"""Fixtures for all tests: running a command in the test process or in another."""

from __future__ import annotations

import gc
import importlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import settings

import ncz.cli
import ncz.parallel.memory
from ncz.cli.terminal import run as run_command
from tests.servers.fixtures import cloud, moto, rclone, s3, strict_s3, web

__all__ = ["cloud", "moto", "rclone", "s3", "strict_s3", "web"]

# Tests have no deadline. In continuous integration hypothesis draws the same examples each time.
settings.register_profile("here", deadline=None)
settings.register_profile("ci", deadline=None, derandomize=True)
PROFILE = "ci" if os.environ.get("CI") else "here"
settings.load_profile(PROFILE)
# `make test` takes some of the examples of each property, and `make test-long` takes all.
settings.register_profile("few", settings.get_profile(PROFILE), max_examples=10)

ROOT = Path(__file__).resolve().parent.parent
EXAMPLES = sorted((ROOT / "cdl_examples").glob("*.cdl"))

END = "-----END CERTIFICATE-----\n"

MEMORY = "/dev/shm"
ROOM = 4 << 30
"""The free space that the temporary files of all tests need, with a wide margin."""


def pytest_configure() -> None:
    """Keep temporary files in memory if they fit, and let processes share compiled modules.

    The tests create and delete many small files, and a file system on a disk needs seconds of
    system time for a thousand of them; set TMPDIR to test on a disk. A process of ncz that finds no
    compiled modules needs three times as long to start, and pytest rewrites the assertions of a
    module that it finds not compiled, which takes half of the time to collect the tests.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    if "TMPDIR" in os.environ or not os.access(MEMORY, os.W_OK | os.X_OK):
        return
    if shutil.disk_usage(MEMORY).free > ROOM:
        os.environ["TMPDIR"] = tempfile.tempdir = MEMORY


def pytest_sessionstart() -> None:
    """Let HDF5 have the filters of hdf5plugin before a test imports netCDF4.

    netCDF4 names its own plugins in the environment, and some of them fail in the HDF5 of h5py;
    HDF5 replaces none of them while a dataset that uses it is open.
    """
    with suppress(ImportError):
        importlib.import_module("hdf5plugin")


@pytest.fixture(scope="session", autouse=True)
def no_waits() -> Iterator[None]:
    """Repeat requests immediately; the usual waits protect a server."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ncz.zmap.remote.requests.sleep", lambda _: None)
        yield


@pytest.fixture(scope="session", autouse=True)
def few_certificates(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Know one authority; obstore and botocore read all that the system knows for each store."""
    with pytest.MonkeyPatch.context() as patch:
        with suppress(ImportError):
            known = Path(importlib.import_module("certifi").where()).read_text("utf-8")
            path = tmp_path_factory.mktemp("certificates") / "one.pem"
            path.write_text(known[: known.index(END) + len(END)], "utf-8")
            patch.setenv("SSL_CERT_FILE", str(path))
            patch.setenv("AWS_CA_BUNDLE", str(path))
            patch.delenv("SSL_CERT_DIR", raising=False)
        yield


@pytest.fixture(scope="session", autouse=True)
def same_memory() -> Iterator[None]:
    """Measure the free memory once; a copy measures it twice, in half a millisecond each time."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ncz.parallel.memory.free_memory", cache(ncz.parallel.memory.free_memory))
        yield


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Iterator[None]:
    """Do not search again and again for garbage among the thousands of collected tests.

    Tests search more often than a command of ncz, which does after 500,000 objects: their garbage
    takes less memory, and all searches take about two thirds of the time.
    """
    gc.set_threshold(0)  # Dask, which tests import, remembers whether gc was disabled
    try:
        return (yield)
    finally:
        gc.set_threshold(10_000, 20, 20)
        gc.collect()
        gc.freeze()


SLOW = (
    *("tests/browser/", "tests/chains/", "tests/fuzz/", "tests/reliability/"),
    "tests/commands/copy/test_cluster.py",
)
"""Tests that wait for other programs."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start with tests that wait, so that no process is left with them at the end."""
    items.sort(key=lambda item: not item.nodeid.startswith(SLOW))


@dataclass(frozen=True)
class Ran:
    """The result of a command: its exit code and its two streams."""

    code: int
    stdout: bytes
    stderr: str

    @property
    def text(self) -> str:
        """Standard output as text."""
        return self.stdout.decode("utf-8", "surrogateescape")


Run = Callable[..., Ran]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch) -> Run:
    """Run ``ncz``: ``run("dump", path, stdin=b"")``. An internal error fails the test."""
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)

    def run_ncz(*arguments: str | os.PathLike[str], stdin: bytes = b"") -> Ran:
        with CliRunner().isolation(input=stdin) as (out, err, _):
            code = run_command(ncz.cli.ncz, "ncz", [os.fspath(a) for a in arguments])
            # click 8.2 closes the streams when the block ends.
            result = Ran(code, out.getvalue(), err.getvalue().decode("utf-8", "replace"))
        assert "internal error" not in result.stderr, result.stderr
        return result

    return run_ncz


@contextmanager
def with_signals_heeded(command: list[str], **options: Any) -> Iterator[subprocess.Popen[Any]]:
    """Start a process that an interrupt ends, even where a shell in the background ignores it.

    The process is killed if the block raises, so that a test that fails does not wait for it.
    """
    before = signal.signal(
        signal.SIGINT, signal.default_int_handler
    )  # the process inherits an ignored signal
    try:
        process = subprocess.Popen(command, **options)
    finally:
        signal.signal(signal.SIGINT, before)
    with process:
        try:
            yield process
        except BaseException:
            process.kill()
            raise
