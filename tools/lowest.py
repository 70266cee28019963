"""Run the tests against the oldest versions that pyproject.toml allows: ``make lowest``.

``python -m tools.lowest [PYTEST_ARGUMENT ...]``. An environment is made in a temporary folder; uv
chooses the lowest version of every direct dependency, and the newest of the others. Without
arguments all tests run except those in ``tests/peers``, whose expectations hold for current peers.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]

TESTS = ("-q", "-n", "2", "--dist", "loadfile", "tests", "--ignore=tests/peers")

# uv warns about nothing here; a deprecation in an old release of a dependency is no fault of ncz.
WARNINGS = ("-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning")


def install(folder: Path) -> Path:
    """Make an environment with ncz and the lowest direct dependencies; return its Python."""
    venv.create(folder, with_pip=True)
    python = folder / "bin" / "python"
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    subprocess.run([*pip, "uv>=0.8"], check=True)
    command = [
        str(folder / "bin" / "uv"), "pip", "install", "--quiet", "--python", str(python),
        "--resolution", "lowest-direct", "--editable", ".[dask,fast]",
        "--group", "test", "--group", "servers",
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=True)
    subprocess.run([str(folder / "bin" / "uv"), "pip", "list", "--python", str(python)], check=True)
    return python


def main(arguments: list[str]) -> int:
    """Install, run pytest, and return its exit code."""
    environment = {k: v for k, v in os.environ.items() if k not in ("PYTHONPATH", "VIRTUAL_ENV")}
    with tempfile.TemporaryDirectory(prefix="ncz-lowest-") as folder:
        python = install(Path(folder) / "venv")
        environment["PATH"] = f"{python.parent}{os.pathsep}{environment['PATH']}"
        command = [str(python), "-m", "pytest", *WARNINGS, *(arguments or TESTS)]
        return subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
