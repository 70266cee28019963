"""Read each file of cdl_examples and print it again, without a store in between."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from ncz.cdl.printer import CdlOptions, print_cdl
from ncz.cdl.reader import read_cdl
from ncz.errors import Callbacks, Notice
from tests.conftest import EXAMPLES, ROOT
from tests.sampled import sampled

PEERS_FAULT = {
    "fixed_zero": "ncgen makes a dimension of length 0 unlimited",
    "not_numbers": "ncgen takes the -0 that ncdump prints for the integer 0",
    "user_types": "ncgen 4.9.0 loses compounds behind the first that holds an enum",
}
"""Cases where ncgen and ncdump give another text than ncz, and are wrong."""

PEER_REFUSES = {
    "filters": "Debian's ncgen has no bzip2, zstd and blosc",
    "harder_names": "ncgen cannot read these names, which ncdump prints",
    "quantize": "Debian's ncgen has no zstd",
}


def printed(text: bytes) -> bytes:
    notices: list[Notice] = []
    parts: list[bytes] = []
    dataset = read_cdl(text, source="test", callbacks=Callbacks(notices.append))
    print_cdl(dataset, CdlOptions(), parts.append, Callbacks(notices.append))
    assert {notice.code for notice in notices} <= {"digits-left-out"}
    return b"".join(parts)


def test_there_are_enough():
    assert len(EXAMPLES) >= 28


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_each_begins_with_its_subject(path: Path):
    text = path.read_text(encoding="utf-8")
    assert re.match(r"(// .{30,}\n|/\* .{30,}\n)", text)
    assert f"netcdf {path.stem} {{" in text


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda p: p.stem)
def test_printed_text_is_a_fixed_point(path: Path):
    once = printed(path.read_bytes())
    assert printed(once) == once


@pytest.mark.skipif(
    shutil.which("ncgen") is None or shutil.which("ncdump") is None,
    reason="ncgen and ncdump are not installed (apt install netcdf-bin)",
)
@pytest.mark.parametrize("path", sampled(EXAMPLES, 3), ids=lambda p: p.stem)
def test_ncgen_and_ncdump_give_the_same_text(path: Path, tmp_path: Path):
    target = tmp_path / f"{path.stem}.nc"
    # Another test of this process may have pointed netCDF-C at codecs that Debian does not have.
    environment = {k: v for k, v in os.environ.items() if k != "HDF5_PLUGIN_PATH"}
    command = ["ncgen", "-4", "-o", str(target), str(path)]
    made = subprocess.run(command, env=environment, capture_output=True, check=False)
    if path.stem in PEER_REFUSES:
        assert made.returncode != 0
        return
    assert made.returncode == 0, made.stderr
    theirs = subprocess.run(["ncdump", target], capture_output=True, check=True).stdout
    ours = printed(path.read_bytes())
    assert (ours != theirs) is (path.stem in PEERS_FAULT), theirs.decode()


def test_user_defined_types_are_printed_as_written():
    path = ROOT / "cdl_examples" / "user_types.cdl"
    _, _, text = path.read_bytes().partition(b"\n")
    assert printed(path.read_bytes()) == text
