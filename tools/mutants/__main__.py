"""``python -m tools.mutants [--count 72] [--seed 1]``: try mutants, and print which survive."""

from __future__ import annotations

import argparse
import os
import sys
import time

from tools import mutants
from tools.mutants.coverage import measure
from tools.mutants.sample import PACKAGES, ROOT, Mutant, sample
from tools.mutants.trial import Outcome, failing, trials

LISTED = ROOT / "tools" / "mutants.txt"


def main() -> int:
    """Try samples of mutants, and print which survive."""
    parser = argparse.ArgumentParser(prog="python -m tools.mutants", description=mutants.__doc__)
    parser.add_argument("--count", type=int, default=72, help="size of a sample (default: 72)")
    parser.add_argument("--seed", type=int, nargs="+", default=[1], help="of each sample")
    parser.add_argument("--jobs", type=int, default=2, help="parallel processes (default: 2)")
    parser.add_argument("--all", action="store_true", help="print the mutants that are killed too")
    options = parser.parse_args()
    os.chdir(ROOT)
    os.environ |= {"CI": "1", "OPENBLAS_NUM_THREADS": "1"}  # hypothesis then draws the same always
    _preload()
    began = time.monotonic()
    samples = {seed: _sample(options.count, seed) for seed in options.seed}
    coverage = measure((each for drawn in samples.values() for each in drawn), [], options.jobs)
    _say(f"{len(coverage.seconds)} tests pass; {_minutes(began)}")
    if failing(list(coverage.seconds)[:1]):
        _say("pytest cannot run a test that passes")
        return 1
    enough = True
    for seed, drawn in samples.items():
        outcomes = []
        for outcome in trials(drawn, coverage, options.jobs):
            outcomes.append(outcome)
            if options.all and outcome.killer:
                _say(f"killed: {outcome.mutant}\n    {outcome.killer}")
        enough &= _report(seed, outcomes)
    _say(_minutes(began))
    return int(not enough)


def _sample(count: int, seed: int) -> list[Mutant]:
    """Return a sample, drawn evenly from the packages."""
    drawn = []
    for number, package in enumerate(PACKAGES):
        part = count // len(PACKAGES) + (number < count % len(PACKAGES))
        drawn += sample(package, part, seed)
    return drawn


def _report(seed: int, outcomes: list[Outcome]) -> bool:
    """Print which mutants of a sample survive, and return whether few enough do."""
    wrong = failing(
        sorted({each.killer for each in outcomes if each.killer and "::" in each.killer})
    )
    listed = LISTED.read_text(encoding="utf-8").splitlines()
    killed = excused = 0
    for mutant, killer in outcomes:
        if killer and killer not in wrong:
            killed += 1
            continue
        excused += str(mutant) in listed
        _say(f"{'listed' if str(mutant) in listed else 'SURVIVES'}: {mutant}")
    share = killed / max(1, len(outcomes) - excused)
    tried = f"seed {seed}: {len(outcomes)} tried, {killed} killed"
    _say(f"{tried}, {excused} survive as listed: {share:.0%} of the others are killed")
    return share >= 0.9


def _preload() -> None:
    """Import the modules that every run needs, but none of ncz, as one will be mutated."""
    import click
    import hypothesis
    import numcodecs
    import numpy

    del click, hypothesis, numcodecs, numpy
    assert "ncz" not in sys.modules


def _minutes(began: float) -> str:
    return f"{(time.monotonic() - began) / 60:.1f} min"


def _say(line: str) -> None:
    print(line, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(main())
