"""The Pythons that the peers run in; each is optional.

Peers whose dependencies conflict with the dependencies of ncz have separate environments, which
``make bench`` creates next to the environment of ncz.
"""

from __future__ import annotations

import functools
import os
import re
import shutil
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


def program(
    name: str, *modules: str, environment: str = "bench", own: bool = False
) -> list[str] | None:
    """Return the command that runs a program of `benchmarks.programs`, if it has its modules.

    It runs in an environment of the peers, or in the environment of ncz if `own`.
    """
    python = python_with(*modules, environment="" if own else environment)
    path = Path(__file__).with_name("programs") / f"{name}.py"
    return None if python is None else [python, str(path)]


def tool(name: str) -> str:
    """Return the path of a tool that one of the environments has, or else its name."""
    for folder in (Path(sys.executable).parent, _FOLDER / "bench" / "bin"):
        if (folder / name).exists():
            return str(folder / name)
    return name


_NETCDF = "NCZ_PEERS_NETCDF"
"""The environment variable with a folder that holds other programs of netCDF-C."""


def netcdf(name: str) -> str:
    """Return the path of ncdump, ncgen or nccopy in a folder, or only its name without one.

    Raises `FileNotFoundError` if the folder lacks the program.
    """
    folder = os.environ.get(_NETCDF)
    if not folder:
        return name
    path = shutil.which(name, path=folder)
    if path is None:
        raise FileNotFoundError(f"{_NETCDF}={folder} does not contain the program {name}")
    return path


@functools.cache
def netcdf_version() -> str:
    """Return the version of ncdump, or an empty string if it is not installed."""
    if shutil.which(netcdf("ncdump")) is None:
        return ""
    told = subprocess.run([netcdf("ncdump")], check=False, capture_output=True, text=True)
    found = re.search(r"netcdf library version (\S+)", told.stdout + told.stderr)
    return found[1] if found else ""
