"""Files that ncgen makes of the examples, and the output of ncdump for them."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import EXAMPLES

KINDS = {1: "classic", 2: "64-bit offset", 3: "netCDF-4", 4: "netCDF-4 classic model", 5: "cdf5"}
"""ncgen's numbers of the kinds of files."""

NEEDS_NETCDF_BIN = pytest.mark.skipif(
    shutil.which("ncgen") is None or shutil.which("ncdump") is None,
    reason="ncgen and ncdump are not installed (apt install netcdf-bin)",
)

FEW = ("attributes", "names", "notation", "records", "station_names", "unicode", "zero_length")
"""Examples with a file of every kind; the others have files of the two main kinds."""

USER_TYPES = ("user_types", "station_types")
"""Examples with user-defined types; tests/user_types has those."""


def make_files(folder: Path) -> dict[str, Path]:
    """Make files of the examples, and return the files that ncgen could make, by NAME.NUMBER."""
    found = {}
    for example in EXAMPLES:
        if example.stem in USER_TYPES:
            continue
        for number in KINDS if example.stem in FEW else (1, 3):
            path = folder / f"{example.stem}.{number}.nc"
            command = ["ncgen", "-k", str(number), "-o", str(path), str(example)]
            done = subprocess.run(command, capture_output=True, check=False, timeout=60)
            if done.returncode == 0 and path.exists() and path.stat().st_size:
                found[f"{example.stem}.{number}"] = path
    return found


def ncdump(path: Path | str, *options: str) -> str:
    """Return the output of ncdump."""
    command = ["ncdump", *options, str(path)]
    done = subprocess.run(command, capture_output=True, check=True, timeout=60)
    return done.stdout.decode("utf-8", "surrogateescape")
