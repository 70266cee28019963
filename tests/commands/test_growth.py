"""The work of commands grows no faster than the number of things that they meet.

The counts do not depend on the machine: steps of Python, bytes that are read, and reads.
``make growth`` tries many more commands, with processor time.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from benchmarks.growth import sources
from benchmarks.growth.counted import Counted, count, import_all
from benchmarks.growth.exponent import LARGEST, exponents
from benchmarks.growth.inputs import Words, in_words, made_of, run
from benchmarks.growth.things import THINGS
from tests.sampled import sampled

pytestmark = [
    pytest.mark.skipif(not hasattr(sys, "monitoring"), reason="steps are counted from Python 3.12"),
    pytest.mark.skipif(not Path("/proc/self/io").exists(), reason="reads are counted on Linux"),
]

COUNTS = (20, 80, 320)

CASES = {
    "variables": ("gen {cdl} -o {made}.zarr", "copy {nc} {made}.zarr", "dump {zarr}"),
    "groups": ("copy {nc} {made}.zarr --mode nczarr", "diff {zarr} {nc}", "check {zarr}"),
    "nested groups": ("info --stats {zarr}",),
    "coordinates": (
        "dump --summary {nc}",
        "gen -k cdf5 {cdl} -o {made}.nc",
        "copy -k cdf5 {nc} {made}.nc",
    ),
    "dimensions": ("copy {zarr} {made}.zarr", "dump {nc}"),
    "attributes": ("copy {zarr} {made}.zarr", "gen {cdl} -o {made}.zarr", "info {nc}"),
    "types": ("copy {nc} {made}.zarr --mode nczarr", "dump {nc}"),
    "members of an enum": ("copy {nc} {made}.zarr --mode nczarr", "dump {nc}"),
    "chunks": ("copy {zarr} {made}.zarr", "ls -rl {zarr}", "check --data {zarr}"),
}


@pytest.fixture(scope="module", autouse=True)
def _imported():
    import_all()


def grown(counts: Sequence[int], work: Sequence[Counted]) -> dict[str, float]:
    """Return the exponents that are too large, except for time."""
    found = exponents(counts, [replace(each, seconds=0) for each in work])
    return {name: each for name, each in found if each > LARGEST}


@pytest.mark.parametrize(
    ("thing", "command"),
    sampled(((thing, command) for thing, commands in CASES.items() for command in commands), 4),
)
def test_work_is_in_proportion_to_things(thing, command, tmp_path):
    text = next(each for each in THINGS if each.name == thing).text
    work = []
    for number in COUNTS:
        folder = tmp_path / str(number)
        folder.mkdir()
        words = made_of(text(number), folder, command)
        work.append(count(in_words(command, words, folder)))
    assert work[0].steps
    assert not grown(COUNTS, work)


@pytest.mark.long
@pytest.mark.parametrize(
    "command",
    [
        "copy --concat t {packed} {made}.zarr --repack short",
        "copy --append t {ncs} {first}",
        "copy --append t {last} {master}",
        "aggregate {made}.nca {ncs} --axis t",
        "aggregate --rebuild {made}.nca {ncs}",
        "copy --concat t {ncs} {made}.json --mode reference",
    ],
)
def test_work_is_in_proportion_to_sources(command, tmp_path):
    counts = (70, 140, 280)  # more than 64 files are opened again when they are read
    work = []
    for number in counts:
        folder = tmp_path / str(number)
        folder.mkdir()
        words = Words(sources.make(folder, number, run, command))
        work.append(count(in_words(command, words, folder)))
    assert not grown(counts, work)


def test_quadratic_work_is_noticed():
    work = [Counted(100 * n * n, 0, 10**7 * n, n) for n in COUNTS]
    assert grown(COUNTS, work).keys() == {"steps"}
