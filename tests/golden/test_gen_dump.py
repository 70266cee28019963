"""The CDL of netCDF-C's stores, through ncz gen and ncz dump.

The output equals the output of ncdump for netCDF-C's store. Where it differs, because ncgen or
netCDF-C lost or changed something, ``gen.dump.txt`` contains the expected output. `REFUSED` lists
the texts that ncz rejects. docs/reference/differences.md gives the reasons for intended
differences.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ncz.cdl.printer import CdlOptions
from ncz.commands.dump import DumpOptions, print_dataset
from ncz.commands.gen import GenOptions, create_from_text
from ncz.errors import NczError
from ncz.formats.create_options import CreateOptions
from ncz.zmap.location import parse_location
from tests.golden.test_netcdf_c import CASES

REFUSED = {
    # numbers that do not fit, which ncgen wraps, cuts or makes infinite
    "cdl-a1d": "does not fit",
    "cdl-i3": "does not fit",
    "cdl-l7": "does not fit",
    "cdl-tn": "does not fit",
    "cdl-xd": "does not fit",
    "cdl-xk": "does not fit",
    "cdl-xo": "does not fit",
    "ncdump-un": "does not fit",
    "cdl-jh": "too large for double",
    "cdl-tv": "too large for float",
    "cdl-vc": "too large for float",
    "cdl-xl": "not a whole number",
    "cdl-i9": "a length cannot be -1",
    # 08 and 099, which ncgen reads as 0
    "cdl-iq": "is not a valid octal number",
    "cdl-ir": "is not a valid octal number",
    # more values than there are places; ncgen drops the rest
    "cdl-ci": "too many chars",
    "cdl-da": "too many values",
    "cdl-dk": "too many rows",
    # a number for text, or text for a number
    "cdl-c2": "is not text",
    "cdl-cq": "is not text",
    "cdl-tr": "is not a number",
    "cdl-s6": "is an incomplete escape sequence",
    # longer than the declared _nczarr_maxstrlen; netcdf-c truncates them
    "cdl-zi": "a string of 6 bytes, but 3 are declared",
    "cdl-zj": "a string of 6 bytes, but 3 are declared",
    "format-rich": "a string of 9 bytes, but 6 are declared",
    "format-rich490": "a string of 9 bytes, but 6 are declared",
    "format-rich490b": "a string of 9 bytes, but 6 are declared",
}
"""Case -> a part of the error."""

NOT_FIXED = ("cdl-zh", "format-own_nczarr", "format-own_zarr")
"""BitGroom sets bits that seven digits do not show, so quantizing the text again changes it."""

ACCEPTED = [case for case in CASES if case.name not in REFUSED]


def gen_and_dump(source: Path, target: Path, name: str) -> bytes:
    create_from_text(GenOptions(source=source, target=parse_location(str(target))))
    pieces: list[bytes] = []
    print_dataset(
        parse_location(str(target)), DumpOptions(cdl=CdlOptions(name=name)), pieces.append
    )
    return b"".join(pieces)


def expected(case: Path) -> bytes:
    names = ("gen.dump.txt", "ncz.dump.txt", "dump.txt")
    return next(case / name for name in names if (case / name).exists()).read_bytes()


@pytest.mark.parametrize("case", ACCEPTED, ids=lambda case: case.name)
def test_gen_and_dump(case: Path, tmp_path: Path):
    text = gen_and_dump(case / "in.cdl", tmp_path / "store.zarr", case.name)
    assert text == expected(case)
    if case.name in NOT_FIXED:
        return
    again = tmp_path / "again.cdl"
    again.write_bytes(text)
    assert gen_and_dump(again, tmp_path / "again.zip", case.name) == text


@pytest.mark.parametrize("name", REFUSED)
def test_refused(name: str, tmp_path: Path):
    with pytest.raises(NczError, match=REFUSED[name]):
        create_from_text(
            GenOptions(
                source=CASES[0].parent / name / "in.cdl", target=parse_location(str(tmp_path / "s"))
            )
        )
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["cdl-zi", "cdl-zj", "format-rich", "format-rich490"])
def test_strings_are_truncated_as_netcdf_c_does(name: str, tmp_path: Path):
    """On request. Other lines of these dumps differ too, and are compared elsewhere."""
    case = CASES[0].parent / name
    target = tmp_path / "store.zarr"
    create_from_text(
        GenOptions(
            source=case / "in.cdl",
            target=parse_location(str(target)),
            create=CreateOptions(truncate_strings=True),
        )
    )
    pieces: list[bytes] = []
    print_dataset(
        parse_location(str(target)), DumpOptions(cdl=CdlOptions(name=name)), pieces.append
    )
    text, theirs = b"".join(pieces), (case / "dump.txt").read_bytes()
    strings = re.findall(rb"\n  *string (\w+)[ (]", theirs.replace(b"\t", b"  "))
    assert strings
    for variable in strings:
        statement = re.compile(rb"\n  *" + variable + rb" =[^;]*;")
        assert statement.findall(text) == statement.findall(theirs)
