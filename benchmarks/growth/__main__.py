"""``python -m benchmarks.growth [--things RE] [--commands RE] [--counts N,N,N]``.

Prints a line for each command and thing, and fails if an exponent is too large.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import sys
import tempfile
from pathlib import Path

from benchmarks.growth import sources
from benchmarks.growth.commands import COMMANDS, OF_SOURCES
from benchmarks.growth.counted import Counted, count, import_all
from benchmarks.growth.exponent import LARGEST, exponents
from benchmarks.growth.inputs import Words, in_words, made_of, run
from benchmarks.growth.things import THINGS, Thing

_MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None
"""The folder of the files: on a disk, creating many of them takes a time that grows and varies."""

_LONGEST = 20.0
"""Processor time in seconds that a command may take; numbers that would take more are left out."""


_MOST_OPEN = 256
"""Files that a command may open at a time, as on macOS: more sources than about 60 are opened again
when they are read, so that the smallest number of sources has this work too."""


def say(line: str) -> None:
    """Print a line without buffering."""
    print(line, flush=True)  # noqa: T201


class Growth:
    """The work of the commands for growing numbers of one kind of thing."""

    def __init__(self, thing: str, commands: list[str]) -> None:
        self.thing = thing
        self.commands = commands
        self.work: dict[str, list[tuple[int, Counted]]] = {}
        self.failed = 0

    def measure(self, number: int, words: Words, folder: Path) -> None:
        """Run the commands on a number of things."""
        for command in self.commands:
            if not words.know(command) or self._takes_too_long(command, number):
                continue
            try:
                done = count(in_words(command, words, folder))
            except RuntimeError as error:
                say(f"failed: {self.thing}, {number}: {command}: {error}")
                self.failed += 1
                continue
            self.work.setdefault(command, []).append((number, done))

    def _takes_too_long(self, command: str, number: int) -> bool:
        before = self.work.get(command, [])
        return bool(before) and before[-1][1].seconds * number / before[-1][0] > _LONGEST

    def tell(self) -> None:
        """Print the exponents."""
        for command, work in self.work.items():
            if len(work) < 3:
                say(f"too few: {self.thing}, {command}")
                continue
            found = dict(exponents([number for number, _ in work], [done for _, done in work]))
            is_large = max(found.values()) > LARGEST
            self.failed += is_large
            told = " ".join(f"{name} {each:.2f}" for name, each in found.items())
            seconds = ", ".join(f"{number}: {done.seconds:.2f} s" for number, done in work)
            say(f"{'LARGE' if is_large else 'ok':6}{self.thing}, {command}: {told} ({seconds})")


def main() -> None:
    """Measure, print, and exit with 1 if something grows too fast."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--things", default="", help="regular expression")
    parser.add_argument("--commands", default="", help="regular expression")
    parser.add_argument("--counts", default="100,400,1600", help="numbers of variables")
    options = parser.parse_args()
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (_MOST_OPEN, most))
    if hasattr(os, "sched_setaffinity"):  # large data would have another process, small ones not
        os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
    import_all()
    counts = [int(text) for text in options.counts.split(",")]
    failed = 0
    wanted = [c for c in COMMANDS if re.search(options.commands, c)]
    for thing in THINGS:
        if re.search(options.things, thing.name):
            failed += _of_thing(thing, wanted, counts)
    wanted = [c for c in OF_SOURCES if re.search(options.commands, c)]
    if re.search(options.things, "sources") and wanted:
        growth = Growth("sources", wanted)
        for number in counts:
            with tempfile.TemporaryDirectory(prefix="ncz-growth-", dir=_MEMORY) as name:
                growth.measure(number, Words(sources.make(Path(name), number, run)), Path(name))
        growth.tell()
        failed += growth.failed
    sys.exit(failed > 0)


def _of_thing(thing: Thing, commands: list[str], counts: list[int]) -> int:
    growth = Growth(thing.name, [each for each in commands if each not in thing.refused_by])
    for number in counts:
        many = int(number * thing.scale)
        with tempfile.TemporaryDirectory(prefix="ncz-growth-", dir=_MEMORY) as name:
            folder = Path(name)
            growth.measure(many, made_of(thing.text(many), folder), folder)
    growth.tell()
    return growth.failed


if __name__ == "__main__":
    main()
