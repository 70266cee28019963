"""Run the tests with the lowest versions that pyproject.toml allows: ``make lowest``.

``python -m tools.lowest [PYTEST_ARGUMENT ...]``. An environment is created in a temporary folder.
uv finds the lowest version of each dependency of ncz, extras included; test tools and indirect
dependencies have their newest version. Without arguments all tests run except ``tests/interop``,
which compares ncz with other programs.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import tomllib
import venv
from pathlib import Path

ROOT = Path(__file__).parents[1]

TESTS = ("-q", "-n", "2", "--dist", "loadfile", "tests", "--ignore=tests/interop")

# Old releases may use functions that newer ones of other packages deprecate.
WARNINGS = ("-W", "ignore::DeprecationWarning", "-W", "ignore::PendingDeprecationWarning")


def dependencies(pyproject: str) -> set[str]:
    """Return the normalized names of the dependencies of ncz, including its extras."""
    project = tomllib.loads(pyproject)["project"]
    extras = project["optional-dependencies"].values()
    requirements = [*project["dependencies"], *(name for extra in extras for name in extra)]
    return {_normalized(re.split(r"[^\w.-]", text, maxsplit=1)[0]) for text in requirements}


def pins(resolved: str, names: set[str]) -> list[str]:
    """Return the lines ``name==version`` of a resolution for the packages in `names`."""
    lines = [line.partition(" ")[0] for line in resolved.splitlines()]
    return [line for line in lines if _normalized(line.partition("==")[0]) in names]


def _normalized(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def install(folder: Path) -> Path:
    """Create an environment with the lowest versions in `folder`; return its Python."""
    venv.create(folder, with_pip=True)
    python, uv = folder / "bin" / "python", str(folder / "bin" / "uv")
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", "uv>=0.8"], check=True)
    pyproject = ROOT / "pyproject.toml"
    resolved = subprocess.run(
        [
            uv, "pip", "compile", "--quiet", "--no-annotate", "--python", str(python),
            "--resolution", "lowest-direct", "--all-extras", str(pyproject),
        ],
        check=True, capture_output=True, text=True,
    ).stdout  # fmt: skip
    lowest = pins(resolved, dependencies(pyproject.read_text(encoding="utf-8")))
    print(*lowest, sep="\n", flush=True)  # noqa: T201
    constraints = folder / "lowest.txt"
    constraints.write_text("\n".join(lowest) + "\n", encoding="utf-8")
    command = [
        uv, "pip", "install", "--quiet", "--python", str(python), "--constraint", str(constraints),
        "--editable", ".[dask]", "--group", "test", "--group", "servers",
    ]  # fmt: skip
    subprocess.run(command, cwd=ROOT, check=True)
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
