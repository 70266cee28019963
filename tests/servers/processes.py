"""S3 servers as separate processes on the loopback interface, each on a free port.

Every test uses its own prefix (`S3Server.place`). The process is stopped at the end, and its data
are deleted with it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import uuid
from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread, Timer
from typing import TYPE_CHECKING, Any
from urllib.request import Request, urlopen

import pytest

if TYPE_CHECKING:
    from ncz.zmap.remote.s3fs import S3Objects

BUCKET = "ncz-tests"
PATIENCE = 60
"""Seconds that a server may need to start, or to stop."""
ROOT = Path(__file__).resolve().parent.parent.parent


@dataclass(frozen=True)
class S3Server:
    """A running server with one bucket, and its credentials."""

    endpoint: str
    access_key: str
    secret_key: str
    _filled: dict[str, bytes] = field(default_factory=dict, compare=False)

    @property
    def environment(self) -> dict[str, str]:
        """Return the environment variables with its credentials."""
        return {
            "AWS_ACCESS_KEY_ID": self.access_key,
            "AWS_SECRET_ACCESS_KEY": self.secret_key,
            "AWS_CONFIG_FILE": os.devnull,
            "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
        }

    @property
    def objects(self) -> S3Objects:
        """Return the client of the bucket that all tests share."""
        return self.objects_of(BUCKET)

    @functools.cache  # noqa: B019 - servers are as few as processes that run tests
    def objects_of(self, bucket: str) -> S3Objects:
        """Return a client of a bucket for all tests; creating one takes a quarter of a second."""
        from ncz.zmap.remote.credentials import S3Settings
        from ncz.zmap.remote.retry_policy import RetryPolicy
        from ncz.zmap.remote.s3fs import S3Objects

        class Kept(S3Objects):
            def close(self) -> None:
                """It is for all tests."""

        settings = S3Settings(
            self.endpoint, bucket, "", "us-east-1", None, self.access_key, self.secret_key
        )
        return Kept(settings, RetryPolicy())

    @contextlib.contextmanager
    def place(self, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
        """Yield the URL of an empty prefix."""
        for name, value in self.environment.items():
            monkeypatch.setenv(name, value)
        yield f"{self.endpoint}/{BUCKET}/run-{uuid.uuid4().hex}"

    @contextlib.contextmanager
    def bucket(self, name: str, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
        """Yield the URL of an empty bucket on the server that the environment names."""
        try:
            yield self._bucket(name, monkeypatch)
        finally:
            _delete_all(self.objects_of(name), "")

    def filled_bucket(
        self, name: str, fill: Callable[[str], object], monkeypatch: pytest.MonkeyPatch
    ) -> str:
        """Return the URL of a bucket with the objects that `fill` writes, on the same server.

        They are there already if no test has changed them since they were written.
        """
        url = self._bucket(name, monkeypatch)
        if self._filled.get(name) != self._listing(name):
            _delete_all(self.objects_of(name), "")
            fill(url)
            self._filled[name] = self._listing(name)
        return url

    def _bucket(self, name: str, monkeypatch: pytest.MonkeyPatch) -> str:
        for variable, value in self.environment.items():
            monkeypatch.setenv(variable, value)
        monkeypatch.setenv("AWS_ENDPOINT_URL", self.endpoint)
        urlopen(Request(f"{self.endpoint}/{name}", method="PUT")).close()
        return f"s3://{name}"

    def _listing(self, bucket: str) -> bytes:
        """Return the server's listing of a small bucket: keys, states and times of its objects."""
        with urlopen(f"{self.endpoint}/{bucket}?list-type=2&max-keys=1000") as answer:
            listing: bytes = answer.read()
        return listing


def _delete_all(objects: S3Objects, prefix: str) -> None:
    """Delete the objects below a prefix."""
    from ncz.errors import ZmapError
    from ncz.zmap.remote.store import WritableRemoteZmap

    zmap = WritableRemoteZmap(objects, prefix, prefix)
    with contextlib.suppress(ZmapError):  # moto fails to delete some names that it took
        zmap.delete_many(list(zmap.walk()))
    zmap.close()


