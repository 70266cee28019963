"""``ncz copy`` from netCDF files to Zarr; ``make test`` copies a part of the examples."""

from __future__ import annotations

import pytest

from tests.conftest import EXAMPLES
from tests.formats.netcdf.ncgen import NEEDS_NETCDF_BIN, USER_TYPES
from tests.sampled import sampled

NAMES = [e.stem for e in EXAMPLES if e.stem not in USER_TYPES]

EMPTY_STRINGS = ("no_data", "scalars", "strings")
"""Examples with empty strings, which are read as NIL from Zarr. --verify takes both for equal."""


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", sampled(NAMES, 3))
def test_a_copy_holds_everything(files, run, tmp_path, name):
    """Types, attributes, dimensions and values are compared by --verify."""
    for key, path in files.items():
        if key.rpartition(".")[0] != name:
            continue
        for mode in ("nczarr,v2", "nczarr,v3"):
            target = f"{tmp_path}/{key}.{mode}.zarr#mode={mode}"
            ran = run("copy", "--verify", path, target)
            assert ran.code == 0, ran.stderr
            printed = run("dump", target, "-n", "x").text
            if name in EMPTY_STRINGS:
                continue
            assert printed == run("dump", path, "-n", "x").text.replace('\\n",\n\t\t\t"', "\\n")
