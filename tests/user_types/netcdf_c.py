"""The programs ncgen and ncdump of netCDF-C."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

NEEDS_NETCDF_BIN = pytest.mark.skipif(
    shutil.which("ncgen") is None or shutil.which("ncdump") is None,
    reason="ncgen and ncdump are not installed (apt install netcdf-bin)",
)


def ncgen(source: Path, target: Path) -> bool:
    """Make a netCDF-4 file of a CDL text; return whether ncgen accepts the text."""
    return _run("ncgen", "-4", "-o", str(target), str(source)).returncode == 0


def ncdump(path: Path) -> str:
    """Return the output of ncdump, even if it stops with an error."""
    return _run("ncdump", str(path)).stdout.decode()


def _run(*command: str) -> subprocess.CompletedProcess[bytes]:
    # Another test of this process may have pointed netCDF-C at codecs that Debian does not have.
    environment = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}
    return subprocess.run(command, env=environment, capture_output=True, check=False)
