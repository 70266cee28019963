"""Print stores that netCDF-C 4.10.1 wrote, and compare with the output of its ncdump.

``netcdf-c/CASE`` contains the CDL input of ncgen, the store that it wrote, and ncdump's output with
several sets of options (if a file is missing, it is the same as ``dump``). Where ncz differs on
purpose, ``ncz.OPTION.txt`` contains the expected output, and `REASONS` and
docs/reference/differences.md give the reason.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from ncz.cdl.printer import CdlOptions
from ncz.commands.dump import DumpOptions, print_dataset
from ncz.record import replace
from ncz.text.format_values import Precision
from ncz.text.names import RequestedData
from ncz.zmap.location import parse_location

CASES = sorted(p for p in (Path(__file__).parent / "netcdf-c").iterdir() if p.is_dir())

OPTIONS = {
    "dump": CdlOptions(),
    "header": CdlOptions(header_only=True),
    "special": CdlOptions(header_only=True, special=True),
    "coords": CdlOptions(requested=RequestedData(coordinates=True)),
    "brief-c": CdlOptions(brief="c"),
    "full-f": CdlOptions(full="f"),
    "width-30": CdlOptions(line_length=30),
    "precision": CdlOptions(precision=Precision(4, 9)),
}

SCALAR_INDEX = "The index of a scalar with `-f f`"
SCALAR_CHUNKS = "`_ChunkSizes` of a scalar"
SECTION_WORDS = "Virtual attributes of a variable called `data`"

CORRECTIONS = {
    "full-f": [(SCALAR_INDEX, r"^( *(.+) = .*;  // \2)\(34\)$", r"\1(1)")],
    "special": [
        (SCALAR_CHUNKS, r"^ *\t\t[^\n\t]*:_ChunkSizes = (?!\d)", ""),
        (SECTION_WORDS, r"^( *\t\t(?:data|dimensions|group|types|variables)):_", r"\1 :_"),
    ],
}
"""Option -> (reason, pattern, replacement): corrections of ncdump's text for every case."""

REASONS = {
    "Text that looks like JSON": (
        *("cdl-iu", "cdl-ye", "cdl-za2"),
        *("format-own_zarr", "format-rich", "format-rich490", "format-rich490b"),
    ),
    "Negative zero in an attribute": ("cdl-jh", "ncdump-w"),
    "Missing chunks of a big-endian variable": ("ncdump-sp",),
    "Vertical tab in a string variable": ("ncdump-un",),
    "A dimension longer than any array": ("cdl-i9",),
    "Newlines in a char array of several rows": ("ncdump-a",),
    "Char arrays whose fill value is not NUL": ("cdl-l3",),
}
"""Reason -> the cases that it changes; ``ncz.OPTION.txt`` replaces ncdump's text."""

CHANGED = {name for names in REASONS.values() for name in names}


def print_store(case: Path, options: CdlOptions) -> bytes:
    pieces: list[bytes] = []
    named = replace(options, name=case.name)
    print_dataset(parse_location(str(case / "store.zip")), DumpOptions(cdl=named), pieces.append)
    return b"".join(pieces)


def expected(case: Path, option: str) -> bytes:
    """Return the output of ncdump, with the corrections that apply to all cases."""
    path = case / f"{option}.txt"
    text = (path if path.exists() else case / "dump.txt").read_bytes()
    for _, pattern, replacement in CORRECTIONS.get(option, ()):
        text = re.sub(pattern.encode(), replacement.encode(), text, flags=re.MULTILINE)
    return text


@pytest.mark.parametrize("option", OPTIONS)
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_dump_matches_ncdump(case: Path, option: str):
    printed = print_store(case, OPTIONS[option])
    ours = case / f"ncz.{option}.txt"
    if not ours.exists():
        assert printed == expected(case, option)
        return
    assert case.name in CHANGED, "say why in REASONS"
    assert printed == ours.read_bytes()
    assert printed != expected(case, option), "there is no difference: take the file away"


@pytest.mark.parametrize("name", sorted(CHANGED))
def test_a_changed_case_has_its_own_text(name: str):
    assert list((CASES[0].parent / name).glob("ncz.*.txt"))


def test_every_difference_is_documented():
    document = (Path(__file__).parents[2] / "docs/reference/differences.md").read_text()
    systematic = [reason for rules in CORRECTIONS.values() for reason, _, _ in rules]
    for reason in (*systematic, *REASONS):
        assert f"\n| {reason} | " in document
