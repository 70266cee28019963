"""An S3 server on this machine, and the programs that copy to it and from it."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

from benchmarks.peers import program, tool

BUCKET = "bench"
_KEY, _SECRET = "AK1", "SK1"


def find_rclone() -> str | None:
    """Return the path of rclone, next to Python or elsewhere on the PATH, or None."""
    beside = Path(sys.executable).with_name("rclone")
    return str(beside) if beside.exists() else shutil.which("rclone")


@contextlib.contextmanager
def serving(folder: Path) -> Iterator[str]:
    """Run ``rclone serve s3`` on `folder`, in which each bucket is a folder; yield its endpoint.

    Its keys are in the environment while it runs.
    """
    (folder / BUCKET).mkdir(parents=True)
    command = [str(find_rclone()), "serve", "s3", "--addr", "127.0.0.1:0", "-v"]
    command += ["--auth-key", f"{_KEY},{_SECRET}"]
    command += ["--config", str(folder / "none.conf"), str(folder)]
    before = dict(os.environ)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        try:
            os.environ |= {"AWS_ACCESS_KEY_ID": _KEY, "AWS_SECRET_ACCESS_KEY": _SECRET}
            os.environ["AWS_REGION"] = "us-east-1"
            for line in process.stderr:
                if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                    # A full pipe of messages would block rclone.
                    Thread(target=process.stderr.read, daemon=True).start()
                    yield found[0]
                    return
            raise RuntimeError("rclone does not serve s3")
        finally:
            os.environ.clear()
            os.environ |= before
            process.kill()


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


def rclone_purge(place: str) -> list[str]:
    """Return rclone's command that removes everything below a path on the server."""
    return [str(find_rclone()), "purge", "--s3-no-check-bucket", place]


def rclone_place(endpoint: str, path: str) -> str:
    """Return rclone's name for a path on the server."""
    keys = f"access_key_id={_KEY},secret_access_key={_SECRET}"
    return f":s3,provider=Other,{keys},endpoint='{endpoint}':{BUCKET}/{path}"
