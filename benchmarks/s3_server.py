"""An S3 server on this machine, and the programs that copy to it and from it."""

from __future__ import annotations

import contextlib
import json
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.peers import program, tool

BUCKET = "bench"
_KEY, _SECRET = "AK1", "SK1"
_PORTS = tuple(
    f"{part}.port{kind}" for part in ("master", "volume", "filer", "s3") for kind in ("", ".grpc")
)
_REMOVE = """import sys, urllib.request as r
r.urlopen(r.Request(sys.argv[1], method="DELETE"), timeout=60)
"""


def find_rclone() -> str | None:
    """Return the path of rclone, next to Python or elsewhere on the PATH, or None."""
    beside = Path(sys.executable).with_name("rclone")
    return str(beside) if beside.exists() else shutil.which("rclone")


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[tuple[str, str]]:
    """Run SeaweedFS; yield the endpoint of its S3 server, and the URL of the bucket for `removal`.

    The keys are in the environment while it runs. It takes half the processor time of
    ``rclone serve s3`` for an object.
    """
    folder.mkdir()
    keys = [{"accessKey": _KEY, "secretKey": _SECRET}]
    identity = {"name": "bench", "actions": ["Admin"], "credentials": keys}
    config = folder / "s3.json"
    config.write_text(json.dumps({"identities": [identity]}))
    ports = dict(zip(_PORTS, _free_ports(len(_PORTS)), strict=True))
    command = [tool("weed"), "-v=-1", "server", f"-dir={folder}", "-ip=127.0.0.1", "-filer", "-s3"]
    command += ["-ip.bind=127.0.0.1", f"-s3.config={config}", "-s3.port.iceberg=0"]
    command += ["-master.volumeSizeLimitMB=1024", *(f"-{name}={n}" for name, n in ports.items())]
    endpoint = f"http://127.0.0.1:{ports['s3.port']}"
    with (
        open(folder / "log", "wb") as log,
        subprocess.Popen(command, stdout=log, stderr=log) as process,
        credentials(),
    ):
        try:
            make = [str(find_rclone()), "mkdir", rclone_place(endpoint, "")]
            for _ in range(60):  # the parts of the server start one after the other
                if not subprocess.run(
                    make, capture_output=True, timeout=60, check=False
                ).returncode:
                    break
                time.sleep(0.5)
            else:
                raise RuntimeError("SeaweedFS does not start")
            yield endpoint, f"http://127.0.0.1:{ports['filer.port']}/buckets/{BUCKET}"
        finally:
            process.kill()


@contextlib.contextmanager
def credentials() -> Iterator[None]:
    """Put the keys into the environment."""
    before = dict(os.environ)
    os.environ |= {"AWS_ACCESS_KEY_ID": _KEY, "AWS_SECRET_ACCESS_KEY": _SECRET}
    os.environ["AWS_REGION"] = "us-east-1"
    try:
        yield
    finally:
        os.environ.clear()
        os.environ |= before


def _free_ports(count: int) -> list[int]:
    with contextlib.ExitStack() as stack:
        sockets = [
            stack.enter_context(socket.create_server(("127.0.0.1", 0))) for _ in range(count)
        ]
        return [each.getsockname()[1] for each in sockets]


def rclone_copy(endpoint: str, local: str, path: str, uploads: bool) -> list[str] | None:
    """Return rclone's command for the same copy, with as many parallel requests."""
    ends = [local, rclone_place(endpoint, path)]
    return [
        str(find_rclone()), "copy", "--transfers", "32", "--checkers", "32", "--ignore-times",
        "--s3-no-check-bucket", *(ends if uploads else reversed(ends)),
    ]  # fmt: skip


def s5cmd_copy(endpoint: str, local: str, path: str, uploads: bool) -> list[str] | None:
    """Return s5cmd's command for the same copy; None if it is not installed."""
    command = tool("s5cmd")
    if shutil.which(command) is None:
        return None
    place = f"s3://{BUCKET}/{path}/"
    ends = [f"{local}/", place] if uploads else [f"{place}*", f"{local}/"]
    return [command, "--endpoint-url", endpoint, "--numworkers", "32", "cp", *ends]


def obstore_copy(endpoint: str, local: str, path: str, uploads: bool) -> list[str] | None:
    """Return the command for the same copy by obstore alone; None if it is not installed."""
    command = program("obstore_copy", "obstore")
    return command and [*command, "put" if uploads else "get", endpoint, BUCKET, path, local]


COPIES = {"rclone": rclone_copy, "s5cmd": s5cmd_copy, "obstore": obstore_copy}
"""The programs that copy to the server and from it."""


def removal(url: str) -> list[str]:
    """Return a command that removes everything below a path on the server, with one request."""
    return [sys.executable, "-I", "-S", "-c", _REMOVE, f"{url}?recursive=true"]


def rclone_place(endpoint: str, path: str) -> str:
    """Return rclone's name for a path on the server."""
    keys = f"access_key_id={_KEY},secret_access_key={_SECRET}"
    return f":s3,provider=Other,{keys},endpoint='{endpoint}':{BUCKET}/{path}"
