"""The Pythons that the peers run in; each is optional.

Peers whose dependencies disagree with those of ncz have environments of their own, which
``make bench`` creates beside that of ncz.
"""

from __future__ import annotations

import functools
import subprocess
import sys
from pathlib import Path

_FOLDER = Path(sys.executable).absolute().parent.parent / "peers"


@functools.cache
def python_with(*modules: str, environment: str = "bench") -> str | None:
    """Return a Python that can import all of `modules`; None if no environment has them."""
    for python in (str(_FOLDER / environment / "bin" / "python"), sys.executable):
        find = "import sys, importlib.util as u; sys.exit(not all(map(u.find_spec, sys.argv[1:])))"
        if not Path(python).exists():
            continue
        found = subprocess.run([python, "-c", find, *modules], timeout=60, check=False)
        if found.returncode == 0:
            return python
    return None


def program(name: str, *modules: str, environment: str = "bench") -> list[str] | None:
    """Return the command that runs a program of `benchmarks.programs`, if it has its modules."""
    python = python_with(*modules, environment=environment)
    path = Path(__file__).with_name("programs") / f"{name}.py"
    return None if python is None else [python, str(path)]


def tool(name: str) -> str:
    """Return the path of a tool that one of the environments has, or else its name."""
    for folder in (Path(sys.executable).parent, _FOLDER / "bench" / "bin"):
        if (folder / name).exists():
            return str(folder / name)
    return name
