"""``ncz dump`` of netCDF files against ncdump, byte for byte."""

from __future__ import annotations

import re

import pytest

from tests.conftest import EXAMPLES
from tests.formats.netcdf.ncgen import KINDS, NEEDS_NETCDF_BIN, USER_TYPES, ncdump
from tests.sampled import sampled

NAMES = [e.stem for e in EXAMPLES if e.stem not in USER_TYPES]


def made_of(files, name):
    """Return the files of one example. Every example can be a netCDF-4 file, or ncgen fails."""
    return [path for key, path in files.items() if key.rpartition(".")[0] == name]


@NEEDS_NETCDF_BIN
def test_most_examples_are_in_the_corpus(files):
    of_kind = {number: sum(key.endswith(f".{number}") for key in files) for number in KINDS}
    assert of_kind[3] >= 25
    assert of_kind[1] >= 10
    assert min(of_kind.values()) >= 4


LOSE_DIGITS = {"attributes", "quantize"}
"""Files with numbers that ncdump, too, prints with fewer digits than they have."""


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", sampled(NAMES, 2))
def test_dump_equals_ncdump(files, run, name):
    for path in made_of(files, name):
        ran = run("dump", path)
        assert ran.code == 0
        assert not ran.stderr or ("more digits" in ran.stderr and name in LOSE_DIGITS)
        assert ran.text == ncdump(path)


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("name", sampled(NAMES, 2))
def test_special_attributes_equal_ncdump(files, run, name):
    for path in made_of(files, name):
        if path.suffixes[-2] == ".5":
            continue  # ncdump -s fails for CDF-5
        # ncdump 4.9 does not take _nc3_strict and _NCProperties for marks of netCDF-4.
        expected = re.sub(r":_IsNetcdf4 = 0", ":_IsNetcdf4 = 1", ncdump(path, "-h", "-s"))
        assert run("dump", "-h", "-s", path).text == expected


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize(("number", "kind"), KINDS.items())
def test_the_kind_is_printed(files, run, number, kind):
    assert run("dump", "-k", files[f"records.{number}"]).text == f"{kind}\n"


@NEEDS_NETCDF_BIN
@pytest.mark.parametrize("view", ["--summary", "--json", "--ncml"])
@pytest.mark.parametrize("number", KINDS)
def test_other_views(files, run, view, number):
    ran = run("dump", view, files[f"records.{number}"])
    assert (ran.code, ran.stderr) == (0, "")
    assert "temperature" in ran.text or "status" in ran.text