@functools.cache
def share_models() -> None:
    """Let all clients of botocore in this process share results that each would compute again.

    These are the models that botocore reads from its files, and other names of events, which take
    most of the time for a client.
    """
    try:
        from botocore import hooks, loaders, session  # type: ignore[import-untyped]
    except ImportError:
        return
    session.create_loader = functools.cache(loaders.create_loader)
    begin = hooks.EventAliaser.__init__
    names: dict[str, str] = {}

    def share(self: Any, *arguments: Any, **named: Any) -> None:
        begin(self, *arguments, **named)
        self._alias_name_cache = names

    hooks.EventAliaser.__init__ = share


@contextlib.contextmanager
def moto_server(certificate: str | None = None, key: str | None = None) -> Iterator[S3Server]:
    """Run moto, which implements listings, ranges and conditions, and accepts any credentials.

    It uses TLS if the paths of a certificate and its key are given.
    """
    pytest.importorskip("moto.server", reason="moto is not installed")
    command = [sys.executable, "-m", "tests.servers.moto_process"]
    if certificate and key:
        command += [certificate, key]
    with _running(command, r"Running on (https?://127\.0\.0\.1:\d+)") as endpoint:
        trust = ssl.create_default_context(cafile=certificate) if certificate else None
        urlopen(Request(f"{endpoint}/{BUCKET}", method="PUT"), context=trust).close()
        yield S3Server(endpoint, "any", "thing")


@contextlib.contextmanager
def rclone_server(folder: str) -> Iterator[S3Server]:
    """Run ``rclone serve s3`` on a folder. It checks signatures."""
    beside = os.path.join(os.path.dirname(sys.executable), "rclone")
    rclone = beside if os.path.exists(beside) else shutil.which("rclone")
    if not rclone:
        pytest.skip("rclone is not installed")
    if subprocess.run([rclone, "serve", "s3", "--help"], capture_output=True).returncode:
        pytest.skip("this rclone cannot serve s3")
    os.mkdir(os.path.join(folder, BUCKET))
    command = [rclone, "serve", "s3", "--addr", "127.0.0.1:0", "--auth-key", "AK1,SK1", folder]
    command += ["--config", os.path.join(folder, "no-rclone.conf"), "-v"]
    with _running(command, r"(http://127\.0\.0\.1:\d+)") as endpoint:
        yield S3Server(endpoint, "AK1", "SK1")


_UNTIL_STDIN_ENDS = """
import subprocess, sys
with subprocess.Popen(sys.argv[1:], stdin=subprocess.DEVNULL) as server:
    sys.stdin.read()
    server.terminate()
"""


@contextlib.contextmanager
def _running(command: list[str], says: str) -> Iterator[str]:
    """Start a server, yield its address from the log, and stop it.

    It also stops if this process is killed, because its guard's standard input is closed then.
    """
    with subprocess.Popen(
        [sys.executable, "-c", _UNTIL_STDIN_ENDS, *command],
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # so that the guard and the server can be killed together
    ) as process:
        assert process.stderr is not None
        assert process.stdin is not None
        lines = []
        # Its log must be read, or the server waits for a reader.
        reader = Thread(target=deque, args=(process.stderr, 0), daemon=True)
        too_late = Timer(PATIENCE, os.killpg, (process.pid, signal.SIGKILL))
        too_late.start()
        try:
            for line in process.stderr:
                lines.append(line)
                found = re.search(says, line)
                if found:
                    break
            else:
                pytest.fail(f"{command[0]} did not start:\n{''.join(lines)}")
            too_late.cancel()
            reader.start()
            yield found[1]
        finally:
            too_late.cancel()
            process.stdin.close()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
            if reader.ident is not None:
                reader.join()  # before the log is closed
